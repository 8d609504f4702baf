"""``aggregator check``: what is wrong with the config, said without asking anybody; with ``--live``, every source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption
from aggregator.commands.wording import count
from aggregator.config.keys import schema_text
from aggregator.config.load import Config, load
from aggregator.errors import ConfigError


def run(
    config: ConfigOption = CONFIG,
    *,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of the config instead.")] = False,
) -> None:
    """Say what is wrong with the config, one line for each mistake; exit 2 if anything is.

    Nothing is fetched.
    """
    if schema:
        typer.echo(schema_text(), nl=False)
        return
    loaded = load(config)
    missing = _missing(loaded)
    if missing:
        raise ConfigError("\n".join(missing))
    sources = sum(len(plan.sources) for plan in loaded.plans)
    typer.echo(f"{config}: {count(len(loaded.plans), 'feed')} from {count(sources, 'source')}, nothing wrong")


def _missing(config: Config) -> tuple[str, ...]:
    """The files that the config names and that are not there, by their keys."""
    named = (
        (f"feeds.{plan.name}.sources.{source.name}.{key}", Path(file))
        for plan in config.plans
        for source in plan.sources
        for key, file in (("path", source.path), ("snapshot", source.snapshot))
        if file is not None
    )
    return tuple(f"{config.path.name}: {key}: no such file: {file}" for key, file in named if not file.is_file())
