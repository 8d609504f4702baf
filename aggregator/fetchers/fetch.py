"""Fetch a source: poll its addresses, follow a page to its feed, read what is new; in threads, many sources at once.

A source gives the documents of its addresses, in the order of ``locate``. A document that is not new leaves a gap: what
it said before stands. A recording (``snapshot``) is used until the live source is first understood.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import plausibility, registry, snapshot
from aggregator.fetchers.http import host_limits, polling
from aggregator.fetchers.http.polling import Policy
from aggregator.fetchers.sandbox.pool import Pool
from aggregator.model.entry import Listing
from aggregator.model.source import Answer, PollState, Request, Robots, Source, SourceStatus

ANSWERED: frozenset[SourceStatus] = frozenset({"ok", "unchanged", "snapshot", "not due", "cached"})
"""The states in which a source has something to say, now or from memory."""

_PROCESSORS = os.cpu_count() or 1

PollStates = Mapping[str, PollState]
"""What is remembered of a source, by address."""

Tell = Callable[[Source, str, str], None]
"""Called with the source, the stage ("fetch" or "read") and what came of it, empty when it begins; from any thread."""


class Resources(Struct):
    """The polls and the parser pool of one run, made when the first source is due; may be used from several threads.

    ``held`` is which hosts asked for silence, ``recall`` returns what is remembered of a robots.txt by its address.
    """

    policy: Policy
    held: Mapping[str, datetime] = field(default_factory=dict)
    recall: Callable[[str], Robots | None] = field(default=lambda _url: None)
    _limiter: host_limits.HostLimiter | None = None
    _parsers: Pool | None = None
    _readers: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_PROCESSORS, "read"))
    _lock: Lock = field(default_factory=Lock)

    def limiter(self) -> host_limits.HostLimiter:
        """Return what all polls of this run go through."""
        with self._lock:
            self._limiter = self._limiter or host_limits.HostLimiter(self.policy, self.held, self.recall)
            return self._limiter

    def parsers(self) -> Pool:
        """Return the processes that read for this run, one for each processor."""
        with self._lock:
            self._parsers = self._parsers or Pool(size=_PROCESSORS)
            return self._parsers

    def read(self, step: Callable[[], None]) -> None:
        """Do a step that reads a document in a thread, of which there are as many as parsers; nothing once closed."""
        with suppress(RuntimeError):  # closed meanwhile
            self._readers.submit(step)

    def news(self) -> tuple[Robots, ...]:
        """Return what was learned of robots.txt since this was last called."""
        with self._lock:
            return self._limiter.news() if self._limiter else ()

    def close(self) -> None:
        """End what was begun; polls and documents under way are waited for."""
        if self._limiter is not None:
            self._limiter.close()
        self._readers.shutdown(cancel_futures=True)
        if self._parsers is not None:
            self._parsers.close()


class Terms(Struct, frozen=True):
    """Resources and clock of a run's requests, and the listener of its progress.

    ``cron`` says when the feed is to be refreshed (``None``: any time); ``force`` polls sources that are not due, too.
    """

    resources: Resources
    now: datetime
    tell: Tell
    cron: str | None = None
    force: bool = False


class FetchedSource(Struct, frozen=True):
    """One source in one run: the answers of its addresses, what was read of those that were new, and in a word how.

    ``listings`` has a place for each address, ``None`` where nothing new was said there. ``poll_states`` are what is to
    be remembered. ``message`` says why a silent source is silent, or what else a person should know.
    """

    source: Source
    answers: tuple[Answer, ...] = ()
    listings: tuple[Listing | None, ...] = ()
    poll_states: tuple[PollState, ...] = ()
    status: SourceStatus = "failed"
    message: str = ""

    @property
    def entries(self) -> int:
        """Return how many entries were read in this run."""
        return sum(len(listing.entries) for listing in self.listings if listing is not None)


class _Read(Struct, frozen=True):
    """An answer without its document, what that lists, and what to remember of the other addresses polled for it."""

    answer: Answer
    listing: Listing | None = None
    pages: tuple[PollState, ...] = ()


def fetch(source: Source, poll_states: PollStates, terms: Terms) -> Future[FetchedSource]:
    """Poll the addresses of a source, read what is new, and return what came of it as a future that never fails.

    A defect of ours or of a reader is a source that failed, and its message names it.
    """
    return _SourceFetch(source, poll_states, terms).start()


class _SourceFetch:
    """One source on its way; each step ends by beginning the next, so that none waits in a thread for the network."""

    def __init__(self, source: Source, poll_states: PollStates, terms: Terms) -> None:
        self._source, self._poll_states, self._terms = source, poll_states, terms
        self._requests: Iterator[Request] = iter(())
        self._read: list[_Read] = []
        self._result: Future[FetchedSource] = Future()

    def start(self) -> Future[FetchedSource]:
        self._guard(self._begin)
        return self._result

    def _begin(self) -> None:
        if self._source.path is not None:
            self._in_thread(self._begin_recorded)
            return
        try:
            requests = registry.locate(self._source)
        except (FetchError, ReadError) as error:
            status: SourceStatus = "cached" if any(each.listings for each in self._poll_states.values()) else "failed"
            self._finish(FetchedSource(self._source, status=status, message=_explain(error, self._source)))
            return
        due_at = self._due_at(requests)
        if due_at > self._terms.now:
            message = f"not asked before {due_at:%Y-%m-%d %H:%M:%S} UTC"
            self._read = [_Read(Answer("not due", self._poll_state(each.url), message=message)) for each in requests]
            self._end()
            return
        self._terms.tell(self._source, "fetch", "" if requests else "no address to ask")
        self._requests = iter(requests)
        self._next()

    def _begin_recorded(self) -> None:
        self._read = [self._of_document(_read_file(self._source, self._poll_states, self._terms.now), ())]
        self._end()

    def _due_at(self, requests: Sequence[Request]) -> datetime:
        """Return when the source is to be polled: the run's own time if it is due, or if all are polled."""
        if self._terms.force:
            return self._terms.now
        known = [self._poll_states[each.url] for each in requests if each.url in self._poll_states]
        return polling.due_at(self._terms.cron, known, self._terms.now)

    def _next(self) -> None:
        """Poll the next address, or the feed that its page once named; end after the last one."""
        request = next(self._requests, None)
        if request is None:
            self._end()
            return
        feed_url = self._poll_state(request.url).leads_to
        if feed_url is None:
            self._poll(request, self._after_poll)
        else:
            self._poll(Request(feed_url), partial(self._after_feed, request), found=True)

    def _after_feed(self, page: Request, feed: Answer) -> None:
        """Go on with the feed of a page; if it fails, with the page, which may name another."""
        if feed.status != "failed":
            self._after_poll(feed)
        else:
            self._poll(page, partial(self._after_page, feed))

    def _after_page(self, feed: Answer, page: Answer) -> None:
        """Go on with the page if it is new; one with nothing new says nothing for its feed that failed."""
        self._after_poll(replace(feed, beside=(page,)) if page.document is None else replace(page, beside=(feed,)))

    def _after_poll(self, answer: Answer) -> None:
        """Read the document, or poll the feed that it names; the next address after that."""
        self._terms.tell(self._source, "fetch", answer.message or answer.status)
        pages = tuple(other.poll_state for other in answer.beside)
        if answer.document is None:
            self._after_read(_Read(answer, pages=pages))
            return
        try:
            feeds = self._terms.resources.parsers().discover(answer.document) if _may_name_feed(answer) else ()
        except ReadError as error:
            self._after_read(self._unread(answer, pages, error))
            return
        if not feeds:
            self._after_read(self._of_document(answer, pages))
            return
        pages = (*pages, replace(answer.poll_state, leads_to=feeds[0]))
        polled = next((other for other in answer.beside if other.poll_state.url == feeds[0]), None)
        if polled is not None:
            self._after_read(self._of_document(polled, pages))
        else:
            self._poll(Request(feeds[0]), partial(self._after_named, pages), force=True, found=True)

    def _after_named(self, pages: tuple[PollState, ...], feed: Answer) -> None:
        self._after_read(self._of_document(feed, pages))

    def _after_read(self, read: _Read) -> None:
        self._read.append(read)
        self._next()

    def _of_document(self, answer: Answer, pages: tuple[PollState, ...]) -> _Read:
        """Return what the document of the answer lists, if that is believed."""
        if answer.document is None:
            return _Read(answer, pages=pages)
        self._terms.tell(self._source, "read", "")
        try:
            listing = self._terms.resources.parsers().read(answer.document)
        except ReadError as error:
            return self._unread(answer, pages, error)
        intervals = self._terms.resources.policy.pace
        verdict = plausibility.weigh(self._poll_state(answer.poll_state.url), answer.poll_state, listing, intervals)
        if not verdict.believed:
            return _Read(Answer("held back", verdict.poll_state, message=verdict.message), pages=pages)
        return _Read(Answer("ok", verdict.poll_state, message=verdict.message), listing, pages)

    def _unread(self, answer: Answer, pages: tuple[PollState, ...], error: ReadError) -> _Read:
        before, intervals = self._poll_state(answer.poll_state.url), self._terms.resources.policy.pace
        unread = plausibility.refuse(before, answer.poll_state, self._terms.now, intervals)
        return _Read(Answer("failed", unread, message=_explain(error, self._source)), pages=pages)

    def _end(self) -> None:
        """Give the result; a source that was never understood has its recording read before."""
        self._finish(_summarize(self._source, self._read))

    def _finish(self, fetched: FetchedSource) -> None:
        if _needs_recording(fetched):
            self._in_thread(lambda: self._result.set_result(self._with_recording(fetched)))
        else:
            self._result.set_result(fetched)

    def _with_recording(self, fetched: FetchedSource) -> FetchedSource:
        """Return the result with its recording in place of the live source."""
        recorded = self._of_document(_read_file(self._source, self._poll_states, self._terms.now), ())
        if recorded.answer.status == "failed":
            return replace(fetched, message=f"{fetched.message}; its recording: {recorded.answer.message}")
        poll_states = (*fetched.poll_states, recorded.answer.poll_state)
        if fetched.status == "not due" and recorded.listing is None:
            return replace(fetched, poll_states=poll_states)
        return replace(fetched, listings=(recorded.listing,), poll_states=poll_states, status="snapshot")

    def _poll_state(self, url: str) -> PollState:
        return self._poll_states.get(url, PollState(url))

    def _poll(
        self, request: Request, then: Callable[[Answer], None], *, force: bool = False, found: bool = False
    ) -> None:
        """Poll the address, and go on with the answer: in a thread for reading if there is a document."""
        limiter, force = self._terms.resources.limiter(), force or self._terms.force

        def go_on(polled: Future[Answer]) -> None:
            if polled.cancelled() or polled.exception() or polled.result().document is None:
                self._guard(lambda: then(polled.result()))
            else:
                self._in_thread(lambda: then(polled.result()))

        poll_state = self._poll_state(request.url)
        polled = limiter.poll(
            self._source, poll_state, self._terms.now, force=force, found=found, headers=request.headers
        )
        polled.add_done_callback(go_on)

    def _in_thread(self, step: Callable[[], None]) -> None:
        self._terms.resources.read(lambda: self._guard(step))

    def _guard(self, step: Callable[[], None]) -> None:
        """Do a step; whatever goes wrong in it is a source that failed, told in one line."""
        try:
            step()
        except BaseException as error:  # noqa: BLE001  # a defect must not keep the refresh waiting for ever
            self._result.set_result(FetchedSource(self._source, message=_describe_defect(error)))


