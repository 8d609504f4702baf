"""Hold back a listing that lost half of its items at once, until it was seen repeatedly, or is of another show.

The validators and the digest of the last accepted document are kept, so that the next poll returns the doubtful one
again. Tried and dropped: keeping the validators of a doubtful answer (the next answer is 304, without a listing), and
identifying it by the digest of its body (feeds contain the time).

Right: a broken host that lists 1 of 80 items for an afternoon; a page that is empty while its site is rebuilt. Accepted
cost: a show that really deletes 40 of 80 episodes is believed two polls later.

An address that was sold, or leads elsewhere by mistake, lists another show, under another title and without any of the
newest items. That is believed after a week, for a person to see it before subscribers do. Accepted cost: a show that
is renamed and dated anew at once waits as long. A listing of few items, as one of the newest item only, lists none of
the former ones each time, and its title may be that of the item or the day: nothing follows from these.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace
from rapidfuzz import fuzz

from aggregator.fetchers.http import polling
from aggregator.model.entry import Listing
from aggregator.model.source import PollState
from aggregator.text.fold import fold
from aggregator.text.times import release_times
from aggregator.translation.marks import N_

_EQUAL_LISTINGS = 3  # of one doubtful listing in a row, until it is believed: with 2, one bad cache would do
_FEW_ITEMS = 3  # that any listing may lose without being held back
_SHRUNK_TO = 2  # a half; feeds that list their newest N lose fewer
_SHRUNK_FOR = timedelta(days=3)  # a daily show that lists its newest ten from now on lists others at each daily poll
_OTHER_SHOW = timedelta(days=7)
"""Time for which an address lists another show until that is believed; as for an item that no source confirms."""
_SAME_TITLE = 82.0  # similarity (0 to 100) of folded titles, words left out on one side, of one show


class Plausibility(Struct, frozen=True):
    """Decision on a listing: whether it is ``believed``, the new poll state, and the reason in one line if not."""

    believed: bool
    poll_state: PollState
    message: str = ""


def weigh(before: PollState, after: PollState, listing: Listing) -> Plausibility:
    """Return whether a listing is believed; ``before`` and ``after`` are the poll states before and after the answer.

    A partial listing is always believed: what is absent from it proves nothing.
    """
    since = before.doubted_since or after.asked
    doubted = after.asked - since if after.asked is not None and since is not None else timedelta()
    doubtful = replace(_keep_validators(before, after), doubted_since=since)
    if since is not None and doubted < _OTHER_SHOW and _is_other_show(before, listing):
        why = _explain_other_show(before.show, listing.show.title, since + _OTHER_SHOW)
        return Plausibility(False, doubtful, why)
    count = len(listing.entries)
    reason = "" if listing.partial else _explain(before.items or 0, count)
    keys = "\0".join(sorted(entry.key for entry in listing.entries))
    outline = sha256(keys.encode("utf-8", "surrogatepass")).hexdigest()
    times = before.doubts + 1 if before.doubt == outline else 1
    if reason and times < _EQUAL_LISTINGS and (doubted < _SHRUNK_FOR or not count):
        return Plausibility(False, replace(doubtful, doubt=outline, doubts=times), f"{reason}; {_explain_wait(times)}")
    believed = replace(after, items=count, doubt=None, doubts=0, doubted_since=None, unread="", errors=0)
    believed = replace(believed, listings=before.listings + 1, show=listing.show.title or before.show)
    believed = replace(believed, released=_find_release_dates(listing) or before.released)
    return Plausibility(True, polling.apply_rhythm(believed, listing.rhythm))


def refuse(before: PollState, after: PollState, now: datetime) -> PollState:
    """Return the poll state after a document that could not be parsed: one more error, and the former validators."""
    return polling.update_after_failure(
        replace(_keep_validators(before, after), errors=before.errors), after.asked or now, now
    )


def _is_other_show(before: PollState, listing: Listing) -> bool:
    """Return whether the title is another, and none of the dates of the newest items, more than a few, is left."""
    if max(before.items or 0, len(listing.entries)) <= _FEW_ITEMS:
        return False
    own, other = fold(before.show or ""), fold(listing.show.title or "")
    dates = {entry.published.at for entry in listing.entries if entry.published is not None}
    is_new = dates.isdisjoint(before.released) and bool(dates and before.released)
    return is_new and own != "" != other and fuzz.token_set_ratio(own, other) < _SAME_TITLE


def _explain_other_show(own: str | None, other: str | None, until: datetime) -> str:
    return N_(
        f"it was the listing of {own!r} and is now that of {other!r}, with none of the newest items: not believed "
        f"before {until:%Y-%m-%d}; if that is right, remove the source and add it under another name"
    )


def _explain(before: int, count: int) -> str:
    lost = before - count
    if before and not count:
        return N_(f"it listed {before} items and now lists none")
    if count * _SHRUNK_TO < before and lost > _FEW_ITEMS:
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
