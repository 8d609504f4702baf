"""``aggregator import-opml``: add the subscriptions of an OPML file to the config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator import subscriptions
from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.output import format_count
from aggregator.errors import ConfigError
from aggregator.fetchers import parser_process


def run(
    file: Annotated[Path, typer.Argument(help="OPML file, as exported by a feed reader.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Add each subscription of an OPML file to the config as a feed of its own; nothing is fetched.

    URLs that the config already has, and URLs that are not http or https, are skipped. To merge several of them into
    one feed, move their sources under one feed in the config.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    found = parser_process.read_subscriptions(file.name, content)
    added = len(subscriptions.add(config, found))
    skipped = len(found) - added
    typer.echo(f"{config}: {format_count(added, 'feed')} added{f', {skipped} skipped' if skipped else ''}")
