"""Two records side by side: for each kind of evidence the level of agreement that is reached.

Absent is no evidence: level 0 of every kind weighs nothing. All levels are small whole numbers in one table of pairs
by kinds, so that weighing a pair is one look-up for each kind.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from aggregator.merger.matching.description_similarity import FEW, graded, retold, telling
from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bags, Bools, Doubles, Ints, shared
from aggregator.merger.matching.levels import KINDS, LEVELS

Levels = NDArray[np.int8]

# where one level ends and the next begins
_ALIKE = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])  # share of a title that is found in the other
_NAMED = np.array([0.2, 0.4, 0.6, 0.8, 0.95])
_DAYS = np.array([1, 2, 4, 32, 367])  # time zones and delays of directories move a date by up to three days
_SECONDS = np.array([3, 16])  # re-encoding moves a length by up to 12 s (five hosts of one show)
_MINUTES = np.array([61, 241])  # a store rounds, a directory floors: a minute either way; 240 s is an advertisement
_ADS, _LONG = 90, 0.02  # seconds, share of the length: an inserted advertisement

LONGER = ("precise, more", "minutes, more")
REPEATED, ONCE = ("equal, more often", "equal, 2 or 3 times"), "equal, in a source once"
_AGREEING = {
    "date": ("same day", "next day", "2 or 3 days"),
    "told": ("above .9", "above .9 of many words", "a sentence of its own"),
}
_CONTRADICTING = ("below .3", ".3 to .5")

_CODED = LEVELS["digits"].index("a code of its own")

_FOUND = 0.8  # share of names found elsewhere that counts though the other record has no names
_WITHIN = 0.85  # share of the shorter title that the longer one must have to begin with it
_BEGINNING = 12  # characters that say something as the beginning of a title
_LENGTHY = 4  # words by which a title goes on at length
_MINUTE = 60
_AT_ONCE = 300_000  # pairs compared at once: 35 MB of passing columns; a million are no faster, 100,000 a third slower


VETOES: tuple[str | None, ...] = (None, "different parts", "a post and an episode without a shared id", "one source")
PARTED, POSTED, BESIDE = 1, 2, 3


class Compared(Struct, frozen=True):
    """Pairs of rows with the level of each kind of evidence, in the order of ``KINDS``."""

    left: Ints
    right: Ints
    levels: Levels


def compare(frame: Frame, left: Ints, right: Ints) -> Compared:
    """Return the levels of all pairs but for ``order``, which needs pairs that are weighed."""
    levels = np.zeros((len(left), len(KINDS)), dtype=np.int8)
    for at in range(0, len(left), _AT_ONCE):
        part = slice(at, at + _AT_ONCE)
        _measure(frame, left[part], right[part], levels[part])
    return Compared(left, right, levels)


def find_vetoes(frame: Frame, compared: Compared) -> Ints:
    """Return for each pair the number of the veto in ``VETOES``; 0 where there is none."""
    left, right = compared.left, compared.right
    parted = compared.levels[:, KINDS.index("part")] == LEVELS["part"].index("conflict")
    one, other = frame.kind[left], frame.kind[right]
    kinds = (one != other) & (one != ABSENT) & (other != ABSENT) & (compared.levels[:, KINDS.index("id")] == 0)
    overlap = (frame.first[left] <= frame.last[right]) & (frame.first[right] <= frame.last[left])
    beside = (frame.source[left] == frame.source[right]) & overlap
    vetoes: Ints = np.where(beside, BESIDE, np.where(kinds, POSTED, np.where(parted, PARTED, 0)))
    return vetoes


def _measure(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Write the levels of some pairs."""
    for kind, measure in _MEASURES.items():
        levels[:, KINDS.index(kind)] = measure(frame, left, right)
    title = levels[:, KINDS.index("title")]
    worth = np.flatnonzero(title != LEVELS["title"].index("below .2"))  # else they have nothing in common
    levels[worth, KINDS.index("names")] = _names(frame, left[worth], right[worth]) if len(worth) else 0
    _forgive(frame, left, right, levels)
    _count_once(frame, left, right, levels)
    levels[:, KINDS.index("told")] = retold(frame, left, right)
    _single(frame, left, right, levels)
    _quote(frame, left, right, levels)


