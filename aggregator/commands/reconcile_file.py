"""``aggregator reconcile`` on the command line: the streams opened, the engine run on them."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator.commands import reconcile
from aggregator.commands.streams import LinesArgument, OutputOption, streams


def run(
    file: LinesArgument,
    output: OutputOption = "-",
    *,
    learn: Annotated[
        bool,
        typer.Option("--learn/--no-learn", help="Learn from all lines what each show repeats, or take each alone."),
    ] = True,
) -> None:
    """Make one text out of several damaged copies of it, for each line of a JSON Lines file.

    Each line is {"id", "field", "witnesses": [{"source", "text"}...]}, and may have "lang" and "show"; a witness may
    have a "trust" from 0 to 1, and "cut": true where its text is known to end early. The answers {"id", "field",
    "text", "confidence", "least_confidence", "cut", "provenance"} come in the same order; a line that cannot be used
    is told on stderr by its number, and the exit code is then 1.
    """
    with streams(file, output) as (source, sink, errors):
        code = reconcile.run(source, sink, errors, learn=learn)
    if code:
        raise typer.Exit(code)
