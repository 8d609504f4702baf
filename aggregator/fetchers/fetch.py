"""Fetch a source: poll its addresses, follow a page to its feed, parse new documents; each source in a thread.

The addresses are those of ``locate``, in order. An unchanged document is not parsed: its stored entries stay. A
snapshot is used until the live source is first understood.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import BusyHostError, FetchError, ReadError, StoreError
from aggregator.fetchers import credentials, paging, parser_process, plausibility, registry, snapshot
from aggregator.fetchers.fetched import FetchedSource, PollStates, select_states
from aggregator.fetchers.http import bot_protection, host_limits, polling
from aggregator.fetchers.http.exchange import PollRequest
from aggregator.fetchers.http.polling import Policy
from aggregator.fetchers.http.target import redact
from aggregator.model.entry import Listing
from aggregator.model.feed import SourceResult
from aggregator.model.source import (
    Answer,
    Document,
    PollState,
    Proposals,
    Request,
    Robots,
    Source,
    SourceStatus,
    Validators,
)
from aggregator.text.urls import canonical, is_web
from aggregator.translation.marks import N_

_PROCESSORS = os.cpu_count() or 1
_LEAST_TRUST_TO_MOVE = 0.5
_MOST_SOURCES = 1_000  # fetched at once; each waits in a thread, which is made only when one is needed

Tell = Callable[[Source, str, str], None]
"""Called in any thread with the source, the stage ("fetch", "read", "failed"), and its result, empty at its start."""


class Resources:
    """The threads and the polls of one run; may be used from several threads.

    ``held`` are the hosts that sent Retry-After; ``read_robots`` returns the stored robots.txt of an address; ``gate``
    limits polls of a host together with those of other machines, ``None`` if there are none.
    """

    def __init__(
        self,
        policy: Policy,
        held: Mapping[str, datetime] | None = None,
        read_robots: Callable[[str], Robots | None] = lambda _url: None,
        gate: host_limits.HostGate | None = None,
    ) -> None:
        """Make them when the clock of the run is read; threads are started when they are needed."""
        self.limiter = host_limits.HostLimiter(policy, held, read_robots, gate=gate)
        self._sources = ThreadPoolExecutor(_MOST_SOURCES, "fetch")
        self._readers = ThreadPoolExecutor(_PROCESSORS, "read")

    def start(self, fetch_source: Callable[[], FetchedSource]) -> Future[FetchedSource]:
        """Fetch a source in a thread."""
        return self._sources.submit(fetch_source)

    def read(self, document: Document) -> Listing:
        """Return the listing of a document, once a parser process is free; raise ReadError."""
        return self._readers.submit(parser_process.read, document).result()

    def discover(self, document: Document) -> tuple[str, ...]:
        """Return the feeds that a page names, once a parser process is free; raise ReadError."""
        return self._readers.submit(parser_process.discover, document).result()

    def propose(self, document: Document) -> Proposals:
        """Return how a document of no known kind can be read, once a parser process is free; raise ReadError."""
        return self._readers.submit(parser_process.propose, document).result()

    def close(self) -> None:
        """Wait for polls and documents in progress, and close connections and processes."""
        self.limiter.close()
        self._readers.shutdown(cancel_futures=True)
        self._sources.shutdown(cancel_futures=True)


class FetchContext(Struct, frozen=True):
    """Resources and clock of a run's requests, and the listener of its progress.

    - ``schedule``: when the feed is to be refreshed, ``None`` for any time.
    - ``force``: whether sources that are not due are polled, too.
    - ``only``: the one source that is polled, ``None`` for all.
    - ``read_known``: returns the stored entries of a source, as records by the digests of the elements from which they
      were read.
    - ``note_news``: is called as soon as a document has an entry that is none of these.
    """

    resources: Resources
    now: datetime
    tell: Tell
    schedule: polling.Schedule | None = None
    force: bool = False
    only: str | None = None
    read_known: Callable[[Source], Mapping[str, str]] = lambda _source: {}
    note_news: Callable[[], object] = lambda: None


class _Read(Struct, frozen=True):
    """An answer without its document, the document's listing, and the poll states of other addresses polled for it."""

    answer: Answer
    listing: Listing | None = None
    others: tuple[PollState, ...] = ()


def fetch(source: Source, poll_states: PollStates, context: FetchContext) -> Future[FetchedSource]:
    """Poll the addresses of a source, parse new documents, and return the result as a future.

    The future raises StoreError if the store could not be asked about a host. After a bug in the program or in a kind's
    module the source has failed; its message names the bug.
    """
    return context.resources.start(_SourceFetch(source, poll_states, context).run)


