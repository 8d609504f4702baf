"""``aggregator backup``: copy the store to one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.config.load import load
from aggregator.store import backup


def run(
    file: Annotated[Path, typer.Argument(help="File to write; an existing one is replaced.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Copy the store to a file and verify the copy.

    A running refresh is not disturbed. The copy is an SQLite file, also if the store is PostgreSQL.
    """
    size = backup.backup(load(config).state, file)
    typer.echo(f"{file}: {size} bytes, verified")
