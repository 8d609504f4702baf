"""Vote: which columns are part of the text, and how each is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aggregator.merger.weave import Column
from aggregator.merger.witnesses import Witness
from aggregator.text import words
from aggregator.text.lookalikes import mixed
from aggregator.text.tokens import Token


def ends(columns: Sequence[Column], witnesses: Sequence[Witness]) -> list[int]:
    """For each witness the column after which it has no opinion: its last one where it is cut, else beyond the end."""
    last = []
    for number, witness in enumerate(witnesses):
        own = [i for i, column in enumerate(columns) if number in column.cells and number not in column.moved]
        last.append(own[-1] if witness.cut and own else len(columns))
    return last


def standing(columns: Sequence[Column], witnesses: Sequence[Witness]) -> list[tuple[Column, float, float]]:
    """The columns that are part of the text, each with the weight for it and against it."""
    last = ends(columns, witnesses)
    kept = []
    for i, column in enumerate(columns):
        support = sum(witnesses[number].weight for number in column.cells)
        against = sum(
            witness.weight
            for number, witness in enumerate(witnesses)
            if number not in column.cells and last[number] >= i
        )
        if support >= against:
            kept.append((column, support, against))
    return kept


def written(column: Column, witnesses: Sequence[Witness], language: str | None) -> tuple[str, str, str, float]:
    """Lead, word and trail of a column as most weight has them, and the share of the weight that has the word."""
    cells = column.cells
    if len(cells) == 1:
        token = next(iter(cells.values()))
        return token.lead, token.word, token.trail, 1.0
    lead, _ = _elected(cells, witnesses, lambda token: token.lead, _marks)
    word, share = _elected(cells, witnesses, lambda token: token.word, lambda word: _credit(word, language))
    trail, _ = _elected(cells, witnesses, lambda token: token.trail, _marks)
    return lead, word, trail, share


def _elected(
    cells: dict[int, Token], witnesses: Sequence[Witness], part: Callable[[Token], str], credit: Callable[[str], float]
) -> tuple[str, float]:
    ballots: dict[str, float] = {}
    for number, token in cells.items():
        choice = part(token)
        ballots[choice] = ballots.get(choice, 0.0) + witnesses[number].weight
    if len(ballots) == 1:
        return next(iter(ballots)), 1.0
    credited = {choice: weight * credit(choice) for choice, weight in ballots.items()}
    best = max(credited, key=lambda choice: (credited[choice], choice))
    return best, credited[best] / sum(credited.values())


def _marks(marks: str) -> float:
    return 1 + 0.22 * min(3, len(marks))


def _credit(word: str, language: str | None) -> float:
    """How believable a way of writing is by itself."""
    credit = 1.0 if words.known(word, language) else 0.62
    if "\ufffd" in word:
        credit *= 0.2
    if mixed(word):
        credit *= 0.5
    if not word.isascii():
        credit *= 1.25
    return credit * _marks("".join(letter for letter in word if not letter.isalnum()))