class _SourceFetch(Struct, frozen=True):
    """One source, the poll states of its addresses, and the context of the run."""

    source: Source
    poll_states: PollStates
    context: FetchContext

    def run(self) -> FetchedSource:
        """Return the result of the source, from its snapshot if it was never read live."""
        try:
            fetched = self._fetch()
            fetched = self._with_snapshot(fetched) if _needs_snapshot(fetched) else fetched
            fetched = self._with_history(fetched) if self.source.history else fetched
        except BusyHostError as error:
            return FetchedSource(self.source, status="not due", message=str(error), is_put_off=True)
        except StoreError:
            raise
        except BaseException as error:  # noqa: BLE001  # a defect must not end the refresh of the other sources
            frame = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}: {error}"
            fetched = FetchedSource(self.source, message=N_(f"could not be fetched, which is a defect of ours: {what}"))
        if SourceResult(self.source, fetched.status).is_failing:
            self.context.tell(self.source, "failed", "")
        return fetched

    def _fetch(self) -> FetchedSource:
        if self.context.only not in (None, self.source.name):
            message = N_("not asked in this run")
            known = tuple(self.poll_states.values())
            resting = tuple(Answer("not due", each, message=message) for each in known)
            return FetchedSource(self.source, resting, (None,) * len(known), known, "not due", message)
        if self.source.path is not None:
            return _summarize(self.source, [self._read_file()])
        try:
            requests = registry.locate(self.source)
        except (FetchError, ReadError) as error:
            status: SourceStatus = "cached" if any(each.listings for each in self.poll_states.values()) else "failed"
            return FetchedSource(self.source, status=status, message=_explain(error, self.source))
        due = self._due_at(requests)
        if due > self.context.now:
            message = N_(f"not asked before {due:%Y-%m-%d %H:%M:%S} UTC")
            answers = (Answer("not due", self._poll_state(each.url), message=message) for each in requests)
            return _summarize(self.source, [_Read(answer) for answer in answers])
        self.context.tell(self.source, "fetch", "" if requests else "no address to ask")
        return _summarize(self.source, [self._fetch_address(request) for request in requests])

    def _due_at(self, requests: Sequence[Request]) -> datetime:
        """Return when the source is to be polled: the run's own time if it is due, or if all are polled."""
        if self.context.force:
            return self.context.now
        return polling.due_at(self.context.schedule, select_states(requests, self.poll_states), self.context.now)

    def _fetch_address(self, request: Request) -> _Read:
        """Poll an address and read its document, or that of the feed that it names."""
        answer, other = self._poll_page_or_feed(request)
        self.context.tell(self.source, "fetch", answer.message or answer.status)
        others = () if other is None else (other.poll_state,)
        if answer.document is None:
            return _Read(answer, others=others)
        try:
            feeds = (
                self.context.resources.discover(answer.document) if "html" in (answer.document.media_type or "") else ()
            )
        except ReadError as error:
            return self._refuse(answer, others, error)
        if not feeds:
            return self._follow_move(self._read(answer, others, request), answer.document, request, other)
        page, page_url = replace(answer.poll_state, leads_to=feeds[0]), answer.document.url
        if other is None or other.poll_state.url != feeds[0]:
            other = self._poll(Request(feeds[0]), force=True, found_by=page_url)
        if other.status == "failed" and urlsplit(page_url).hostname != urlsplit(page.url).hostname:
            # From memory it would be asked as if the source's own host named it, which may be private.
            page = replace(page, leads_to=None, digest=None, validators=Validators())
        return self._read(other, (*others, page), request)

    def _poll_page_or_feed(self, request: Request) -> tuple[Answer, Answer | None]:
        """Poll an address, or the feed that its page named before; if that fails also the page, which may name another.

        The page's answer comes first if it is new.
        """
        feed_url = self._poll_state(request.url).leads_to
        if feed_url is None:
            return self._poll(request), None
        feed = self._poll(Request(feed_url), found_by=request.url)
        if feed.status != "failed":
            return feed, None
        page = self._poll(request)
        return (feed, page) if page.document is None else (page, feed)

    def _poll(self, request: Request, *, force: bool = False, found_by: str | None = None) -> Answer:
        force = force or self.context.force
        state = self._poll_state(request.url)
        asked = PollRequest(self.source, state, self.context.now, force, found_by, request.headers, request.secrets)
        return self.context.resources.limiter.poll(asked).result()

    def _read(self, answer: Answer, others: tuple[PollState, ...] = (), request: Request | None = None) -> _Read:
        """Return the listing of the answer's document and its further pages, if that is believed."""
        if answer.document is None:
            return _Read(answer, others=others)
        self.context.tell(self.source, "read", "")
        try:
            listing = self._list(answer.document)
        except ReadError as error:
            return self._refuse(answer, others, error)
        page = answer.document, listing
        if request is not None and paging.find_next(page) is not None:
            listing, is_whole = paging.read_pages(page, request, self._read_page)
            if not is_whole:  # the first page is asked for unconditionally then, and the others once more
                unfinished = replace(answer.poll_state, validators=Validators(), digest=None)
                answer = replace(answer, poll_state=unfinished)
        if remark := paging.describe_end(page):
            listing = replace(listing, remarks=(*listing.remarks, remark))
        verdict = plausibility.weigh(self._poll_state(answer.poll_state.url), answer.poll_state, listing)
        if not verdict.believed:
            return _Read(_conclude(answer, "held back", verdict.poll_state, verdict.message), others=others)
        after = polling.note_hub(self._poll_state(answer.poll_state.url), verdict.poll_state, listing)
        return _Read(_conclude(answer, "ok", after, verdict.message), listing, others)

    def _follow_move(self, read: _Read, document: Document, request: Request, there: Answer | None) -> _Read:
        """Return what is read at the new address that a feed names (itunes:new-feed-url), if that is to be followed.

        It is remembered like a feed that a page names; the configured one is read again if it fails. A new address that
        lists less than half of the items is not believed. ``there`` is an answer of it that came before.
        """
        url = read.listing.show.new_feed_url if read.listing is not None else None
        here = {canonical(each) for each in (request.url, document.url, read.answer.poll_state.url)}
        if read.listing is None or url is None or canonical(url) in here or self.source.trust < _LEAST_TRUST_TO_MOVE:
            return read
        if self.source.follow_moves:
            if there is None or there.poll_state.url != url:
                there = self._poll(Request(url), force=True, found_by=document.url)
            states = {each.url: each for each in (*read.others, read.answer.poll_state)}
            page = states.pop(request.url, self._poll_state(request.url))
            page = replace(page, leads_to=url, digest=None, validators=Validators())
            moved = self._read(there, (*states.values(), page), request)
            if moved.listing is not None and 2 * len(moved.listing.entries) >= len(read.listing.entries):
                return moved
            why = f"follow_moves: {moved.answer.message or N_('less is listed at the new address')}"
        else:
            why = N_("write that as its url, or set follow_moves: true")
        remark = N_(f"the feed says that it has moved to {redact(url)} (itunes:new-feed-url): {why}")
        return replace(read, listing=replace(read.listing, remarks=(*read.listing.remarks, remark)))

    def _read_page(self, request: Request, found_by: str | None) -> paging.Page:
        """Return a further page of a listing; raise FetchError or ReadError, without the source's name."""
        answer = self._poll(request, force=True, found_by=found_by)
        if answer.document is None:
            raise FetchError(answer.message or answer.status)
        try:
            return answer.document, self._list(answer.document)
        except ReadError as error:
            raise ReadError(_explain(error, self.source)) from error

    def _list(self, document: Document) -> Listing:
        """Return the listing of a document; ReadError, also for an empty one of a bot protection's page."""
        known = self.context.read_known(self.source)
        if not known:
            self.context.note_news()
        document = replace(document, known=known)
        try:
            listing, error = self.context.resources.read(document), None
        except ReadError as unread:
            listing, error = Listing(()), unread
        if any(each.element not in known for each in listing.entries):
            self.context.note_news()
        listing = credentials.hide_in_listing(listing, self.source)
        if not listing.entries and (wall := bot_protection.find_in_page(document.body)):
            raise ReadError(f"{redact(document.url)}: {bot_protection.describe(wall)}") from error
        if error is not None:
            raise error
        return listing

    def _refuse(self, answer: Answer, others: tuple[PollState, ...], error: ReadError) -> _Read:
        before = self._poll_state(answer.poll_state.url)
        refused = plausibility.refuse(before, answer.poll_state, self.context.now)
        return _Read(_conclude(answer, "failed", refused, _explain(error, self.source)), others=others)

    def _with_snapshot(self, fetched: FetchedSource) -> FetchedSource:
        saved = self._read_file()
        if saved.answer.status == "failed":
            return replace(fetched, message=f"{fetched.message}; " + N_(f"its snapshot: {saved.answer.message}"))
        poll_states = (*fetched.poll_states, saved.answer.poll_state)
        if fetched.status == "not due" and saved.listing is None:
            return replace(fetched, poll_states=poll_states)
        return replace(fetched, listings=(saved.listing,), poll_states=poll_states, status="snapshot")

    def _with_history(self, fetched: FetchedSource) -> FetchedSource:
        """Return the result with the archived copies that were not read before, once the source itself was read."""
        is_known = any(each.listings for each in fetched.poll_states)
        if fetched.status not in ("ok", "unchanged") or not is_known:
            return fetched
        states, copies, problems = [], [], []
        for place in self.source.history:
            url = place if is_web(place) else Path(place).absolute().as_uri()
            if self._poll_state(url).listings or url in {each.url for each in fetched.poll_states}:
                continue
            state, copy, problem = self._read_copy(place, url)
            states.append(state)
            copies += [copy] if copy is not None else []
            problems += [f"history: {problem}"] if problem else []
        message = "; ".join(filter(None, (fetched.message, *problems)))
        poll_states = (*fetched.poll_states, *states)
        return replace(fetched, history=tuple(copies), poll_states=poll_states, message=message)

    def _read_copy(self, place: str, url: str) -> tuple[PollState, Listing | None, str]:
        """Return the poll state of an archived copy, its listing, and why there is none."""
        state = self._poll_state(url)
        try:
            if is_web(place):
                answer = self._poll(Request(url))
                state, document = answer.poll_state, answer.document
                if document is None:
                    return state, None, "" if answer.status == "not due" else answer.message
            else:
                document = snapshot.read_file(replace(self.source, path=place))
            copy = self._list(document)
        except BusyHostError:
            return state, None, ""
        except (FetchError, ReadError) as error:
            return replace(state, digest=None, validators=Validators()), None, _explain(error, self.source)
        return replace(state, listings=1, asked=self.context.now), copy, ""

    def _read_file(self) -> _Read:
        try:
            document = snapshot.read_file(self.source)
        except (FetchError, ReadError) as error:
            unknown = PollState(f"file:{self.source.name}")
            return _Read(Answer("failed", unknown, message=_explain(error, self.source)))
        poll_state, digest = self._poll_state(document.url), sha256(document.body).hexdigest()
        if poll_state.digest == digest:
            return _Read(Answer("failed" if poll_state.unread else "unchanged", poll_state, message=poll_state.unread))
        now = self.context.now
        document = replace(document, polled=now)
        return self._read(Answer("ok", replace(poll_state, digest=digest, asked=now, answered=now), document))

    def _poll_state(self, url: str) -> PollState:
        return self.poll_states.get(url, PollState(url))


