"""Detect what a URL is, and fetch what a source lists now without storing it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from aggregator import persist
from aggregator.config.load import Config
from aggregator.errors import FetchError, ReadError
from aggregator.fetch_feeds import polling_policy
from aggregator.fetchers import registry, snapshot
from aggregator.fetchers.fetch import FetchedSource, Resources, Terms, fetch
from aggregator.fetchers.http.target import redact
from aggregator.merger import filters
from aggregator.model.entry import Listing, Moment
from aggregator.model.feed import Plan, SourceResult
from aggregator.model.source import Document, PollState, Request, Source, Validators
from aggregator.store import database, polls
from aggregator.store.database import Store
from aggregator.text.fold import fold

_SHORTEST = 3
"""Labels of a host up to this length, such as the co of co.uk, are not used as a name."""

_NAME = re.compile(r"[^a-z0-9]+")
_APOSTROPHE = re.compile("['’]")


def find_source(candidates: Sequence[Source], resources: Resources, now: datetime) -> tuple[Source, Listing]:
    """Return the first candidate that can be read, and its listing.

    Raises FetchError if the URL cannot be fetched, ReadError if no kind can read its document.
    """
    documents: dict[str, Document] = {}
    refused: list[str] = []
    for source in candidates:
        for request in registry.locate(source)[:1]:
            if request.url not in documents:
                documents[request.url] = _fetch_document(source, request, resources, now)
            try:
                listing = resources.read(replace(documents[request.url], source=source))
            except ReadError as error:
                refused.append(str(error))
            else:
                return _refine_kind(source, listing), listing
    if len(refused) == 1:
        raise ReadError(refused[0])
    raise ReadError(
        f"no feed or list of episodes found at {redact(candidates[0].url or '')}; a page can be read with kind: page "
        "and selectors in the config"
    )


def list_candidates(url: str) -> Iterator[Source]:
    """Yield the URL as a source of each kind, in the order in which they are tried."""
    host = urlsplit(url).hostname or ""
    return (Source(_name_host(host) or kind, kind, url=url) for kind in registry.guesses())


def make_name(text: str, otherwise: str) -> str:
    """Make a name for a folder or a source from a title; ``otherwise`` if nothing of it can be used.

    >>> make_name("Élan & Vital: the show!", "feed"), make_name("The Baker’s Desk", "feed"), make_name("日本", "feed")
    ('elan-vital-the-show', 'the-bakers-desk', 'feed')
    """
    return _NAME.sub("-", fold(_APOSTROPHE.sub("", text))).strip("-")[:64].rstrip("-") or otherwise


def _name_host(host: str) -> str:
    """Return the name in a host, such as a directory's; empty if there is none.

    >>> _name_host("www.goodpods.com"), _name_host("feeds.bbci.co.uk"), _name_host("127.0.0.1"), _name_host("localhost")
    ('goodpods', 'bbci', '', 'localhost')
    """
    labels = host.split(".")
    if labels[-1].isdecimal() or ":" in host:
        return ""
    names = [label for label in labels[:-1] if len(label) > _SHORTEST] or labels[-1:]
    return make_name(names[-1], "")


def _fetch_document(source: Source, request: Request, resources: Resources, now: datetime) -> Document:
    answer = resources.limiter().ask(
        source, PollState(request.url), now, force=True, headers=request.headers, secrets=request.secrets
    )
    if answer.document is None:
        raise FetchError(answer.message or f"{redact(request.url)}: no answer")
    return answer.document


def _refine_kind(source: Source, listing: Listing) -> Source:
    """Change a feed without audio to kind blog: its items are posts, and its text is trusted less than a show's."""
    if source.kind != "feed" or any(entry.enclosure for entry in listing.entries):
        return source
    return replace(source, kind="blog", name="blog" if source.name == source.kind else source.name)


class SourcePreview(Struct, frozen=True):
    """The result of fetching one source once.

    ``result`` is what a refresh would say of it. ``entries`` counts the entries that belong to the feed, ``newest`` is
    their newest date. ``listing`` is ``None`` if none was read.
    """

    result: SourceResult
    entries: int = 0
    newest: Moment | None = None
    listing: Listing | None = None


def _has_store(config: Config) -> bool:
    return "://" in config.state or Path(config.state).exists()


@contextmanager
def open_resources(config: Config | None, now: datetime) -> Iterator[Resources]:
    """Give the HTTP client and parser for use outside of a refresh; a stored Retry-After of a host is respected."""
    with ExitStack() as stack:
        made = Resources(polling_policy(config))
        if config is not None and _has_store(config):
            store = stack.enter_context(database.open_store(config.state))
            made = Resources(made.policy, polls.read_holds(store, now), partial(polls.read_robots, store))
        stack.callback(made.close)
        yield made


def try_sources(config: Config, given: Resources, now: datetime) -> Iterator[tuple[Plan, SourcePreview]]:
    """Fetch each source as a refresh does that knows none of its validators, and yield what it would say of it."""
    terms = Terms(given, now, lambda *_: None, force=True)
    with ExitStack() as stack:
        store = stack.enter_context(database.open_store(config.state)) if _has_store(config) else None
        asked = [(plan, _read_known(store, plan)) for plan in config.plans]
    started = [
        (plan, before.get(source.name), fetch(source, poll_states.get(source.name, {}), terms))
        for plan, (poll_states, before) in asked
        for source in plan.sources
    ]
    for plan, before, fetched in started:
        yield plan, _preview(fetched.result(), before)


class Look(Struct, frozen=True):
    """The document of a source as it is now, and what is read of it; ``problem`` says why nothing was."""

    url: str
    media_type: str
    body: bytes
    listing: Listing | None = None
    problem: str = ""


def look(source: Source, given: Resources, now: datetime) -> Look:
    """Fetch the first document of a source and read it, whatever was read of it before; raise FetchError."""
    requests = registry.locate(source)
    if source.path is not None:
        document = snapshot.read_file(source)
    elif requests:
        document = _fetch_document(source, requests[0], given, now)
    else:
        raise FetchError("the source has no address to ask")
    shown = redact(document.url), document.media_type or "", document.body
    try:
        return Look(*shown, listing=given.read(replace(document, source=source)))
    except ReadError as error:
        return Look(*shown, problem=str(error))


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
    return known, {each.source.name: each for each in persist.read_source_results(store, plan)}


def _preview(fetched: FetchedSource, before: SourceResult | None) -> SourcePreview:
    listing = next((each for each in fetched.listings if each is not None), None)
    source, every = fetched.source, listing.entries if listing else ()
    entries = [each for each in every if filters.find_reason(each, source.filter, source.name) is None]
    dates = [entry.published for entry in entries if entry.published]
    result = persist.judge_source(fetched, before)
    if listing is None and not result.is_failing:
        result = replace(result, message=fetched.message)
    return SourcePreview(result, len(entries), max(dates, key=lambda date: date.at, default=None), listing)
