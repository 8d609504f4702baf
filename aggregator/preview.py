"""Fetch what a source lists now, without storing it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from aggregator.config.settings import Config
from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import registry, snapshot
from aggregator.fetchers.fetch import FetchContext, Resources, fetch
from aggregator.fetchers.fetched import FetchedSource, judge_source
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.polling import Policy
from aggregator.fetchers.http.target import redact
from aggregator.merger import filters
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.feed import Plan, SourceResult
from aggregator.model.source import Document, Filter, PollState, Request, Source, Validators
from aggregator.store import database, facts, hosts, polls
from aggregator.store.database import Store
from aggregator.translation.marks import N_


class SourcePreview(Struct, frozen=True):
    """The result of fetching one source once.

    ``result`` is what a refresh would say of it. ``entries`` counts the entries that belong to the feed, ``newest`` is
    their newest date. ``listing`` is ``None`` if none was read.
    """

    result: SourceResult
    entries: int = 0
    newest: Moment | None = None
    listing: Listing | None = None


@contextmanager
def open_resources(config: Config | None, now: datetime) -> Iterator[Resources]:
    """Give the HTTP client and parser for use outside of a refresh; a stored Retry-After of a host is respected."""
    policy = config.polling_policy if config else Policy()
    with database.open_existing(config.state if config else None) as store:
        known = (polls.read_holds(store, now), partial(hosts.read_robots, store)) if store else ()
        with closing(Resources(policy, *known)) as resources:
            yield resources


def try_sources(config: Config, given: Resources, now: datetime) -> Iterator[tuple[Plan, SourcePreview]]:
    """Fetch each source as a refresh does that knows none of its validators, and yield its result."""
    context = FetchContext(given, now, lambda *_: None, force=True)
    with database.open_existing(config.state) as store:
        known = [(plan, _read_known(store, plan)) for plan in config.plans]
    started = [
        (plan, before.get(source.name), fetch(source, poll_states.get(source.name, {}), context))
        for plan, (poll_states, before) in known
        for source in plan.sources
    ]
    for plan, before, fetched in started:
        yield plan, _preview(fetched.result(), before)


class Look(Struct, frozen=True):
    """The document of a source as it is now, and what is read of it; ``problem`` says why nothing was.

    ``left_out`` are entries that do not meet the conditions of the source's filter, each with the reason.
    """

    url: str
    media_type: str
    body: bytes
    listing: Listing | None = None
    problem: str = ""
    left_out: tuple[tuple[Entry, str], ...] = ()


def look(source: Source, given: Resources, now: datetime) -> Look:
    """Fetch the first document of a source and read it, whatever was read of it before; raise FetchError.

    If it is a page that names a feed, it is the feed, as for a refresh.
    """
    document = fetch_first(source, given, now)
    with suppress(ReadError):  # the page is read below, which says why
        if feeds := given.discover(document) if "html" in (document.media_type or "") else ():
            document = fetch_document(source, Request(feeds[0]), given, now, document.url)
    shown = redact(document.url), document.media_type or "", document.body
    try:
        listing = given.read(replace(document, source=source))
        every = given.read(replace(document, source=replace(source, filter=Filter()))) if _selects(source) else listing
    except ReadError as error:
        return Look(*shown, problem=str(error))
    chosen = {each.id for each in listing.entries}
    others = [(each, N_(f"of the show {each.show}")) for each in every.entries if each.id not in chosen]
    reasons = ((each, filters.find_reason(each, source.filter, source.name)) for each in listing.entries)
    return Look(*shown, listing, left_out=(*others, *((each, why) for each, why in reasons if why is not None)))


def _selects(source: Source) -> bool:
    """Return whether entries of some shows only are read."""
    return bool(source.filter.only.show or source.filter.exclude.show)


def _read_known(
    store: Store | None, plan: Plan
) -> tuple[Mapping[str, Mapping[str, PollState]], Mapping[str, SourceResult]]:
    """Return the poll states of each source, without validators, and its last result."""
    if store is None:
        return {}, {}
    known = {
        name: {each.url: replace(each, validators=Validators(), digest=None) for each in poll_states}
        for (_, name), poll_states in polls.read_poll_states(store, [plan.name]).items()
    }
    return known, {each.source.name: each for each in facts.SOURCE_RESULTS.read(store, plan.name) or ()}


def _preview(fetched: FetchedSource, before: SourceResult | None) -> SourcePreview:
    listing = next((each for each in fetched.listings if each is not None), None)
    source, every = fetched.source, listing.entries if listing else ()
    entries = [each for each in every if filters.find_reason(each, source.filter, source.name) is None]
    dates = [entry.published for entry in entries if entry.published]
    result = judge_source(fetched, before)
    if listing is None and not result.is_failing:
        result = replace(result, message=fetched.message)
    return SourcePreview(result, len(entries), max(dates, key=lambda date: date.at, default=None), listing)


def fetch_first(source: Source, resources: Resources, now: datetime) -> Document:
    """Return the first document of a source; raise FetchError, also if it has no address."""
    if source.path is not None:
        return snapshot.read_file(source)
    requests = registry.locate(source)
    if not requests:
        raise FetchError("the source has no address to ask")
    return fetch_document(source, requests[0], resources, now)


def fetch_document(
    source: Source, request: Request, resources: Resources, now: datetime, found_by: str | None = None
) -> Document:
    """Return the document of a request, whether or not it is due or changed; raise FetchError.

    ``found_by`` is the address of the page that named it.
    """
    asked = PollRequest(source, PollState(request.url), now, True, found_by, request.headers, request.secrets)
    answer = resources.limiter.poll(asked).result()
    if answer.document is None:
        raise FetchError(answer.message or f"{redact(request.url)}: no answer")
    return answer.document
