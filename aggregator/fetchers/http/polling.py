"""Decide when to poll an address again and what to store of an answer: pure functions of PollState.

    not before = latest of  asked + an hour,  T + max-age or Expires,  T + ttl,  T + backoff;  moved out of skip windows
    hold       = T + Retry-After of 429 and 503, for the whole host; nothing passes it

After that the schedule of the config counts (``refresh``), or without one the times when the show usually publishes. T
is the time of the answer: for a hold the real time, for the rest the time of the run, as if it polled all sources at
once. Only the backoff has jitter. So an hourly cron polls each hour, however long a run takes.

While a WebSub hub tells of news, an address is polled when it does, else once a day unless the config says how often.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from aggregator.fetchers.http import headers
from aggregator.fetchers.http.target import redact
from aggregator.model.entry import Listing, Rhythm
from aggregator.model.source import Answer, PollState
from aggregator.text.times import cron
from aggregator.text.times.dates import parse_http_date
from aggregator.text.times.release_times import Habit, find_next_poll, learn_habit
from aggregator.translation.marks import N_

_MOVED_AFTER = 5  # entries of one permanent redirect before it is believed; a hijack of hours is not
_LONGEST_REST = timedelta(days=7)  # a year of max-age, or of Retry-After, is a mistake and would end the feed
_LONGEST_BACKOFF = timedelta(days=1)
_FIRST_BACKOFF = timedelta(minutes=30)
_FIRST_UNREACHED, _LONGEST_UNREACHED = timedelta(minutes=5), timedelta(hours=1)
_NEVER = datetime(9000, 1, 1, tzinfo=UTC)  # when a slot comes that never comes, such as a 30th of February
BACKWARD = timedelta(minutes=5)  # a last poll further in the future was timed by a clock that has since gone back
SLACK = timedelta(seconds=30)  # two runs of an hourly cron line may be so much closer than an hour
_HOUR = timedelta(hours=1)
_LEAST_INTERVAL = _HOUR - SLACK  # between two polls of one address
_TOLD_APART = timedelta(minutes=5)  # between two polls that a hub asks for: it decides no more often than that
_TOLD_PACE = timedelta(days=1)  # between polls of an address of whose news a hub tells

USABLE = frozenset({200, 206, 226})
PARTIAL = frozenset({206, 226})
RESTING = frozenset({429, 503})

_NO_DOUBT = {"doubt": None, "doubts": 0, "doubted_since": None}
"""After a document that was read before: one in doubt since is forgotten."""

_PARTIAL_CONTENT, _NOT_MODIFIED, _GONE = 206, 304, 410
_HOURS, _DAYS = 24, 7


Schedule = str | Habit
"""Schedule of a feed's sources: a cron line of the config, or the habit of the show."""


class Policy(Struct, frozen=True):
    """Rules for asking origins, the same for a whole run.

    ``contact`` is the address in the User-Agent. ``allow_networks`` are the private networks (CIDR) that a
    source's own address may be in. ``deadline`` is in seconds for one poll, redirects and all. ``raw_bytes`` are
    counted on the wire, headers too, ``decoded_bytes`` after decompression. ``host_concurrency`` and ``host_rate``
    (requests a second) are for one host and port. ``ca_files`` are certificates trusted besides the usual.
    ``proxy`` is the address of one that all connections are made through, empty for none; the environment names none.
    ``obey_robots`` is whether a robots.txt is obeyed for addresses that the config names, too.
    """

    contact: str = ""
    allow_networks: tuple[str, ...] = ()
    deadline: float = 30.0
    raw_bytes: int = 32 * 1024 * 1024
    decoded_bytes: int = 64 * 1024 * 1024
    hops: int = 5
    host_concurrency: int = 2
    host_rate: float = 10.0
    ca_files: tuple[str, ...] = ()
    proxy: str = ""
    obey_robots: bool = False


