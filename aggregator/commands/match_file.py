"""``aggregator match`` on the command line: the streams opened, the engine run on them."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator.commands import match
from aggregator.commands.streams import LinesArgument, OutputOption, streams

THRESHOLD = 1.0
"""What a refresh uses, in natural log-odds."""


def run(
    file: LinesArgument,
    output: OutputOption = "-",
    *,
    explain: Annotated[bool, typer.Option("--explain", help="Add the evidence to each answer.")] = False,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Evidence, in natural log-odds, from which two records are one.")
    ] = THRESHOLD,
) -> None:
    """Tell which records of a JSON Lines file are the same, of any kind: episodes, songs, papers.

    Each line is an object with "id" and "source" and any of guid, title, description, summary, published, duration,
    link, enclosure, season, episode, position, show, author, language; the position is the record's place in its
    source. The answers {"id", "cluster"} come in the same order; exit 1 where a line could not be used.
    """
    with streams(file, output) as (source, sink, errors):
        code = match.run(source, sink, errors, explain=explain, threshold=threshold)
    if code:
        raise typer.Exit(code)
