"""Fetch the pages of posts for their full text, once for each entry: for sources with ``full_text: true``.

A page is fetched again if its source lists the entry with another text, conditionally, and after a failure when its
host permits it, for a month at most. At most ``MOST`` are fetched in one run of a feed, the newest posts first: what
the first run of a blog of 500 posts begins, the next ones complete. What was read is stored with the entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Final
from urllib.parse import unquote

from msgspec.structs import replace

from aggregator.errors import BusyHostError, ReadError
from aggregator.fetchers import parser_process
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.target import redact
from aggregator.model.entry import Entry, FullText
from aggregator.model.feed import Plan
from aggregator.model.record import Record
from aggregator.model.source import Answer, PollState, Source
from aggregator.store import entries, facts, publications, records, schema
from aggregator.store.database import Store, transaction
from aggregator.store.facts import Fact
from aggregator.text.urls import find_host, is_web
from aggregator.translation.marks import N_
from aggregator.version import name_install

MOST: Final = 20
"""Pages fetched in one run of one feed: 500 posts take 25 runs, a day of hourly ones."""

_MOST_ERRORS: Final = 30
"""Failures in a row after which a page is given up until its entry changes: with their rests about a month."""

_PAGE: Final = "full text/"
"""Before the name of a source and the mark of a key: the fact with the page of an entry."""

_OLDEST: Final = datetime.min.replace(tzinfo=UTC)


class _Page(Record, frozen=True):
    """The page of an entry as it was last fetched.

    - ``entry``: the id of the entry.
    - ``listed``: digest of what the source listed of it then, empty if the page was never fetched.
    - ``state``: the poll state of its address.
    - ``html``: the text that was read, empty if none was.
    - ``problem``: why the last request or reading failed, empty if it did not.
    """

    entry: str
    listed: str
    state: PollState
    html: str = ""
    problem: str = ""


class _Progress(Record, frozen=True):
    """The number of pages left for further runs, and when a failed one may be asked again (``None``: none is)."""

    left: int = 0
    again: datetime | None = None


_PROGRESS: Final = Fact("full texts", _Progress)


_Poll = Callable[[PollRequest], Future[Answer]]
"""Poll an address (`fetchers.http.host_limits.HostLimiter.poll`)."""


def find_faults(plan: Plan) -> tuple[str, ...]:
    """Return a line if a source wants full texts and the library that reads them is missing."""
    names = ", ".join(source.name for source in _list_sources(plan))
    if not names or find_spec("readability"):
        return ()
    return (N_(f"{names}: full_text needs readability-lxml: run {name_install('fulltext')}"),)


def is_due(store: Store, plan: Plan, now: datetime) -> bool:
    """Return whether pages are to be fetched that earlier runs have left."""
    progress = _PROGRESS.read(store, plan.name) if _list_sources(plan) else None
    return progress is not None and (progress.left > 0 or (progress.again is not None and progress.again <= now))


def fetch_pages(store: Store, plan: Plan, poll: _Poll, now: datetime) -> None:
    """Fetch and read the pages that are due, at most ``MOST``, and store what came of them."""
    sources = {source.name: source for source in _list_sources(plan)}
    if not sources or find_faults(plan):
        return
    due, waiting = list[tuple[Entry, _Page]](), list[datetime | None]()
    for entry, page in _list_pages(store, plan, sources):
        at = _find_time(entry, page, now)
        due += [(entry, page)] if at is not None and at <= now else []
        waiting += [at] if at is not None and at > now else []
    polled = [(entry, page, _start_poll(poll, sources[entry.source], entry, page, now)) for entry, page in due[:MOST]]
    fetched = [(entry, after) for entry, page, answer in polled if (after := _read_answer(entry, page, answer))]
    waiting += [page.state.not_before for _, page in fetched if page.problem and _may_be_asked_again(page)]
    with transaction(store) as tx:
        for entry, page in fetched:
            facts.write_fact(tx, plan.name, _name_fact(entry), records.encode(page).encode())
        _PROGRESS.write(tx, plan.name, _Progress(len(due) - len(fetched), min(filter(None, waiting), default=None)))
        if fetched:
            publications.require_publication(tx, plan.name)


def read_full_texts(store: Store, plan: Plan) -> Mapping[str, FullText]:
    """Return the full texts that were read, by the ids of their entries."""
    pages = _read_pages(store, plan) if _list_sources(plan) else {}
    return {each.entry: FullText(redact(each.state.url), each.html) for each in pages.values() if each.html}


def describe(store: Store, plan: Plan) -> Iterator[str]:
    """Yield a remark about the pages that are left for further runs, and one about those that gave no text."""
    if not _list_sources(plan):
        return
    if left := (_PROGRESS.read(store, plan.name) or _Progress()).left:
        yield N_(f"full texts: {left} more pages are fetched by the next refreshes, {MOST} in each")
    failed = [page for page in _read_pages(store, plan).values() if page.problem]
    if failed:
        first = min(failed, key=lambda page: page.entry)
        count = len(failed)
        yield N_(f"full texts: {count} pages gave none, such as {redact(first.state.url)}: {first.problem}")


def _list_sources(plan: Plan) -> list[Source]:
    return [source for source in plan.sources if source.full_text]


def _list_pages(store: Store, plan: Plan, sources: Mapping[str, Source]) -> list[tuple[Entry, _Page]]:
    """Return the entries that have a page of their own and no media file, the newest first, each with its page.

    The page is at the host of the source, or at that of more than half of its links: a post about an article of another
    site links there, and that article is not the post.
    """
    known = _read_pages(store, plan)
    rows = entries.read_rows(store, plan.name, schema.entries.c.source.in_(sorted(sources)))
    every = [entries.to_stored_entry(each).entry for each in rows]
    shared = Counter((each.source, each.link) for each in every)
    hosts = Counter((each.source, find_host(each.link or "")) for each in every)
    total = Counter(each.source for each in every)
    own = {of for of, count in hosts.items() if 2 * count > total[of[0]]}
    own |= {(name, find_host(source.url or "")) for name, source in sources.items()}
    found = []
    for entry in every:
        url = entry.link or ""
        is_own = (entry.source, find_host(url)) in own and shared[entry.source, url] == 1
        if entry.enclosure is None and is_own and is_web(url) and "${" not in unquote(url):
            page = known.get(_name_fact(entry), _Page(entry.id, "", PollState(url)))
            found.append((entry, page if page.state.url == url else _Page(entry.id, "", PollState(url))))
    return sorted(found, key=lambda each: each[0].published.at if each[0].published else _OLDEST, reverse=True)


def _read_pages(store: Store, plan: Plan) -> dict[str, _Page]:
    """Return the pages of the sources that want full texts, by the name of the fact."""
    kept = facts.read_facts(store, [plan.name], _PAGE)
    wanted = tuple(f"{_PAGE}{source.name}/" for source in _list_sources(plan))
    return {name: records.decode(_Page, value.decode()) for (_, name), value in kept.items() if name.startswith(wanted)}


def _name_fact(entry: Entry) -> str:
    return f"{_PAGE}{entry.source}/{schema.mark(entry.key)}"


def _find_time(entry: Entry, page: _Page, now: datetime) -> datetime | None:
    """Return from when the page is to be fetched, ``None`` for never: it has its text, or was given up."""
    if page.listed != _digest(entry):
        return max(now, page.state.hold_until or now)
    return page.state.not_before or now if page.problem and _may_be_asked_again(page) else None


def _may_be_asked_again(page: _Page) -> bool:
    """Return whether a page that gave no text may give one later: its host failed, it is not the page itself."""
    return 0 < page.state.errors < _MOST_ERRORS and not page.state.gone


def _digest(entry: Entry) -> str:
    listed = entry.title, entry.description, entry.html, entry.summary, entry.updated
    return records.digest(repr(listed).encode("utf-8", "replace").decode())


def _start_poll(poll: _Poll, source: Source, entry: Entry, page: _Page, now: datetime) -> Future[Answer]:
    """Poll a page as an address that the source's document names: its robots.txt is obeyed."""
    is_changed = page.listed != _digest(entry)
    return poll(PollRequest(source, page.state, now, force=is_changed, found_by=source.url or page.state.url))


def _read_answer(entry: Entry, page: _Page, polled: Future[Answer]) -> _Page | None:
    """Return the page after it was polled; ``None`` if its host rests, or another machine polls it."""
    try:
        answer = polled.result()
    except BusyHostError:
        return None
    if answer.status == "not due":
        return None
    after = replace(page, listed=_digest(entry), state=answer.poll_state, problem=answer.message)
    if answer.document is None:
        return after
    try:
        return replace(after, html=parser_process.read_full_text(answer.document))
    except ReadError as error:
        return replace(after, html="", problem=str(error).removeprefix(f"{entry.source}: "))
