"""``aggregator import-opml``: add the subscriptions of an OPML file to the config."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from aggregator import preview, subscriptions
from aggregator.commands.options import CONFIG, AllowOption, AtOption, ConfigOption, current_time
from aggregator.commands.output import format_count
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.fetchers import addresses, parser_process
from aggregator.fetchers.http.target import make_printable, redact
from aggregator.model.source import Source


def run(
    file: Annotated[
        str, typer.Argument(help="OPML file, as exported by a feed reader, or its URL.", metavar="FILE|URL")
    ],
    config: ConfigOption = CONFIG,
    *,
    allow: AllowOption = None,
    at: AtOption = None,
) -> None:
    """Add each subscription of an OPML list to the config as a feed of its own; none of them is fetched.

    A page of Apple Podcasts becomes a source of its show. URLs that the config already has are skipped; what is no feed
    is skipped and named with the reason. To merge several of them into one feed, move their sources under one feed in
    the config.
    """
    name, content = _fetch(file, config, allow or (), current_time(at)) if "://" in file else _read(Path(file))
    found = parser_process.read_subscriptions(name, content)
    made = subscriptions.add(config, found)
    skipped = f", {len(made.left_out)} skipped" if made.left_out else ""
    typer.echo(f"{config}: {format_count(len(made.additions), 'feed')} added{skipped}")
    for subscription, why in made.left_out:
        if why != subscriptions.ALREADY:
            url = subscription.xml_url
            place = f" ({redact(url)})" if url not in why and url != subscription.title else ""
            typer.echo(make_printable(f"skipped: {subscription.title}{place}: {why}"))


def _read(file: Path) -> tuple[str, bytes]:
    """Return the name and the content of a file; raise ConfigError."""
    try:
        return file.name, file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error


def _fetch(url: str, config: Path, allow: Sequence[str], now: datetime) -> tuple[str, bytes]:
    """Return the address and the content of a list on the web; raise FetchError."""
    source = Source("feed", "feed", url=addresses.normalize(url), allow_networks=tuple(allow))
    with preview.open_resources(load(config) if config.exists() else None, now) as resources:
        document = preview.fetch_first(source, resources, now)
    return redact(document.url), document.body
