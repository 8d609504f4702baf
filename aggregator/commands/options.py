"""The options that several commands share, each with one name, one help line and one way to read it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from aggregator.config.load import DEFAULT, Config
from aggregator.errors import ConfigError, NothingToPublishError
from aggregator.model.feed import Plan


def moment(text: str) -> datetime:
    """A time as RFC 3339 writes it, in UTC; refuses one without a zone.

    >>> moment("2024-08-04T03:47:46+02:00").isoformat()
    '2024-08-04T01:47:46+00:00'
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f'"{text}" is not a time such as 2024-08-04T01:47:46Z') from error
    if at.tzinfo is None:
        raise typer.BadParameter(f'"{text}" names no zone: write {text}Z for UTC')
    return at.astimezone(UTC)


ConfigOption = Annotated[Path, typer.Option("--config", "-c", help="The config.", metavar="FILE")]
FeedsOption = Annotated[
    list[str] | None, typer.Option("--feed", help="Only this feed; may be given again.", metavar="NAME")
]
FeedOption = Annotated[
    str | None, typer.Option("--feed", help="The feed, where the config has several.", metavar="NAME")
]
AtOption = Annotated[
    datetime | None,
    typer.Option(
        "--at", parser=moment, metavar="TIME", help="The clock of this run (RFC 3339), so that it can be replayed."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]

CONFIG = DEFAULT


def clock(at: datetime | None) -> datetime:
    """The time of this run: the given one, else now, in whole seconds."""
    return at or datetime.now(UTC).replace(microsecond=0)


def remembering(config: Config) -> Config:
    """Return the config if its store exists; raise NothingToPublishError if it does not, so that none is made."""
    if "://" not in config.state and not Path(config.state).exists():
        raise NothingToPublishError(f"{config.state}: nothing is remembered yet; aggregator refresh comes first")
    return config


def plan_of(config: Config, name: str | None) -> Plan:
    """The feed of that name; with no name the only feed of the config."""
    names = [plan.name for plan in config.plans]
    if name is None and len(names) == 1:
        return config.plans[0]
    if name in names:
        return config.plans[names.index(name)]
    if name is None:
        raise ConfigError(f"--feed: the config has several feeds, name one of: {', '.join(names)}")
    raise ConfigError(f'--feed: the config has no feed "{name}"; it has: {", ".join(names)}')
