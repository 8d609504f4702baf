"""Prepare the copies of a text for blending: repaired, weighted, in tokens, with the error rates of their sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise
from math import log

from msgspec import Struct, field
from msgspec.structs import fields, replace
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from aggregator.merger.blending.cross_repair import (
    remove_page_additions,
    remove_tracking,
    restore_case,
    restore_lost_letters,
)
from aggregator.merger.repair.fixers import RepairedText, repair_text
from aggregator.text.alignment import ocr_shape
from aggregator.text.fold import fold
from aggregator.text.mojibake.redecode import count_oddities
from aggregator.text.tokens import Token, tokenise

# By how much each kind of repair lowers the belief in the rest of a copy (tuned on development shows; docs/text.md).
_DAMAGE = {
    "mojibake": 0.10,
    "escape sequence": 0.02,
    "code page": 0.05,
    "entity": 0.02,
    "silent part": 0.02,
    "tag": 0.02,
    "foreign markup": 0.05,
    "quoted line": 0.1,
    "invisible": 0.02,
    "blank": 0.0,
    "letter form": 0.05,
    "link": 0.25,
    "escape": 0.08,
    "bold": 0.2,
    "bullet": 0.1,
    "hyphen": 0.25,
    "wrap": 0.0,
    "space": 0.1,
    "twice": 0.05,
    "look-alike": 0.2,
    "cut": 0.0,
    "torn word": 0.0,
}
_FINISHED = tuple(".!?…)]}\"'”’»。！？」』）】।॥۔؟։።။។៕།")
_LEAST_SOUND = 0.12
_TRUST_POWER = 6  # a tenth more trust outweighs two sound copies: (.8/.9)**6 is .49
_ILLEGIBLE = 0.75  # share of a source's trust that is left for a copy that still has mojibake
_ALIKE = 82.0
"""Similarity (0 to 100) of two folded titles that are spellings of one: one damaged word in four stays above it, a
show's prefix or another part number of a short title falls below."""
_ALIKE_WORD = 70.0  # the same of two words in one place: one misread letter, a torn end
_LEAST_PAIRS = 7  # of a text; a shorter one, of four words, may have a damaged word in each
_COMMON_PAIRS = 0.2  # share of the pairs of the shorter text: copies of one text have .3 and more, others up to .1
_SUFFIX = re.compile(r"(?<=\S)\s[|–—·•-]\s(?:(?!\s[|–—·•-]\s).)*\Z")
_SOUND = 0.95
"""Soundness (0 to 1) of a copy in which only markup and invisible characters were repaired."""


class Rates(Struct, frozen=True):
    """Error rates of one copy as probabilities: per word or mark of the text, and for its two ends.

    - ``lost_word``, ``lost_mark``: one is missing.
    - ``added_word``, ``added_mark``: a place has one too many.
    - ``wrong``: a word is misspelt.
    - ``moved``: a run stands in a wrong place.
    - ``stuck``: words were added at an end.
    - ``short``: a copy that looks whole ends early.
    - ``restyled``: quotes and dashes were made typographic or plain.
    """

    lost_word: float = 0.010
    added_word: float = 0.003
    lost_mark: float = 0.030
    added_mark: float = 0.003
    wrong: float = 0.020
    moved: float = 0.020
    stuck: float = 0.150
    short: float = 0.030
    restyled: float = 0.150

    def add_counts(self, seen: Mapping[str, tuple[float, float]], strength: float) -> Rates:
        """Return these rates, which count as ``strength`` observations, with observed (events, chances) added."""
        return replace(
            self,
            **{
                name: min(0.6, (getattr(self, name) * strength + events) / (strength + chances))
                for name, (events, chances) in seen.items()
            },
        )


DEFAULT_RATES = Rates()
RATE_NAMES = tuple(field.name for field in fields(Rates))


class Copy(Struct, frozen=True):
    """One copy of a text: its source, the trust in that (0 to 1), whether the copy is known to be cut.

    ``repairs`` names the fixers that changed it; with ``repaired`` all of them have run. With ``keep`` its ends are
    text, even if all other copies lack them.
    """

    source: str
    text: str
    trust: float = 1.0
    cut: bool = False
    repairs: tuple[str, ...] = ()
    repaired: bool = False
    keep: bool = False