class Reply(Struct, frozen=True):
    """Status and header of an answer; ``permanent`` is its last address if every redirect was 301 or 308.

    ``fields`` are the header's, names in lower case. ``asked`` and ``ended`` are when the request was begun and when
    the answer had come by the run's clock, ``clock_age`` how long before it that was read. ``conditional`` is whether
    validators were sent, ``moved`` whether the stored target of a permanent redirect was polled. ``host`` is the last
    host.
    """

    status: int
    fields: Mapping[str, str]
    asked: datetime
    ended: datetime
    clock_age: timedelta = timedelta()
    conditional: bool = False
    permanent: str | None = None
    redirected: bool = False
    moved: bool = False
    host: str = ""


def _ready_at(poll_state: PollState, now: datetime, *, force: bool = False) -> datetime:
    """Return from when the address may be polled: ``now`` or later, past every hold and outside its skip windows.

    ``force`` ignores freshness and backoff, never Retry-After. If ``asked`` is in the future the clock was set back:
    then the stored times do not count, and the next poll corrects them.
    """
    stepped_back = poll_state.asked is not None and poll_state.asked > now + BACKWARD
    hold = poll_state.hold_until or now
    if stepped_back and hold - now > _LONGEST_REST:
        hold = now
    if force:
        return max(now, hold)
    if _has_news(poll_state):
        apart = now if stepped_back or poll_state.asked is None else poll_state.asked + _TOLD_APART
        return max(now, hold, apart)
    rest = now if stepped_back else poll_state.not_before or now
    return _skip_windows(max(now, hold, rest), poll_state)


def _has_news(poll_state: PollState) -> bool:
    """Return whether a hub has told of news since the last poll; after a failure that is no reason for haste."""
    if poll_state.told is None or poll_state.errors:
        return False
    return poll_state.asked is None or poll_state.told > poll_state.asked


def _find_told_until(poll_states: Sequence[PollState], at: datetime) -> datetime | None:
    """Return until when hubs tell of the news of all addresses; ``None`` if one does not, or did not of the last."""
    ends = [each.told_until for each in poll_states if each.told_until and each.told_until > at and not each.untold]
    return min(ends, default=None) if len(ends) == len(poll_states) else None


def note_hub(before: PollState, after: PollState, listing: Listing) -> PollState:
    """Return the poll state after a listing was accepted, with the hub that it names unless the header names one.

    New items that a subscribed hub has not told of are counted: it is not relied on then.
    """
    if after.hub is None:
        after = replace(after, hub=listing.hub, topic=listing.show.feed_url if listing.hub else None)
    is_subscribed = before.told_until is not None and after.asked is not None and before.told_until > after.asked
    if not is_subscribed or after.released == before.released:
        return after
    return replace(after, untold=0 if _has_news(before) else before.untold + 1)


def choose_schedule(line: str | None, poll_states: Iterable[PollState], now: datetime) -> Schedule:
    """Return the schedule of the config, else the habit of the show by the dates that its sources listed."""
    return line or learn_habit([poll_state.released for poll_state in poll_states if poll_state.released], now)


def due_at(schedule: Schedule | None, poll_states: Sequence[PollState], now: datetime) -> datetime:
    """Return when a source is to be polled, ``now`` if it is due; several addresses are due with the first of them.

    Cron lines are read in UTC, or in the zone that they name; without a schedule every run may poll. A source never
    polled is due at once.
    """
    last, slot = _find_last_poll(poll_states), now
    if last is not None and last <= now + BACKWARD:
        slot = max(now, _find_slot(schedule, poll_states, last) or now)
    return min((_ready_at(poll_state, slot) for poll_state in poll_states), default=slot)


def find_due_time(schedule: Schedule | None, poll_states: Sequence[PollState]) -> datetime | None:
    """Return when a source was or will be due after its last poll, ``None`` if it was never polled."""
    last = _find_last_poll(poll_states)
    if last is None:
        return None
    return _NEVER if all(poll_state.gone for poll_state in poll_states) else due_at(schedule, poll_states, last)


