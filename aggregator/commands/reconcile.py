"""``aggregator reconcile``: rebuild one text from several damaged copies, over JSON Lines."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import Annotated, TextIO

import typer
from msgspec import Struct
from msgspec.structs import replace

from aggregator.commands.options import LinesArgument, OutputOption, open_streams
from aggregator.merger.blending.blend import Reading, Text, base_language, read_text
from aggregator.merger.blending.copies import Copy
from aggregator.merger.blending.source_learning import SourceModelLearner
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel
from aggregator.sandbox.limits import CostError, Limits, limited, make_limits

_LONGEST = 1 << 24
"""Characters of a line. Texts have thousands; a line of more is not one item, and must not fill the memory."""
_ENTRY = 400
"""Characters of copies that may cost as much as an entry of a feed: ten times what honest ones cost."""

_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
"""Lone surrogates can come in by escapes and cannot go out as UTF-8."""


class _TextLine(Text, frozen=True, kw_only=True):
    """One parsed line: its number, counted from 1, the item's id, and its text."""

    line: int
    id: str


class _LineFault(Struct, frozen=True):
    """One line that cannot be parsed: its number, counted from 1, and why."""

    line: int
    reason: str


def run(
    file: LinesArgument,
    output: OutputOption = "-",
    *,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn/--no-learn",
            help="First read all lines to learn how reliable each source is and what each show repeats.",
        ),
    ] = True,
) -> None:
    """Rebuild one text from several damaged copies of it, for each line of a JSON Lines file.

    Each line is {"id", "field", "witnesses": [{"source", "text"}...]} and may have "lang" and "show". A witness is one
    copy; it may have a "trust" from 0 to 1, and "cut": true if its text is known to end early. The answers {"id",
    "field", "text", "confidence", "least_confidence", "cut", "provenance"} come in the same order. Lines that cannot
    be used are reported on stderr by their number, and the exit code is then 1.
    """
    with open_streams(file, output) as (source, sink, errors):
        code = _reconcile_lines(source, sink, errors, learn=learn)
    if code:
        raise typer.Exit(code)


def _reconcile_lines(source: TextIO, sink: TextIO, errors: TextIO, *, learn: bool) -> int:
    """Write one answer to ``sink`` for each usable line, in order, the others to ``errors``; return the exit code.

    With ``learn`` the input is read twice, from a temporary copy.
    """
    faults = 0
    with _copy_to_file(source) if learn else nullcontext(source) as copy:
        model = EMPTY_MODEL
        if learn:
            model = _learn(_parse_lines(_read_lines(copy)))
            copy.seek(0)
        for line in _parse_lines(_read_lines(copy)):
            answer = line if isinstance(line, _LineFault) else _reconcile_line(line, model)
            if isinstance(answer, _LineFault):
                faults += 1
                errors.write(f"line {answer.line}: {answer.reason}\n")
            else:
                sink.write(f"{answer}\n")
    return 1 if faults else 0


def _learn(lines: Iterable[_TextLine | _LineFault]) -> SourceModel:
    """Return what the lines teach about their sources; those that cost too much teach nothing."""
    learner = SourceModelLearner()
    for line in lines:
        if isinstance(line, _TextLine):
            with suppress(CostError), limited(_find_limits(line)):
                learner.add(line.copies, line.language, line.show)
    return learner.make_model()


def _reconcile_line(line: _TextLine, model: SourceModel) -> str | _LineFault:
    try:
        with limited(_find_limits(line)):
            return _format_answer(line, read_text(line, model))
    except CostError as error:
        return _LineFault(line.line, str(error))


def _find_limits(line: _TextLine) -> Limits:
    return make_limits(sum(len(copy.text) for copy in line.copies) // _ENTRY)


@contextmanager
def _copy_to_file(source: TextIO) -> Iterator[TextIO]:
    """Copy the source to a temporary file, so that its lines can be read twice."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="") as copy:
        shutil.copyfileobj(source, copy)
        copy.seek(0)
        yield copy


def _read_lines(source: TextIO) -> Iterator[str]:
    """Return the lines of a stream; of a too long one only the beginning, which is too long, too."""
    while line := source.readline(_LONGEST + 1):
        yield line
        while len(line) > _LONGEST and not line.endswith("\n"):
            line = source.readline(_LONGEST + 1)


def _parse_lines(lines: Iterable[str]) -> Iterator[_TextLine | _LineFault]:
    """Return the parsed lines; empty lines are ignored, too long ones are faults."""
    for number, line in enumerate(lines, 1):
        if len(line) > _LONGEST:
            yield _LineFault(number, f"longer than {_LONGEST} characters")
        elif line.strip():
            try:
                yield _parse_line(number, json.loads(line))
            except json.JSONDecodeError as error:
                yield _LineFault(number, f"no JSON: {error.msg} at character {error.pos + 1}")
            except RecursionError:
                yield _LineFault(number, "no JSON that can be used: too many brackets within each other")
            except ValueError as error:
                yield _LineFault(number, str(error))


def _format_answer(line: _TextLine, reading: Reading) -> str:
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


def _parse_line(number: int, content: object) -> _TextLine:
    if not isinstance(content, Mapping):
        raise ValueError("not an object")  # noqa: TRY004 - one kind of fault for all that a line may hold
    witnesses = content.get("witnesses")
    if not isinstance(witnesses, list):
        raise ValueError('"witnesses" is not a list')  # noqa: TRY004
    # copies of the most trust stay whole where others are trusted less
    copies = [_parse_copy(witness) for witness in witnesses]
    top = max((copy.trust for copy in copies), default=0.0)
    ranked = any(copy.trust < top for copy in copies)
    return _TextLine(
        line=number,
        id=_find_text(content, "id"),
        field=_find_text(content, "field"),
        copies=tuple(replace(copy, keep=ranked and copy.trust == top) for copy in copies),
        language=base_language(_find_text(content, "lang", "language")),
        show=_find_text(content, "show") or None,
    )


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
