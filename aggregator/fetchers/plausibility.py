"""Hold back a listing that lost half of its items at once, until it was seen repeatedly.

The validators and the digest of the last accepted document are kept, so that the next poll returns the doubtful one
again. Tried and dropped: keeping the validators of a doubtful answer (the next answer is 304, without a listing), and
identifying it by the digest of its body (feeds contain the time).

Right: a broken host that lists 1 of 80 items for an afternoon; a page that is empty while its site is rebuilt. Accepted
cost: a show that really deletes 40 of 80 episodes is believed two polls later.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from aggregator.fetchers.http import polling
from aggregator.model.entry import Listing
from aggregator.model.source import PollState
from aggregator.text.times import release_times
from aggregator.translation.locale import N_

_EQUAL_LISTINGS = 3  # of one doubtful listing in a row, until it is believed: with 2, one bad cache would do
_LOST_AT_MOST = 3  # items that any listing may lose without being held back, as a page of few items does
_SHRUNK_TO = 2  # a half; feeds that list their newest N lose fewer


class Verdict(Struct, frozen=True):
    """Decision on a listing: whether it is ``believed``, the new poll state, and the reason in one line if not."""

    believed: bool
    poll_state: PollState
    message: str = ""


def weigh(before: PollState, after: PollState, listing: Listing) -> Verdict:
    """Return whether a listing is believed; ``before`` and ``after`` are the poll states before and after the answer.

    A partial listing is always believed: what is absent from it proves nothing.
    """
    count = len(listing.entries)
    reason = "" if listing.partial else _explain(before.items or 0, count)
    keys = "\0".join(sorted(entry.key for entry in listing.entries))
    outline = sha256(keys.encode("utf-8", "surrogatepass")).hexdigest()
    times = before.doubts + 1 if before.doubt == outline else 1
    if not reason or times >= _EQUAL_LISTINGS:
        believed = replace(after, items=count, doubt=None, doubts=0, unread="", errors=0, listings=before.listings + 1)
        believed = replace(believed, released=_find_release_dates(listing) or before.released)
        return Verdict(True, polling.apply_rhythm(believed, listing.rhythm))
    doubtful = replace(_keep_validators(before, after), doubt=outline, doubts=times)
    return Verdict(False, doubtful, f"{reason}; {_explain_wait(times)}")


def refuse(before: PollState, after: PollState, now: datetime) -> PollState:
    """Return the poll state after a document that could not be parsed: one more error, and the former validators."""
    return polling.update_after_failure(
        replace(_keep_validators(before, after), errors=before.errors), after.asked or now, now
    )


def _explain(before: int, count: int) -> str:
    lost = before - count
    if before and not count:
        return N_(f"it listed {before} items and now lists none")
    if count * _SHRUNK_TO < before and lost > _LOST_AT_MOST:
        return N_(f"it listed {before} items and now lists {count}")
    return ""


def _explain_wait(times: int) -> str:
    more = _EQUAL_LISTINGS - times
    if more == 1:
        return N_(
            f"not believed yet ({times} of {_EQUAL_LISTINGS} equal listings), so that new items in it wait until one "
            f"more poll lists the same"
        )
    return N_(
        f"not believed yet ({times} of {_EQUAL_LISTINGS} equal listings), so that new items in it wait until {more} "
        f"more polls list the same"
    )


def _find_release_dates(listing: Listing) -> tuple[datetime, ...]:
    """Return the dates of the newest items; those that are given by the day only if there is no other."""
    dates = [entry.published for entry in listing.entries if entry.published is not None]
    exact = {date.at for date in dates if date.precision in ("second", "minute")} or {date.at for date in dates}
    return tuple(sorted(exact)[-release_times.NEWEST :])


def _keep_validators(before: PollState, after: PollState) -> PollState:
    return replace(after, validators=before.validators, digest=before.digest)