def next_due(source: str, schedule: Schedule | None, poll_states: Sequence[PollState], now: datetime) -> datetime:
    """Return when a service polls a source again that it has polled ``now``: the next time, delayed by its name.

    ``source`` is the name of feed and source. The delay, up to a tenth of the interval, spreads the sources of one time
    in a service; a refresh that is started by an outside scheduler uses `due_at`, which has none.
    """
    following = _find_slot(schedule, poll_states, now) or now + _HOUR
    if any(map(_has_news, poll_states)):
        return min(_ready_at(poll_state, now) for poll_state in poll_states)
    interval = ((isinstance(schedule, str) and cron.next_slot(schedule, following)) or following + _HOUR) - following
    share = int.from_bytes(sha256(source.encode()).digest()) % 1000
    due = following + interval * share / 10_000
    return min((_ready_at(poll_state, due) for poll_state in poll_states), default=due)


def explain_due(schedule: Schedule, poll_states: Sequence[PollState], now: datetime) -> tuple[datetime | None, str]:
    """Return when a source is next polled, and the reason in a short phrase, empty if it is due.

    The time is ``None`` if the source is not polled any more.
    """
    if poll_states and all(poll_state.gone for poll_state in poll_states):
        return None, N_("gone (410)")
    at, last = due_at(schedule, poll_states, now), _find_last_poll(poll_states)
    if last is None or at <= now:
        return now, ""
    resting = next((each for each in poll_states if at in {each.hold_until, each.not_before}), None)
    if resting is not None:
        return at, _explain_rest_of(resting, at)
    if any(map(_has_news, poll_states)):
        return at, N_("a hub has told of news (WebSub)")
    is_skipped = at > max(now, _find_slot(schedule, poll_states, last) or now)
    skipped = N_("the feed leaves out hours or days (skipHours, skipDays)")
    return at, skipped if is_skipped else _explain_slot(schedule, poll_states, at, last)


def _explain_slot(schedule: Schedule, poll_states: Sequence[PollState], at: datetime, last: datetime) -> str:
    if isinstance(schedule, str):
        return f"refresh: {cron.describe(schedule)}"
    if _find_told_until(poll_states, last) is not None:
        return N_("a hub tells of its news (WebSub)")
    usual = at < last + schedule.every - SLACK
    return N_("when the show usually publishes") if usual else N_("outside of the hours in which the show publishes")


def _explain_rest_of(poll_state: PollState, at: datetime) -> str:
    if poll_state.hold_until == at:
        return N_("its host asked to wait (Retry-After)")
    if poll_state.errors:
        return N_("it failed") if poll_state.errors == 1 else f"it failed {poll_state.errors} times in a row"
    if poll_state.asked is not None and at - poll_state.asked <= _HOUR:
        return N_("once an hour at most")
    return N_("its host says how often (max-age, Expires or ttl)")


def _find_last_poll(poll_states: Sequence[PollState]) -> datetime | None:
    """Return when any of the addresses was last polled, ``None`` if none was."""
    return max((poll_state.asked for poll_state in poll_states if poll_state.asked is not None), default=None)


def _find_slot(schedule: Schedule | None, poll_states: Sequence[PollState], last: datetime) -> datetime | None:
    """Return the next time of the schedule after ``last``; ``None`` if every run may poll.

    The habit of the show does not count for a source that failed, or that is to be read again; nor where a hub tells.
    """
    if any(map(_has_news, poll_states)):
        return None
    if isinstance(schedule, str):
        return cron.next_slot(schedule, last) or _NEVER
    if schedule is None or any(poll_state.errors or not poll_state.digest for poll_state in poll_states):
        return None
    usual = find_next_poll(schedule, last) - SLACK
    if (told_until := _find_told_until(poll_states, last)) is not None:
        return min(last + _TOLD_PACE, max(usual, told_until))
    return usual