def _conclude(answer: Answer, status: SourceStatus, poll_state: PollState, message: str) -> Answer:
    """Return the answer without its document, with the status after it was read."""
    return replace(answer, status=status, poll_state=poll_state, message=message, document=None)


def _summarize(source: Source, read: Sequence[_Read]) -> FetchedSource:
    answers = tuple(each.answer for each in read)
    listings = tuple(each.listing for each in read)
    messages = dict.fromkeys(answer.message for answer in answers if answer.message)
    return FetchedSource(
        source,
        answers,
        listings,
        poll_states=tuple(poll_state for each in read for poll_state in (*each.others, each.answer.poll_state)),
        status=_find_status(answers, listings),
        message="; ".join(messages) if answers else N_("it has no address to ask"),
    )


def _find_status(answers: Sequence[Answer], listings: Sequence[Listing | None]) -> SourceStatus:
    """Return "ok" if anything was read, else the best status of the addresses."""
    if any(listing is not None for listing in listings):
        return "ok"
    given = {answer.status for answer in answers}
    order: tuple[SourceStatus, ...] = ("held back", "unchanged", "not due")
    known = next((status for status in order if status in given), None)
    return known or ("cached" if any(answer.poll_state.listings for answer in answers) else "failed")


def _needs_snapshot(fetched: FetchedSource) -> bool:
    source = fetched.source
    return source.snapshot is not None and not source.path and not any(each.listings for each in fetched.poll_states)


def _explain(error: FetchError | ReadError, source: Source) -> str:
    """Return what went wrong, without the source's name before it, which every message has."""
    return str(error).removeprefix(f"{source.name}: ")
