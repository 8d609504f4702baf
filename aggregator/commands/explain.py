"""``aggregator explain``: who said what of an item, why its sightings are one, and what was repaired."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator import compose
from aggregator.commands import account
from aggregator.commands.find import find
from aggregator.commands.options import CONFIG, ConfigOption, FeedOption, JsonOption, clock, plan_of, remembering
from aggregator.commands.screen import screen
from aggregator.commands.wording import line, machine
from aggregator.config.load import Config, load
from aggregator.ledger import ledger, promises, recall
from aggregator.merger import admission
from aggregator.text.fold import fold

WHOLE = 1000
"""Characters of a line about held items that are shown."""


def run(
    item: Annotated[str, typer.Argument(help="A guid, a sighting's id, or some words of a title.", metavar="ITEM")],
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say who said what of an item, why its sightings are held to be one, and what was repaired; or why it is held.

    Nothing is fetched: the answer is what the ledger remembers.
    """
    loaded = remembering(load(config))
    plan = plan_of(loaded, feed or _promised_by(loaded, item))
    weighed = compose.published_feed(loaded, plan.name, at=clock(None))
    held = tuple(each for each in weighed.held if item in each.sightings or fold(item) == fold(each.title))
    if held:
        typer.echo(machine(list(held)) if as_json else "\n".join(line(each, WHOLE) for each in admission.tell(held)))
        return
    meant = find(weighed.items, item)
    with ledger.open(loaded.state) as book:
        remembered = {one.sighting.id: one for one in recall.sightings(book, plan.name)}
    seen = tuple(remembered[name] for name in meant.sightings if name in remembered)
    if as_json:
        typer.echo(machine(account.plain(meant, seen)))
    else:
        account.tell(screen(), meant, seen)


def _promised_by(config: Config, guid: str) -> str | None:
    """The feed of the config that has an item of this guid, ``None`` where none has or several have."""
    names = {plan.name for plan in config.plans}
    with ledger.open(config.state) as book:
        found = [feed for feed in promises.promised_by(book, guid) if feed in names]
    return found[0] if len(found) == 1 else None
