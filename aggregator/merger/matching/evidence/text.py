"""Evidence of texts: how much of the poorer description or summary the other one contains, by the rarity of words.

So a cut copy agrees, and one with a footer. A text of few words counts only if both have a sentence that each of their
sources has once.
"""

from __future__ import annotations

import numpy as np

from aggregator.merger.matching.evidence.levels import Kind, Level, Levels, above, below, between, grade, is_one_of
from aggregator.merger.matching.features.frame import Frame
from aggregator.merger.matching.features.token_bags import Bags, Doubles, Ints, sum_shared
from aggregator.translation.marks import N_


class TextLevel(Level):
    """The share of the poorer of two texts that the other one contains."""

    NONE = N_("none"), 0.0
    BELOW_3 = "below .3", -6.0, below("30")
    FROM_3 = ".3 to .5", -2.8, between("30", "50")
    FROM_5 = ".5 to .7", -1.4, between("50", "70")
    FROM_7 = ".7 to .9", 0.7, between("70", "90")
    ABOVE_9 = "above .9", 2.7, above("90")
    MANY_WORDS = "above .9 of many words", 4.0, N_("above 90 % alike, many words")
    SENTENCE = "a sentence of its own", 5.5, N_("same sentence that no other entry has")


_SHARES = np.array([0.3, 0.5, 0.7, 0.9])
_FEW = 3  # words of a text that count
_MANY = 12  # words of a text that are no coincidence
_COPIES = 30  # texts that contain another one, beyond which it is boilerplate
_TELLING = 6.0  # sum of idf below which a text or a name is no evidence; in small runs, where idf is small,
_SMALL = 1.5  # this many times the idf of a word of a single record

SAME_TEXT = TextLevel.ABOVE_9, TextLevel.MANY_WORDS, TextLevel.SENTENCE
OTHER_TEXT = TextLevel.BELOW_3, TextLevel.FROM_3


def _compare(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the texts that agree best, each a description or a summary."""
    level = _compare_bags(frame, (frame.descriptions, frame.descriptions), left, right)
    for one, other in (
        (frame.summaries, frame.descriptions),
        (frame.descriptions, frame.summaries),
        (frame.summaries, frame.summaries),
    ):
        some = np.flatnonzero((one.sizes[left] > 0) & (other.sizes[right] > 0) & (level < TextLevel.SENTENCE))
        level[some] = np.maximum(level[some], _compare_bags(frame, (one, other), left[some], right[some]))
    return level


def _compare_bags(frame: Frame, texts: tuple[Bags, Bags], left: Ints, right: Ints) -> Ints:
    """Return the level of one text of the left rows compared with one text of the right rows.

    A sentence that each has alone counts more under different titles than under equal ones, because a re-run has the
    same sentences.
    """
    one, other = texts
    level, poorer = _grade_texts(texts, left, right)
    words = np.minimum(one.sizes[left], other.sizes[right])
    contained = level == TextLevel.ABOVE_9
    alone = np.zeros(len(left), dtype=np.bool_)
    alone[contained] = sum_shared((frame.sentences,), frame.sentences, left[contained], right[contained]) > 0
    known = (words >= _FEW) & (poorer >= find_least_idf(frame, left))
    full = np.where(known, level + (contained & (words >= _MANY)), 0)
    equal = frame.core[left] == frame.core[right]
    return np.where(alone, np.where(equal, np.maximum(full, level), TextLevel.SENTENCE), full)


def _grade_texts(texts: tuple[Bags, Bags], left: Ints, right: Ints) -> tuple[Ints, Doubles]:
    """Return the level of the share of the poorer text in the other, and the idf of the poorer one."""
    one, other = texts
    mine, theirs = one.sums[left], other.sums[right]
    poorer, turned = np.minimum(mine, theirs), mine < theirs
    found = np.zeros_like(poorer)
    found[turned] = sum_shared((other,), one, right[turned], left[turned])
    found[~turned] = sum_shared((one,), other, left[~turned], right[~turned])
    return grade((found / np.maximum(poorer, 1e-6)).astype(np.float64), _SHARES), poorer


def compare_short_texts(frame: Frame, left: Ints, right: Ints) -> Ints:
    """Return the level of the descriptions even if they have few words; 0 if one has no rare word."""
    level, poorer = _grade_texts((frame.descriptions, frame.descriptions), left, right)
    return np.where(poorer > 0, level, 0)


def find_least_idf(frame: Frame, rows: Ints) -> Doubles:
    """Return the sum of idf from which words are evidence, by the size of each row's show."""
    enough: Doubles = np.minimum(_TELLING, _SMALL * np.log(frame.group_size[rows] + 1.0))
    return enough


def find_parts_of_one_text(frame: Frame, left: Ints, right: Ints, levels: Levels) -> Ints:
    """Return the places of pairs whose texts differ only because each is a part of a third text.

    One quotes a sentence of it, one is cut before that. ``levels`` are those of all pairs of a run.
    """
    unlike = np.flatnonzero(is_one_of(levels, (*OTHER_TEXT, TextLevel.FROM_5)))
    same = np.flatnonzero(is_one_of(levels, SAME_TEXT))
    if not len(unlike) or not len(same):
        return unlike[:0]
    rich, rows = np.maximum(frame.descriptions.sums, frame.summaries.sums), len(frame.records)
    longer = np.where(rich[left[same]] >= rich[right[same]], left[same], right[same])
    same = same[np.argsort(longer, kind="stable")]
    longer = np.sort(longer, kind="stable")
    shorter, quoted = left[same] + right[same] - longer, levels[same] == TextLevel.SENTENCE
    codes = [unlike[:0]]
    for at in np.split(np.arange(len(same)), np.flatnonzero(np.diff(longer)) + 1):
        if len(at) <= _COPIES and quoted[at].any():
            one, other = np.meshgrid(shorter[at[quoted[at]]], shorter[at])
            codes.append((np.minimum(one, other) * rows + np.maximum(one, other)).ravel())
    wanted = np.minimum(left[unlike], right[unlike]) * rows + np.maximum(left[unlike], right[unlike])
    return unlike[np.isin(wanted, np.concatenate(codes))]


TEXT = Kind(
    "description",
    N_("description"),
    TextLevel,
    lambda frame, row: frame.records[row].description,
    _compare,
    ascending=TextLevel.SENTENCE,
    witnesses=SAME_TEXT,
    contradicting=(TextLevel.BELOW_3,),
    is_translated=True,
)
