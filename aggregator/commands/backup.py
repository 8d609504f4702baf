"""``aggregator backup``: the store in one file, also while something runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.config.load import load
from aggregator.store import backup


def run(
    file: Annotated[Path, typer.Argument(help="Where to write the copy; an older one is replaced.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Copy the store as it is at this moment, and read the copy back.

    A refresh that runs meanwhile goes on. The copy is an SQLite file, also of a PostgreSQL store.
    """
    done = backup.backup(load(config).state, file)
    typer.echo(f"{done.path}: {done.size} bytes, read back and sound")
