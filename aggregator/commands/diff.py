"""``aggregator diff``: refresh a copy of the store and print what would change of what is published.

What differs is what the next refresh would change, whatever the reason: new documents of the sources, an edit of the
config, a decision, another version of this program.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from aggregator import publish
from aggregator.commands import summary
from aggregator.commands.options import (
    CONFIG,
    AtOption,
    ConfigOption,
    FeedsOption,
    JsonOption,
    current_time,
    find_plans,
)
from aggregator.commands.output import format_value, shorten, to_json
from aggregator.commands.tables import open_console
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.generator.changes.feed_state import FeedState, FieldChange, ItemState, StateChanges
from aggregator.generator.changes.published import describe_feed, find_difference
from aggregator.generator.storage.output import Output
from aggregator.model.entry import Duration, Moment
from aggregator.model.results import Outcome
from aggregator.moving import Move, decide, open_draft
from aggregator.refresh import refresh
from aggregator.store import backup, connection, database, publications
from aggregator.store.database import Store
from aggregator.store.items import FeedItems
from aggregator.text.word_diff import Change, mark_words

_MAX_TITLE = 300
"""Characters of a title or an address."""

_WORDED = frozenset({"title", "text", "summary", "description", "markup", "author"})
"""Fields of which the words that differ are marked; of others both values are shown."""

_STYLES: dict[Change, str] = {"same": "", "removed": "red", "added": "green"}


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    feed: FeedsOption = None,
    at: AtOption = None,
    force: Annotated[bool, typer.Option("--force", help="Ask sources that are not due by the schedule, too.")] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with 1 if something would change, as git diff does.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a refresh would change of the published files; nothing is changed.

    The sources that are due are fetched, and a copy of the store is refreshed, with the config as it is now. The store
    and the output stay unchanged.
    """
    loaded = load(config)
    names = tuple(plan.name for plan in find_plans(loaded, feed or ()))
    differs = _show_differences(loaded, names, current_time(at), force=force, as_json=as_json)
    if exit_code and differs:
        raise typer.Exit(1)


def _show_differences(  # noqa: PLR0913 - options of several commands
    config: Config,
    feeds: Sequence[str],
    at: datetime,
    *,
    force: bool = False,
    as_json: bool = False,
    prepare: Callable[[Store], None] | None = None,
) -> bool:
    """Print what a refresh would change of these feeds, and return whether anything; see :func:`find_differences`."""
    outcomes, differences = find_differences(config, feeds, at=at, force=force, prepare=prepare)
    summary.print_warnings(outcomes)
    if as_json:
        typer.echo(to_json({name: _to_values(each) for name, each in differences.items()}))
    else:
        console = open_console()
        for name, each in differences.items():
            _print_difference(console, name, each)
    return any(differences.values())


def show_move(config: Path, move: Move, at: datetime, *, as_json: bool) -> None:
    """Print what a move of a source, or its removal, would change of the feeds."""
    with open_draft(config, move, f"draft-{secrets.token_hex(4)}") as draft:
        _show_differences(draft, move.feeds, at, as_json=as_json, prepare=lambda store: decide(store, move, at))


def find_differences(
    config: Config,
    feeds: Sequence[str],
    *,
    at: datetime,
    force: bool = False,
    prepare: Callable[[Store], None] | None = None,
) -> tuple[tuple[Outcome, ...], Mapping[str, StateChanges]]:
    """Refresh a copy of these feeds; return the outcomes, and what would differ of the files of each, by its name.

    Sources that are due are fetched. ``prepare`` is called with the copy of the store before that, to decide something
    as a person might. Raises the errors of a refresh.
    """
    standing = [name for name in feeds if config.output.exists(config.plan(name).channel.folder, ("feed.xml",))]
    with _copy_of_store(config) as copied:
        before = _read_published(copied.state, standing)
        if prepare is not None:
            with database.open_store(copied.state) as store:
                prepare(store)
        outcomes = refresh(copied, at=at, feeds=feeds, force=force, new=True)
        after = _read_published(copied.state, feeds)
    return outcomes, {
        name: find_difference(before.get(name, FeedState()), after.get(name, FeedState())) for name in feeds
    }


