"""Spell: how each token of the text is written, voted part by part: the word, the marks before and behind it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import NamedTuple

from aggregator.merger.rates import evidence
from aggregator.merger.weave import Column
from aggregator.merger.witnesses import Witness
from aggregator.text import words
from aggregator.text.lookalikes import mixed

# A word of the language is 12 times as likely as an unknown one to be what was meant; names are why it is not more.
KNOWN = 2.5


class Spelling(NamedTuple):
    """How a token is written, who writes the word so, and the share of the evidence for it (0 to 1)."""

    text: str
    writers: tuple[int, ...]
    share: float


def spell(column: Column, witnesses: Sequence[Witness], language: str | None) -> Spelling:
    """The best spelling of a column."""
    cells = column.cells
    if len({token.surface for token in cells.values()}) == 1:
        token = next(iter(cells.values()))
        return Spelling(token.surface, tuple(cells), 1.0)
    word, share = _word(column, witnesses, language)
    lead = _marks({number: token.lead for number, token in cells.items()}, witnesses)
    trail = _marks({number: token.trail for number, token in cells.items()}, witnesses)
    writers = tuple(number for number, token in cells.items() if token.word == word)
    return Spelling(lead + word + trail, writers, share)


def _word(column: Column, witnesses: Sequence[Witness], language: str | None) -> tuple[str, float]:
    ballots: dict[str, float] = {}
    for number, token in column.cells.items():
        witness = witnesses[number]
        ballots[token.word] = ballots.get(token.word, 0.0) + witness.trust * evidence(1, witness.rates.wrong)
    if len(ballots) == 1:
        return next(iter(ballots)), 1.0
    credited = {word: weight + _credit(word, language) for word, weight in ballots.items()}
    best = max(credited, key=lambda word: (credited[word], word))
    return best, max(0.0, ballots[best] / sum(ballots.values()))


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
    return credit + 0.5 * sum(not letter.isalnum() for letter in word)


def _marks(parts: dict[int, str], witnesses: Sequence[Witness]) -> str:
    """The marks at one side of a word: having one is stronger than lacking it."""
    ballots: dict[str, float] = {}
    for number, marks in parts.items():
        witness = witnesses[number]
        weight = witness.trust * (
            evidence(1, witness.rates.added_mark)
            if marks
            else evidence(1 - witness.rates.added_mark, witness.rates.lost_mark)
        )
        ballots[marks] = ballots.get(marks, 0.0) + weight
    return max(ballots, key=lambda marks: (ballots[marks], len(marks), marks))
