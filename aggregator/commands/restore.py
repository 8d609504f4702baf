"""``aggregator restore``: replace the store by a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.config.load import load
from aggregator.store import backup


def run(
    file: Annotated[Path, typer.Argument(help="File written by `aggregator backup`.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Replace the store by a backup; the old store is kept beside it.

    Exits with 1 if the backup is damaged or written by a newer version, and with 4 while a refresh is running; the
    store is then unchanged.
    """
    replaced = backup.restore(load(config).state, file)
    typer.echo(f"restored from {file}" + (f"; the store of before is now {replaced}" if replaced else ""))