def _count_once(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Write down once what two titles say that are only a number: as their number, else as their digits.

    Equal ones are titles that may be repeated where their lengths contradict, or where one listing has another entry
    of the other's day and does not count as the other does: one that counts higher has the title for another item.
    """
    number, digits = KINDS.index("number"), KINDS.index("digits")
    named = (frame.stem[left] != ABSENT) & (frame.stem[right] != ABSENT)
    same = frame.stem[left] == frame.stem[right]
    agreeing = ~same & (levels[:, digits] == LEVELS["digits"].index("equal"))  # their titles are alike by the number
    levels[named & (agreeing | (levels[:, number] > 0)), digits] = 0
    both = np.flatnonzero(named & same)
    column = {kind: KINDS.index(kind) for kind in ("title", "duration")}
    equal = frame.core[left[both]] == frame.core[right[both]]
    title = levels[both, column["title"]]
    longer = np.isin(levels[both, column["duration"]], [LEVELS["duration"].index(level) for level in LONGER])
    doubted = _other_on_day(frame, left[both], right[both]) | _other_on_day(frame, right[both], left[both])
    doubted = longer | (doubted & ~(frame.counted[left[both]] & frame.counted[right[both]]))
    repeated = np.where(doubted, np.minimum(title, LEVELS["title"].index(REPEATED[1])), title)
    levels[both, column["title"]] = np.where(equal, repeated, 0)
    level = np.where(equal, LEVELS["digits"].index("equal"), LEVELS["digits"].index("conflict"))
    levels[both, digits] = np.where(levels[both, number] > 0, 0, level)


def _other_on_day(frame: Frame, left: Ints, right: Ints) -> Bools:
    """Return whether the right row's listing has an entry of the left row's day though the right row has another."""
    one, other = frame.day[left], frame.day[right]
    width = int(frame.source.max(initial=0)) + 1
    found = np.isin(one * width + frame.source[right], frame.day * width + frame.source)
    apart: Bools = found & (one != other) & (one != ABSENT) & (other != ABSENT)
    return apart


def _forgive(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """No digits held against a title that only goes on at length: "Workshop X" and "Workshop X, held at Y in 2001"."""
    title, digits = levels[:, KINDS.index("title")], levels[:, KINDS.index("digits")]
    begins, more = LEVELS["title"].index("begins the other"), LEVELS["digits"].index("one has more")
    for at in np.flatnonzero((title == begins) & (digits == more)).tolist():
        short, long = sorted((frame.titles[left[at]].core, frame.titles[right[at]].core), key=len)
        rest = long[len(short) :].split()
        if len(rest) >= _LENGTHY and rest[0].isalpha():
            digits[at] = 0


def _single(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """A repeated title that each source has once with its number or part, "Mailbag #12", is a title it has once.

    Only where the day or the text agrees too: a listing that counts its own places numbers another item the same. For a
    title that is only a number the next day is no such agreement (in a daily show it is that of the next item), and one
    whose texts contradict is a title that may be repeated.
    """
    title, repeated = levels[:, KINDS.index("title")], [LEVELS["title"].index(level) for level in REPEATED]
    same = np.isin(title, repeated) & (frame.typed[left] == frame.typed[right]) & (frame.typed[left] != ABSENT)
    season = levels[:, KINDS.index("number")] != LEVELS["number"].index("equal, other season")
    agreed = np.zeros(len(left), dtype=np.bool_)
    for kind, good in _AGREEING.items():
        agreed |= np.isin(levels[:, KINDS.index(kind)], [LEVELS[kind].index(level) for level in good])
    near = [LEVELS["date"].index(level) for level in _AGREEING["date"][1:]]
    serial = (frame.stem[left] == frame.stem[right]) & (frame.stem[left] != ABSENT)
    told = np.isin(levels[:, KINDS.index("told")], [LEVELS["told"].index(level) for level in _AGREEING["told"]])
    agreed &= ~(serial & np.isin(levels[:, KINDS.index("date")], near)) | told
    unlike = serial & np.isin(levels[:, KINDS.index("told")], [LEVELS["told"].index(level) for level in _CONTRADICTING])
    title[unlike] = np.minimum(title[unlike], repeated[-1])
    agreed &= ~unlike
    once = np.maximum(frame.recurs[left], frame.recurs[right]) == 1
    title[same & season & agreed & once] = LEVELS["title"].index(ONCE)


def _quote(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Let no text speak for a title with words more, "Afterthoughts on X", of other length and day."""
    column = {kind: KINDS.index(kind) for kind in ("told", "duration", "date", "id")}
    longer = np.isin(levels[:, column["duration"]], [LEVELS["duration"].index(level) for level in LONGER])
    dated = levels[:, column["date"]] != LEVELS["date"].index("same day")
    alike = levels[:, column["told"]] >= LEVELS["told"].index(".7 to .9")
    unlike = (frame.core[left] != frame.core[right]) & (levels[:, column["id"]] == 0)
    for at in np.flatnonzero(longer & dated & alike & unlike).tolist():
        short, long = sorted((frame.titles[left[at]].core, frame.titles[right[at]].core), key=len)
        if long.startswith(f"{short} ") or long.endswith(f" {short}"):
            levels[at, column["told"]] = 0


def _share(frame: Frame, bags: Bags, left: Ints, right: Ints) -> Doubles:
    """How much of the right row's bag lies in the left row's title and names; 0 where it is empty."""
    return shared((frame.own, frame.names), bags, left, right).astype(np.float64) / np.maximum(bags.sums[right], 1e-6)


def _id(frame: Frame, left: Ints, right: Ints) -> Ints:
    return (shared((frame.hard,), frame.hard, left, right) > 0).astype(np.int64)


def _title(frame: Frame, left: Ints, right: Ints) -> Ints:
    """How much of each title is found in what the other says; equal cores by how often one source repeats them."""
    one = _share(frame, frame.own, left, right)
    other = np.zeros_like(one)
    some = np.flatnonzero(one >= _ALIKE[0] ** 2)  # below it the mean of both cannot reach the second level
    other[some] = _share(frame, frame.own, right[some], left[some])
    level = graded(np.sqrt(one * other), _ALIKE)
    equal = frame.core[left] == frame.core[right]
    for at in np.flatnonzero((np.maximum(one, other) >= _WITHIN) & ~equal & (level <= len(_ALIKE))).tolist():
        short, long = sorted((frame.titles[left[at]].core, frame.titles[right[at]].core), key=len)
        if len(short) >= _BEGINNING and long.startswith(short):
            level[at] = len(_ALIKE) + 2
    most = np.maximum(frame.repeats[left], frame.repeats[right])
    rank = len(_ALIKE) + np.where(most == 1, 5, np.where(most <= FEW, 4, 3))
    return np.where(equal, rank, np.where(frame.mute[left] | frame.mute[right], 0, level))


def _names(frame: Frame, left: Ints, right: Ints) -> Ints:
    """How much of the better found names is in what the other says; nothing where only one has names, unfound."""
    one, other = _share(frame, frame.names, left, right), _share(frame, frame.names, right, left)
    sums = frame.names.sums
    mine, theirs, enough = sums[left], sums[right], telling(frame, left)
    best = np.maximum(
        np.where(theirs >= telling(frame, right), one, 0.0),
        np.where(mine >= enough, other, 0.0),
    )
    least, most = np.minimum(mine, theirs), np.maximum(mine, theirs)
    known = (least >= enough) | ((best >= _FOUND) & (most >= enough))
    return np.where(known, graded(best, _NAMED), 0)


def length_levels(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of ``duration`` of each pair."""
    one, other = frame.seconds[left], frame.seconds[right]
    gap = np.abs(one - other)
    far = gap > np.maximum(_ADS, np.maximum(one, other) * _LONG)
    precise = np.where(far, 4, graded(gap, _SECONDS))
    coarse = np.maximum(frame.step[left], frame.step[right]) >= _MINUTE
    level = np.where(coarse, 4 + graded(gap, _MINUTES), precise)
    return np.where((one == ABSENT) | (other == ABSENT), 0, level)


def days_apart(days: Ints) -> Ints:
    """The level of dates that lie so many days apart."""
    return graded(days, _DAYS)


def _date(frame: Frame, left: Ints, right: Ints) -> Ints:
    days = np.abs(frame.day[left] - frame.day[right])
    years = np.abs(frame.year[left] - frame.year[right])
    known = (frame.day[left] != ABSENT) & (frame.day[right] != ABSENT)
    dated = (frame.year[left] != ABSENT) & (frame.year[right] != ABSENT)
    return np.where(known, days_apart(days), np.where(dated, 7 + np.minimum(years, 2), 0))


def _number(frame: Frame, left: Ints, right: Ints) -> Ints:
    have = (frame.numbers.sizes[left] > 0) & (frame.numbers.sizes[right] > 0)
    meet = shared((frame.numbers,), frame.numbers, left, right) > 0
    known = (frame.season[left] != ABSENT) & (frame.season[right] != ABSENT)
    season = np.where(known, np.where(frame.season[left] == frame.season[right], 1, 3), 2)
    return np.where(have, np.where(meet, season, 4), 0)


def _tag(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return whether titles call their items the same; two stages of a release differ as re-run and original do."""
    one, other = frame.stage[left], frame.stage[right]
    staged = (one != other) & (one != ABSENT) & (other != ABSENT)
    return np.where((frame.tag[left] == frame.tag[right]) & ~staged, 1, 2)


def _digits(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Whether digits of one title are neither in the other nor among its numbers; a code that each source has once."""
    one = frame.digits.sizes[left] > shared((frame.marks,), frame.digits, right, left)
    other = frame.digits.sizes[right] > shared((frame.marks,), frame.digits, left, right)
    some = (frame.digits.sizes[left] > 0) | (frame.digits.sizes[right] > 0)
    level = np.where(some, 1 + one.astype(np.int64) + other, 0)
    return np.where(shared((frame.codes,), frame.codes, left, right) > 0, _CODED, level)


def _part(frame: Frame, left: Ints, right: Ints) -> Ints:
    one, other = frame.part[left], frame.part[right]
    both = (one != ABSENT) & (other != ABSENT)
    return np.where(both, np.where(one == other, 1, 3), np.where(one == other, 0, 2))


_MEASURES: dict[str, Callable[[Frame, Ints, Ints], Ints]] = {
    "id": _id,
    "title": _title,
    "duration": length_levels,
    "date": _date,
    "number": _number,
    "tag": _tag,
    "digits": _digits,
    "part": _part,
}
