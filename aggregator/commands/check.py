"""``aggregator check``: what is wrong with the config, said without asking anybody; with ``--live``, every source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from aggregator import unchanged_output
from aggregator.commands import try_source
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, clock
from aggregator.commands.tables import screen, table
from aggregator.commands.wording import count, line, value
from aggregator.config.keys import schema_text
from aggregator.config.load import Config, load
from aggregator.errors import ConfigError
from aggregator.merger import other_shows
from aggregator.model.feed import Plan
from aggregator.store import database
from aggregator.text.fold import fold

LONGEST = 600
"""Characters of a line that tells what to add to the config: it names shows and is worth nothing without its end."""


def run(
    config: ConfigOption = CONFIG,
    *,
    live: Annotated[bool, typer.Option("--live", help="Ask every source once, and remember nothing.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of the config instead.")] = False,
    at: AtOption = None,
) -> None:
    """Say what is wrong with the config, one line for each mistake; exit 2 if anything is.

    What the last refresh found that you should look at, such as a source that lists another show, is told on stderr.
    Nothing is fetched unless --live is given; exit 1 where a source then does not answer with entries of its feed.
    """
    if schema:
        typer.echo(schema_text(), nl=False)
        return
    loaded = load(config)
    missing = _missing(loaded)
    if missing:
        raise ConfigError("\n".join(missing))
    if not live:
        _tell(_known_alarms(loaded))
    if live and not _probe(loaded, clock(at)):
        raise typer.Exit(1)
    for warning in _ties(loaded):
        typer.echo(warning)
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


def _ties(config: Config) -> tuple[str, ...]:
    """One line for each feed whose most trusted sources are trusted alike, with the line to add."""
    found = []
    for plan in config.plans:
        most = max(source.trust for source in plan.sources)
        tied = [source.name for source in plan.sources if source.trust == most]
        if len(tied) > 1:
            found.append(
                f"{config.path.name}: feeds.{plan.name}: {' and '.join(tied)} are trusted alike ({most:g}); where they "
                f"differ, what was said first stands. Name the one that speaks for the show, such as primary: {tied[0]}"
            )
    return tuple(found)


def _tell(lines: Iterable[tuple[str, str]]) -> None:
    """Print what a person should look at, each with its feed."""
    for feed, text in lines:
        typer.echo(f"aggregator: {feed}: {line(text, LONGEST)}", err=True)


def _known_alarms(config: Config) -> tuple[tuple[str, str], ...]:
    """What the last refresh of each feed found that a person should look at; nothing without a store's file."""
    if "://" in config.state or not Path(config.state).is_file():
        return ()
    with database.open_store(config.state) as store:
        known = unchanged_output.alarms(store)
    return tuple((plan.name, alarm) for plan in config.plans for alarm in known.get(plan.name, ()))


def _other_shows(plan: Plan, answers: Sequence[try_source.Probe]) -> tuple[str, ...]:
    """One line for each source that lists another show, as far as names and equal titles tell."""
    listings = {answer.source.name: answer.listing for answer in answers if answer.listing is not None}
    often = Counter(
        title for listing in listings.values() for title in {fold(entry.title) for entry in listing.entries}
    )
    listed = other_shows.tally(
        (name, other_shows.Listed(entry.show, entry.genre, often[fold(entry.title)] > 1))
        for name, listing in listings.items()
        for entry in listing.entries
        if entry.show or listing.show.title
    )
    shows = {name: listing.show.title for name, listing in listings.items()}
    filtered = frozenset(source.name for source in plan.sources if source.only.show is not None)
    return other_shows.find_other_shows(plan.channel.title, listed, shows, filtered)


def _probe(config: Config, now: datetime) -> bool:
    """Whether every source answers; a row for each says what."""
    asked = [(plan.name, source) for plan in config.plans for source in plan.sources]
    with try_source.resources(config, now) as resources:
        answers = try_source.probe(tuple(source for _, source in asked), resources, now)
    rows = [
        (
            feed,
            source.name,
            source.kind,
            "heard" if answer.answered else "silent",
            str(answer.entries) if answer.answered else "",
            value(answer.newest),
            line(answer.message, 300),
        )
        for (feed, source), answer in zip(asked, answers, strict=True)
    ]
    table(screen(), ("feed", "source", "kind", "state", "entries", "newest", "message"), rows, right=("entries",))
    for plan in config.plans:
        own = [answer for (feed, _), answer in zip(asked, answers, strict=True) if feed == plan.name]
        _tell((plan.name, text) for text in _other_shows(plan, own))
    return all(answer.answered and answer.entries for answer in answers)
