"""``aggregator forget``: remove from a feed what only one source gave, or restore it."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator.commands.options import (
    CONFIG,
    AtOption,
    ConfigOption,
    FeedOption,
    current_time,
    find_plan,
    require_store,
)
from aggregator.commands.output import format_count, shorten
from aggregator.compose import compose_published
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.config.suggestions import suggest
from aggregator.errors import ConfigError
from aggregator.generator.changes import feed_state
from aggregator.generator.changes.changes import describe_change, list_changes
from aggregator.model.feed import Plan
from aggregator.store import database, decisions
from aggregator.store.entries import read_entries, read_sources

_SHOWN = 20
"""Changes shown; a source may have given thousands of items."""

_MAX_LINE = 1000


def run(  # noqa: PLR0913 - each is an option of the command line
    source: Annotated[str, typer.Argument(help="Name of the source in the config, now or earlier.", metavar="SOURCE")],
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    at: AtOption = None,
    undo: Annotated[bool, typer.Option("--undo", help="Use its entries again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove from a feed, from the next refresh on, what only one source gave.

    The source's entries stay in the store but are not used. Items that only this source lists leave the feed; other
    items lose the values that came from it. --undo restores everything with the same guids, dates and texts.
    """
    loaded = require_store(load(config))
    plan = _find_feed(loaded, feed, source)
    now = current_time(at)
    entries, known = _count_entries(loaded, plan, source, undo=undo)
    forgotten = known ^ {source}
    before = feed_state.take_state(compose_published(loaded.state, plan, now))
    after = feed_state.take_state(compose_published(loaded.state, plan, now, forgotten=forgotten))
    described = [
        shorten(describe_change(change), _MAX_LINE) for change in list_changes(feed_state.find_changes(before, after))
    ]
    typer.echo("\n".join((plan.name, *(f"  {each}" for each in described[:_SHOWN] or ["nothing would change"]))))
    if len(described) > _SHOWN:
        typer.echo(f"  and {format_count(len(described) - _SHOWN, 'more change')}")
    subject = f"{plan.name}: {source}: {format_count(entries, 'entry', 'entries')}"
    outcome = "used again" if undo else "ignored"
    if dry_run:
        typer.echo(f"{subject} would be {outcome}; nothing was changed")
        return
    if not yes and not typer.confirm(f"{subject} will be {outcome}. Continue?"):
        raise typer.Exit(1)
    with database.open_store(loaded.state) as store:
        (decisions.restore_source if undo else decisions.forget_source)(store, plan.name, source, now)
    typer.echo(f"{subject} {outcome} from the next refresh on")
    if not undo and any(each.name == source for each in plan.sources):
        typer.echo(f"{source} is still in the config and is still fetched; remove it there to stop that.")


def _find_feed(config: Config, feed: str | None, source: str) -> Plan:
    """Return the feed of that name, else the only feed that has the source."""
    if feed is None and len(config.plans) > 1:
        with database.open_store(config.state) as store:
            having = [plan for plan in config.plans if source in read_sources(store, plan.name)]
        if len(having) == 1:
            return having[0]
    return find_plan(config, feed)


def _count_entries(config: Config, plan: Plan, source: str, *, undo: bool) -> tuple[int, frozenset[str]]:
    """Return the number of entries stored of the source, and the sources forgotten so far.

    Raises ConfigError if the feed never had the source, or if there is nothing to do.
    """
    with database.open_store(config.state) as store:
        sources = read_sources(store, plan.name)
        known = decisions.read_forgotten(store, plan.name)
        entries = sum(one.entry.source == source for one in read_entries(store, plan.name))
    if source not in sources:
        raise ConfigError(
            f'{plan.name}: no entries of a source "{source}" are stored; {suggest(source, sorted(sources))}'
        )
    if undo is (source not in known):
        raise ConfigError(f"{plan.name}: {source} is {'not ' if undo else 'already '}forgotten")
    return entries, known
