"""Spell: how each token of the text is written, voted part by part: the word, the marks before and behind it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from aggregator.merger.blending.aligned_copies import Column
from aggregator.merger.blending.copies import Witness, marked_trusts
from aggregator.merger.blending.error_rates import evidence
from aggregator.text import word_frequencies
from aggregator.text.homoglyphs import mixed
from aggregator.text.ocr_shapes import shape
from aggregator.text.typography import Sides, fold, sides
from aggregator.text.typography import mixed as mixed_styles

# A word of the language is 12 times as likely as an unknown one to be what was meant; names are why it is not more.
KNOWN = 2.5
ACCENTED = 0.5
MARKED = 0.5
MOST_CREDIT = 3.4
BROKEN = 5.0
LOST = "\ufffd"
MIXED = 3.0
# What a campaign sticks to a link. A link with it is the same link.
TRACKED = re.compile(r"[?&](?:utm_[a-z]+|[fgdy]clid|gclsrc|msclkid|mc_[ce]id|igshid|_hsenc)=")
TRACKED_COST = 6.0
SLIP_COST = 3.0
# Lists of words know common slips: "fiir" is 56 000 times as rare as "für", "Wusten" 120 times as "Wüsten"; at 10 times
# "Plane" would give way to "Pläne".
RARER = 100


class Bench(NamedTuple):
    """Who votes on how words are written, in which language, and the style of the text.

    ``mixers`` are, for each kind of mark, the numbers of the witnesses that write it both typographically and plainly.
    """

    witnesses: Sequence[Witness]
    language: str | None
    style: Sides
    mixers: Sequence[frozenset[int]] = ()


class Spelling(NamedTuple):
    """How a token is written, who writes the word so, and the share of the evidence for it (0 to 1)."""

    text: str
    writers: tuple[int, ...]
    share: float


def spell(column: Column, bench: Bench) -> Spelling:
    """The best spelling of a column."""
    cells = column.cells
    tokens = list(cells.values())
    if tokens.count(tokens[0]) == len(tokens) or len({token.surface for token in tokens}) == 1:
        return Spelling(tokens[0].surface, tuple(cells), 1.0)
    word, share = _word(column, bench)
    lead = _marks({number: token.lead for number, token in cells.items()}, bench)
    trail = _marks({number: token.trail for number, token in cells.items()}, bench)
    writers = tuple(number for number, token in cells.items() if token.word == word)
    return Spelling(lead + word + trail, writers, share)


def preferred_style(witnesses: Sequence[Witness], odds: Sequence[float]) -> Sides:
    """How quotes, dashes and ellipses are to be written: 1 typographically, -1 plainly; one decision for a text.

    ``odds`` are the natural log-odds that texts of the show are typographic, for each kind. On a tie typographic
    wins: pages straighten more than they curl.
    """
    votes = list(odds)
    for witness in witnesses:
        weight = witness.trust * evidence(1 - witness.rates.restyled, witness.rates.restyled)
        votes = [vote + weight * side for vote, side in zip(votes, sides(witness.text), strict=True)]
    return tuple(1 if vote >= 0 else -1 for vote in votes)


def mixers(witnesses: Sequence[Witness]) -> list[frozenset[int]]:
    """Return for each kind of mark the numbers of the witnesses that write it in both styles."""
    both = zip(*(mixed_styles(witness.text) for witness in witnesses), strict=True)
    return [frozenset(number for number, mixes in enumerate(kind) if mixes) for kind in both]


def _word(column: Column, bench: Bench) -> tuple[str, float]:
    ballots: dict[str, float] = {}
    for number, token in column.cells.items():
        witness = bench.witnesses[number]
        ballots[token.word] = ballots.get(token.word, 0.0) + witness.trust * evidence(1, witness.rates.wrong)
    if len(ballots) == 1:
        return next(iter(ballots)), 1.0
    groups: dict[str, list[str]] = {}
    for word in sorted(ballots):
        groups.setdefault(_letters(word), []).append(word)
    scores = {
        letters: sum(ballots[word] for word in group) + max(_credit(word, bench.language) for word in group)
        for letters, group in groups.items()
    }
    written = [token.word for token in column.cells.values()]
    for letters, group in groups.items():
        lone = sum(map(written.count, group)) == 1
        scores[letters] -= SLIP_COST * (lone and _mistaken(group, ballots, bench.language))
    group = groups[max(scores, key=lambda letters: (scores[letters], letters))]
    parts = {number: token.word for number, token in column.cells.items() if token.word in group}
    return _marks(parts, bench), sum(ballots[word] for word in group) / sum(ballots.values())


def _mistaken(group: Sequence[str], ballots: Mapping[str, float], language: str | None) -> bool:
    """Whether the words look like one that another writes, and are hardly ever written themselves."""
    often = RARER * max(word_frequencies.frequency(word, language) for word in group)
    shapes = {shape(word) for word in group}
    others = (other for other in ballots if other not in group and shape(other) in shapes)
    return any(word_frequencies.frequency(other, language) > often for other in others)


@lru_cache(maxsize=1 << 12)
def _letters(word: str) -> str:
    """A word without its marks."""
    return "".join(letter for letter in word if letter.isalnum()) or fold(word)


def _elected(ballots: dict[str, float], style: Sides, unrestyled: frozenset[str]) -> str:
    """The choice with most evidence, the variants of style counted as one; of these the preferred one."""
    groups: dict[str, list[str]] = {}
    for choice in sorted(ballots):
        groups.setdefault(fold(choice), []).append(choice)
    scores = {plain: sum(ballots[one] for one in group) for plain, group in groups.items()}
    group = groups[max(scores, key=lambda plain: (scores[plain], len(plain), plain))]
    if len(group) == 1:
        return group[0]
    return max(group, key=lambda one: (one in unrestyled, _fitting(one, style), ballots[one], one))


def _fitting(choice: str, style: Sides) -> int:
    return sum(wanted * side for wanted, side in zip(style, sides(choice), strict=True))


@lru_cache(maxsize=1 << 12)
def _credit(word: str, language: str | None) -> float:
    """How believable a way of writing is by itself, in natural log-odds: never as much as a second witness."""
    frequency = word_frequencies.frequency(word, language)
    credit = KNOWN + 0.1 * log(frequency * 1e6) if frequency else 0.0
    if not word.isascii():
        credit += ACCENTED
    credit += MARKED * min(3, sum(not letter.isalnum() for letter in word))
    blame = BROKEN * (LOST in word) + MIXED * mixed(word) + TRACKED_COST * bool(TRACKED.search(word))
    return min(MOST_CREDIT, credit) - blame


def _marks(parts: dict[int, str], bench: Bench) -> str:
    """Of texts that differ in marks the likeliest: a mark is lost more often than added."""
    if len(set(parts.values())) == 1:
        return next(iter(parts.values()))
    if any(LOST not in part for part in parts.values()):
        parts = {number: part.replace(LOST, "") for number, part in parts.items()}
    counts = {number: _count(part) for number, part in parts.items()}
    most = max(counts.values())
    fullest = {number for number, count in counts.items() if count == most}
    alike = len({fold(parts[number]) for number in fullest}) == 1
    trusts = marked_trusts(fullest if alike else (), counts.keys() - fullest, bench.witnesses)
    ballots: dict[str, float] = {}
    for number, part in parts.items():
        rates = bench.witnesses[number].rates
        full = number in fullest
        weight = evidence(1, rates.added_mark) if full else evidence(1 - rates.added_mark, rates.lost_mark)
        ballots[part] = ballots.get(part, 0.0) + trusts[number] * weight
    return _elected(ballots, bench.style, _unrestyled(parts, bench))


def _unrestyled(parts: Mapping[int, str], bench: Bench) -> frozenset[str]:
    """Return the parts of the witnesses that write a disputed kind of mark in both styles.

    Restyling makes a text uniform, so a text that is not was not restyled.
    """
    if not any(bench.mixers):
        return frozenset()
    taken = [set(kind) for kind in zip(*map(sides, parts.values()), strict=True)]
    numbers = frozenset().union(*(who for who, side in zip(bench.mixers, taken, strict=True) if len(side) > 1))
    return frozenset(part for number, part in parts.items() if number in numbers)


def _count(part: str) -> int:
    return sum(not letter.isalnum() for letter in fold(part))
