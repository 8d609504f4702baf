"""Choose how each token is written, part by part: the word, and the marks before and behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from aggregator.merger.blending.aligned_copies import Column
from aggregator.merger.blending.copies import PreparedCopy, log_odds, trust_about_marks
from aggregator.merger.repair.letters import mixes_scripts
from aggregator.text import word_frequencies
from aggregator.text.alignment import ocr_shape

# Kinds of marks, each with its typographic and its plain forms; a text may curl its quotes and still write "...".
_KINDS = (("’‘“”", ("'", '"')), ("–—", ()), ("…", ("...",)))
_DASHES = 1
_DASH = re.compile(r"--|(?<!\S)-(?!\S)")
_PLAIN_MARKS = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})

Sides = tuple[int, ...]


def mixed_marks(text: str) -> tuple[bool, ...]:
    """Return for quotes, dashes and ellipses whether a text writes them both typographically and plainly.

    >>> mixed_marks("It’s 'fine'..."), mixed_marks("It’s “fine”...")
    ((True, False, False), (False, False, False))
    """
    return tuple(one > 0 and other > 0 for one, other in zip(*_count_styles(text), strict=True))


def count_sides(text: str) -> Sides:
    """For quotes, dashes and ellipses: 1 where a text writes them typographically, -1 plainly, 0 where it has none.

    >>> count_sides("It’s “fine” - or so..."), count_sides("fine")
    ((1, -1, -1), (0, 0, 0))
    """
    return tuple((one > other) - (one < other) for one, other in zip(*_count_styles(text), strict=True))


def _count_styles(text: str) -> tuple[list[int], list[int]]:
    """Return how often a text writes each kind typographically, and how often plainly."""
    curled = [0 if text.isascii() else sum(map(text.count, marks)) for marks, _ in _KINDS]
    plain = [sum(map(text.count, marks)) for _, marks in _KINDS]
    plain[_DASHES] = len(_DASH.findall(text)) if "-" in text else 0
    return curled, plain


def fold_marks(surface: str) -> str:
    """A surface in plain style, to compare surfaces of both.

    >>> fold_marks("“there…”"), fold_marks("a--b")
    ('"there..."', 'a-b')
    """
    return surface if surface.isascii() and "--" not in surface else surface.translate(_PLAIN_MARKS).replace("--", "-")


# A word of the language is 12 times as likely as an unknown one to be what was meant; names are why it is not more.
_KNOWN = 2.5
_ACCENTED = 0.5
_MARKED = 0.5
_MOST_CREDIT = 3.4
_BROKEN = 5.0
_LOST_LETTER = "\ufffd"
_MIXED = 3.0
# What a campaign sticks to a link. A link with it is the same link.
_TRACKED = re.compile(r"[?&](?:utm_[a-z]+|[fgdy]clid|gclsrc|msclkid|mc_[ce]id|igshid|_hsenc)=")
_TRACKED_COST = 6.0
_SLIP_COST = 3.0
# Lists of words know common slips: "fiir" is 56 000 times as rare as "für", "Wusten" 120 times as "Wüsten"; at 10 times
# "Plane" would give way to "Pläne".
_RARER = 100


class Voters(NamedTuple):
    """Who votes on how words are written, in which language, and the style of the text.

    ``mixers`` are, for each kind of mark, the numbers of the copies that write it both typographically and plainly.
    """

    witnesses: Sequence[PreparedCopy]
    language: str | None
    style: Sides
    mixers: Sequence[frozenset[int]] = ()


class _Spelling(NamedTuple):
    """How a token is written, who writes the word so, and the share of the evidence for it (0 to 1)."""

    text: str
    writers: tuple[int, ...]
    share: float


def choose_spelling(column: Column, bench: Voters) -> _Spelling:
    """The best spelling of a column."""
    cells = column.cells
    tokens = list(cells.values())
    if tokens.count(tokens[0]) == len(tokens) or len({token.surface for token in tokens}) == 1:
        return _Spelling(tokens[0].surface, tuple(cells), 1.0)
    word, share = _choose_word(column, bench)
    lead = _choose_marks({number: token.lead for number, token in cells.items()}, bench)
    trail = _choose_marks({number: token.trail for number, token in cells.items()}, bench)
    writers = tuple(number for number, token in cells.items() if token.word == word)
    return _Spelling(lead + word + trail, writers, share)


def choose_style(witnesses: Sequence[PreparedCopy], odds: Sequence[float]) -> Sides:
    """How quotes, dashes and ellipses are to be written: 1 typographically, -1 plainly; one decision for a text.

    ``odds`` are the natural log-odds that texts of the show are typographic, for each kind. On a tie typographic
    wins: pages straighten more than they curl.
    """
    votes = list(odds)
    for witness in witnesses:
        weight = witness.trust * log_odds(1 - witness.rates.restyled, witness.rates.restyled)
        votes = [vote + weight * side for vote, side in zip(votes, count_sides(witness.text), strict=True)]
    return tuple(1 if vote >= 0 else -1 for vote in votes)


def find_mixed_styles(witnesses: Sequence[PreparedCopy]) -> list[frozenset[int]]:
    """Return for each kind of mark the numbers of the witnesses that write it in both styles."""
    both = zip(*(mixed_marks(witness.text) for witness in witnesses), strict=True)
    return [frozenset(number for number, mixes in enumerate(kind) if mixes) for kind in both]


def _choose_word(column: Column, bench: Voters) -> tuple[str, float]:
    ballots: dict[str, float] = {}
    for number, token in column.cells.items():
        witness = bench.witnesses[number]
        ballots[token.word] = ballots.get(token.word, 0.0) + witness.trust * log_odds(1, witness.rates.wrong)
    if len(ballots) == 1:
        return next(iter(ballots)), 1.0
    groups: dict[str, list[str]] = {}
    for word in sorted(ballots):
        groups.setdefault(_strip_marks(word), []).append(word)
    scores = {
        letters: sum(ballots[word] for word in group) + max(_word_credit(word, bench.language) for word in group)
        for letters, group in groups.items()
    }
    written = [token.word for token in column.cells.values()]
    for letters, group in groups.items():
        lone = sum(map(written.count, group)) == 1
        scores[letters] -= _SLIP_COST * (lone and _is_slip(group, ballots, bench.language))
    group = groups[max(scores, key=lambda letters: (scores[letters], letters))]
    parts = {number: token.word for number, token in column.cells.items() if token.word in group}
    return _choose_marks(parts, bench), sum(ballots[word] for word in group) / sum(ballots.values())


def _is_slip(group: Sequence[str], ballots: Mapping[str, float], language: str | None) -> bool:
    """Whether the words look like one that another writes, and are hardly ever written themselves."""
    often = _RARER * max(word_frequencies.frequency(word, language) for word in group)
    shapes = {ocr_shape(word) for word in group}
    others = (other for other in ballots if other not in group and ocr_shape(other) in shapes)
    return any(word_frequencies.frequency(other, language) > often for other in others)


@lru_cache(maxsize=1 << 12)
def _strip_marks(word: str) -> str:
    """A word without its marks."""
    return "".join(letter for letter in word if letter.isalnum()) or fold_marks(word)


def _choose_most_voted(ballots: dict[str, float], style: Sides, unrestyled: frozenset[str]) -> str:
    """The choice with most evidence, the variants of style counted as one; of these the preferred one."""
    groups: dict[str, list[str]] = {}
    for choice in sorted(ballots):
        groups.setdefault(fold_marks(choice), []).append(choice)
    scores = {plain: sum(ballots[one] for one in group) for plain, group in groups.items()}
    group = groups[max(scores, key=lambda plain: (scores[plain], len(plain), plain))]
    if len(group) == 1:
        return group[0]
    return max(group, key=lambda one: (one in unrestyled, _count_fitting_marks(one, style), ballots[one], one))


def _count_fitting_marks(choice: str, style: Sides) -> int:
    return sum(wanted * side for wanted, side in zip(style, count_sides(choice), strict=True))


@lru_cache(maxsize=1 << 12)
def _word_credit(word: str, language: str | None) -> float:
    """How believable a way of writing is by itself, in natural log-odds: never as much as a second witness."""
    frequency = word_frequencies.frequency(word, language)
    credit = _KNOWN + 0.1 * log(frequency * 1e6) if frequency else 0.0
    if not word.isascii():
        credit += _ACCENTED
    credit += _MARKED * min(3, sum(not letter.isalnum() for letter in word))
    blame = (
        _BROKEN * (_LOST_LETTER in word) + _MIXED * mixes_scripts(word) + _TRACKED_COST * bool(_TRACKED.search(word))
    )
    return min(_MOST_CREDIT, credit) - blame


def _choose_marks(parts: dict[int, str], bench: Voters) -> str:
    """Of texts that differ in marks the likeliest: a mark is lost more often than added."""
    if len(set(parts.values())) == 1:
        return next(iter(parts.values()))
    if any(_LOST_LETTER not in part for part in parts.values()):
        parts = {number: part.replace(_LOST_LETTER, "") for number, part in parts.items()}
    counts = {number: _count_marks(part) for number, part in parts.items()}
    most = max(counts.values())
    fullest = {number for number, count in counts.items() if count == most}
    alike = len({fold_marks(parts[number]) for number in fullest}) == 1
    trusts = trust_about_marks(fullest if alike else (), counts.keys() - fullest, bench.witnesses)
    ballots: dict[str, float] = {}
    for number, part in parts.items():
        rates = bench.witnesses[number].rates
        full = number in fullest
        weight = log_odds(1, rates.added_mark) if full else log_odds(1 - rates.added_mark, rates.lost_mark)
        ballots[part] = ballots.get(part, 0.0) + trusts[number] * weight
    return _choose_most_voted(ballots, bench.style, _parts_of_mixed_styles(parts, bench))


def _parts_of_mixed_styles(parts: Mapping[int, str], bench: Voters) -> frozenset[str]:
    """Return the parts of the witnesses that write a disputed kind of mark in both styles.

    Restyling makes a text uniform, so a text that is not was not restyled.
    """
    if not any(bench.mixers):
        return frozenset()
    taken = [set(kind) for kind in zip(*map(count_sides, parts.values()), strict=True)]
    numbers = frozenset().union(*(who for who, side in zip(bench.mixers, taken, strict=True) if len(side) > 1))
    return frozenset(part for number, part in parts.items() if number in numbers)


def _count_marks(part: str) -> int:
    return sum(not letter.isalnum() for letter in fold_marks(part))
