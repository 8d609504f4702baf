"""Spell: how each token of the text is written, voted part by part: the word, the marks before and behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import log
from typing import NamedTuple

from aggregator.merger.rates import evidence
from aggregator.merger.weave import Column
from aggregator.merger.witnesses import Witness
from aggregator.text import words
from aggregator.text.lookalikes import mixed
from aggregator.text.styles import fold, style

# A word of the language is 12 times as likely as an unknown one to be what was meant; names are why it is not more.
KNOWN = 2.5
# What a campaign sticks to a link. A link with it is the same link.
TRACKED = re.compile(r"[?&]utm_[a-z]+=")
TRACKED_COST = 6.0
# The side one sound witness takes weighs as much as three texts of the show.
STYLE_VOTE = 1.0


class Bench(NamedTuple):
    """Who votes on how words are written, in which language, and the style of the text (1 typographic, -1 plain)."""

    witnesses: Sequence[Witness]
    language: str | None
    style: int


class Spelling(NamedTuple):
    """How a token is written, who writes the word so, and the share of the evidence for it (0 to 1)."""

    text: str
    writers: tuple[int, ...]
    share: float


def spell(column: Column, bench: Bench) -> Spelling:
    """The best spelling of a column."""
    cells = column.cells
    if len({token.surface for token in cells.values()}) == 1:
        token = next(iter(cells.values()))
        return Spelling(token.surface, tuple(cells), 1.0)
    word, share = _word(column, bench)
    lead = _marks({number: token.lead for number, token in cells.items()}, bench)
    trail = _marks({number: token.trail for number, token in cells.items()}, bench)
    writers = tuple(number for number, token in cells.items() if token.word == word)
    return Spelling(lead + word + trail, writers, share)


def preferred_style(witnesses: Sequence[Witness], odds: float) -> int:
    """1 where the text is to be written with typographic marks, -1 with plain ones: one decision for the whole text.

    ``odds`` are the natural log-odds that texts of the show are typographic. On a tie typographic wins: pages
    straighten more than they curl.
    """
    votes = odds + sum(witness.weight * STYLE_VOTE * style(witness.text).side for witness in witnesses)
    return 1 if votes >= 0 else -1


def _word(column: Column, bench: Bench) -> tuple[str, float]:
    ballots: dict[str, float] = {}
    for number, token in column.cells.items():
        witness = bench.witnesses[number]
        ballots[token.word] = ballots.get(token.word, 0.0) + witness.trust * evidence(1, witness.rates.wrong)
    if len(ballots) == 1:
        return next(iter(ballots)), 1.0
    best = _elected(ballots, bench, lambda word: _credit(word, bench.language))
    return best, ballots[best] / sum(ballots.values())


def _elected(ballots: dict[str, float], bench: Bench, credit: Callable[[str], float]) -> str:
    """The choice with most evidence and credit, the variants of style counted as one; of these the preferred one."""
    groups: dict[str, list[str]] = {}
    for choice in sorted(ballots):
        groups.setdefault(fold(choice), []).append(choice)
    scores = {plain: sum(ballots[one] for one in group) + max(map(credit, group)) for plain, group in groups.items()}
    group = groups[max(scores, key=lambda plain: (scores[plain], plain))]
    if len(group) == 1:
        return group[0]
    return max(group, key=lambda one: (bench.style * style(one).side, ballots[one], one))


def _credit(word: str, language: str | None) -> float:
    """How believable a way of writing is by itself, in natural log-odds."""
    frequency = words.frequency(word, language)
    credit = KNOWN + 0.1 * log(frequency * 1e6) if frequency else 0.0
    if "\ufffd" in word:
        credit -= 5
    if mixed(word):
        credit -= 3
    if not word.isascii():
        credit += 0.5
    if TRACKED.search(word):
        return credit - TRACKED_COST
    return credit + 0.5 * min(3, sum(not letter.isalnum() for letter in word))


def _marks(parts: dict[int, str], bench: Bench) -> str:
    """The marks at one side of a word: having one is stronger evidence than lacking it."""
    ballots: dict[str, float] = {}
    for number, marks in parts.items():
        rates = bench.witnesses[number].rates
        weight = evidence(1, rates.added_mark) if marks else evidence(1 - rates.added_mark, rates.lost_mark)
        ballots[marks] = ballots.get(marks, 0.0) + bench.witnesses[number].trust * weight
    return next(iter(ballots)) if len(ballots) == 1 else _elected(ballots, bench, lambda marks: 0.01 * len(marks))
