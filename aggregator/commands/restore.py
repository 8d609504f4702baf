"""``aggregator restore``: a backup in the place of the store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.config.load import load
from aggregator.store import backup


def run(
    file: Annotated[Path, typer.Argument(help="What `aggregator backup` wrote.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Put the backup in the place of the store, and keep the old store beside it.

    Exit 1 where the backup is damaged or newer than this program, 4 while a refresh runs; nothing is then changed.
    """
    loaded = load(config)
    done = backup.restore(loaded.state, file)
    typer.echo(f"restored from {done.path}" + (f"; what was there is {done.replaced}" if done.replaced else ""))
