"""The result of one source in one run, and when it is next polled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import registry
from aggregator.fetchers.http import polling
from aggregator.model.entry import Listing
from aggregator.model.feed import SourceResult
from aggregator.model.source import Answer, PollState, Request, Source, SourceStatus

PollStates = Mapping[str, PollState]
"""Poll states of a source, by address."""


class FetchedSource(Struct, frozen=True):
    """Result of one source in one run: the answers of its addresses, their listings, and its status.

    ``listings`` has one for each address, ``None`` if nothing was new. ``poll_states`` are to be stored. ``message``
    says why a source failed, or what else was noticed. ``is_put_off`` says that it was not polled because
    another machine polls its host. ``history`` are the listings of archived copies that were read in this run.
    """

    source: Source
    answers: tuple[Answer, ...] = ()
    listings: tuple[Listing | None, ...] = ()
    poll_states: tuple[PollState, ...] = ()
    status: SourceStatus = "failed"
    message: str = ""
    is_put_off: bool = False
    history: tuple[Listing, ...] = ()

    @property
    def entries(self) -> int:
        """Return how many entries were read in this run."""
        return sum(len(listing.entries) for listing in self.listings if listing is not None)


def explain_next_poll(
    source: Source, poll_states: PollStates, schedule: polling.Schedule, now: datetime
) -> tuple[datetime | None, str]:
    """Return when a source is next polled (``None``: no more), and the reason in a short phrase."""
    return polling.explain_due(schedule, select_own_states(source, poll_states), now)


def find_due_time(source: Source, poll_states: PollStates, schedule: polling.Schedule) -> datetime | None:
    """Return when a source was or will be due after its last poll, ``None`` if it was never polled."""
    return polling.find_due_time(schedule, select_own_states(source, poll_states))


def select_own_states(source: Source, poll_states: PollStates) -> list[PollState]:
    """Return the poll states of the addresses that a source is polled at now."""
    try:
        requests = registry.locate(source)
    except (FetchError, ReadError):
        requests = ()
    return select_states(requests, poll_states)


def select_states(requests: Sequence[Request], poll_states: PollStates) -> list[PollState]:
    """Return the poll states of the addresses, or of the feeds that their pages name."""
    known = [poll_states[each.url] for each in requests if each.url in poll_states]
    return [poll_states.get(each.leads_to or "", each) for each in known]


def judge_source(fetched: FetchedSource, before: SourceResult | None) -> SourceResult:
    """Return what the report says of the source: the same as before if it was not polled."""
    if before is not None and (
        fetched.is_put_off or (fetched.answers and all(answer.status == "not due" for answer in fetched.answers))
    ):
        return before
    not_due: SourceStatus = "ok" if any(each.listings for each in fetched.poll_states) else "failed"
    status: SourceStatus = {"unchanged": "ok", "not due": not_due}.get(fetched.status, fetched.status)
    listings = [listing for listing in fetched.listings if listing is not None]
    remarks = tuple(dict.fromkeys(remark for listing in listings for remark in listing.remarks))
    return SourceResult(
        source=_without_paths(fetched.source),
        status=status,
        message=fetched.message,
        entries=fetched.entries or (before.entries if before else 0),
        remarks=remarks if listings or before is None else before.remarks,
    )


def _without_paths(source: Source) -> Source:
    """Return the source without the names of files on this machine and without header fields."""
    private = source.path or source.snapshot or source.headers or source.history
    return replace(source, path=None, snapshot=None, headers=(), history=()) if private else source
