"""``aggregator events``: show the log of a feed."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption, FeedOption, JsonOption, find_plan, require_store
from aggregator.commands.output import shorten, to_json
from aggregator.commands.tables import open_console, print_table
from aggregator.config.load import load
from aggregator.store import database, decisions

_NEWEST = 50
"""Events shown by default."""

_MAX_EVENTS = 1_000_000
"""Events shown at most."""

_MAX_TEXT = 1000
"""Characters of an event; its titles and ids must not be cut."""


def run(
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    newest: Annotated[
        int,
        typer.Option(
            "--newest", min=1, max=_MAX_EVENTS, help="Number of events to show, the newest last.", metavar="N"
        ),
    ] = _NEWEST,
    as_json: JsonOption = False,
) -> None:
    """Show the log of a feed: id conflicts, dates in the future, decisions of people.

    Nothing is fetched; the events are read from the store.
    """
    loaded = require_store(load(config))
    plan = find_plan(loaded, feed)
    with database.open_store(loaded.state) as store:
        found = decisions.read_events(store, plan.name, newest=newest)
    if as_json:
        typer.echo(
            to_json([{"feed": plan.name, "at": each.at, "kind": each.kind, "text": each.text} for each in found])
        )
    elif found:
        rows = [(f"{each.at:%Y-%m-%d %H:%M}Z", each.kind, shorten(each.text, _MAX_TEXT)) for each in found]
        print_table(open_console(), ("when", "kind", "what"), rows)
    else:
        typer.echo(f"{plan.name}: no events yet.")
