"""Evidence of titles: how much of each is found in the other, and of names (author and show) beside them.

Equal titles count by how often one source repeats them. What a title says together with other evidence is an exception:

- a title that is only a number: its number counts once (``_count_numbers_once``, ``_doubt_numbered_titles``);
- a companion that quotes the text of its episode: neither text nor title count (``_drop_quoted_texts``);
- a title that leaves out words: digits and part that it leaves out with them do not count (``_forgive_omissions``);
- another word in the same place: another item, as another part is (``_mark_replaced_words``);
- a title that its listing has cut: equal to one that it begins (``_complete_cut_titles``).
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.evidence.date import NEAR_DATES, OTHER_DAYS, DateLevel
from aggregator.merger.matching.evidence.ids import IdLevel
from aggregator.merger.matching.evidence.length import OTHER_LENGTHS, LengthLevel
from aggregator.merger.matching.evidence.levels import Columns, Kind, Level, above, below, between, grade
from aggregator.merger.matching.evidence.number import DigitsLevel, NumberLevel
from aggregator.merger.matching.evidence.part import PartLevel
from aggregator.merger.matching.evidence.text import OTHER_TEXT, SAME_TEXT, TextLevel, find_least_idf
from aggregator.merger.matching.features.frame import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bags, Bools, Doubles, Ints, sum_shared
from aggregator.text.titles.replaced_words import are_other_short_titles, find_replaced_word, is_short_title
from aggregator.translation.marks import N_


class TitleLevel(Level):
    """The share of each of two titles that is found in the other; the last three are of equal ones."""

    NONE = N_("none"), 0.0
    BELOW_2 = "below .2", -6.1, below("20")
    FROM_2 = ".2 to .3", -5.7, between("20", "30")
    FROM_3 = ".3 to .4", -4.1, between("30", "40")
    FROM_4 = ".4 to .5", -3.1, between("40", "50")
    FROM_5 = ".5 to .6", -2.5, between("50", "60")
    FROM_6 = ".6 to .7", -1.5, between("60", "70")
    FROM_7 = ".7 to .8", -1.0, between("70", "80")
    FROM_8 = ".8 to .9", 0.2, between("80", "90")
    ABOVE_9 = "above .9", 2.9, above("90")
    BEGINS = "begins the other", 0.3, N_("one begins with the other")
    OFTEN = "equal, more often", 0.5, N_("equal, frequent in a listing")
    FEW = "equal, 2 or 3 times", 1.8, N_("equal, 2 or 3 times in a listing")
    ONCE = "equal, in a source once", 7.0, N_("equal, once in each listing")


class NamesLevel(Level):
    """The share of the names of an entry in title and names of the other, the better of both."""

    NONE = N_("none"), 0.0
    BELOW_2 = "below .2", -6.0, below("20")
    FROM_2 = ".2 to .4", -3.0, between("20", "40")
    FROM_4 = ".4 to .6", -0.5, between("40", "60")
    FROM_6 = ".6 to .8", 0.6, between("60", "80")
    FROM_8 = ".8 to .95", 2.1, between("80", "95")
    ABOVE_95 = "above .95", 3.5, above("95")


_SHARES = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
_NAME_SHARES = np.array([0.2, 0.4, 0.6, 0.8, 0.95])
_WITHIN = 0.85  # share of the shorter title that the beginning of the longer one must have
_REST = 5  # characters of a cut title without decoration
_BEGINNING = 12  # characters of a title's beginning that are evidence
_FEW = 3  # times that a title is repeated and still a title
_OMITTED = 2  # words that a title leaves out beside digits


def _compare_titles(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the share of each title in the other; of equal cores by how often a source repeats them."""
    one = _measure_share(frame, frame.title_grams, left, right)
    other = np.zeros_like(one)
    some = np.flatnonzero(one >= _SHARES[0] ** 2)  # below it the mean of both cannot reach the second level
    other[some] = _measure_share(frame, frame.title_grams, right[some], left[some])
    level = grade(np.sqrt(one * other), _SHARES)
    equal = frame.core[left] == frame.core[right]
    for at in np.flatnonzero((np.maximum(one, other) >= _WITHIN) & ~equal & (level < TitleLevel.ABOVE_9)).tolist():
        short, long = _sort_cores(frame, left[at], right[at])
        if len(short) >= _BEGINNING and long.startswith(short):
            level[at] = TitleLevel.BEGINS
    level = np.where(frame.wordless[left] | frame.wordless[right], 0, level)
    return np.where(equal, _rank_equal(frame, left, right), level)


