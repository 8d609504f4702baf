"""One source as it was fetched in one run, and when it is next asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from aggregator.errors import FetchError, ReadError
from aggregator.fetchers import registry
from aggregator.fetchers.http import polling
from aggregator.model.entry import Listing
from aggregator.model.source import Answer, PollState, Request, Source, SourceStatus

PollStates = Mapping[str, PollState]
"""What is remembered of a source, by address."""


class FetchedSource(Struct, frozen=True):
    """One source in one run: the answers of its addresses, what was read of those that were new, and its status.

    ``listings`` has a place for each address, ``None`` where nothing was new. ``poll_states`` are what is to be
    remembered. ``message`` says why a source failed, or what else a person should know.
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


def explain_next_poll(
    source: Source, poll_states: PollStates, schedule: polling.Schedule, now: datetime
) -> tuple[datetime | None, str]:
    """Return when a source is next polled, and the reason in a short phrase; ``None`` if it is not polled any more."""
    try:
        requests = registry.locate(source)
    except (FetchError, ReadError):
        requests = ()
    return polling.explain_due(schedule, select_states(requests, poll_states), now)


def select_states(requests: Sequence[Request], poll_states: PollStates) -> list[PollState]:
    """Return what is remembered of the addresses, or of the feeds that their pages lead to."""
    known = [poll_states[each.url] for each in requests if each.url in poll_states]
    return [poll_states.get(each.leads_to or "", each) for each in known]
