"""Lines in and out for the commands that are tools: files by name, ``-`` for the standard streams, always UTF-8."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple, TextIO

import typer

from aggregator.errors import ConfigError, PublishError

LinesArgument = Annotated[str, typer.Argument(help="JSON Lines; - is standard input.", metavar="FILE")]
OutputOption = Annotated[str, typer.Option("--output", "-o", help="Where the answers go.", metavar="FILE")]


class Streams(NamedTuple):
    """Where the lines come from, where the answers go, and where what is wrong is told."""

    source: TextIO
    sink: TextIO
    errors: TextIO


@contextmanager
def streams(source: str, output: str) -> Iterator[Streams]:
    """The streams open as long as the body runs; ConfigError or PublishError where one cannot be opened.

    A byte that is no UTF-8 becomes U+FFFD: one damaged line must not end the others. A file is not written over while
    it is read.
    """
    if "-" not in (source, output) and Path(output).is_file() and Path(output).resolve() == Path(source).resolve():
        raise ConfigError(f"{output}: the answers would overwrite what they answer")
    with ExitStack() as stack:
        yield Streams(stack.enter_context(_reading(source)), stack.enter_context(_writing(output)), sys.stderr)


def _reading(source: str) -> TextIO:
    """The lines of a file, or of standard input."""
    if source == "-":
        return open(0, encoding="utf-8-sig", errors="replace", closefd=False)
    try:
        return Path(source).open(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise ConfigError(f"{source}: cannot be read: {error.strerror}") from error


def _writing(output: str) -> TextIO:
    """A file to write to, or standard output."""
    if output == "-":
        return open(1, "w", encoding="utf-8", errors="backslashreplace", newline="\n", closefd=False)
    try:
        return Path(output).open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise PublishError(f"{output}: cannot be written: {error.strerror}") from error
