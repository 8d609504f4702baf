"""``aggregator forget``: what one source alone gave leaves the feed, and comes back when that is undone."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from aggregator import compose
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, FeedOption, clock, plan_of, remembering
from aggregator.commands.wording import count, line
from aggregator.config.load import Config, load
from aggregator.config.nearest_word import hint
from aggregator.errors import ConfigError
from aggregator.generator.changes import feed_state
from aggregator.generator.changes.changes import changes, sentence
from aggregator.model.feed import Plan
from aggregator.store import database, decisions
from aggregator.store.entries import read_entries, read_sources

SHOWN = 20
"""Changes that are shown: a source may have given thousands of items."""

WHOLE = 1000


def run(  # noqa: PLR0913 - each is an option of the command line
    source: Annotated[str, typer.Argument(help="The source, as the config names it or named it.", metavar="SOURCE")],
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    at: AtOption = None,
    undo: Annotated[bool, typer.Option("--undo", help="Let its entries take part again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take out of the feed what one source alone gave, from the next refresh on.

    Its entries stay remembered and take no part. An item that only this source gave leaves the feed and keeps its guid;
    others lose what it said of them. --undo puts all of it back: the same guids, dates and texts.
    """
    loaded = remembering(load(config))
    plan = _plan(loaded, feed, source)
    now = clock(at)
    entries, known = _remembered(loaded, plan, source, undo=undo)
    _show(loaded, plan, known ^ {source}, now)
    told = "take part again" if undo else "take no part"
    if dry_run:
        typer.echo(f"{plan.name}: {source}: {count(entries, 'entry', 'entries')} would {told}; nothing was changed")
        return
    if not yes and not typer.confirm(f"{plan.name}: {source}: {count(entries, 'entry', 'entries')} will {told}?"):
        raise typer.Exit(1)
    with database.open_store(loaded.state) as store:
        (decisions.restore_source if undo else decisions.forget_source)(store, plan.name, source, now)
    typer.echo(f"{plan.name}: {source}: {count(entries, 'entry', 'entries')} {told}, from the next refresh")
    if not undo and any(each.name == source for each in plan.sources):
        typer.echo(f"The config still names {source}, so it is still asked: remove it there to end that.")


def _plan(config: Config, feed: str | None, source: str) -> Plan:
    """The feed meant: the named one, else the only one that has the source."""
    if feed is None and len(config.plans) > 1:
        with database.open_store(config.state) as store:
            having = [plan for plan in config.plans if source in read_sources(store, plan.name)]
        if len(having) == 1:
            return having[0]
    return plan_of(config, feed)


def _remembered(config: Config, plan: Plan, source: str, *, undo: bool) -> tuple[int, frozenset[str]]:
    """How many entries of the source are remembered, and the sources forgotten so far.

    ConfigError for a source that the feed never had, and where there is nothing to do.
    """
    with database.open_store(config.state) as store:
        sources = read_sources(store, plan.name)
        known = decisions.read_forgotten(store, plan.name)
        entries = sum(one.entry.source == source for one in read_entries(store, plan.name))
    if source not in sources:
        raise ConfigError(f'{plan.name}: no source "{source}" was ever read; {hint(source, sorted(sources))}')
    if undo is (source not in known):
        raise ConfigError(f"{plan.name}: {source} is {'not ' if undo else 'already '}forgotten")
    return entries, known


def _show(config: Config, plan: Plan, forgotten: frozenset[str], now: datetime) -> None:
    """Say what the feed would lose or gain, as the changes page would say it."""
    before = feed_state.see(compose.published_feed(config, plan.name, at=now))
    after = feed_state.see(compose.published_feed_without(config, plan.name, forgotten, at=now))
    told = [line(sentence(change), WHOLE) for change in changes(before, after)]
    typer.echo("\n".join((plan.name, *(f"  {each}" for each in told[:SHOWN] or ["nothing would change"]))))
    if len(told) > SHOWN:
        typer.echo(f"  and {count(len(told) - SHOWN, 'more change')}")
