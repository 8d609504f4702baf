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
from aggregator.fetchers.http.target import make_printable, redact


def run(
    file: Annotated[Path, typer.Argument(help="OPML file, as exported by a feed reader.", metavar="FILE")],
    config: ConfigOption = CONFIG,
) -> None:
    """Add each subscription of an OPML file to the config as a feed of its own; nothing is fetched.

    A page of Apple Podcasts becomes a source of its show. URLs that the config already has are skipped; what is no feed
    is skipped and named with the reason. To merge several of them into one feed, move their sources under one feed in
    the config.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    found = parser_process.read_subscriptions(file.name, content)
    made = subscriptions.add(config, found)
    skipped = f", {len(made.left_out)} skipped" if made.left_out else ""
    typer.echo(f"{config}: {format_count(len(made.additions), 'feed')} added{skipped}")
    for subscription, why in made.left_out:
        if why != subscriptions.ALREADY:
            url = subscription.xml_url
            place = f" ({redact(url)})" if url not in why and url != subscription.title else ""
            typer.echo(make_printable(f"skipped: {subscription.title}{place}: {why}"))
