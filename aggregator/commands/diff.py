"""``aggregator diff``: refresh a copy of the store and print what would change."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from aggregator import compose, refresh
from aggregator.commands import summary
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, FeedsOption, JsonOption, current_time, find_plan
from aggregator.commands.output import shorten, to_json
from aggregator.config.load import Config, load
from aggregator.errors import escape_line
from aggregator.generator.changes import feed_state
from aggregator.generator.changes.changes import describe_change, find_changes
from aggregator.generator.changes.feed_state import FeedState
from aggregator.store import backup

# A sentence names at most three titles of 255 characters, and must not be cut.
_LONGEST = 1000


def run(
    config: ConfigOption = CONFIG,
    *,
    feed: FeedsOption = None,
    at: AtOption = None,
    force: Annotated[bool, typer.Option("--force", help="Ask sources that are not due by the schedule, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a refresh would change, compared with what is published; nothing is changed.

    The sources that are due are fetched, and a copy of the store is refreshed. The store and the output stay unchanged.
    """
    loaded = load(config)
    names = tuple(find_plan(loaded, name).name for name in feed or ()) or tuple(plan.name for plan in loaded.plans)
    now = current_time(at)
    before = (
        {name: feed_state.take_state(compose.published_feed(loaded, name, at=now)) for name in names}
        if _has_store(loaded)
        else {}
    )
    with tempfile.TemporaryDirectory(prefix="aggregator-diff-") as folder:
        rehearsal = _copy_config(loaded, Path(folder))
        outcomes = refresh.refresh(rehearsal, at=now, feeds=names, force=force)
        after = {name: feed_state.take_state(compose.published_feed(rehearsal, name, at=now)) for name in names}
    for warning in (one for outcome in outcomes for one in summary.list_warnings(outcome)):
        typer.echo(f"aggregator: {escape_line(warning)}", err=True)
    described = {name: _list_changes(before.get(name, FeedState()), after[name]) for name in names}
    if as_json:
        typer.echo(to_json(described))
        return
    for name, lines in described.items():
        head = name if lines else f"{name}: nothing would change"
        typer.echo("\n".join((head, *(f"  {each}" for each in lines))))


def _has_store(config: Config) -> bool:
    """Return whether there is a store to compare with."""
    return "://" in config.state or Path(config.state).exists()


def _copy_config(config: Config, folder: Path) -> Config:
    """Return the config with a copy of the store and of the output in a temporary folder."""
    state, output = folder / "store.db", folder / "output"
    if _has_store(config):
        backup.backup(config.state, state)
    if config.output.exists():
        shutil.copytree(config.output, output)
    return replace(config, state=str(state), output=output)


def _list_changes(before: FeedState, after: FeedState) -> tuple[str, ...]:
    """Describe each change as the changes page does; for a feed that was never published, only its items."""
    known = before if before.items or before.channel else replace(after, items={})
    return tuple(shorten(describe_change(change), _LONGEST) for change in find_changes(known, after))