def explain_rest(poll_state: PollState, now: datetime, *, force: bool = False) -> str:
    """Return why the address is not polled now, "" if it is; one that is gone (410) is polled only with ``force``."""
    if poll_state.gone and not force:
        return N_("gone (410), not asked any more")
    due = _ready_at(poll_state, now, force=force)
    return N_(f"not asked before {due:%Y-%m-%d %H:%M:%S} UTC") if due > now else ""


def find_rest(poll_state: PollState, now: datetime, *, force: bool = False) -> Answer | None:
    """Return the answer of an address that is not polled now, ``None`` if it is."""
    why = explain_rest(poll_state, now, force=force)
    return Answer("not due", poll_state, message=f"{redact(poll_state.url)}: {why}") if why else None


def is_due(poll_state: PollState, now: datetime, *, force: bool = False) -> bool:
    """Return whether the address may be polled now."""
    return not explain_rest(poll_state, now, force=force)


def find_address(poll_state: PollState) -> str:
    """Return the address to poll: the configured one, or a permanent redirect's target that was seen often enough."""
    if poll_state.moved_to is not None and poll_state.moved_seen >= _MOVED_AFTER:
        return poll_state.moved_to
    return poll_state.url


def make_conditional_headers(
    poll_state: PollState, distrust: int | None = None, now: datetime | None = None
) -> tuple[tuple[str, str], ...]:
    """Return the conditional header fields, byte for byte as the origin gave them (RFC 9110 section 13.1).

    None if for ``distrust`` hours nothing but 304 came: some hosts answer so for hours after a change.
    """
    validators = poll_state.validators
    if distrust and now and poll_state.whole and now - poll_state.whole >= timedelta(hours=distrust):
        return ()
    named = (("If-None-Match", validators.etag), ("If-Modified-Since", validators.last_modified))
    return tuple((name, value) for name, value in named if value is not None)


def update_after_answer(poll_state: PollState, reply: Reply, digest: str | None = None) -> PollState:
    """Return the poll state after an answer; ``digest`` is of the body of a 200, 206 or 226."""
    if reply.status == _NOT_MODIFIED and reply.conditional:
        known = _changes_after_success(poll_state, reply) | _NO_DOUBT
        not_before = _earliest_poll(poll_state, reply)
        return replace(poll_state, **known, whole=poll_state.whole or reply.ended, not_before=not_before)
    if reply.status in USABLE:
        part = reply.status == _PARTIAL_CONTENT  # not requested, and its validators are not of the stored listing
        kept = poll_state.validators if part else headers.get_validators(reply.fields)
        known = _changes_after_success(poll_state, reply) | (
            _NO_DOUBT if digest == poll_state.digest else {"unread": ""}
        )
        not_before = _earliest_poll(poll_state, reply)
        return replace(poll_state, **known, digest=digest, validators=kept, whole=reply.ended, not_before=not_before)
    if reply.status == _GONE and not reply.moved and reply.redirected == (reply.permanent is not None):
        return replace(update_after_failure(poll_state, reply.asked, reply.ended), gone=True)
    missed = update_after_failure(poll_state, reply.asked, reply.ended)
    came = reply.ended + reply.clock_age
    pause = headers.parse_retry_after(reply.fields, came)
    if pause is None:
        return missed
    until = came + min(pause, _LONGEST_REST)
    if reply.status in RESTING:
        still = replace(missed, moved_to=poll_state.moved_to, moved_seen=poll_state.moved_seen)
        return replace(still, hold_until=max(until, still.hold_until or until), hold_host=reply.host)
    return replace(missed, not_before=max(until, missed.not_before or until))


