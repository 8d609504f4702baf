"""The text engine over lines of JSON, each with the copies of one text; one answer for each line, in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.blending.blend import Reading, Text, base_language, learn_sources, read_text
from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel

LONGEST = 1 << 24
"""Characters of a line. Texts have thousands; a line of more is not one item, and must not fill the memory."""
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
"""Lone surrogates can come in by escapes and cannot go out as UTF-8."""


class TextLine(Text, frozen=True, kw_only=True):
    """One parsed line: the item's id, and its text."""

    id: str


class LineFault(Struct, frozen=True):
    """One line that cannot be parsed: its number, counted from 1, and why."""

    line: int
    reason: str


def read_lines(source: TextIO) -> Iterator[str]:
    """Return the lines of a stream; of a too long one only the beginning, which is too long, too."""
    while line := source.readline(LONGEST + 1):
        yield line
        while len(line) > LONGEST and not line.endswith("\n"):
            line = source.readline(LONGEST + 1)


def parse_lines(lines: Iterable[str]) -> Iterator[TextLine | LineFault]:
    """Return the parsed lines; empty lines are ignored, too long ones are faults."""
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST:
            yield LineFault(number, f"longer than {LONGEST} characters")
        elif line.strip():
            try:
                yield _parse_line(json.loads(line))
            except json.JSONDecodeError as error:
                yield LineFault(number, f"no JSON: {error.msg} at character {error.pos + 1}")
            except RecursionError:
                yield LineFault(number, "no JSON that can be used: too many brackets within each other")
            except ValueError as error:
                yield LineFault(number, str(error))


def learn_lines(lines: Iterable[TextLine | LineFault]) -> SourceModel:
    """Return what the lines teach about sources and boilerplate; memory is bounded."""
    return learn_sources(line for line in lines if isinstance(line, TextLine))


def answer_lines(
    lines: Iterable[TextLine | LineFault], model: SourceModel = EMPTY_MODEL
) -> Iterator[tuple[TextLine, Reading] | LineFault]:
    """Return the reading of each line, in order; faults pass through."""
    for line in lines:
        yield line if isinstance(line, LineFault) else (line, read_text(line, model))


def format_answer(line: TextLine, reading: Reading) -> str:
    """Return the answer as one line of JSON, without its line end."""
    return json.dumps(
        {
            "id": line.id,
            "field": line.field,
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


def _parse_line(content: object) -> TextLine:
    if not isinstance(content, Mapping):
        raise ValueError("not an object")  # noqa: TRY004 - one kind of fault for all that a line may hold
    witnesses = content.get("witnesses")
    if not isinstance(witnesses, list):
        raise ValueError('"witnesses" is not a list')  # noqa: TRY004
    return TextLine(
        id=_find_text(content, "id"),
        field=_find_text(content, "field"),
        copies=_keep_most_trusted([_parse_copy(witness) for witness in witnesses]),
        language=base_language(_find_text(content, "lang", "language")),
        show=_find_text(content, "show") or None,
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


def _find_text(content: Mapping[str, object], *names: str) -> str:
    """Return the first of the named values that is text or a whole number, as text; else an empty text."""
    return next((str(content[name]) for name in names if isinstance(content.get(name), str | int)), "")
