"""``aggregator init``: make a config from addresses, and refresh for the first time."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from aggregator.commands import add, refresh
from aggregator.commands.options import CONFIG, AllowOption, AtOption, ConfigOption
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.model.entry import Entry


def run(
    urls: Annotated[
        list[str] | None,
        typer.Argument(help="URLs of feeds, of shows' pages in directories, or of blogs.", metavar="[URL]..."),
    ] = None,
    config: ConfigOption = CONFIG,
    *,
    allow: AllowOption = None,
    at: AtOption = None,
) -> None:
    """Make a config from one or more addresses, refresh for the first time, and say what to do next.

    Without addresses they are asked for, if the command runs on a terminal. Each is added as by the command add.
    """
    if config.exists() and load(config).plans:
        raise ConfigError(f"{config}: is in use already; run aggregator add URL to add a source")
    listed: dict[str, list[Entry]] = {}
    for url in urls or _ask():
        add.add(url, config, allow=allow or (), at=at, listed=listed)
    refresh.run(config, at=at)
    output = load(config).output
    typer.echo(f"next: run aggregator serve, or open {output}/index.html; add more sources with aggregator add URL")


def _ask() -> list[str]:
    """Ask for addresses until none is given; raise ConfigError where nobody can answer, or nothing was given."""
    urls: list[str] = []
    while sys.stdin.isatty():
        url = typer.prompt("Address of a feed or show (empty to go on)", default="", show_default=False).strip()
        if not url:
            break
        urls.append(url)
    if not urls:
        raise ConfigError("no address was given: run aggregator init URL")
    return urls
