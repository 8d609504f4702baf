"""Compare pairs of records: for each kind of evidence the level of agreement.

A missing value is no evidence: level 0 of every kind weighs nothing. The levels are small whole numbers in one array of
pairs by kinds, so that the weight of a pair is one look-up for each kind.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from aggregator.merger.matching.features.feature_table import ABSENT, Frame
from aggregator.merger.matching.features.token_bags import Bags, Bools, Doubles, Ints, sum_shared
from aggregator.merger.matching.scoring import KINDS, LEVELS, Levels, has_level
from aggregator.text.titles.replaced_words import are_other_short_titles, find_replaced_word, is_short_title

LONGER = ("precise, more", "minutes, more")  # levels of lengths that contradict
VETOES: tuple[str | None, ...] = (
    *(None, "different parts", "a post and an episode without a shared id", "one source", "different shows"),
)
PARTED, POSTED, BESIDE, OTHER_SHOW = 1, 2, 3, 4

# Limits between levels:
_TITLE_SHARES = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])  # share of a title that is found in the other
_NAME_SHARES = np.array([0.2, 0.4, 0.6, 0.8, 0.95])
_TEXT_SHARES = np.array([0.3, 0.5, 0.7, 0.9])
_DAYS = np.array([1, 2, 4, 32, 367])  # time zones and delays of directories move a date by up to three days
_SECONDS = np.array([3, 16])  # re-encoding moves a length by up to 12 s (five hosts of one show)
_MINUTES = np.array([61, 241])  # stores round, directories floor: a minute; 240 s is an advertisement
_ADS_SECONDS, _ADS_SHARE = 90, 0.02  # an inserted advertisement

_REPEATED, _ONCE = ("equal, more often", "equal, 2 or 3 times"), "equal, in a source once"
_NEAR_DATES = ("same day", "next day", "2 or 3 days")
_OTHER_DAYS = ("next day", "2 or 3 days", "31 days", "a year", "more")
_SAME_TEXT = ("above .9", "above .9 of many words", "a sentence of its own")
_UNLIKE_TEXT = ("below .3", ".3 to .5", ".5 to .7")
OTHER_TEXT = ("below .3", ".3 to .5")
_STRONG_EVIDENCE = {
    "id": ("equal",),
    "number": ("equal, same season", "equal"),
    "description": _SAME_TEXT,
    "duration": ("precise, 2 s", "precise, 15 s"),
}

_PARTLY = (".2 to .3", ".3 to .4", ".4 to .5", ".5 to .6", ".6 to .7", ".7 to .8", ".8 to .9")
_ALIKE, _REPLACED = (*_PARTLY, "above .9"), ".7 to .8"
_OMITTED = 2  # words that a title leaves out beside digits
_ANNOUNCED = ".5 to .6"  # the least level of the title of an announcement and that of its item

_FOUND = 0.8  # share of names found in the other record that counts even if that has no names
_WITHIN = 0.85  # share of the shorter title that the beginning of the longer one must have
_CUT = ".2 to .3"  # level of the titles of which one may be a cut one of the other, at least
_REST = 5  # characters of a cut title without decoration
_BEGINNING = 12  # characters of a title's beginning that are evidence
_FEW = 3  # words of a description that count; times that a title is repeated and still a title
_MANY = 12  # words of a description that are no coincidence
_COPIES = 30  # texts that contain another one, beyond which it is boilerplate
_TELLING = 6.0  # sum of idf below which a description or a name is no evidence; in small runs, where idf is small,
_SMALL = 1.5  # this many times the idf of a word of a single record
_MINUTE = 60
_BATCH = 300_000  # pairs compared at once: 35 MB of temporary columns; a million are no faster, 100,000 a third slower


class Compared(Struct, frozen=True):
    """Pairs of rows with the level of each kind of evidence, in the order of ``KINDS``."""

    left: Ints
    right: Ints
    levels: Levels


def compare(frame: Frame, left: Ints, right: Ints) -> Compared:
    """Return the levels of all pairs, except for ``order``, which needs weighted pairs."""
    return forgive_parts_of_one_text(frame, Compared(left, right, compare_alone(frame, left, right)))


def compare_alone(frame: Frame, left: Ints, right: Ints) -> Levels:
    """Return the levels of pairs as they follow from the two rows of each."""
    levels = np.zeros((len(left), len(KINDS)), dtype=np.int8)
    for at in range(0, len(left), _BATCH):
        part = slice(at, at + _BATCH)
        _measure(frame, left[part], right[part], levels[part])
    return levels


def find_vetoes(frame: Frame, compared: Compared) -> Ints:
    """Return for each pair the number of its veto in ``VETOES``; 0 without one."""
    left, right = compared.left, compared.right
    parted = has_level(compared.levels, "part", ("conflict",))
    one, other = frame.kind[left], frame.kind[right]
    kinds = (one != other) & (one != ABSENT) & (other != ABSENT) & has_level(compared.levels, "id", ("none",))
    overlap = (frame.first[left] <= frame.last[right]) & (frame.first[right] <= frame.last[left])
    beside = (frame.source[left] == frame.source[right]) & overlap
    vetoes: Ints = np.where(beside, BESIDE, np.where(kinds, POSTED, np.where(parted, PARTED, 0)))
    return vetoes


def find_other_short_titles(frame: Frame, compared: Compared) -> Bools:
    """Return whether each pair has two short titles that differ in a word, and other days."""
    found = has_level(compared.levels, "part", ("another word",)) & has_level(compared.levels, "date", _OTHER_DAYS)
    for at in np.flatnonzero(found).tolist():
        cores = (frame.titles[row].core for row in (compared.left[at], compared.right[at]))
        found[at] = all(map(is_short_title, cores))
    return found


def find_witnessed(levels: Levels) -> Bools:
    """Return whether each pair has evidence for it besides title and date."""
    found = np.zeros(len(levels), dtype=np.bool_)
    for kind, good in _STRONG_EVIDENCE.items():
        found |= has_level(levels, kind, good)
    return found


def _measure(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Write the levels of some pairs."""
    for kind, measure in _MEASURES.items():
        levels[:, KINDS.index(kind)] = measure(frame, left, right)
    worth = np.flatnonzero(~has_level(levels, "title", ("below .2",)))  # else they have no name in common
    levels[worth, KINDS.index("names")] = _compare_names(frame, left[worth], right[worth]) if len(worth) else 0
    _count_numbers_once(frame, left, right, levels)
    levels[:, KINDS.index("description")] = _compare_texts(frame, left, right)
    _doubt_numbered_titles(frame, left, right, levels)
    _drop_quoted_texts(frame, left, right, levels)
    _forgive_omissions(frame, left, right, levels)
    _mark_replaced_words(frame, left, right, levels)
    _complete_cut_titles(frame, left, right, levels)


