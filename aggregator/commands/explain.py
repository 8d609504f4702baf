"""``aggregator explain``: show where each field of an item comes from and why its entries were merged."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator.commands import item_report
from aggregator.commands.find_item import find_item, find_plan_of
from aggregator.commands.options import (
    CONFIG,
    ConfigOption,
    FeedOption,
    JsonOption,
    current_time,
    find_plan,
    require_store,
)
from aggregator.commands.output import format_count, shorten, to_json
from aggregator.commands.tables import open_console
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import ConfigError, NothingToPublishError
from aggregator.merger.identity import admission
from aggregator.merger.model import learning, wording
from aggregator.model.feed import Plan
from aggregator.model.item import HeldItem, LeftOut
from aggregator.store import database, entries, facts, publications
from aggregator.store.items import FeedItems
from aggregator.text.fold import fold

_MAX_LINE = 1000
"""Characters of a line about held items."""


def run(  # noqa: PLR0913 - each is an option of the command line
    item: Annotated[
        str | None,
        typer.Argument(help="Guid, entry id, or some words of the title; with --model a feed.", metavar="ITEM"),
    ] = None,
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    model: Annotated[
        bool, typer.Option("--model", help="Show what was learned of the listings of a feed, in place of an item.")
    ] = False,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Show every piece of evidence of each pair of entries, with its weight.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show which source each field of an item comes from, why its entries were merged, and what was repaired.

    For a new item that is not published yet, it shows why. All is as the last refresh published it.
    """
    loaded = require_store(load(config))
    if model:
        _print_model(loaded, find_plan(loaded, feed or item), as_json=as_json)
        return
    if item is None:
        raise ConfigError("name an item by its guid or some words of its title; or add --model to see what was learned")
    plan = find_plan_of(loaded, feed, item)
    with database.open_store(loaded.state) as store:
        published, items = publications.read_feed(store, plan.name), FeedItems(store, plan.name)
        listed = items.read()
        holds = admission.update_holds(published.held if published else (), current_time(None))
        held = tuple(each for each in holds if _is_meant(item, each))
        left_out = tuple(each for each in (published.left_out if published else ()) if _is_meant(item, each))
        if held or (left_out and not any(item in (each.guid, each.title) for each in listed)):
            lines = (*admission.describe_held(held), *map(_describe_left_out, left_out))
            typer.echo(
                to_json([*held, *left_out]) if as_json else "\n".join(shorten(each, _MAX_LINE) for each in lines)
            )
            return
        meant = find_item(listed, item)
        meant = items.find(meant.guid) or meant  # with its evidence
        seen = entries.read_entries_of(store, plan.name, meant.entries)
    if as_json:
        typer.echo(to_json(item_report.item_values(meant, seen)))
    else:
        item_report.print_item(open_console(), meant, seen, evidence=evidence)


def _print_model(config: Config, plan: Plan, *, as_json: bool) -> None:
    """Print what was learned of the listings of a feed, a line for each; raise NothingToPublishError if nothing was."""
    with database.open_store(config.state) as store:
        model = facts.MODEL.read(store, plan.name)
    if model is None:
        raise NothingToPublishError(f"{plan.name}: nothing was learned yet; run aggregator refresh first")
    if as_json:
        typer.echo(to_json(learning.model_values(model)))
        return
    entries_learned = sum(each.entries for each in model.listings)
    typer.echo(
        f"{plan.name}: learned {model.at:%Y-%m-%d %H:%M} UTC from {format_count(entries_learned, 'entry', 'entries')}"
    )
    for source, clauses in wording.describe_listings(model).items():
        typer.echo(shorten(f"{source}: {'; '.join(clauses)}", _MAX_LINE))
    for remark in learning.boilerplate_remarks(model, plan):
        typer.echo(shorten(remark, _MAX_LINE))


def _is_meant(wanted: str, found: HeldItem | LeftOut) -> bool:
    return wanted in found.entries or fold(wanted) == fold(found.title)


def _describe_left_out(found: LeftOut) -> str:
    by = f"source {found.source}" if found.source else "the feed"
    return f"“{found.title}” ({', '.join(found.entries)}): left out by {found.why} of {by}"
