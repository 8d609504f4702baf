"""A refresh while it works: bars where standard output is a terminal, else plain lines with ``--verbose``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from aggregator.commands import bars
from aggregator.commands.wording import line
from aggregator.outcome import Listener, Progress, quiet

LONGEST = 200
"""Characters of a message that a line shows."""


@contextmanager
def listener(*, hush: bool, verbose: bool) -> Iterator[Listener]:
    """What a refresh tells its progress to, as long as the body runs; nothing is shown where ``hush``."""
    if hush:
        yield quiet
    elif sys.stdout.isatty():
        with bars.shown() as tell:
            yield tell
    else:
        yield _told if verbose else quiet


def _told(progress: Progress) -> None:
    """A plain line for the step; without ``verbose`` there is none, for the summary tells what came of it."""
    parts = (progress.feed, progress.source, progress.stage, line(progress.message, LONGEST))
    typer.echo(": ".join(part for part in parts if part))
