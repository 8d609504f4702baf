"""Tables on standard output: with lines and colours on a terminal, plain columns elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDE = 160
"""Columns where nobody watches: wide enough that a row of a log or a pipe stays one line."""


def screen() -> Console:
    """Where the tables go. Nothing in them is taken as markup."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = WIDE
    return console


def table(console: Console, heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> None:
    """Print rows under heads; the columns named in ``right`` are numbers. Nothing where there is no row."""
    rows = tuple(rows)
    if not rows:
        return
    shown = Table(box=box.SIMPLE_HEAD if console.is_terminal else None, pad_edge=False, header_style="dim")
    for head in heads:
        shown.add_column(head, justify="right" if head in right else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    console.print(shown)


def heading(console: Console, text: str) -> None:
    """Print a heading with an empty line before it."""
    console.print()
    console.print(Text(text, style="bold"))