def _read_published(state: str, feeds: Iterable[str]) -> dict[str, FeedState]:
    """Return those of the feeds, by name, that were ever published, as they last were."""
    found: dict[str, FeedState] = {}
    with database.open_store(state) as store:
        for name in feeds:
            if (feed := publications.read_feed(store, name)) is not None:
                items = FeedItems(store, name).read()
                rendered = publish.keep_items(store, name).find("rss", [item.guid for item in items])
                found[name] = describe_feed(replace(feed, items=items), rendered)
    return found


@contextmanager
def _copy_of_store(config: Config) -> Iterator[Config]:
    """Yield the config with a copy of the store and an empty output, both deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="aggregator-dry-run-") as folder:
        state, output = Path(folder) / "store.db", Path(folder) / "output"
        if connection.has_content(config.state):
            backup.backup(config.state, state)
        yield replace(config, state=str(state), output=Output(output), backups=0, is_copy=True)


def _print_difference(console: Console, name: str, found: StateChanges) -> None:
    console.print(name if found else f"{name}: nothing would change")
    for word, style, items in (("added", "green", found.added), ("removed", "red", found.removed)):
        for item in items:
            _print_line(console, word, f"{_quote(item)}{_format_day(item)}", style)
    for item, other in found.merged:
        _print_line(console, "merged", f"{_quote(item)} into {_quote(other)}", "yellow")
    for item, other in found.parted:
        _print_line(console, "parted", f"{_quote(item)} from {_quote(other)}", "yellow")
    for change in found.changed:
        _print_line(console, "changed", _quote(change.item), "bold")
        _print_fields(console, change.fields)
    if found.channel:
        _print_line(console, "feed", "", "bold")
        _print_fields(console, found.channel)
    if found.sources:
        _print_line(console, "sources", "", "bold")
        _print_fields(console, found.sources, come_and_go=True)
    if found and not (found.added or found.removed or found.merged or found.parted or found.changed):
        console.print("  no item would change")


def _print_line(console: Console, word: str, text: str, style: str) -> None:
    console.print(Text.assemble("  ", (f"{word:8}" if text else word, style), text), soft_wrap=True)


def _print_fields(console: Console, fields: Iterable[FieldChange], *, come_and_go: bool = False) -> None:
    """Print fields that changed; ``come_and_go`` is whether they are things that are added and removed."""
    for each in fields:
        pieces = _describe(each)
        if come_and_go and each.before is None:
            pieces = iter([("added", _STYLES["added"]), f" ({each.after})"])
        elif come_and_go and each.after is None:
            pieces = iter([("removed", _STYLES["removed"]), f" ({each.before})"])
        console.print(Text.assemble(f"    {shorten(each.field)}: ", *pieces), soft_wrap=True)


def _describe(change: FieldChange) -> Iterator[str | tuple[str, str]]:
    before, after = change.before, change.after
    if before is None or after is None or change.field not in _WORDED:
        yield _format(change.field, before), _STYLES["removed"]
        yield " → "
        yield _format(change.field, after), _STYLES["added"]
        return
    for place, (kind, piece) in enumerate(mark_words(before, after)):
        yield " " if place else ""
        yield shorten(piece, 10 * _MAX_TITLE), _STYLES[kind]


def _format(field: str, value: str | None) -> str:
    if value is None:
        return "(none)"
    if field == "length":
        return format_value(Duration(int(value)))
    return format_value(Moment(datetime.fromisoformat(value))) if field == "date" else shorten(value, _MAX_TITLE)


def _quote(item: ItemState) -> str:
    return f"“{shorten(item.title, _MAX_TITLE)}”"


def _format_day(item: ItemState) -> str:
    day = item.values.get("date")
    return f", {day[:10]}" if day else ""


def _to_values(found: StateChanges) -> dict[str, object]:
    return {
        "added": [_item_values(item) for item in found.added],
        "removed": [_item_values(item) for item in found.removed],
        "merged": [{**_item_values(item), "into": other.guid} for item, other in found.merged],
        "parted": [{**_item_values(item), "from": other.guid} for item, other in found.parted],
        "changed": [
            {"guid": each.item.guid, "title": each.item.title, "fields": _field_values(each.fields)}
            for each in found.changed
        ],
        "channel": _field_values(found.channel),
        "sources": _field_values(found.sources),
    }


def _item_values(item: ItemState) -> dict[str, object]:
    return {"guid": item.guid, "title": item.title, "date": item.values.get("date"), "entries": item.entries}


def _field_values(fields: Iterable[FieldChange]) -> dict[str, object]:
    return {each.field: {"before": each.before, "after": each.after} for each in fields}
