"""``aggregator import-opml``: add the subscriptions of an OPML file to the config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator import adding
from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.output import format_count
from aggregator.config import edit
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.generator import opml


def run(
    file: Annotated[Path, typer.Argument(help="OPML file, as exported by a feed reader.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Add each subscription of an OPML file to the config as a feed of its own; nothing is fetched.

    URLs that the config already has, and URLs that are not http or https, are skipped. To merge several of them into
    one feed, move their sources under one feed in the config.
    """
    try:
        outlines = opml.read(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    additions = adding.list_new(load(config, allow_empty=True) if config.exists() else None, outlines)
    if additions:
        edit.add(config, additions)
    skipped = len(outlines) - len(additions)
    typer.echo(f"{config}: {format_count(len(additions), 'feed')} added{f', {skipped} skipped' if skipped else ''}")
