"""``aggregator correct``: set fields of an item, part an entry from it, take it out of the feed; or undo that."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator import corrections
from aggregator.commands.find_item import find_item
from aggregator.commands.options import (
    CONFIG,
    AtOption,
    ConfigOption,
    FeedOption,
    JsonOption,
    current_time,
    find_plan,
    require_store,
)
from aggregator.commands.output import shorten, to_json
from aggregator.config.load import load
from aggregator.corrections import Terms
from aggregator.errors import ConfigError
from aggregator.model.item import Override
from aggregator.store import database, decisions, guids


def run(  # noqa: PLR0913 - each is an option of the command line
    item: Annotated[str, typer.Argument(help="Guid, entry id, or some words of the title.", metavar="ITEM")],
    config: ConfigOption = CONFIG,
    *,
    feed: FeedOption = None,
    at: AtOption = None,
    given: Annotated[
        list[str] | None, typer.Option("--set", help="Set a field; can be repeated.", metavar="FIELD=VALUE")
    ] = None,
    unset: Annotated[
        list[str] | None, typer.Option("--unset", help="Let the sources say a field again.", metavar="FIELD")
    ] = None,
    part: Annotated[str | None, typer.Option("--part", help="Part this entry from the item.", metavar="ENTRY")] = None,
    join: Annotated[
        str | None, typer.Option("--join", help="Take back that this entry was parted.", metavar="ENTRY")
    ] = None,
    remove: Annotated[
        str | None, typer.Option("--take-out", help="Take the item out of the feed.", metavar="REASON")
    ] = None,
    back: Annotated[bool, typer.Option("--take-back", help="Take the item back into the feed.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Correct a published item, from the next refresh on, as the desk does.

    What is set here is used whatever the sources list; what the config sets (overrides:, buried:) is changed there.
    """
    loaded = require_store(load(config))
    plan = find_plan(loaded, feed)
    fields = [_parse_field(each) for each in given or ()]
    with database.open_store(loaded.state) as store, database.transaction(store) as tx:
        known = find_item([each for each in guids.read_guids(tx, plan.name) if each.alias_of is None], item)
        terms, names = Terms(tx, plan, current_time(at)), (known.guid, *known.entries)
        for field, value in fields:
            corrections.set_field(terms, names, Override(known.guid, field, value))
        for field in unset or ():
            corrections.unset_field(terms, names, known.guid, field)
        if part:
            corrections.part_entry(terms, names, part, [name for name in known.entries if name != part])
        if join:
            corrections.join_entry(terms, names, join, [name for name in known.entries if name != join])
        if remove:
            corrections.take_out(terms, names, known.guid, remove)
        if back:
            corrections.take_back(terms, names, known.guid)
        fixed = {each.field: each.value for each in decisions.read_overrides(tx, plan.name) if each.guid == known.guid}
        removed = decisions.read_removed(tx, plan.name).get(known.guid)
    if as_json:
        item_values = {"feed": plan.name, "guid": known.guid, "title": known.title, "entries": known.entries}
        typer.echo(to_json({**item_values, "set": fixed, "taken_out": removed}))
    else:
        typer.echo(f"{plan.name}: {shorten(known.title)}: corrected from the next refresh on")


def _parse_field(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not equals or not value:
        raise ConfigError(f'--set: "{text}" is not FIELD=VALUE')
    return field.strip(), value
