"""``aggregator reconcile``: rebuild one text from several damaged copies, over JSON Lines."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated, TextIO

import typer

from aggregator.commands.options import LinesArgument, OutputOption, open_streams
from aggregator.merger.blending import reconcile_jsonl
from aggregator.merger.blending.source_model import EMPTY_MODEL


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
        code = reconcile_lines(source, sink, errors, learn=learn)
    if code:
        raise typer.Exit(code)


def reconcile_lines(source: TextIO, sink: TextIO, errors: TextIO, *, learn: bool) -> int:
    """Write one answer to ``sink`` for each line of ``source``, in order; return the exit code.

    The code is 1 if a line was malformed; such lines are reported on ``errors`` by number and skipped. With ``learn``
    the input is read twice, from a temporary copy.
    """
    faults = 0
    with _copy_to_file(source) if learn else nullcontext(source) as copy:
        lore = EMPTY_MODEL
        if learn:
            lore = reconcile_jsonl.learn_lines(reconcile_jsonl.parse_lines(reconcile_jsonl.read_lines(copy)))
            copy.seek(0)
        for answer in reconcile_jsonl.answer_lines(reconcile_jsonl.parse_lines(reconcile_jsonl.read_lines(copy)), lore):
            if isinstance(answer, reconcile_jsonl.LineFault):
                faults += 1
                errors.write(f"line {answer.line}: {answer.reason}\n")
            else:
                sink.write(reconcile_jsonl.format_answer(*answer) + "\n")
    return 1 if faults else 0


@contextmanager
def _copy_to_file(source: TextIO) -> Iterator[TextIO]:
    """Copy the source to a temporary file, so that its lines can be read twice."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="") as copy:
        shutil.copyfileobj(source, copy)
        copy.seek(0)
        yield copy
