"""``aggregator events``: what happened to a feed that somebody may ask about later."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption, FeedOption, JsonOption, plan_of, remembering
from aggregator.commands.tables import screen, table
from aggregator.commands.wording import line, machine
from aggregator.config.load import load
from aggregator.store import database, decisions

NEWEST = 50
"""Events that are shown where nobody says how many."""

WHOLE = 1000
"""Characters of an event that are shown: it names some titles and ids, and is worth nothing without its end."""


def run(
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    newest: Annotated[int, typer.Option("--newest", min=1, help="So many, the newest last.", metavar="N")] = NEWEST,
    as_json: JsonOption = False,
) -> None:
    """Say what happened to a feed that you may want to look into: guids that clashed, dates to come, decisions.

    Nothing is fetched: the answer is what the store remembers.
    """
    loaded = remembering(load(config))
    plan = plan_of(loaded, feed)
    with database.open_store(loaded.state) as store:
        told = decisions.read_events(store, plan.name, newest=newest)
    if as_json:
        typer.echo(machine([{"feed": plan.name, "at": each.at, "kind": each.kind, "text": each.text} for each in told]))
    elif told:
        rows = [(f"{each.at:%Y-%m-%d %H:%M}Z", each.kind, line(each.text, WHOLE)) for each in told]
        table(screen(), ("when", "kind", "what"), rows)
    else:
        typer.echo(f"{plan.name}: nothing happened yet that anybody might ask about.")
