"""``aggregator diff``: a refresh rehearsed on a copy of the store, and what it would change, in words."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from aggregator import compose, refresh
from aggregator.commands import summary
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, FeedsOption, JsonOption, clock, plan_of
from aggregator.commands.wording import line, machine
from aggregator.config.load import Config, load
from aggregator.errors import one_line
from aggregator.generator.changes import feed_state
from aggregator.generator.changes.changes import changes, sentence
from aggregator.generator.changes.feed_state import State
from aggregator.store import backup

# A sentence names at most three titles of 255 characters, and is worth nothing without its end.
WHOLE = 1000


def run(
    config: ConfigOption = CONFIG,
    *,
    feed: FeedsOption = None,
    at: AtOption = None,
    force: Annotated[bool, typer.Option("--force", help="Ask sources that are not due by the schedule, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what a refresh would change, and change nothing.

    The sources that are due are asked, and their answers forgotten; the store and the output stay as they are.
    """
    loaded = load(config)
    names = tuple(plan_of(loaded, name).name for name in feed or ()) or tuple(plan.name for plan in loaded.plans)
    now = clock(at)
    before = (
        {name: feed_state.see(compose.published_feed(loaded, name, at=now)) for name in names}
        if _remembers(loaded)
        else {}
    )
    with tempfile.TemporaryDirectory(prefix="aggregator-diff-") as folder:
        rehearsal = _copied(loaded, Path(folder))
        outcomes = refresh.refresh(rehearsal, at=now, feeds=names, force=force)
        after = {name: feed_state.see(compose.published_feed(rehearsal, name, at=now)) for name in names}
    for warning in (one for outcome in outcomes for one in summary.worries(outcome)):
        typer.echo(f"aggregator: {one_line(warning)}", err=True)
    told = {name: _told(before.get(name, State()), after[name]) for name in names}
    if as_json:
        typer.echo(machine(told))
        return
    for name, lines in told.items():
        head = name if lines else f"{name}: nothing would change"
        typer.echo("\n".join((head, *(f"  {each}" for each in lines))))


def _remembers(config: Config) -> bool:
    """Whether there is a store to compare with."""
    return "://" in config.state or Path(config.state).exists()


def _copied(config: Config, folder: Path) -> Config:
    """The config with a copy of its store and an output folder of no importance."""
    state, output = folder / "store.db", folder / "output"
    if _remembers(config):
        backup.backup(config.state, state)
    if config.output.exists():
        shutil.copytree(config.output, output)
    return replace(config, state=str(state), output=output)


def _told(before: State, after: State) -> tuple[str, ...]:
    """Each change as the changes page would say it; of a feed that was never published only what it would list."""
    known = before if before.items or before.channel else replace(after, items={})
    return tuple(line(sentence(change), WHOLE) for change in changes(known, after))