def _rank_equal(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the levels of equal titles by how often one source repeats one of the two, at most."""
    most = np.maximum(frame.repeats[left], frame.repeats[right])
    return np.where(most == 1, TitleLevel.ONCE, np.where(most <= _FEW, TitleLevel.FEW, TitleLevel.OFTEN))


def _measure_share(frame: Frame, bags: Bags, left: Ints, right: Ints) -> Doubles:
    """Return the share of the right row's bag that the left row's title and names have; 0 for an empty bag."""
    shared = sum_shared((frame.title_grams, frame.name_grams), bags, left, right)
    return shared.astype(np.float64) / np.maximum(bags.sums[right], 1e-6)


def _sort_cores(frame: Frame, left: int, right: int) -> tuple[str, str]:
    """Return the cores of two titles, the shorter first."""
    short, long = sorted((frame.titles[left].core, frame.titles[right].core), key=len)
    return short, long


def _compare_names(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the names found in the other record, the better of both; 0 if one of the two has none."""
    one = _measure_share(frame, frame.name_grams, left, right)
    other = _measure_share(frame, frame.name_grams, right, left)
    mine, theirs = (frame.name_grams.sums[rows] >= find_least_idf(frame, rows) for rows in (left, right))
    return np.where(mine & theirs, grade(np.maximum(one, other), _NAME_SHARES), 0)


# Exceptions


def _correct(frame: Frame, left: Ints, right: Ints, found: Columns) -> None:
    """Apply the exceptions; a later one sees what an earlier one has changed."""
    _count_numbers_once(frame, left, right, found)
    _doubt_numbered_titles(frame, left, right, found)
    _drop_quoted_texts(frame, left, right, found)
    _forgive_omissions(frame, left, right, found)
    _mark_replaced_words(frame, left, right, found)
    _complete_cut_titles(frame, left, right, found)


def _count_numbers_once(frame: Frame, left: Ints, right: Ints, found: Columns) -> None:
    """Count the evidence of titles that are only a number once: as number, else as digits.

    Equal titles count as repeated ones if their lengths contradict, or if one listing has another entry of the other's
    day and other numbers: a listing that counts higher has the title for another item.
    """
    title, number, digits = found[TitleLevel], found[NumberLevel], found[DigitsLevel]
    named = (frame.series_words[left] != ABSENT) & (frame.series_words[right] != ABSENT)
    same = frame.series_words[left] == frame.series_words[right]
    agreeing = ~same & (digits == DigitsLevel.EQUAL)  # their titles are alike by the number
    digits[named & (agreeing | (number > 0))] = 0
    both = np.flatnonzero(named & same)
    equal = frame.core[left[both]] == frame.core[right[both]]
    doubted = _has_other_on_day(frame, left[both], right[both]) | _has_other_on_day(frame, right[both], left[both])
    doubted |= np.isin(found[LengthLevel][both], OTHER_LENGTHS)
    repeated = np.where(doubted, np.minimum(title[both], TitleLevel.FEW), title[both])
    title[both] = np.where(equal, repeated, 0)
    digits[both] = np.where(number[both] > 0, 0, np.where(equal, DigitsLevel.EQUAL, DigitsLevel.CONFLICT))


def _has_other_on_day(frame: Frame, left: Ints, right: Ints) -> Bools:
    """Return whether the rows have different days, and the right one's listing has an entry on the left one's day."""
    one, other = frame.day[left], frame.day[right]
    width = int(frame.source.max(initial=0)) + 1
    found = np.isin(one * width + frame.source[right], frame.day * width + frame.source)
    apart: Bools = found & (one != other) & (one != ABSENT) & (other != ABSENT)
    return apart


def _doubt_numbered_titles(frame: Frame, left: Ints, right: Ints, found: Columns) -> None:
    """Count as repeated ones equal titles that are only a number if the texts contradict, and others if numbers do.

    Titles with different numbers ("Mailbag #12", "Mailbag #13") must be of different days.
    """
    title = found[TitleLevel]
    serial = (frame.series_words[left] == frame.series_words[right]) & (frame.series_words[left] != ABSENT)
    unlike = serial & np.isin(found[TextLevel], OTHER_TEXT)
    title[unlike] = np.minimum(title[unlike], TitleLevel.FEW)
    renumbered = (title == TitleLevel.ONCE) & (found[NumberLevel] == NumberLevel.DIFFERENT)
    for at in np.flatnonzero(renumbered & np.isin(found[DateLevel], OTHER_DAYS)).tolist():
        if frame.titles[left[at]].numbers and frame.titles[right[at]].numbers:
            title[at] = TitleLevel.FEW


def _drop_quoted_texts(frame: Frame, left: Ints, right: Ints, found: Columns) -> None:
    """Ignore text and common words of a longer title ("Afterthoughts on X") of other length and day."""
    title, text = found[TitleLevel], found[TextLevel]
    apart = np.isin(found[LengthLevel], OTHER_LENGTHS) & (found[DateLevel] != DateLevel.SAME_DAY)
    unlike = (frame.core[left] != frame.core[right]) & (found[IdLevel] == IdLevel.NONE)
    worded = (title == TitleLevel.ABOVE_9) & np.isin(found[DateLevel], OTHER_DAYS)
    for at in np.flatnonzero(apart & (worded | (text >= TextLevel.FROM_7)) & unlike).tolist():
        short, long = _sort_cores(frame, left[at], right[at])
        if long.startswith(f"{short} ") or long.endswith(f" {short}"):
            text[at] = 0 if text[at] >= TextLevel.FROM_7 else text[at]
            title[at] = TitleLevel.BEGINS if worded[at] else title[at]


def _forgive_omissions(frame: Frame, left: Ints, right: Ints, found: Columns) -> None:
    """Ignore digits that a title leaves out with other words of the other title, if the texts agree.

    If the texts share a sentence of their own, ignore a part, too; and if the days agree as well, half of the title
    counts as equal: a blog that quotes an episode announces it in other words.
    """
    title, text, digits, words = found[TitleLevel], found[TextLevel], frame.digits.sizes, frame.tokens.sizes
    partly = (title >= TitleLevel.FROM_2) & (title <= TitleLevel.FROM_8)
    for level, texts in ((DigitsLevel.MORE, SAME_TEXT), (PartLevel.MORE, (TextLevel.SENTENCE,))):
        column = found[type(level)]
        some = np.flatnonzero(partly & (column == level) & np.isin(text, texts))
        one, other = left[some], right[some]
        longer = np.where(words[one] > words[other], one, other)
        missing = words[longer] - sum_shared((frame.tokens,), frame.tokens, one, other)
        least = _OMITTED + np.abs(digits[one] - digits[other]) if isinstance(level, DigitsLevel) else 1
        column[some[missing >= least]] = 0
    announced = (text == TextLevel.SENTENCE) & (title > 0) & np.isin(found[DateLevel], NEAR_DATES)
    title[announced] = np.maximum(title[announced], TitleLevel.FROM_5)


def _mark_replaced_words(frame: Frame, left: Ints, right: Ints, found: Columns) -> None:
    """Count titles that differ in one word as those of two parts, and their likeness as little.

    "The Night Library: morning" and "The Night Library: evening": damage leaves words out, adds some, or misspells
    them; another word in the same place is another item, unless it is a decoration before the title.
    """
    title, part = found[TitleLevel], found[PartLevel]
    alike = (title >= TitleLevel.FROM_2) & (title <= TitleLevel.ABOVE_9)
    for at in np.flatnonzero((part == 0) & alike).tolist():
        replaced = find_replaced_word(frame.titles[left[at]].core, frame.titles[right[at]].core)
        if replaced is not None:
            title[at] = min(title[at], TitleLevel.FROM_7)
            part[at] = 0 if replaced.isdecimal() else PartLevel.ANOTHER_WORD  # digits have their own kind
    doubted = (part == 0) & (title > 0) & (title < TitleLevel.OFTEN)
    doubted &= np.isin(found[DateLevel], OTHER_DAYS) & np.isin(found[TextLevel], SAME_TEXT)
    for at in np.flatnonzero(doubted).tolist():
        one, other = frame.titles[left[at]].core, frame.titles[right[at]].core
        if is_short_title(one) and is_short_title(other) and are_other_short_titles(one, other):
            title[at], part[at] = min(title[at], TitleLevel.FROM_7), PartLevel.ANOTHER_WORD


def _complete_cut_titles(frame: Frame, left: Ints, right: Ints, found: Columns) -> None:
    """Count a title that its listing has cut, and that begins the other, as equal; ignore digits and part behind it.

    If its decoration has left little of it, it counts as a repeated one.
    A longer title with an ellipsis inside has that of the whole title, to which it adds ("X…: behind the mic").
    """
    title = found[TitleLevel]
    some = (frame.cut[left] | frame.cut[right]) & (title > TitleLevel.FROM_2)
    for at in np.flatnonzero(some & (frame.core[left] != frame.core[right])).tolist():
        short, long = sorted((left[at], right[at]), key=lambda row: len(frame.titles[row].core))
        core, more = frame.titles[short].core, "…" in frame.records[long].title[:-1]
        if frame.cut[short] and len(core) >= _REST and frame.titles[long].core.startswith(core) and not more:
            rank = _rank_equal(frame, left[[at]], right[[at]])[0]
            title[at] = rank if len(core) >= _BEGINNING else min(rank, TitleLevel.FEW)
            for level in (DigitsLevel.MORE, PartLevel.MORE):
                column = found[type(level)]
                column[at] = 0 if column[at] == level else column[at]


TITLE = Kind(
    "title",
    N_("title"),
    TitleLevel,
    lambda frame, row: frame.titles[row].core,
    _compare_titles,
    correct=_correct,
    ascending=TitleLevel.ABOVE_9,
    is_translated=True,
)
NAMES = Kind(
    "names",
    N_("rare words of titles"),
    NamesLevel,
    lambda frame, row: frame.names_of[row],
    _compare_names,
    unless=TitleLevel.BELOW_2,  # then they have no name in common
    ascending=NamesLevel.ABOVE_95,
    is_translated=True,
)