def _summarize(source: Source, read: Sequence[_Read]) -> FetchedSource:
    """Return what became of the source, from what became of its addresses."""
    answers = tuple(each.answer for each in read)
    listings = tuple(each.listing for each in read)
    messages = dict.fromkeys(answer.message for answer in answers if answer.message)
    return FetchedSource(
        source,
        answers,
        listings,
        poll_states=tuple(poll_state for each in read for poll_state in (*each.pages, each.answer.poll_state)),
        status=_find_status(answers, listings),
        message="; ".join(messages) if answers else "it has no address to ask",
    )


def _find_status(answers: Sequence[Answer], listings: Sequence[Listing | None]) -> SourceStatus:
    """Return the source in a word: heard if anything was read, else the best of what its addresses came to."""
    if any(listing is not None for listing in listings):
        return "ok"
    given = {answer.status for answer in answers}
    order: tuple[SourceStatus, ...] = ("held back", "unchanged", "not due")
    known = next((status for status in order if status in given), None)
    return known or ("cached" if any(answer.poll_state.listings for answer in answers) else "failed")


def _read_file(source: Source, poll_states: PollStates, now: datetime) -> Answer:
    """Return the answer of a local file: a document if its bytes are not those read last."""
    try:
        document = snapshot.read_files(source)[0]
    except (FetchError, ReadError) as error:
        return Answer("failed", PollState(f"file:{source.name}"), message=_explain(error, source))
    poll_state = poll_states.get(document.url, PollState(document.url))
    digest = sha256(document.body).hexdigest()
    if poll_state.digest == digest:
        return Answer("failed" if poll_state.unread else "unchanged", poll_state, message=poll_state.unread)
    return Answer("ok", replace(poll_state, digest=digest, asked=now, answered=now), document)


def _needs_recording(fetched: FetchedSource) -> bool:
    """Return whether the source has a snapshot and was never read live."""
    source = fetched.source
    return source.snapshot is not None and not source.path and not any(each.listings for each in fetched.poll_states)


def _may_name_feed(answer: Answer) -> bool:
    """Return whether the document is a page that came over the network, not a feed."""
    return answer.document is not None and "html" in (answer.document.media_type or "")


def _explain(error: FetchError | ReadError, source: Source) -> str:
    """Return what went wrong, without the source's name before it: whoever shows it names the source."""
    return str(error).removeprefix(f"{source.name}: ")


def _describe_defect(error: BaseException) -> str:
    """Return one line that names an error of the program and its place, so that it can be reported."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return f"could not be fetched, which is a defect of ours: {type(error).__name__}{place}: {error}"
