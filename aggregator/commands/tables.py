"""Print tables and headings; imported by the commands that print some, because rich takes time to import."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 160
"""Columns if the output is no terminal, wide enough to keep a row of a log on one line."""


def open_console() -> Console:
    """Return a console on standard output that takes nothing as markup."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDE
    return console


def print_table(
    console: Console, heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()
) -> None:
    """Print rows under heads; columns named in ``right`` are aligned right. Prints nothing if there are no rows."""
    rows = tuple(rows)
    if not rows:
        return
    shown = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="dim")
    for head in heads:
        shown.add_column(head, justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    console.print(shown)


def print_heading(console: Console, text: str) -> None:
    """Print a heading with an empty line before it."""
    console.print()
    console.print(Text(text, style="bold"))