class PreparedCopy(Struct):
    """A repaired copy with its tokens and its weight in votes; mutable: the stages of blending shorten and mark it.

    ``written`` is its text before letters of other copies were taken over.
    """

    source: str
    text: str
    cut: bool
    sound: float
    trust: float
    rates: Rates = DEFAULT_RATES
    keep: bool = False
    written: str = ""
    tokens: list[Token] = field(default_factory=list)
    seen: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The keys of the tokens."""
        return [token.key for token in self.tokens]

    @property
    def finished(self) -> bool:
        """Return whether the text ends as a sentence does."""
        return bool(self.tokens) and self.tokens[-1].surface.endswith(_FINISHED)

    @property
    def weight(self) -> float:
        """The weight in a vote."""
        return self.sound * self.trust


def log_odds(likely: float, unlikely: float) -> float:
    """Return the weight of one observation in natural log-odds."""
    return log(likely / unlikely)


def prepare_copies(copies: Sequence[Copy]) -> list[PreparedCopy]:
    """Return the copies that are not empty, repaired, without tokens, in an order independent of the given one."""
    top = max((copy.trust for copy in copies), default=1.0) or 1.0
    prepared = []
    for copy in copies:
        repaired = (
            RepairedText(copy.text.strip(), copy.cut, ()) if copy.repaired else repair_text(copy.text, cut=copy.cut)
        )
        legible = _ILLEGIBLE if "\ufffd" in repaired.text or count_oddities(repaired.text) else 1.0
        trust = (max(copy.trust, 0.01) * legible / top) ** _TRUST_POWER
        sound = _measure_soundness(repaired, copy.repairs)
        prepared.append(
            PreparedCopy(copy.source, repaired.text, repaired.cut, sound, trust, keep=copy.keep, written=repaired.text)
        )
    trusts = [one.trust for one in prepared]
    texts = [one.text for one in prepared]
    if len(set(texts)) > 1:
        texts = restore_lost_letters(remove_tracking(remove_page_additions(texts), trusts))
        for one, text in zip(prepared, restore_case(texts, [copy.trust for copy in copies]), strict=True):
            one.text = text
    prepared.sort(key=lambda one: (-one.weight, one.source, one.text, one.cut, one.trust))
    return [one for one in prepared if one.text.strip()]


def _measure_soundness(repaired: RepairedText, repairs: Sequence[str]) -> float:
    """Return the belief in a copy, from .12 to 1, by the kinds of repairs and the damage that is left."""
    causes = {change.cause for change in repaired.changes} | set(repairs)
    left = min(2, count_oddities(repaired.text)) + ("\ufffd" in repaired.text)
    return max(_LEAST_SOUND, 1 - sum(_DAMAGE.get(cause, 0.1) for cause in sorted(causes)) - 0.15 * left)


def tokenise_copies(copies: list[PreparedCopy]) -> list[PreparedCopy]:
    """Set the tokens of each copy, and return the copies."""
    for copy in copies:
        copy.tokens = tokenise(copy.text)
    return copies


def trust_about_marks(having: Collection[int], lacking: Collection[int], copies: Sequence[PreparedCopy]) -> list[float]:
    """Return the trust in each copy about a mark that some of them have and others lack.

    Marks are lost far more often than invented, and two sources do not invent the same one. So if two or more sources
    have a mark that fewer sources lack, trust counts as configured, without its power.
    """
    sources = {copies[number].source for number in having}
    if len(sources) > max(1, len({copies[number].source for number in lacking})):
        return [copy.trust ** (1 / _TRUST_POWER) for copy in copies]
    return [copy.trust for copy in copies]


def select_title_variants(copies: Sequence[PreparedCopy]) -> list[PreparedCopy]:
    """Return the most trusted copy and those that resemble it; of equally trusted ones the one that most resemble.

    What one of two titles alone has behind a separator ("| Station") does not count.
    """
    names = [(fold(copy.text), fold(_SUFFIX.sub("", copy.text))) for copy in copies]
    return _select_like(copies, lambda one, other: _is_variant(copies, names, one, other), names)


def select_copies_of_one_text(copies: Sequence[PreparedCopy]) -> list[PreparedCopy]:
    """Return the most trusted copy and those of its text; of equally trusted ones the one that most are copies of.

    Copies of one text have words in common that stand side by side, or with one between them; any two have some words.
    """
    words = [[ocr_shape(token.key) for token in copy.tokens] for copy in copies]
    pairs = [{*pairwise(one), *zip(one, one[2:], strict=False)} for one in words]

    def is_copy(one: int, other: int) -> bool:
        least = min(len(pairs[one]), len(pairs[other]))
        return least < _LEAST_PAIRS or len(pairs[one] & pairs[other]) >= _COMMON_PAIRS * least

    return _select_like(copies, is_copy, [copy.text for copy in copies])


def _select_like(
    copies: Sequence[PreparedCopy], is_like: Callable[[int, int], bool], texts: Sequence[object]
) -> list[PreparedCopy]:
    """Return the most trusted copy and those like it; of equally trusted ones the one that most are like."""
    top = max(copy.trust for copy in copies)
    tied = [number for number, copy in enumerate(copies) if copy.trust >= top]
    like = {one: [other for other in range(len(copies)) if other == one or is_like(one, other)] for one in tied}
    best = max(tied, key=lambda one: (len(like[one]), copies[one].sound, texts[one]))
    return [copies[number] for number in like[best]]


def _is_variant(copies: Sequence[PreparedCopy], names: Sequence[tuple[str, str]], one: int, other: int) -> bool:
    """Return whether two titles are spellings of one, with or without a suffix."""
    (left, left_head), (right, right_head) = names[one], names[other]
    pairs = ((left, right), (left_head, right), (left, right_head))
    return any(
        left and right and _is_spelling(left, right, copies[one].cut, copies[other].cut) for left, right in pairs
    )


def _is_spelling(left: str, right: str, left_cut: bool, right_cut: bool) -> bool:  # noqa: FBT001 - of the two titles
    """Return whether two folded titles are spellings of one; a cut one is compared with the beginning of the other."""
    if left_cut and len(left) < len(right):
        right = right[: len(left)]
    elif right_cut and len(right) < len(left):
        left = left[: len(right)]
    if left == right or (_list_numbers(left) == _list_numbers(right) and fuzz.ratio(left, right) >= _ALIKE):
        return True
    return _differ_in_lost_words(left.split(), right.split(), left_cut, right_cut)


def _differ_in_lost_words(left: list[str], right: list[str], left_cut: bool, right_cut: bool) -> bool:  # noqa: FBT001
    """Return whether two titles, in words, differ only in words that one lacks; those behind a cut do not count.

    They have at least as many words in common as they lack. Numbers may be lacked, too, but not differ.
    """
    numbers = [Counter(filter(str.isdigit, words)) for words in (left, right)]
    if not (numbers[0] <= numbers[1] or numbers[1] <= numbers[0]):
        return False
    both = lacked = 0
    for step in Levenshtein.opcodes(left, right):
        here, there = left[step.src_start : step.src_end], right[step.dest_start : step.dest_end]
        if not here or not there:
            behind_cut = (left_cut and step.src_start == len(left)) or (right_cut and step.dest_start == len(right))
            lacked += 0 if behind_cut else len(here) + len(there)
        elif here == there or _are_alike(" ".join(here), " ".join(there)):
            both += len(here)
        else:
            return False
    return lacked <= both


def _are_alike(one: str, other: str) -> bool:
    return fuzz.ratio(one, other) >= _ALIKE_WORD or ocr_shape(one) == ocr_shape(other)


def _list_numbers(title: str) -> list[str]:
    return [word for word in title.split() if word.isdigit()]


def find_sounder_title(copies: Sequence[PreparedCopy], reading: str) -> PreparedCopy | None:
    """Return the undamaged, less trusted copy most similar to a reading of damaged copies alone, else ``None``."""
    having = [copy for copy in copies if copy.text == reading]
    if not having or any(copy.sound >= _SOUND for copy in having):
        return None
    trust = max(copy.trust for copy in having)
    words = len(reading.split())
    sound = [
        one
        for one in copies
        if one.sound >= _SOUND and not one.cut and one.trust < trust and len(one.text.split()) >= words
    ]
    return max(sound, key=lambda copy: (fuzz.ratio(copy.text, reading), copy.text), default=None)
