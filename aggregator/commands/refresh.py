"""``aggregator refresh``: one run, for a person or for cron."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType
from typing import Annotated

import typer

from aggregator import refresh
from aggregator.commands import progress, summary
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, FeedsOption, JsonOption, clock, plan_of
from aggregator.commands.wording import machine
from aggregator.config.load import load
from aggregator.errors import one_line

SCREEN = 1
"""Standard output, by its number."""

SHOW_CURSOR = b"\x1b[?25h\n"
"""Undoes what the bars hide (ECMA-48, as every terminal since the VT220 knows it)."""


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    feed: FeedsOption = None,
    at: AtOption = None,
    force: Annotated[bool, typer.Option("--force", help="Ask sources that are not due by the schedule, too.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 where a source was silent.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for another refresh to end, not exit 4.")] = False,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only what is wrong.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say every step and remark.")] = False,
) -> None:
    """Ask the sources that are due, and publish what they say, once.

    A source that is silent is told on stderr and answers from memory; the others are published all the same.
    Exit 0 when done, 1 where a feed could not be published (the others are), 2 where the config is wrong, 3 where
    nothing was fetched and nothing is remembered, 4 where another refresh is running.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _abandon)
    loaded = load(config)
    names = tuple(plan_of(loaded, name).name for name in feed or ())
    with progress.listener(hush=quiet or as_json, verbose=verbose) as listen:
        outcomes = refresh.refresh(loaded, at=clock(at), feeds=names, force=force, wait=wait, listen=listen)
    for line in (line for outcome in outcomes for line in summary.worries(outcome)):
        typer.echo(f"aggregator: {one_line(line)}", err=True)
    if as_json:
        typer.echo(machine([summary.plain(outcome) for outcome in outcomes]))
    elif not quiet:
        typer.echo("\n".join(line for outcome in outcomes for line in summary.lines(outcome, verbose=verbose)))
    if any(outcome.failures for outcome in outcomes):
        raise typer.Exit(1)
    if strict and any(
        summary.worrying(source_result) for outcome in outcomes for source_result in outcome.source_results
    ):
        raise typer.Exit(1)


def _abandon(number: int, _frame: FrameType | None) -> None:
    """End at once, as the signal would: what was acknowledged is safe at any instant, and nothing else is wanted.

    Waiting for answers under way could take as long as the slowest origin may. The cursor is shown without
    ``sys.stdout``: whoever draws the bars may hold its lock, and for ever where nobody reads the terminal.
    """
    if os.isatty(SCREEN) and select.select([], [SCREEN], [], 0)[1]:
        os.write(SCREEN, SHOW_CURSOR)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
