"""``aggregator move``: move a source to another feed of the config."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator import moving
from aggregator.commands.diff import show_move
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, JsonOption, current_time, find_source
from aggregator.config.load import load


def run(  # noqa: PLR0913 - each is an option of the command line
    source: Annotated[str, typer.Argument(help="Name of the source.", metavar="SOURCE")],
    to: Annotated[str, typer.Argument(help="The feed to which it goes.", metavar="FEED")],
    config: ConfigOption = CONFIG,
    *,
    origin: Annotated[
        str | None,
        typer.Option("--from", help="Its feed now; needed if several have a source of that name.", metavar="NAME"),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the items that only it gave in the feed that it leaves.")
    ] = False,
    at: AtOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    as_json: JsonOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Neither show what would change nor ask.")] = False,
) -> None:
    """Move a source to another feed: show what that would change in both, ask, and write the config.

    Items that only this source gave leave its old feed with the next refresh; --keep keeps them. A feed without another
    source leaves the config. Moved back, everything is as it was.
    """
    loaded = load(config)
    plan, found = find_source(loaded, origin, source)
    move = moving.make_move(loaded, plan, found.name, to, forgets=not keep)
    now = current_time(at)
    if dry_run or not yes:
        show_move(config, move, now, as_json=as_json)
    if dry_run:
        return
    place = f"feeds.{move.feed}.sources.{move.source}"
    if not yes and not typer.confirm(f"{config}: move {place} to feeds.{move.to}.sources.{move.name}?"):
        raise typer.Exit(1)
    moving.carry_out(loaded, move, now)
    typer.echo(f"{config}: {place} moved to feeds.{move.to}.sources.{move.name}; {_describe_rest(move)}")


def _describe_rest(move: moving.Move) -> str:
    """Return what becomes of the feed that the source leaves, and how to undo the move."""
    if move.empties:
        return f"{move.feed} has no other source and is removed, too; the next refresh says what becomes of its files"
    left = "leave with the next refresh" if move.forgets else "stay there"
    undo = f"aggregator move {move.name} {move.feed} --from {move.to}"
    return f"items of {move.feed} that only it gave {left}; to undo: {undo}"
