"""``aggregator explain``: who said what of an item, why its entries are one, and what was repaired."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator import compose
from aggregator.commands import item_report
from aggregator.commands.find_item import find
from aggregator.commands.options import CONFIG, ConfigOption, FeedOption, JsonOption, clock, plan_of, remembering
from aggregator.commands.tables import screen
from aggregator.commands.wording import line, machine
from aggregator.config.load import Config, load
from aggregator.merger.identity import admission
from aggregator.store import database, entries, guids
from aggregator.text.fold import fold

WHOLE = 1000
"""Characters of a line about held items that are shown."""


def run(
    item: Annotated[str, typer.Argument(help="A guid, an entry's id, or some words of a title.", metavar="ITEM")],
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say who said what of an item, why its entries are held to be one, and what was repaired; or why it is held.

    Nothing is fetched: the answer is what the store remembers.
    """
    loaded = remembering(load(config))
    plan = plan_of(loaded, feed or _promised_by(loaded, item))
    weighed = compose.published_feed(loaded, plan.name, at=clock(None))
    held = tuple(each for each in weighed.held if item in each.entries or fold(item) == fold(each.title))
    if held:
        typer.echo(
            machine(list(held)) if as_json else "\n".join(line(each, WHOLE) for each in admission.describe_held(held))
        )
        return
    meant = find(weighed.items, item)
    with database.open_store(loaded.state) as store:
        remembered = {one.entry.id: one for one in entries.read_entries(store, plan.name)}
    seen = tuple(remembered[name] for name in meant.entries if name in remembered)
    if as_json:
        typer.echo(machine(item_report.plain(meant, seen)))
    else:
        item_report.tell(screen(), meant, seen)


def _promised_by(config: Config, guid: str) -> str | None:
    """The feed of the config that has an item of this guid, ``None`` where none has or several have."""
    names = {plan.name for plan in config.plans}
    with database.open_store(config.state) as store:
        found = [feed for feed in guids.find_feeds(store, guid) if feed in names]
    return found[0] if len(found) == 1 else None
