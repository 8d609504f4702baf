"""One source fetched once, for a person who wants to know whether it works; nothing is remembered of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from aggregator import run
from aggregator.config.load import Config
from aggregator.fetchers.fetch import FetchedSource, Resources, Terms, fetch
from aggregator.model.entry import Listing, Moment
from aggregator.model.source import Source
from aggregator.store import database, polls


class Probe(Struct, frozen=True):
    """What one question to a source came to.

    ``entries`` is how many of its entries belong to the feed, ``newest`` the newest of their dates; ``message`` says
    why a silent source is silent, or what its reader remarked. ``listing`` is what it lists, ``None`` where nothing.
    """

    source: Source
    answered: bool
    entries: int = 0
    newest: Moment | None = None
    message: str = ""
    listing: Listing | None = None


@contextmanager
def resources(config: Config | None, now: datetime) -> Iterator[Resources]:
    """Give what a source is fetched with outside of a refresh; a host that asked for silence is left alone."""
    with ExitStack() as stack:
        made = Resources(run.policy_of(config))
        if config is not None and ("://" in config.state or Path(config.state).exists()):
            store = stack.enter_context(database.open_store(config.state))
            made = Resources(made.policy, polls.read_holds(store, now), partial(polls.read_robots, store))
        stack.callback(made.close)
        yield made


def probe(sources: tuple[Source, ...], given: Resources, now: datetime) -> tuple[Probe, ...]:
    """Return what each source lists now, fetched as a refresh does it: a page is followed to its feed."""
    terms = Terms(given, now, lambda *_: None, force=True)
    fetched = [fetch(replace(source, snapshot=None), {}, terms) for source in sources]
    return tuple(_probe(fetched.result()) for fetched in fetched)


def _probe(fetched: FetchedSource) -> Probe:
    listing = next((each for each in fetched.listings if each is not None), None)
    if listing is None:
        return Probe(fetched.source, answered=False, message=fetched.message)
    return Probe(
        fetched.source,
        answered=True,
        entries=len(listing.entries),
        newest=_newest(listing),
        message="; ".join(listing.remarks),
        listing=listing,
    )


def _newest(listing: Listing) -> Moment | None:
    """The newest date of a listing; ``None`` where it gives none."""
    dates = (entry.published for entry in listing.entries)
    return max((date for date in dates if date), key=lambda date: date.at, default=None)
