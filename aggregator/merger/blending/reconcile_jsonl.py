"""Recount: the text engine over lines of JSON, each with the copies of one text; one answer for each line, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.blending import blend
from aggregator.merger.blending.blend import Reading, Text
from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel

# Characters of a line. Texts have thousands; a line of more is not one item, and must not fill the memory.
LONGEST = 1 << 24


class TextLine(Text, frozen=True, kw_only=True):
    """One line understood: the item's id, and its text."""

    id: str


class LineFault(Struct, frozen=True):
    """One line that cannot be understood: its number, counted from 1, and why."""

    line: int
    reason: str


def parse_lines(read_lines: Iterable[str]) -> Iterator[TextLine | LineFault]:
    """What each line says; empty lines are passed over, too long ones are faults."""
    for number, format_answer in enumerate(read_lines, 1):
        if len(format_answer) > LONGEST:
            yield LineFault(number, f"longer than {LONGEST} characters")
        elif format_answer.strip():
            try:
                yield _parse_line(json.loads(format_answer))
            except json.JSONDecodeError as error:
                yield LineFault(number, f"no JSON: {error.msg} at character {error.pos + 1}")
            except RecursionError:
                yield LineFault(number, "no JSON that can be used: too many brackets within each other")
            except ValueError as error:
                yield LineFault(number, str(error))


def read_lines(source: TextIO) -> Iterator[str]:
    """The lines of a stream; of a too long one no more is held than shows it to be so."""
    while format_answer := source.readline(LONGEST + 1):
        yield format_answer
        while len(format_answer) > LONGEST and not format_answer.endswith("\n"):
            format_answer = source.readline(LONGEST + 1)


def learn_lines(found: Iterable[TextLine | LineFault]) -> SourceModel:
    """What the accounts teach about sources and boilerplate; memory is bounded."""
    return blend.learn_sources(account for account in found if isinstance(account, TextLine))


def answer_lines(
    found: Iterable[TextLine | LineFault], lore: SourceModel = EMPTY_MODEL
) -> Iterator[tuple[TextLine, Reading] | LineFault]:
    """The reading of each account, in order; faults pass through."""
    for account in found:
        if isinstance(account, LineFault):
            yield account
        else:
            yield account, blend.read_text(account, lore)


def format_answer(account: TextLine, reading: Reading) -> str:
    """The answer as one line of JSON, without its line end."""
    return json.dumps(
        {
            "id": account.id,
            "field": account.field,
            "text": reading.text,
            "confidence": round(reading.confidence, 3),
            "least_confidence": round(reading.least, 3),
            "cut": reading.cut,
            "provenance": [
                {"text": run.text, "sources": list(run.sources), "confidence": round(run.confidence, 3)}
                for run in reading.provenance
            ],
        },
        ensure_ascii=False,
    ).translate(_SURROGATES)


# Lone surrogates can come in by escapes and cannot go out as UTF-8.
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def _parse_line(said: object) -> TextLine:
    if not isinstance(said, Mapping):
        raise ValueError("not an object")  # noqa: TRY004 - one kind of fault for whatever a line may hold
    witnesses = said.get("witnesses")
    if not isinstance(witnesses, list):
        raise ValueError('"witnesses" is not a list')  # noqa: TRY004
    return TextLine(
        id=_find_text(said, "id"),
        field=_find_text(said, "field"),
        copies=_keep_most_trusted([_parse_copy(witness) for witness in witnesses]),
        language=blend.base_language(_find_text(said, "lang", "language")),
        show=_find_text(said, "show") or None,
    )


def _keep_most_trusted(copies: Sequence[Copy]) -> tuple[Copy, ...]:
    """Return the copies, those of the most trust kept whole where others are trusted less."""
    top = max((copy.trust for copy in copies), default=0.0)
    ranked = any(copy.trust < top for copy in copies)
    return tuple(replace(copy, keep=ranked and copy.trust == top) for copy in copies)


def _parse_copy(witness: object) -> Copy:
    if not isinstance(witness, Mapping) or not isinstance(witness.get("text"), str):
        raise ValueError('a witness has no "text"')  # noqa: TRY004
    trust = witness.get("trust", 1.0)
    if isinstance(trust, bool) or not isinstance(trust, int | float) or not 0 <= trust <= 1:
        raise ValueError('"trust" is not between 0 and 1')
    return Copy(_find_text(witness, "source"), str(witness["text"]), float(trust), cut=witness.get("cut") is True)


def _find_text(said: Mapping[str, object], *names: str) -> str:
    """The first of the named values that is there, as text."""
    for name in names:
        value = said.get(name)
        if isinstance(value, str | int):
            return str(value)
    return ""
