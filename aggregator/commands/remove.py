"""``aggregator remove``: remove a source, or a feed, from the config."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from aggregator import moving
from aggregator.commands.diff import show_move
from aggregator.commands.options import (
    CONFIG,
    AtOption,
    ConfigOption,
    FeedOption,
    JsonOption,
    current_time,
    find_plan,
    find_source,
)
from aggregator.config import change, edit
from aggregator.config.load import load
from aggregator.errors import ConfigError
from aggregator.fetchers.http.target import redact
from aggregator.model.feed import Plan
from aggregator.model.source import Source


def run(  # noqa: PLR0913 - each is an option of the command line
    source: Annotated[
        str | None, typer.Argument(help="Name of the source; without one the feed is removed.", metavar="[SOURCE]")
    ] = None,
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    forget: Annotated[bool, typer.Option("--forget", help="Remove the items that only it gave, too.")] = False,
    at: AtOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    as_json: JsonOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Neither show what would change nor ask.")] = False,
) -> None:
    """Remove a source from the config, or with --feed alone a feed, and say how to have it back.

    What would change is shown before. What a source gave stays in its feed; --forget takes that out, too. The files of
    a feed are removed by the next refreshes; the store keeps its ids.
    """
    loaded, now = load(config), current_time(at)
    if source is not None:
        plan, found = find_source(loaded, feed, source)
        move = moving.make_move(loaded, plan, source, forgets=forget)
        if dry_run or not yes:
            show_move(config, move, now, as_json=as_json)
        if not dry_run:
            _confirm(f"{config}: remove feeds.{plan.name}.sources.{source}?", yes=yes)
            moving.carry_out(loaded, move, now)
            typer.echo(f"{config}: feeds.{plan.name}.sources.{source} removed; {_describe_rest(plan, found, move)}")
        return
    if feed is None:
        raise ConfigError("name a source, or a feed by --feed NAME; aggregator list shows them")
    name = find_plan(loaded, feed).name
    after = "the next refresh says what becomes of its files; the store keeps its ids, for a feed of the same name"
    if dry_run:
        typer.echo(f"{config}: feeds.{name} would be removed; {after}")
        return
    _confirm(f"{config}: remove feeds.{name}?", yes=yes)
    edit.rewrite(config, lambda before: change.remove(before, name))
    typer.echo(f"{config}: feeds.{name} removed; {after}")


def _confirm(question: str, *, yes: bool) -> None:
    if not yes and not typer.confirm(question):
        raise typer.Exit(1)


def _describe_rest(plan: Plan, source: Source, move: moving.Move) -> str:
    """Return what becomes of the items of a removed source, and the command that adds it again.

    The command is without what may be a secret of the address.
    """
    place = source.url or source.path or f"https://podcasts.apple.com/podcast/id{source.show}"
    shown = shlex.quote(place) if not source.url or redact(place) == place else "URL"
    back = f"aggregator add {shown} --feed {plan.name}"
    if move.forgets:
        again = f"aggregator forget {source.name} --feed {plan.name} --undo"
        return f"items of it alone leave with the next refresh; to have them back: {again}; and the source: {back}"
    return (
        f"its items stay; to take out what only it gave: aggregator forget {source.name} --feed {plan.name}; "
        f"to have it back: {back}"
    )
