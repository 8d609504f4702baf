"""Progress of a refresh: bars on a terminal, else plain lines with ``--verbose``."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

import typer

from aggregator.commands.output import shorten
from aggregator.errors import escape_lines
from aggregator.model.results import Listener, Progress, ignore_progress

_MAX_MESSAGE = 200
"""Characters shown of a message, more than most terminals are wide."""


@contextmanager
def show_progress(*, hush: bool, verbose: bool, beside: bool = False) -> Iterator[Listener]:
    """Give the listener of a refresh; it shows nothing if ``hush``. Tracebacks of bugs are printed if ``verbose``.

    Steps are printed on stderr, ``beside`` what stands on stdout.
    """
    with _showing_tracebacks() if verbose else nullcontext():
        if hush:
            yield ignore_progress
        elif beside:
            yield partial(_print_step, beside=True)
        elif sys.stdout.isatty():
            from aggregator.commands.bars import show_bars  # noqa: PLC0415 - takes time to import, and cron needs none

            with show_bars() as listen:
                yield listen
        else:
            yield _print_step if verbose else ignore_progress


@contextmanager
def _showing_tracebacks() -> Iterator[None]:
    """Print what the program logs while the body runs."""
    logger, handler = logging.getLogger("aggregator"), _Tracebacks()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Tracebacks(logging.Handler):
    """Prints what is logged on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        for line in escape_lines(record.getMessage()):
            typer.echo(line, err=True)


def _print_step(progress: Progress, *, beside: bool = False) -> None:
    parts = (progress.feed, progress.source, progress.stage, shorten(progress.message, _MAX_MESSAGE))
    typer.echo(": ".join(part for part in parts if part), err=beside)
