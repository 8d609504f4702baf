"""Align two listings of a show: compare them as a whole to find which entries of one title are the same items.

A daily show gives every item the same title, and a directory may list it without text, minutes late, in a zone that it
does not name, under numbers of its own, or some items behind. A single pair is no evidence then: the entry of the same
day and that of the next day fit equally well. Under the right hypothesis about the two listings nearly every entry
meets another, the lengths and texts of these pairs agree better than those of their neighbours, and no listing is
ahead of the other.

The probability is shared among all hypotheses and *none* (the listings say nothing about each other), so that two that
fit equally well are evidence for nothing. If two listings are shown to have other editions, a third one can have those
of one of them only. Two listings that are not decided are compared through a third one with which both are. The gain of
a pair of entries is the log-odds of having met. ``docs/matching.md`` has an example and the measured figures.

What decides about two listings is kept as it was learned, so that new entries do not move what older ones are, as long
as those meet as supposed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.matching.alignment.hypotheses import UNUSUAL, suppose, suppose_again
from aggregator.merger.matching.alignment.listings import (
    DAY,
    Hypothesis,
    TitleList,
    find_encounters,
    find_first_rows,
    number_listings,
)
from aggregator.merger.matching.alignment.scores import Encounter, find_within, score_all
from aggregator.merger.matching.clustering import find_components
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.habits import MIN_SERIES, NEARLY_ALL
from aggregator.merger.matching.features.token_bags import Bools, Doubles, Floats, Ints
from aggregator.merger.matching.scoring import Compared, Table
from aggregator.model.cluster import ListingAlignment

DECIDED = 0.95
"""Share of the probability from which two listings are decided."""

_NEARLY_SURE = 0.9  # that two entries meet, or that two listings count otherwise
_LIKELY = 0.8  # that two entries meet, so that their dates agree
_MIN_SHARE = 0.002  # of a hypothesis that counts, and of both probabilities of a pair: no alignment is surer
_DOUBT = 1.5  # taken from the gain of all pairs: two hypotheses of equal probability merge nothing
_RIVAL = 6.0  # the same for the less likely of the two
_MAX_GAIN = 4.0
_DAILY = 1.5 * DAY  # seconds between the entries of a daily title, at most
_IMPOSSIBLE = -99.0  # natural log-odds

_Key = tuple[int, int]  # the numbers of two listings, the lower first
_Encounters = Mapping[_Key, Encounter]


class Alignment(Struct, frozen=True):
    """Evidence for each pair by the alignment of all listings.

    - ``gain``: natural log-odds of having met; 0 where nothing is known.
    - ``possible``: probability of having met, 0 where nothing is known.
    - ``judged``: whether the two listings are decided and one of the entries meets another.
    - ``met``: whether the entries meet under the offset of their listings: their dates agree.
    - ``anew``: whether their dates are none, because an archive was dated anew.
    - ``counted_otherwise``: whether their numbers, and titles that are only a number, are no evidence.

    ``learned`` is what a later run needs of the listings that are decided.
    """

    gain: Floats
    possible: Floats
    judged: Bools
    met: Bools
    anew: Bools
    counted_otherwise: Bools
    learned: tuple[ListingAlignment, ...] = ()


class _Meeting(Struct, frozen=True):
    """The rows of two listings that meet, and the probability of it; of ``Hypothesis`` what the pairs need."""

    share: float
    one: Ints
    other: Ints
    ahead: int | None = None
    anew: bool = False


def align(
    frame: Frame,
    compared: Compared,
    table: Table,
    groups: Iterable[tuple[int, ...]],
    learned: Sequence[ListingAlignment] = (),
) -> Alignment:
    """Return what the listings as a whole say about each pair; ``groups`` are rows that are known to be one.

    ``learned`` are alignments of a former run.
    """
    unit = np.array(find_components(len(frame.records), groups), dtype=np.int64)
    listing = number_listings(frame)
    first, known = find_first_rows(listing, unit), {(each.one, each.other): each for each in learned}
    encounters: dict[_Key, Encounter] = {}
    unknown: list[Encounter] = []
    for one, other in find_encounters(frame, listing, first):
        hypotheses = _recall(one, other, known.get((one.name, other.name)))
        encounters[one.listing, other.listing] = one, other, hypotheses or list(suppose(one, other))
        if not hypotheses:
            unknown.append(encounters[one.listing, other.listing])
    score_all(frame, table, unit, unknown)
    for *_, hypotheses in unknown:
        _drop_unlikely(hypotheses)
    apart = {key for key, found in encounters.items() if _are_apart(*found)}
    meetings = {key: _share_probability(encounters, key, apart) for key in encounters if key not in apart}
    best = {key: _find_best(found) for key, found in meetings.items()}
    keep = _keep_alignments(encounters[key] for key, each in best.items() if each and each.share >= DECIDED)
    found = _apply(frame, compared, (listing, first), (encounters, apart, _complete(meetings, best)))
    return replace(found, learned=tuple(keep))


# Learning


def _drop_unlikely(hypotheses: list[Hypothesis]) -> None:
    """Drop the hypotheses that do not count but for the best; one that joins nothing has the probability of them."""
    shares = _share(hypotheses)
    best = max(range(len(shares)), key=shares.__getitem__, default=0)
    kept = [at for at, share in enumerate(shares) if share >= _MIN_SHARE or at == best]
    dropped = [each.score for at, each in enumerate(hypotheses) if at not in kept]
    hypotheses[:] = [*(hypotheses[at] for at in kept), _suppose_nothing(dropped)]


def _suppose_nothing(scores: Sequence[float]) -> Hypothesis:
    """Return a hypothesis under which nothing meets, as likely as some others together."""
    nothing = np.zeros(0, dtype=np.int64)
    return Hypothesis(nothing, nothing, 0.0, score=float(np.logaddexp.reduce(scores or [_IMPOSSIBLE])))


def _recall(one: TitleList, other: TitleList, known: ListingAlignment | None) -> list[Hypothesis]:
    """Return the likely hypotheses about two listings as they were learned, if entries that came since meet so.

    Empty if they do not, or nothing was learned.
    """
    found = list(suppose_again(one, other, known.relations)) if known else []
    if known is None or not found:
        return []
    best = max(found, key=lambda each: each.score)
    for lists, met, crowded in (
        ((one, other), (best.one, best.other), best.crowded[0]),
        ((other, one), (best.other, best.one), best.crowded[1]),
    ):
        alone = lists[0].fresh.copy()
        alone[met[0]] = alone[crowded] = False
        if alone.any() and (alone & find_within(lists, met)[1]).any():
            return []
    return [*found, _suppose_nothing([known.rest])]


def _keep_alignments(encounters: Iterable[Encounter]) -> Iterator[ListingAlignment]:
    """Yield what is to be kept of decided listings, except those that only all evidence relates."""
    for one, other, (*likely, rest) in encounters:
        relations = [replace(each.relation, ahead=each.ahead, score=each.score) for each in likely if each.relation]
        if len(relations) == len(likely):
            yield ListingAlignment(one.name, other.name, tuple(relations), rest.score)


# Deciding


def _are_apart(one: TitleList, other: TitleList, hypotheses: Sequence[Hypothesis]) -> bool:
    """Return whether two sources have other editions of a daily title: both list it at one time, and nothing meets."""
    if one.source == other.source or 1.0 - sum(_share(hypotheses)) < DECIDED:
        return False
    slack = 0.0 if one.zoned and other.zoned else DAY
    low, high = max(one.instants[0], other.instants[0]) - slack, min(one.instants[-1], other.instants[-1]) + slack
    for each in (one, other):
        within = (each.instants >= low) & (each.instants <= high)
        daily = each.instants[within & (each.keys == _find_usual_key(one))]
        if len(daily) < max(MIN_SERIES, NEARLY_ALL * within.sum()) or np.median(np.diff(np.sort(daily))) > _DAILY:
            return False
    return True


def _find_usual_key(listing: TitleList) -> int:
    """Return the title that most entries have."""
    values, often = np.unique(listing.keys, return_counts=True)
    return int(values[often.argmax()])


def _share(hypotheses: Sequence[Hypothesis]) -> list[float]:
    """Return the probability of each hypothesis; what is left is that of none."""
    scores = np.array([-UNUSUAL, *(each.score for each in hypotheses)])
    odds = np.exp(scores - scores.max())
    return [float(share) for share in (odds / odds.sum())[1:]]


def _share_probability(encounters: _Encounters, key: _Key, apart: set[_Key]) -> list[_Meeting]:
    """Return what meets under each hypothesis about two listings, and under their rivals."""
    one, other, hypotheses = encounters[key]
    meetings = [(one.rows[each.one], other.rows[each.other], each) for each in hypotheses]
    meetings += _find_rivals(encounters, key, apart)
    shares = _share([each for *_, each in meetings])
    return [
        _Meeting(share, left, right, each.ahead, each.anew)
        for (left, right, each), share in zip(meetings, shares, strict=True)
        if share >= _MIN_SHARE and len(left)
    ]


def _find_rivals(encounters: _Encounters, key: _Key, apart: set[_Key]) -> Iterator[tuple[Ints, Ints, Hypothesis]]:
    """Yield the hypotheses about one of two listings and a third that has other editions than the second.

    They are rivals if they explain the same entries, which are those of one of the two only.
    """
    *likely, _ = encounters[key][2]
    if not likely:
        return
    best = max(likely, key=lambda each: each.score)
    for at, places in enumerate((best.one, best.other)):
        rows = encounters[key][at].rows[places]  # type: ignore[union-attr]  # 0 and 1 are listings
        for parted in sorted(each for each in apart if key[1 - at] in each):
            third = sum(parted) - key[1 - at]
            between = min(key[at], third), max(key[at], third)
            if between in encounters and between not in apart:
                one, other, hypotheses = encounters[between]
                for each in hypotheses:
                    left, right = one.rows[each.one], other.rows[each.other]
                    if 2 * np.isin(rows, np.concatenate((left, right))).sum() > len(rows):
                        yield left, right, each


def _find_best(found: Sequence[_Meeting]) -> _Meeting | None:
    """Return the most likely meeting of two listings, with the probability of those like it added up.

    Each counts by the share of its pairs: some hypotheses differ in their tolerance alone.
    """
    best = max(found, key=lambda each: each.share, default=None)
    if best is None:
        return None
    pairs = {*zip(best.one.tolist(), best.other.tolist(), strict=True)}
    alike = [pairs & {*zip(each.one.tolist(), each.other.tolist(), strict=True)} for each in found]
    return replace(
        best, share=sum(each.share * len(some) / len(pairs) for each, some in zip(found, alike, strict=True))
    )


def _complete(
    meetings: Mapping[_Key, list[_Meeting]], best: Mapping[_Key, _Meeting | None]
) -> Mapping[_Key, list[_Meeting]]:
    """Return the meetings; two undecided listings meet as both do with a third one, if these two are decided."""
    certain: dict[_Key, tuple[Ints, Ints]] = {}
    for (one, other), found in best.items():
        if found and found.share >= DECIDED:
            certain[one, other], certain[other, one] = (found.one, found.other), (found.other, found.one)
    completed = dict(meetings)
    for one, other in (key for key, found in best.items() if not found or found.share < _NEARLY_SURE):
        for third in sorted(third for mine, third in certain if mine == one and (third, other) in certain):
            (mine, across), (back, theirs) = certain[one, third], certain[third, other]
            _, at, there = np.intersect1d(across, back, return_indices=True)
            if len(at):
                completed[one, other] = [_Meeting(DECIDED, mine[at], theirs[there])]
                break
    return completed


# Applying


def _apply(
    frame: Frame,
    compared: Compared,
    rows: tuple[Ints, Ints],
    decided: tuple[_Encounters, set[_Key], Mapping[_Key, list[_Meeting]]],
) -> Alignment:
    """Return the evidence for the pairs of all listings that were aligned."""
    encounters, apart, meetings = decided
    listing, first = rows
    size = len(compared.left)
    (gain, possible), flags = np.zeros((2, size), dtype=np.float32), np.zeros((4, size), dtype=np.bool_)
    for key, at in _group_pairs(frame, compared, listing):
        turned = listing[compared.left[at]] != key[0]
        left = np.where(turned, compared.right[at], compared.left[at])
        right = np.where(turned, compared.left[at], compared.right[at])
        if key in apart:
            daily = at[frame.title_key[left] == _find_usual_key(encounters[key][0])]
            gain[daily], flags[0, daily] = -_MAX_GAIN, True
        elif key in meetings:
            gain[at], possible[at], flags[:, at] = _weigh_meetings(frame, (first[left], first[right]), meetings[key])
    return Alignment(gain, possible, *flags)


def _group_pairs(frame: Frame, compared: Compared, listing: Ints) -> Iterator[tuple[_Key, Ints]]:
    """Yield the places of the pairs of one title of each two listings."""
    key = frame.title_key
    some = np.flatnonzero((key[compared.left] == key[compared.right]) & (key[compared.left] != ABSENT))
    one, other = listing[compared.left[some]], listing[compared.right[some]]
    order = np.lexsort((np.maximum(one, other), np.minimum(one, other)))
    low, high = np.minimum(one, other)[order], np.maximum(one, other)[order]
    starts = np.flatnonzero((np.diff(low) != 0) | (np.diff(high) != 0)) + 1
    for at in np.split(np.arange(len(order)), starts) if len(order) else ():
        yield (int(low[at[0]]), int(high[at[0]])), some[order[at]]


def _weigh_meetings(
    frame: Frame, rows: tuple[Ints, Ints], meetings: Sequence[_Meeting]
) -> tuple[Doubles, Doubles, tuple[Bools, Bools, Bools, Bools]]:
    """Return the columns of ``Alignment`` for each pair of rows."""
    left, right = rows
    together, elsewhere, alike, anew = (np.zeros(len(left)) for _ in range(4))
    partner = np.empty(len(frame.records), dtype=np.int64)
    for meeting in meetings:
        partner[:] = -1
        partner[meeting.one], partner[meeting.other] = meeting.other, meeting.one
        meet = partner[left] == right
        together += meeting.share * meet
        elsewhere += meeting.share * (~meet & ((partner[left] >= 0) | (partner[right] >= 0)))
        alike += meeting.share * (not meeting.ahead)
        anew += meeting.share * (meet & meeting.anew)
    rest = np.maximum(1.0 - together - elsewhere, 0.0)
    gain = np.log((together + rest + _MIN_SHARE) / (elsewhere + rest + _MIN_SHARE))
    gain -= _DOUBT * (1.0 - rest) + _RIVAL * np.minimum(together, elsewhere)
    numbered = (frame.title_number[left] != ABSENT) & (frame.title_number[right] != ABSENT)
    nothing = 1.0 - sum(meeting.share for meeting in meetings)
    flags = (
        (together + elsewhere >= DECIDED) | (together >= _NEARLY_SURE),
        (together >= _LIKELY) & (anew < 1 - _LIKELY),
        anew >= _NEARLY_SURE,
        (alike + nothing < _NEARLY_SURE) & numbered,
    )
    return np.clip(gain, -_MAX_GAIN, _MAX_GAIN), together, flags
