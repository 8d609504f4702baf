"""``aggregator correct``: set fields of an item, part an entry from it, take it out of the feed; or undo that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from msgspec import Struct

from aggregator import corrections
from aggregator.commands import refresh
from aggregator.commands.find_item import find_item, find_plan_of
from aggregator.commands.options import (
    CONFIG,
    AtOption,
    ConfigOption,
    FeedOption,
    JsonOption,
    current_time,
    require_store,
)
from aggregator.commands.output import shorten, to_json
from aggregator.config.load import load
from aggregator.corrections import CorrectionContext
from aggregator.errors import ConfigError
from aggregator.model.item import Override, PublishedItem
from aggregator.store import database, decisions, guids


def run(  # noqa: PLR0913 - each is an option of the command line
    item: Annotated[str, typer.Argument(help="Guid, entry id, or some words of the title.", metavar="ITEM")],
    more: Annotated[list[str] | None, typer.Argument(help="As --set.", metavar="[FIELD=VALUE]...")] = None,
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
    is_now: Annotated[bool, typer.Option("--now", help="Refresh the feed at once, so that it is published.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Correct a published item, from the next refresh on, as the desk does.

    What is set here is used whatever the sources list; what the config sets (overrides:, buried:) is changed there.
    """
    loaded = require_store(load(config))
    plan = find_plan_of(loaded, feed, item)
    values = [_parse_field(each) for each in (*(given or ()), *(more or ()))]
    given_now = _Given(values, unset or (), part, join, remove, back)
    with database.open_store(loaded.state) as store, database.transaction(store) as tx:
        known = find_item([each for each in guids.read_guids(tx, plan.name) if each.alias_of is None], item)
        done = _correct(CorrectionContext(tx, plan, current_time(at)), known, given_now)
        fixed = {each.field: each.value for each in decisions.read_overrides(tx, plan.name) if each.guid == known.guid}
        removed = decisions.read_removed(tx, plan.name).get(known.guid)
    if as_json:
        item_values = {"feed": plan.name, "guid": known.guid, "title": known.title, "entries": known.entries}
        typer.echo(to_json({**item_values, "set": fixed, "taken_out": removed}))
    else:
        when = "now" if is_now else "from the next refresh on (--now refreshes at once)"
        typer.echo(f"{plan.name}: {shorten(known.title)}: {'; '.join(done) or 'unchanged'}, {when}")
    if is_now:
        refresh.run(config, feed=[plan.name], at=at, quiet=as_json)


class _Given(Struct, frozen=True):
    """The corrections that the command line asks for."""

    fields: Sequence[tuple[str, str]]
    unset: Sequence[str]
    part: str | None
    join: str | None
    remove: str | None
    back: bool


def _correct(context: CorrectionContext, known: PublishedItem, given: _Given) -> list[str]:
    names, done = (known.guid, *known.entries), []
    for field, value in given.fields:
        corrections.set_field(context, names, Override(known.guid, field, value))
        done.append(f"{field} is {shorten(value)}")
    for field in given.unset:
        corrections.unset_field(context, names, known.guid, field)
        done.append(f"{field} is what the sources say")
    if given.part:
        corrections.part_entry(context, names, given.part, [name for name in known.entries if name != given.part])
        done.append(f"{given.part} is an item of its own")
    if given.join:
        corrections.join_entry(context, names, given.join, [name for name in known.entries if name != given.join])
        done.append(f"{given.join} is part of it again")
    if given.remove:
        corrections.take_out(context, names, known.guid, given.remove)
        done.append(f"taken out: {shorten(given.remove)}")
    if given.back:
        corrections.take_back(context, names, known.guid)
        done.append("back in the feed")
    return done


def _parse_field(text: str) -> tuple[str, str]:
    field, equals, value = text.partition("=")
    if not equals or not value:
        raise ConfigError(f'"{text}" is not FIELD=VALUE; a title of several words needs quotes')
    return field.strip(), value
