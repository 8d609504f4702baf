"""Detect what a URL is, and fetch what a source lists now without storing it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator import persist
from aggregator.config.load import Config
from aggregator.config.messages import suggest
from aggregator.errors import ConfigError, FetchError, ReadError
from aggregator.fetchers import parser_process, registry, snapshot
from aggregator.fetchers.fetch import Resources, Terms, fetch
from aggregator.fetchers.fetched import FetchedSource
from aggregator.fetchers.http.polling import Policy
from aggregator.fetchers.http.target import redact
from aggregator.merger import filters
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.feed import Plan, SourceResult
from aggregator.model.source import Document, Filter, PollState, Request, Source, Validators
from aggregator.store import database, hosts, polls
from aggregator.store.database import Store
from aggregator.text.fold import fold

_SHORTEST = 3
"""Labels of a host up to this length, such as the co of co.uk, are not used as a name."""

_MOST_OF = 0.8
"""The share of the entries of a list that have what makes it one."""

_LARGEST_PAGE = 2_000_000
"""Bytes of a page that a person may choose elements of."""

_NAME = re.compile(r"[^a-z0-9]+")
_APOSTROPHE = re.compile("['’]")


class Found(Struct, frozen=True):
    """A way to read an address, and what it reads; ``label`` says what it was proposed from, if it was."""

    source: Source
    listing: Listing = Listing(())
    label: str = ""


def find_source(candidates: Sequence[Source], resources: Resources, now: datetime) -> Found:
    """Return the best way to read what the candidates name.

    Raises FetchError if the URL cannot be fetched, ReadError if no kind can read its document.
    """
    return find_sources(candidates, resources, now)[0]


def find_sources(candidates: Sequence[Source], resources: Resources, now: datetime) -> list[Found]:
    """Return the ways to read what the candidates name, the best first: never none.

    A candidate that reads its document is all there is, but for a front page read as a blog without dates: then, and
    where no candidate can, the feeds that the document names or links to, and selectors and paths made for it, are
    tried. Raises the errors of :func:`find_source`.
    """
    looking = _Looking(resources, now)
    refused: list[str] = []
    for source in candidates:
        document = looking.get(source)
        if document is None:
            continue
        if (led := looking.follow(replace(document, source=source))) is not None:
            return [led]
        try:
            listing = resources.read(replace(document, source=source))
        except ReadError as error:
            refused.append(str(error))
            continue
        found = Found(_refine_kind(source, listing), listing)
        if source.kind != "blog" or len(candidates) == 1:
            return [found]
        proposed = looking.propose(document)
        linked = [each for each in proposed if each.source.url != source.url]
        others = [each for each in proposed if each not in linked]
        return sorted([*linked, found, *others], key=lambda each: -_rate(each.listing))
    document = next((document for source in candidates[:1] if (document := looking.get(source))), None)
    proposed = looking.propose(document) if document is not None and len(candidates) > 1 else []
    if proposed:
        return sorted(proposed, key=lambda each: -_rate(each.listing))
    if len(refused) == 1:
        raise ReadError(refused[0])
    raise ReadError(
        f"no feed or list of episodes found at {redact(candidates[0].url or candidates[0].path or '')}; a page can be "
        "read by selectors: aggregator add URL --set items=SELECTOR --set date=SELECTOR --preview shows what they find"
    )


def read_changed(found: Found, options: Mapping[str, str], resources: Resources, now: datetime) -> Found:
    """Return what is read with some options changed, by kind ``page`` if the kind has none; an empty value drops one.

    Raises the errors of :func:`find_source`, and ConfigError for an option that the kind does not have.
    """
    return find_source((_change_options(found.source, options),), resources, now)


def _change_options(source: Source, options: Mapping[str, str]) -> Source:
    if source.kind not in ("page", "json"):
        source = replace(source, kind="page", options=(), name="page" if source.name == source.kind else source.name)
    changed = {key: value for key, value in {**dict(source.options), **options}.items() if value}
    known = registry.find(source.kind).options or ()
    for key in changed:
        if key not in known:
            raise ConfigError(f'--set: kind {source.kind} has no option "{key}"; {suggest(key, known)}')
    return replace(source, options=tuple(sorted(changed.items())))


def fetch_page(source: Source, resources: Resources, now: datetime) -> Document:
    """Return the document of a source, to be read by kind ``page``; raise FetchError, ReadError for one too large."""
    requests = registry.locate(source)
    document = _fetch_document(source, requests[0], resources, now) if requests else snapshot.read_file(source)
    if len(document.body) > _LARGEST_PAGE:
        raise ReadError(f"{redact(document.url)}: a page of more than {_LARGEST_PAGE // 1_000_000} MB cannot be shown")
    page = replace(source, kind="page", options=())
    return replace(document, source=replace(page, name=_name(page)))


def set_options(page: Document, options: Mapping[str, str]) -> Document:
    """Return a page to be read with other options; raise ConfigError for one that kind ``page`` does not have."""
    return replace(page, source=_change_options(replace(page.source, options=()), options))


def _rate(listing: Listing) -> int:
    """Return how much a listing looks like one: whether most of its entries have a date, and audio."""
    count = len(listing.entries)
    dated = sum(entry.published is not None for entry in listing.entries)
    audible = sum(entry.enclosure is not None for entry in listing.entries)
    return (count > 1) + 2 * (dated >= _MOST_OF * count > 0) + 2 * (audible >= _MOST_OF * count > 0)


class _Looking(Struct):
    """The documents fetched for one address, each once."""

    resources: Resources
    now: datetime
    documents: dict[str, Document | None] = field(default_factory=dict)

    def get(self, source: Source, found_by: str | None = None) -> Document | None:
        """Return the document of a source; ``None`` if it has no address. Raises FetchError, ConfigError."""
        if source.path is not None:
            return _refuse_list_of_feeds(snapshot.read_file(source))
        for request in registry.locate(source)[:1]:
            if request.url not in self.documents:
                fetched = _fetch_document(source, request, self.resources, self.now, found_by)
                self.documents[request.url] = _refuse_list_of_feeds(fetched)
            return self.documents[request.url]
        return None

    def follow(self, document: Document) -> Found | None:
        """Return the feed that a page names, as a refresh finds it; ``None`` if it names none that can be read."""
        if document.source.kind not in ("feed", "blog", "simplecast") or document.source.path is not None:
            return None
        feeds = self.resources.discover(document) if "html" in (document.media_type or "") else ()
        for url in feeds[:1]:
            known = registry.recognise(url)
            named = known or replace(document.source, kind="feed")
            try:
                feed = self.get(known or Source("feed", "feed", url=url), document.url)
                listing = self.resources.read(replace(feed, source=replace(named, url=url))) if feed else None
            except (FetchError, ReadError):
                return None
            if listing is not None:
                return Found(_refine_kind(named, listing), listing, f"the feed that the page names: {redact(url)}")
        return None

    def propose(self, document: Document) -> list[Found]:
        """Return the proposals for a document that can be read, in their order."""
        found: list[Found] = []
        proposals = parser_process.propose(document)
        for proposal in proposals.sources:
            here = proposal.url is None and proposal.show is None
            source = replace(proposal, url=document.source.url, path=document.source.path) if here else proposal
            named = here and document.source.name != document.source.kind
            source = replace(source, name=document.source.name if named else source.kind if here else _name(source))
            try:
                asked = document if here else self.get(source, document.url)
                listing = self.resources.read(replace(asked, source=source)) if asked else None
            except (FetchError, ReadError):
                continue
            if listing is not None and listing.entries:
                if here and listing.show.title is None:
                    listing = replace(listing, show=replace(listing.show, title=proposals.title))
                found.append(Found(_refine_kind(source, listing), listing, proposal.name))
                if not here:
                    break  # a feed is all that is wanted
        return found


def _name(source: Source) -> str:
    return (source.url and _name_host(urlsplit(source.url).hostname or "")) or source.kind


def _refuse_list_of_feeds(document: Document) -> Document:
    """Return the document; raise ConfigError if it is OPML."""
    if re.search(rb"<opml[\s>]", document.body[:2000], re.IGNORECASE):
        raise ConfigError(
            f"{redact(document.url)}: is an OPML list of feeds; save it and run aggregator import-opml FILE"
        )
    return document


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


def _fetch_document(
    source: Source, request: Request, resources: Resources, now: datetime, found_by: str | None = None
) -> Document:
    answer = resources.limiter.poll(
        source,
        PollState(request.url),
        now,
        force=True,
        found_by=found_by,
        headers=request.headers,
        secrets=request.secrets,
    ).result()
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
        if config is not None and _has_store(config):
            store = stack.enter_context(database.open_store(config.state))
            made = Resources(config.polling_policy, polls.read_holds(store, now), partial(hosts.read_robots, store))
        else:
            made = Resources(Policy() if config is None else config.polling_policy)
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
        listing = given.read(replace(document, source=source))
        every = given.read(replace(document, source=replace(source, filter=Filter()))) if _selects(source) else listing
    except ReadError as error:
        return Look(*shown, problem=str(error))
    chosen = {each.id for each in listing.entries}
    others = [(each, f"of the show {each.show}") for each in every.entries if each.id not in chosen]
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