# Titles


def _compare_titles(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the share of each title in the other; of equal cores by how often a source repeats them."""
    one = _measure_title_share(frame, frame.title_grams, left, right)
    other = np.zeros_like(one)
    some = np.flatnonzero(one >= _TITLE_SHARES[0] ** 2)  # below it the mean of both cannot reach the second level
    other[some] = _measure_title_share(frame, frame.title_grams, right[some], left[some])
    level = _grade(np.sqrt(one * other), _TITLE_SHARES)
    equal = frame.core[left] == frame.core[right]
    for at in np.flatnonzero((np.maximum(one, other) >= _WITHIN) & ~equal & (level <= len(_TITLE_SHARES))).tolist():
        short, long = _sort_cores(frame, left[at], right[at])
        if len(short) >= _BEGINNING and long.startswith(short):
            level[at] = LEVELS["title"].index("begins the other")
    return np.where(
        equal, _rank_equal(frame, left, right), np.where(frame.wordless[left] | frame.wordless[right], 0, level)
    )


def _rank_equal(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the levels of equal titles by how often one source repeats one of the two, at most."""
    most = np.maximum(frame.repeats[left], frame.repeats[right])
    once, few, often = (LEVELS["title"].index(name) for name in (_ONCE, _REPEATED[1], _REPEATED[0]))
    return np.where(most == 1, once, np.where(most <= _FEW, few, often))


def _complete_cut_titles(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Count a title that its listing has cut, and that begins the other, as equal; ignore digits and part behind it.

    If its decoration has left little of it, it counts as a repeated one.
    A longer title with an ellipsis inside has that of the whole title, to which it adds ("X…: behind the mic").
    """
    title = levels[:, KINDS.index("title")]
    some = (frame.cut[left] | frame.cut[right]) & (title > LEVELS["title"].index(_CUT))
    for at in np.flatnonzero(some & (frame.core[left] != frame.core[right])).tolist():
        short, long = sorted((left[at], right[at]), key=lambda row: len(frame.titles[row].core))
        core, more = frame.titles[short].core, "…" in frame.records[long].title[:-1]
        if frame.cut[short] and len(core) >= _REST and frame.titles[long].core.startswith(core) and not more:
            rank, few = _rank_equal(frame, left[[at]], right[[at]])[0], LEVELS["title"].index(_REPEATED[1])
            title[at] = rank if len(core) >= _BEGINNING else min(rank, few)
            for kind, level in (("digits", "one has more"), ("part", "one has")):
                column = levels[:, KINDS.index(kind)]
                column[at] = 0 if column[at] == LEVELS[kind].index(level) else column[at]


def _measure_title_share(frame: Frame, bags: Bags, left: Ints, right: Ints) -> Doubles:
    """Return the share of the right row's bag that the left row's title and names have; 0 for an empty bag."""
    return sum_shared((frame.title_grams, frame.name_grams), bags, left, right).astype(np.float64) / np.maximum(
        bags.sums[right], 1e-6
    )


def _sort_cores(frame: Frame, left: int, right: int) -> tuple[str, str]:
    """Return the cores of two titles, the shorter first."""
    short, long = sorted((frame.titles[left].core, frame.titles[right].core), key=len)
    return short, long


def _compare_names(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the names found in the other record, the better of both; 0 if only one has names, unfound."""
    one, other = (
        _measure_title_share(frame, frame.name_grams, left, right),
        _measure_title_share(frame, frame.name_grams, right, left),
    )
    sums = frame.name_grams.sums
    mine, theirs, enough = sums[left], sums[right], _find_least_idf(frame, left)
    best = np.maximum(
        np.where(theirs >= _find_least_idf(frame, right), one, 0.0),
        np.where(mine >= enough, other, 0.0),
    )
    least, most = np.minimum(mine, theirs), np.maximum(mine, theirs)
    known = (least >= enough) | ((best >= _FOUND) & (most >= enough))
    return np.where(known, _grade(best, _NAME_SHARES), 0)


def _compare_digits(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of digits: missing in the other title and its numbers, equal, or a code that both have once."""
    one = frame.digits.sizes[left] > sum_shared((frame.all_numbers,), frame.digits, right, left)
    other = frame.digits.sizes[right] > sum_shared((frame.all_numbers,), frame.digits, left, right)
    some = (frame.digits.sizes[left] > 0) | (frame.digits.sizes[right] > 0)
    level = np.where(some, 1 + one.astype(np.int64) + other, 0)
    code = LEVELS["digits"].index("a code of its own")
    return np.where(sum_shared((frame.codes,), frame.codes, left, right) > 0, code, level)


def _count_numbers_once(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Count the evidence of titles that are only a number once: as number, else as digits.

    Equal titles count as repeated ones if their lengths contradict, or if one listing has another entry of the other's
    day and other numbers: a listing that counts higher has the title for another item.
    """
    number, digits = KINDS.index("number"), KINDS.index("digits")
    named = (frame.series_words[left] != ABSENT) & (frame.series_words[right] != ABSENT)
    same = frame.series_words[left] == frame.series_words[right]
    agreeing = ~same & has_level(levels, "digits", ("equal",))  # their titles are alike by the number
    levels[named & (agreeing | (levels[:, number] > 0)), digits] = 0
    both = np.flatnonzero(named & same)
    title = KINDS.index("title")
    equal = frame.core[left[both]] == frame.core[right[both]]
    doubted = _has_other_on_day(frame, left[both], right[both]) | _has_other_on_day(frame, right[both], left[both])
    doubted |= has_level(levels[both], "duration", LONGER)
    at_most = LEVELS["title"].index(_REPEATED[1])
    repeated = np.where(doubted, np.minimum(levels[both, title], at_most), levels[both, title])
    levels[both, title] = np.where(equal, repeated, 0)
    level = np.where(equal, LEVELS["digits"].index("equal"), LEVELS["digits"].index("conflict"))
    levels[both, digits] = np.where(levels[both, number] > 0, 0, level)


def _has_other_on_day(frame: Frame, left: Ints, right: Ints) -> Bools:
    """Return whether the right row has another day than the left row, of which its listing has another entry."""
    one, other = frame.day[left], frame.day[right]
    width = int(frame.source.max(initial=0)) + 1
    found = np.isin(one * width + frame.source[right], frame.day * width + frame.source)
    apart: Bools = found & (one != other) & (one != ABSENT) & (other != ABSENT)
    return apart


def _doubt_numbered_titles(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Count as repeated ones equal titles that are only a number if the texts contradict, and others if numbers do.

    Titles with different numbers ("Mailbag #12", "Mailbag #13") must be of different days.
    """
    title = levels[:, KINDS.index("title")]
    serial = (frame.series_words[left] == frame.series_words[right]) & (frame.series_words[left] != ABSENT)
    unlike = serial & has_level(levels, "description", OTHER_TEXT)
    title[unlike] = np.minimum(title[unlike], LEVELS["title"].index(_REPEATED[1]))
    renumbered = has_level(levels, "title", (_ONCE,)) & has_level(levels, "number", ("different",))
    for at in np.flatnonzero(renumbered & has_level(levels, "date", _OTHER_DAYS)).tolist():
        if frame.titles[left[at]].numbers and frame.titles[right[at]].numbers:
            title[at] = LEVELS["title"].index(_REPEATED[1])


def _forgive_omissions(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Ignore digits that a title leaves out with other words of the other title, if the texts agree.

    If the texts share a sentence of their own, ignore a part, too; and if the days agree as well, the title has at
    least the level of an announcement: a blog that quotes an episode announces it in other words.
    """
    quoted, partly = has_level(levels, "description", _SAME_TEXT[-1:]), has_level(levels, "title", _PARTLY)
    digits, words = frame.digits.sizes, frame.tokens.sizes
    for kind, level, texts in (("digits", "one has more", _SAME_TEXT), ("part", "one has", _SAME_TEXT[-1:])):
        some = np.flatnonzero(partly & has_level(levels, kind, (level,)) & has_level(levels, "description", texts))
        one, other = left[some], right[some]
        longer = np.where(words[one] > words[other], one, other)
        missing = words[longer] - sum_shared((frame.tokens,), frame.tokens, one, other)
        least = _OMITTED + np.abs(digits[one] - digits[other]) if kind == "digits" else 1
        levels[some[missing >= least], KINDS.index(kind)] = 0
    title = levels[:, KINDS.index("title")]
    announced = quoted & (title > 0) & has_level(levels, "date", _NEAR_DATES)
    title[announced] = np.maximum(title[announced], LEVELS["title"].index(_ANNOUNCED))


def _mark_replaced_words(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Count titles that differ in one word as those of two parts, and their likeness as little.

    "The Night Library: morning" and "The Night Library: evening": damage leaves words out, adds some, or misspells
    them; another word in the same place is another item, unless it is a decoration before the title.
    """
    title, part = levels[:, KINDS.index("title")], levels[:, KINDS.index("part")]
    for at in np.flatnonzero((part == 0) & has_level(levels, "title", _ALIKE)).tolist():
        replaced = find_replaced_word(frame.titles[left[at]].core, frame.titles[right[at]].core)
        if replaced is not None:
            title[at] = min(title[at], LEVELS["title"].index(_REPLACED))
            part[at] = 0 if replaced.isdecimal() else LEVELS["part"].index("another word")  # digits have their own kind
    doubted = (part == 0) & (title > 0) & (title < LEVELS["title"].index(_REPEATED[0]))
    doubted &= has_level(levels, "date", _OTHER_DAYS) & has_level(levels, "description", _SAME_TEXT)
    for at in np.flatnonzero(doubted).tolist():
        one, other = frame.titles[left[at]].core, frame.titles[right[at]].core
        if is_short_title(one) and is_short_title(other) and are_other_short_titles(one, other):
            title[at] = min(title[at], LEVELS["title"].index(_REPLACED))
            part[at] = LEVELS["part"].index("another word")


# Texts


def _compare_texts(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the share of the poorer text in the other, near 1 with a cut copy and with a footer.

    Of a description and a summary the one counts that agrees best with the other record's texts. A text of few words
    counts only if both have a sentence that each of their sources has once: more under different titles than under
    equal ones, because a re-run has the same sentences.
    """
    highest = len(LEVELS["description"]) - 1
    level = _compare_bags(frame, (frame.descriptions, frame.descriptions), left, right)
    for one, other in (
        (frame.summaries, frame.descriptions),
        (frame.descriptions, frame.summaries),
        (frame.summaries, frame.summaries),
    ):
        some = np.flatnonzero((one.sizes[left] > 0) & (other.sizes[right] > 0) & (level < highest))
        level[some] = np.maximum(level[some], _compare_bags(frame, (one, other), left[some], right[some]))
    return level


def _compare_bags(frame: Frame, texts: tuple[Bags, Bags], left: Ints, right: Ints) -> Ints:
    """Return the level of one text of the left rows compared with one text of the right rows."""
    one, other = texts
    level, poorer = _grade_texts(texts, left, right)
    words = np.minimum(one.sizes[left], other.sizes[right])
    contained = level > len(_TEXT_SHARES)
    alone = np.zeros(len(left), dtype=np.bool_)
    alone[contained] = sum_shared((frame.sentences,), frame.sentences, left[contained], right[contained]) > 0
    known = (words >= _FEW) & (poorer >= _find_least_idf(frame, left))
    full = np.where(known, level + (contained & (words >= _MANY)), 0)
    equal = frame.core[left] == frame.core[right]
    return np.where(alone, np.where(equal, np.maximum(full, level), len(LEVELS["description"]) - 1), full)


def _grade_texts(texts: tuple[Bags, Bags], left: Ints, right: Ints) -> tuple[Ints, Doubles]:
    """Return the level of the share of the poorer text in the other, and the idf of the poorer one."""
    one, other = texts
    mine, theirs = one.sums[left], other.sums[right]
    poorer, turned = np.minimum(mine, theirs), mine < theirs
    found = np.zeros_like(poorer)
    found[turned] = sum_shared((other,), one, right[turned], left[turned])
    found[~turned] = sum_shared((one,), other, left[~turned], right[~turned])
    return _grade((found / np.maximum(poorer, 1e-6)).astype(np.float64), _TEXT_SHARES), poorer


def compare_short_texts(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the descriptions even if they have few words; 0 if one has no rare word."""
    level, poorer = _grade_texts((frame.descriptions, frame.descriptions), left, right)
    return np.where(poorer > 0, level, 0)


def _drop_quoted_texts(frame: Frame, left: Ints, right: Ints, levels: Levels) -> None:
    """Ignore text and common words of a longer title ("Afterthoughts on X") of other length and day."""
    title, description = levels[:, KINDS.index("title")], levels[:, KINDS.index("description")]
    apart = has_level(levels, "duration", LONGER) & ~has_level(levels, "date", ("same day",))
    unlike = (frame.core[left] != frame.core[right]) & has_level(levels, "id", ("none",))
    begins, alike = LEVELS["title"].index("begins the other"), LEVELS["description"].index(".7 to .9")
    worded = (title == begins - 1) & has_level(levels, "date", _OTHER_DAYS)
    more = worded | (description >= alike)
    for at in np.flatnonzero(apart & more & unlike).tolist():
        short, long = _sort_cores(frame, left[at], right[at])
        if long.startswith(f"{short} ") or long.endswith(f" {short}"):
            description[at] = 0 if description[at] >= alike else description[at]
            title[at] = begins if worded[at] else title[at]


def forgive_parts_of_one_text(frame: Frame, compared: Compared) -> Compared:
    """Ignore different texts if a third text has both: one quotes a sentence of it, one is cut before that."""
    left, right, levels = compared.left, compared.right, compared.levels
    unlike = np.flatnonzero(has_level(levels, "description", _UNLIKE_TEXT))
    same = np.flatnonzero(has_level(levels, "description", _SAME_TEXT))
    if not len(unlike) or not len(same):
        return compared
    rich, rows = np.maximum(frame.descriptions.sums, frame.summaries.sums), len(frame.records)
    longer = np.where(rich[left[same]] >= rich[right[same]], left[same], right[same])
    same = same[np.argsort(longer, kind="stable")]
    longer = np.sort(longer, kind="stable")
    shorter, quoted = left[same] + right[same] - longer, has_level(levels[same], "description", _SAME_TEXT[-1:])
    codes = []
    for at in np.split(np.arange(len(same)), np.flatnonzero(np.diff(longer)) + 1):
        if len(at) <= _COPIES and quoted[at].any():
            one, other = np.meshgrid(shorter[at[quoted[at]]], shorter[at])
            codes.append((np.minimum(one, other) * rows + np.maximum(one, other)).ravel())
    if not codes:
        return compared
    wanted = np.minimum(left[unlike], right[unlike]) * rows + np.maximum(left[unlike], right[unlike])
    levels = levels.copy()
    levels[unlike[np.isin(wanted, np.concatenate(codes))], KINDS.index("description")] = 0
    return Compared(left, right, levels)


def _find_least_idf(frame: Frame, rows: Ints) -> Doubles:
    """Return the sum of idf from which words are evidence, by the size of each row's show."""
    enough: Doubles = np.minimum(_TELLING, _SMALL * np.log(frame.group_size[rows] + 1.0))
    return enough


# Lengths, dates, numbers and ids


def compare_lengths(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of ``duration`` of each pair."""
    one, other = frame.seconds[left], frame.seconds[right]
    gap = np.abs(one - other)
    far = gap > np.maximum(_ADS_SECONDS, np.maximum(one, other) * _ADS_SHARE)
    precise = np.where(far, 4, _grade(gap, _SECONDS))
    coarse = np.maximum(frame.step[left], frame.step[right]) >= _MINUTE
    level = np.where(coarse, 4 + _grade(gap, _MINUTES), precise)
    return np.where((one == ABSENT) | (other == ABSENT), 0, level)


def grade_days(days: Ints) -> Ints:
    """Return the level of dates by the days between them."""
    return _grade(days, _DAYS)


def _compare_dates(frame: Frame, left: Ints, right: Ints) -> Ints:
    days = np.abs(frame.day[left] - frame.day[right])
    years = np.abs(frame.year[left] - frame.year[right])
    known = (frame.day[left] != ABSENT) & (frame.day[right] != ABSENT)
    dated = (frame.year[left] != ABSENT) & (frame.year[right] != ABSENT)
    return np.where(known, grade_days(days), np.where(dated, 7 + np.minimum(years, 2), 0))


def _compare_numbers(frame: Frame, left: Ints, right: Ints) -> Ints:
    have = (frame.numbers.sizes[left] > 0) & (frame.numbers.sizes[right] > 0)
    meet = sum_shared((frame.numbers,), frame.numbers, left, right) > 0
    known = (frame.season[left] != ABSENT) & (frame.season[right] != ABSENT)
    season = np.where(known, np.where(frame.season[left] == frame.season[right], 1, 3), 2)
    return np.where(have, np.where(meet, season, 4), 0)


def _compare_tags(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of tags; two stages of a release differ as a re-run and its original do."""
    one, other = frame.stage[left], frame.stage[right]
    staged = (one != other) & (one != ABSENT) & (other != ABSENT)
    return np.where((frame.tag[left] == frame.tag[right]) & ~staged, 1, 2)


def _compare_parts(frame: Frame, left: Ints, right: Ints) -> Ints:
    one, other = frame.part[left], frame.part[right]
    both = (one != ABSENT) & (other != ABSENT)
    return np.where(both, np.where(one == other, 1, 3), np.where(one == other, 0, 2))


def _compare_ids(frame: Frame, left: Ints, right: Ints) -> Ints:
    return (sum_shared((frame.unique_ids,), frame.unique_ids, left, right) > 0).astype(np.int64)


def _grade(values: Doubles | Ints, edges: Doubles | Ints) -> Ints:
    """Return the level of each value, counted from 1."""
    levels: Ints = 1 + np.searchsorted(edges, values, side="right")
    return levels


_MEASURES: dict[str, Callable[[Frame, Ints, Ints], Ints]] = {
    "id": _compare_ids,
    "title": _compare_titles,
    "duration": compare_lengths,
    "date": _compare_dates,
    "number": _compare_numbers,
    "tag": _compare_tags,
    "digits": _compare_digits,
    "part": _compare_parts,
}
