"""``aggregator remove``: remove a source, or a feed, from the config."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption, FeedOption, find_plan
from aggregator.config import edit
from aggregator.config.load import Config, load
from aggregator.config.messages import suggest
from aggregator.errors import ConfigError
from aggregator.fetchers.http.target import redact
from aggregator.model.feed import Plan
from aggregator.model.source import Source


def run(
    source: Annotated[
        str | None, typer.Argument(help="Name of the source; without one the feed is removed.", metavar="[SOURCE]")
    ] = None,
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove a source from the config, or with --feed alone a feed, and say how to have it back.

    What a source gave stays in its feed (aggregator forget takes that out, too). The files of a feed are removed by the
    next refreshes; the store keeps its ids.
    """
    loaded = load(config)
    if source is None and feed is None:
        raise ConfigError("name a source, or a feed by --feed NAME; aggregator list shows them")
    if source is None:
        plan = find_plan(loaded, feed)
        place = f"feeds.{plan.name}"
        after = "the next refresh says what becomes of its files; the store keeps its ids, for a feed of the same name"
    else:
        plan, found = _find_source(loaded, feed, source)
        place = f"feeds.{plan.name}.sources.{source}"
        after = (
            f"its items stay; to take out what only it gave: aggregator forget {source} --feed {plan.name}; "
            f"to have it back: {_describe_return(plan, found)}"
        )
    if not yes and not typer.confirm(f"{config}: remove {place}?"):
        raise typer.Exit(1)
    edit.remove(config, plan.name, source)
    typer.echo(f"{config}: {place} removed; {after}")


def _find_source(config: Config, feed: str | None, name: str) -> tuple[Plan, Source]:
    """Return the source of that name and its feed; raise ConfigError if there is none, or several feeds have one."""
    plans = [find_plan(config, feed)] if feed else list(config.plans)
    found = [(plan, each) for plan in plans for each in plan.sources if each.name == name]
    if len(found) > 1:
        raise ConfigError(f"several feeds have a source {name}; name one: --feed {found[0][0].name}")
    if not found:
        names = sorted({each.name for plan in plans for each in plan.sources})
        raise ConfigError(f'the config has no source "{name}"; {suggest(name, names)}')
    return found[0]


def _describe_return(plan: Plan, source: Source) -> str:
    """Return the command that adds a source again, without what may be a secret of its address."""
    place = source.url or source.path or f"https://podcasts.apple.com/podcast/id{source.show}"
    shown = shlex.quote(place) if not source.url or redact(place) == place else "URL"
    return f"aggregator add {shown} --feed {plan.name}"
