"""Options and arguments that several commands share, and the objects they stand for."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, TextIO

import typer

from aggregator.config.load import DEFAULT
from aggregator.config.settings import Config
from aggregator.config.suggestions import suggest
from aggregator.errors import ConfigError, NothingToPublishError, PublishError
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.translation.marks import N_

_EARLIEST_YEAR, _LATEST_YEAR = 1970, 9000
"""Years that ``--at`` may name: there must be room for the times that are computed from it."""

_NO_FEED = N_("there is no feed yet; run aggregator add URL")
_NO_STORE = N_("there is no store yet; run aggregator refresh first")


def _parse_time(text: str) -> datetime:
    """Parse an RFC 3339 time to UTC; raise BadParameter for one without a zone, or too early or late to count from.

    >>> _parse_time("2024-08-04T03:47:46+02:00").isoformat()
    '2024-08-04T01:47:46+00:00'
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f'"{text}" is not a time such as 2024-08-04T01:47:46Z') from error
    if at.tzinfo is None:
        raise typer.BadParameter(f'"{text}" has no time zone: write {text}Z for UTC')
    if not _EARLIEST_YEAR <= at.year <= _LATEST_YEAR:
        raise typer.BadParameter(f'"{text}" is not between the years {_EARLIEST_YEAR} and {_LATEST_YEAR}')
    return at.astimezone(UTC)


ConfigOption = Annotated[Path, typer.Option("--config", "-c", help="Config file.", metavar="FILE")]
FeedsOption = Annotated[
    list[str] | None, typer.Option("--feed", help="Only this feed; can be repeated.", metavar="NAME")
]
FeedOption = Annotated[
    str | None, typer.Option("--feed", help="The feed; needed if the config has several.", metavar="NAME")
]
AtOption = Annotated[
    datetime | None,
    typer.Option(
        "--at",
        parser=_parse_time,
        metavar="TIME",
        help="Use this time (RFC 3339) as the current time, to repeat a run.",
    ),
]


def _parse_network(text: str) -> str:
    """Parse a network in CIDR notation, or one address; raise BadParameter.

    >>> _parse_network("192.168.1.5"), _parse_network("10.0.0.0/8")
    ('192.168.1.5/32', '10.0.0.0/8')
    """
    try:
        return str(ipaddress.ip_network(text))
    except ValueError as error:
        raise typer.BadParameter(f'"{text}" is not a network such as 192.168.1.0/24 or an address') from error


AllowOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        parser=_parse_network,
        help="Private network that the URL may lead to, such as 192.168.1.0/24; kept for the source. Can be repeated.",
        metavar="NETWORK",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

CONFIG = DEFAULT


def current_time(at: datetime | None) -> datetime:
    """Return the given time, else the current one in whole seconds."""
    return at or datetime.now(UTC).replace(microsecond=0)


def require_store(config: Config) -> Config:
    """Return the config if its store exists; raise NothingToPublishError otherwise, so that no store is created.

    A store on a server is taken to exist.
    """
    if "://" not in config.state and not Path(config.state).exists():
        raise NothingToPublishError(f"{config.state}: {_NO_STORE}")
    return config


def find_plans(config: Config, names: Iterable[str]) -> tuple[Plan, ...]:
    """Return the feeds of these names, without names all; raise ConfigError if there is none."""
    plans = tuple(find_plan(config, name) for name in names) or config.plans
    return plans or (find_plan(config, None),)


def find_plan(config: Config, name: str | None) -> Plan:
    """Return the feed of that name; without a name the only feed of the config. Raises ConfigError."""
    names = [plan.name for plan in config.plans]
    if name is None and len(names) == 1:
        return config.plans[0]
    if not names:
        raise ConfigError(f"{config.path}: {_NO_FEED}")
    if name in names:
        return config.plans[names.index(name)]
    if name is None:
        raise ConfigError(f"the config has several feeds; choose one with --feed: {', '.join(names)}")
    raise ConfigError(N_(f'--feed: the config has no feed "{name}"; it has: {", ".join(names)}'))


def find_source(config: Config, feed: str | None, name: str) -> tuple[Plan, Source]:
    """Return the source of that name and its feed; raise ConfigError if there is none, or several feeds have one."""
    plans = [find_plan(config, feed)] if feed else list(config.plans)
    found = [(plan, each) for plan in plans for each in plan.sources if each.name == name]
    if len(found) > 1:
        there = ", ".join(plan.name for plan, _ in found)
        raise ConfigError(f"several feeds have a source {name}; name one: {there}")
    if not found:
        names = sorted({each.name for plan in plans for each in plan.sources})
        raise ConfigError(f'the config has no source "{name}"; {suggest(name, names)}')
    return found[0]


LinesArgument = Annotated[str, typer.Argument(help="JSON Lines file; - is standard input.", metavar="FILE")]
OutputOption = Annotated[
    str, typer.Option("--output", "-o", help="File to write; - is standard output.", metavar="FILE")
]


@contextmanager
def open_streams(source: str, output: str) -> Iterator[tuple[TextIO, TextIO, TextIO]]:
    """Give input, output and standard error.

    Raises ConfigError or PublishError if input or output cannot be used, or if both are one file. Bytes that are not
    UTF-8 become U+FFFD, so that one damaged line does not stop the others.
    """
    if "-" not in (source, output) and Path(output).is_file() and Path(output).resolve() == Path(source).resolve():
        raise ConfigError(f"{output}: this is the input file; write the answers to another file")
    try:
        with _open_input(source) as lines, _open_output(output) as answers:
            yield lines, answers, sys.stderr
    except OSError as error:
        raise PublishError(f"{source} to {output}: {error.strerror}") from error


def _open_input(source: str) -> TextIO:
    if source == "-":
        return open(0, encoding="utf-8-sig", errors="replace", closefd=False)
    try:
        return Path(source).open(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise ConfigError(f"{source}: cannot be read: {error.strerror}") from error


def _open_output(output: str) -> AbstractContextManager[TextIO]:
    if output == "-":
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        return nullcontext(sys.stdout)
    try:
        return Path(output).open("w", encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise PublishError(f"{output}: cannot be written: {error.strerror}") from error
