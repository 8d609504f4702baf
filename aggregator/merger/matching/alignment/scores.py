"""Score hypotheses about two listings by the entries that meet and by those that do not.

Lengths and texts of the entries that meet count minus what those of neighbours have in common, so that equal lengths
and one shared text are no evidence. All weights are natural log-odds; most have a cap, because the longer of two
overlaps would win otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from aggregator.merger.matching.alignment.listings import DAY, MAX_ZONE, MINUTE, Hypothesis, TitleList
from aggregator.merger.matching.evidence.length import LengthLevel, compare_lengths
from aggregator.merger.matching.evidence.text import TextLevel, compare_short_texts
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.habits import NEARLY_ALL
from aggregator.merger.matching.features.token_bags import Bools, Doubles, Ints
from aggregator.merger.matching.scoring import Table

_MOST = 4  # entries, or pairs, that count for each of these, at most
_MEETING = 1.5  # of each entry that meets at its time, which is unlikely by chance
_AGREEING = 1.0  # of each pair of numbers as expected
_OTHER_NUMBER = 2.0  # against, of each pair of other numbers
_KNOWN = 3.0  # of each pair known to be one, for or against
_LACKING = 2.5  # against, of each entry inside the overlap that meets nothing
_BEHIND = 0.7  # against, of each entry that the other does not have yet
_IMPOSSIBLE = 5.0  # the same if the other is the host, which has each first; and of each entry before its instant

_MIN_CONTENT, _MAX_CONTENT = -6.0, 4.0  # lengths and text of one pair
_OMITTED, _OMITTED_SHARE = 0.4, 0.15  # against, of each of as many as listings omit
_EXCEPTIONS = 0.1  # share of such entries, and one at least, that are no evidence: their instants may have been changed
_SLACK = 5 * MINUTE  # by which clocks may be wrong

_NEAR = 31 * DAY  # by which a listing is ahead at most: entries that are dated even later were dated anew
_STEPS = (-1, 1)  # places of neighbours
_ALIKE = [LengthLevel.SECONDS_2, LengthLevel.SECONDS_15, LengthLevel.MINUTE]  # never evidence against

Encounter = tuple[TitleList, TitleList, list[Hypothesis]]


def score_all(frame: Frame, table: Table, unit: Ints, encounters: Sequence[Encounter]) -> None:
    """Fill in the scores, and drop hypotheses that leave too many entries of both listings alone.

    That an archive was dated anew is supposed only if its dates are explained by nothing else.
    """
    contents = _Contents(frame, table, encounters)
    for one, other, hypotheses in encounters:
        for each in hypotheses:
            each.score = _score(unit, contents, (one, other), each)
        dated = max((each.score for each in hypotheses if not each.anew), default=0.0) > 0
        hypotheses[:] = [
            each for each in hypotheses if each.score > (0.0 if each.anew else -np.inf) and not (each.anew and dated)
        ]


class _Contents:
    """The weights of lengths and texts of all pairs that meet or stand beside those that do, computed at once."""

    def __init__(self, frame: Frame, table: Table, encounters: Iterable[Encounter]) -> None:
        self.rows = len(frame.records)
        codes = [
            one.rows[left] * self.rows + other.rows[right]
            for one, other, hypotheses in encounters
            for each in hypotheses
            for left, right in (_pick(each, step) for step in (0, *_STEPS))
        ]
        self.codes = np.unique(np.concatenate(codes)) if codes else np.zeros(0, dtype=np.int64)
        left, right = np.divmod(self.codes, self.rows)
        lengths, texts = table.of(LengthLevel), table.of(TextLevel)
        lengths[_ALIKE] = np.maximum(lengths[_ALIKE], 0)  # in a run where all lengths are equal they are learned to be
        texts[TextLevel.MANY_WORDS] = texts[TextLevel.ABOVE_9]  # few words count as many
        weights = lengths[compare_lengths(frame, left, right)] + texts[compare_short_texts(frame, left, right)]
        self.weights = np.clip(weights.astype(np.float64), _MIN_CONTENT, _MAX_CONTENT)

    def weigh(self, left: Ints, right: Ints) -> Doubles:
        """Return the weight of each pair of rows."""
        weights: Doubles = self.weights[np.searchsorted(self.codes, left * self.rows + right)]
        return weights


def _pick(each: Hypothesis, step: int) -> tuple[Ints, Ints]:
    """Return the places of the pairs that meet, with the second some steps further on."""
    if not step:
        return each.one, each.other
    kept = slice(0, -step) if step > 0 else slice(-step, None)
    moved = slice(step, None) if step > 0 else slice(0, step)
    return each.one[kept], each.other[moved]


def _score(unit: Ints, contents: _Contents, lists: tuple[TitleList, TitleList], each: Hypothesis) -> float:
    """Return the natural log-odds of a hypothesis, minus infinity if it leaves too many entries alone."""
    one, other = lists
    met = contents.weigh(one.rows[each.one], other.rows[each.other])
    beside = [_pick(each, step) for step in _STEPS]
    around = np.concatenate([contents.weigh(one.rows[left], other.rows[right]) for left, right in beside])
    shared = max(0.0, float(around.mean())) if len(around) else max(0.0, float(met.mean()))
    score = float(met.sum()) - shared * len(met) - each.cost
    score += _MEETING * min(len(met), _MOST) if each.timed else 0.0
    score += _weigh_known(unit, lists, each) - _weigh_first_seen(lists, each)
    if each.anew:
        return score
    score += _weigh_numbers(lists, each)
    mine, mine_explained = _weigh_alone((one, other), (each.one, each.other), each.crowded[0])
    theirs, theirs_explained = _weigh_alone((other, one), (each.other, each.one), each.crowded[1])
    return score - mine - theirs if mine_explained or theirs_explained else -np.inf


def _weigh_known(unit: Ints, lists: tuple[TitleList, TitleList], each: Hypothesis) -> float:
    """Return the evidence of pairs that are known to be one, and were not dated anew."""
    mine, theirs = (unit[listing.rows] for listing in lists)
    agree = int((mine[each.one] == theirs[each.other]).sum())
    _, at, there = np.intersect1d(mine, theirs, return_indices=True)
    near = np.abs(lists[1].instants[there] - lists[0].instants[at]) <= _NEAR
    apart = max(int(near.sum()) - agree, 0)
    return _KNOWN * (min(agree, _MOST) - min(apart, _MOST))


def _weigh_numbers(lists: tuple[TitleList, TitleList], each: Hypothesis) -> float:
    """Return the evidence of numbers that agree, or differ as expected."""
    if each.ahead is None:
        return 0.0
    one, other = lists[0].numbers[each.one], lists[1].numbers[each.other]
    both = (one != ABSENT) & (other != ABSENT)
    agree = int((other[both] - one[both] == each.ahead).sum())
    return _AGREEING * min(agree, _MOST) - _OTHER_NUMBER * min(int(both.sum()) - agree, _MOST)


def _weigh_alone(lists: tuple[TitleList, TitleList], met: tuple[Ints, Ints], crowded: Ints) -> tuple[float, bool]:
    """Return what entries of the first listing that meet nothing cost, and whether they are few inside the overlap."""
    listing, across = lists
    alone = np.ones(len(listing.rows), dtype=np.bool_)
    alone[met[0]] = alone[crowded] = False
    if not alone.any():
        return 0.0, True
    at, within, newest = find_within(lists, met)
    inside, total = int((within & alone).sum()), int(within.sum())
    ahead = int((alone & (at > newest) & (at <= newest + _NEAR)).sum()) if listing.last <= across.last else 0
    first = across.host and not listing.host and listing.source != across.source
    cost = (_IMPOSSIBLE if first else _BEHIND) * min(ahead, _MOST)
    usual = _OMITTED_SHARE * total
    lacking = _OMITTED * min(inside, usual) + _LACKING * max(inside - usual, 0.0)
    return cost + min(lacking, _LACKING * _MOST), total - inside >= min(total - 1, NEARLY_ALL * total)


def find_within(lists: tuple[TitleList, TitleList], met: tuple[Ints, Ints]) -> tuple[Doubles, Bools, float]:
    """Return the instants of the first listing in the second, which of them this one covers, and its last instant."""
    listing, across = lists
    at = listing.instants + np.median(across.instants[met[1]] - listing.instants[met[0]])
    slack = 0.0 if listing.clock and across.clock else DAY / 2
    there = across.instants[met[1]]
    oldest = there.min() - _reach(there.min() - across.instants) - slack
    newest = float(there.max() + _reach(across.instants - there.max()) + slack)
    return at, (at >= oldest) & (at <= newest), newest


def _reach(beyond: Doubles) -> float:
    """Return the farthest of some times beyond those that meet, up to a gap: a date far off is a mistake."""
    near = np.sort(np.append(beyond[beyond > 0], 0.0))
    return float(near[np.argmax(np.append(np.diff(near), np.inf) > _NEAR)])


def _weigh_first_seen(lists: tuple[TitleList, TitleList], each: Hypothesis) -> float:
    """Return what it costs that a listing without zones had entries before their instants, which is impossible.

    Entries that either listing announces say nothing: it has them before the instant that it gives itself.
    """
    if lists[0].zoned == lists[1].zoned or each.anew:
        return 0.0
    met = (each.one, each.other)
    at = int(lists[1].zoned)
    instants, own = lists[at].instants[met[at]], lists[at].seen[met[at]]
    written, seen = lists[1 - at].instants[met[1 - at]], lists[1 - at].seen[met[1 - at]]
    known = ~np.isnan(seen) & ~(own < instants - _SLACK) & ~(seen < written - MAX_ZONE)
    future = int((seen < instants - _SLACK)[known].sum())
    exceptions = max(1.0, _EXCEPTIONS * int(known.sum()))
    return _IMPOSSIBLE * min(max(future - exceptions, 0.0), _MOST)
