"""One source asked once, for a person who wants to know whether it works; nothing is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from aggregator.config.load import Config
from aggregator.errors import AggregatorError
from aggregator.fetchers import roster, sandbox
from aggregator.fetchers.http import host_limits
from aggregator.fetchers.policy import Policy
from aggregator.model.sighting import Listing, Moment
from aggregator.model.source import Document, Memory, Source


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


def policy_of(config: Config | None) -> Policy:
    """How origins are asked, as the config says where there is one."""
    if config is None:
        return Policy()
    return Policy(
        contact=config.contact or "",
        allow_networks=config.allow_networks,
        proxy=config.proxy or "",
        obey_robots=config.obey_robots,
    )


def probe(source: Source, way: host_limits.Gate, now: datetime) -> Probe:
    """What the first address of the source that can be understood says."""
    reasons = []
    for document in _documents(source, way, now):
        if isinstance(document, str):
            reasons.append(document)
            continue
        try:
            listing = sandbox.read(document)
        except AggregatorError as error:
            reasons.append(str(error))
        else:
            return Probe(
                source,
                answered=True,
                entries=len(listing.sightings),
                newest=_newest(listing),
                message="; ".join(listing.remarks),
                listing=listing,
            )
    return Probe(source, answered=False, message="; ".join(dict.fromkeys(reasons)) or "it has no address to ask")


def _documents(source: Source, way: host_limits.Gate, now: datetime) -> Iterator[Document | str]:
    """What each address of the source gave: a document, or why there is none."""
    if source.path is not None:
        try:
            yield from roster.recorded(source)
        except AggregatorError as error:
            yield str(error)
        return
    for url in roster.locate(source):
        answer = way.ask(source, Memory(url), now, force=True)
        yield answer.document or answer.message or answer.state


def _newest(listing: Listing) -> Moment | None:
    """The newest date of a listing; ``None`` where it gives none."""
    dates = (sighting.published for sighting in listing.sightings)
    return max((date for date in dates if date), key=lambda date: date.at, default=None)
