"""``aggregator diff``: a refresh rehearsed on a copy of the ledger, and what it would change, in words."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from aggregator import pipeline
from aggregator.commands import summary
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, FeedsOption, JsonOption, clock, plan_of
from aggregator.commands.wording import line, machine, value
from aggregator.config.load import Config, load
from aggregator.ledger import backup
from aggregator.model.feed import Feed
from aggregator.model.item import Item

FIELDS = (
    "title",
    "published",
    "duration",
    "enclosure",
    "link",
    "description",
    "summary",
    "season",
    "episode",
    "episode_type",
    "explicit",
    "image",
    "author",
)
"""The fields that a subscriber sees, the most telling first."""


def run(
    config: ConfigOption = CONFIG,
    *,
    feed: FeedsOption = None,
    at: AtOption = None,
    force: Annotated[bool, typer.Option("--force", help="Ask sources that are not due by the schedule, too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Say what a refresh would change, and change nothing.

    The sources that are due are asked, and their answers forgotten; the ledger and the output stay as they are.
    """
    loaded = load(config)
    names = tuple(plan_of(loaded, name).name for name in feed or ()) or tuple(plan.name for plan in loaded.plans)
    now = clock(at)
    before = {name: _items(pipeline.weigh(loaded, name, at=now)) for name in names} if _remembers(loaded) else {}
    with tempfile.TemporaryDirectory(prefix="aggregator-diff-") as folder:
        rehearsal = _copied(loaded, Path(folder))
        outcomes = pipeline.refresh(rehearsal, at=now, feeds=names, force=force)
        after = {name: _items(pipeline.weigh(rehearsal, name, at=now)) for name in names}
    for warning in (one for outcome in outcomes for one in summary.worries(outcome)):
        typer.echo(f"aggregator: {warning}", err=True)
    changes = {name: tuple(_changes(before.get(name, {}), after[name])) for name in names}
    if as_json:
        typer.echo(machine(changes))
        return
    for name, lines in changes.items():
        typer.echo("\n".join((f"{name}: {'' if lines else 'nothing would change'}".rstrip(": "), *lines)))


def _remembers(config: Config) -> bool:
    """Whether there is a ledger to compare with."""
    return "://" in config.state or Path(config.state).exists()


def _copied(config: Config, folder: Path) -> Config:
    """The config with a copy of its ledger and an output folder of no importance."""
    state, output = folder / "ledger.db", folder / "output"
    if _remembers(config):
        backup.backup(config.state, state)
    if config.output.exists():
        shutil.copytree(config.output, output)
    return replace(config, state=str(state), output=output)


def _items(feed: Feed) -> Mapping[str, Item]:
    """The items of a feed by their guid."""
    return {item.guid: item for item in feed.items}


def _changes(before: Mapping[str, Item], after: Mapping[str, Item]) -> Iterator[str]:
    """A line for each item that would come, go, or change."""
    for guid, item in after.items():
        was = before.get(guid)
        if was is None:
            yield f"  new {item.genre}: {line(item.title)}{f', {value(item.published)}' if item.published else ''}"
        elif told := tuple(_fields(was, item)):
            yield f"  {line(item.title)}: {'; '.join(told)}"
    for guid, item in before.items():
        if guid not in after:
            yield f"  gone: {line(item.title)} ({line(guid)})"


def _fields(was: Item, item: Item) -> Iterator[str]:
    """What would change in one item, field by field."""
    for name in FIELDS:
        old, new = getattr(was, name), getattr(item, name)
        if old == new:
            continue
        if name in {"description", "summary"} and old and new:
            yield f"{name} {len(old)} → {len(new)} characters"
        elif old is None:
            yield f"{name} known: {value(new)}"
        else:
            yield f"{name} {value(old)} → {value(new) or 'nothing'}"