def update_after_failure(poll_state: PollState, asked: datetime, ended: datetime) -> PollState:
    """Return the poll state after no usable answer: one more error and a longer rest.

    A remembered move is forgotten, so that the configured address is polled next.
    """
    errors = poll_state.errors + 1
    rest = min(_FIRST_BACKOFF * 2 ** min(errors - 1, 10), _LONGEST_BACKOFF)
    # up to a tenth more, always the same for an address and a try
    rest += rest * (int.from_bytes(sha256(f"{errors} {poll_state.url}".encode()).digest()[:2], "big") % 1000 / 10_000)
    floor = asked + _LEAST_INTERVAL
    believed = poll_state.moved_seen >= _MOVED_AFTER
    return replace(
        poll_state,
        asked=asked,
        errors=errors,
        not_before=max(floor, ended + rest),
        moved_to=None if believed else poll_state.moved_to,
        moved_seen=0 if believed else poll_state.moved_seen,
    )


def update_after_unreached(poll_state: PollState, asked: datetime, ended: datetime) -> PollState:
    """Return the poll state after a poll that reached no origin, with a shorter rest than after an error of the origin.

    So a machine that wakes up without a network polls at most an hour after it is connected again.
    """
    missed = update_after_failure(poll_state, asked, ended)
    rest = min(_FIRST_UNREACHED * 2 ** min(poll_state.errors, 10), _LONGEST_UNREACHED)
    return replace(missed, not_before=ended + rest, moved_to=poll_state.moved_to, moved_seen=poll_state.moved_seen)


def apply_rhythm(poll_state: PollState, rhythm: Rhythm) -> PollState:
    """Return the poll state with the ttl, skipHours and skipDays of the document that was read.

    A rhythm that leaves no hour or no day is ignored.
    """
    every = None if rhythm.interval is None else max(0, int(rhythm.interval.total_seconds()))
    hours = tuple(sorted(rhythm.skip_hours)) if len(rhythm.skip_hours) < _HOURS else ()
    days = tuple(sorted(rhythm.skip_days)) if len(rhythm.skip_days) < _DAYS else ()
    kept = replace(poll_state, every=every, skip_hours=hours, skip_days=days)
    if poll_state.asked is None or not every:
        return kept
    rest = max(_LEAST_INTERVAL, min(timedelta(seconds=every), _LONGEST_REST))
    wished = poll_state.asked + rest
    return replace(kept, not_before=max(poll_state.not_before or wished, wished))


def _changes_after_success(poll_state: PollState, reply: Reply) -> dict[str, Any]:
    """Return the changes by a usable answer: no errors, no hold, and the permanent redirects counted."""
    moved_to, seen = reply.permanent, 1
    if reply.moved and not reply.redirected:
        moved_to, seen = poll_state.moved_to, poll_state.moved_seen
    elif reply.permanent == poll_state.moved_to:
        seen = poll_state.moved_seen + 1
    return {
        "asked": reply.asked,
        "answered": reply.ended,
        "host_time": parse_http_date(reply.fields.get("date", "")),
        "errors": 0,
        "hold_until": None,
        "hold_host": "",
        "moved_to": moved_to,
        "moved_seen": seen if moved_to is not None else 0,
        "gone": False,
    }


def _earliest_poll(poll_state: PollState, reply: Reply) -> datetime:
    """Return the time before which freshness, ttl and the least interval forbid a poll."""
    fresh = min(headers.parse_freshness(reply.fields, reply.ended) or timedelta(), _LONGEST_REST)
    every = min(timedelta(seconds=poll_state.every or 0), _LONGEST_REST)
    floor = reply.asked + _LEAST_INTERVAL
    return max(floor, reply.ended + fresh, reply.ended + every)


def _skip_windows(moment: datetime, poll_state: PollState) -> datetime:
    """Return the first instant from the moment on in no hour (UTC) and on no day (Monday is 0) to leave out."""
    for _ in range(_DAYS * _HOURS + 1):
        at = moment.astimezone(UTC)
        if at.weekday() not in poll_state.skip_days and at.hour not in poll_state.skip_hours:
            return moment
        moment = at.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return moment
