"""``aggregator refresh``: one run, by a person or by cron."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Sequence
from datetime import datetime
from types import FrameType
from typing import Annotated

import typer

from aggregator import opml_lists, persist, refresh
from aggregator.commands import progress, summary
from aggregator.commands.options import (
    CONFIG,
    AtOption,
    ConfigOption,
    FeedsOption,
    JsonOption,
    current_time,
    find_plan,
    find_plans,
)
from aggregator.commands.output import to_json
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.config.suggestions import suggest
from aggregator.errors import ConfigError
from aggregator.model.results import Outcome
from aggregator.processes import editions
from aggregator.store import connection, database, entries

_STDOUT = 1
"""File descriptor of standard output."""

_SHOW_CURSOR = b"\x1b[?25h\n"
"""Show the cursor that the progress bars hide (ECMA-48)."""


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    feed: FeedsOption = None,
    at: AtOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also fetch sources that are not due by the schedule.")
    ] = False,
    source: Annotated[
        str | None,
        typer.Option("--source", help="Poll this source alone, also if it is not due; of one feed.", metavar="NAME"),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a source failed.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for another running refresh to end, instead of exiting with 4.")
    ] = False,
    new: Annotated[
        bool, typer.Option("--new", help="Begin a new store, although feeds were published with another one.")
    ] = False,
    learn: Annotated[
        bool, typer.Option("--learn", help="Learn anew how the sources list items, and compose every feed.")
    ] = False,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only warnings and errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print every step and remark.")] = False,
) -> None:
    """Fetch the sources that are due and publish the feeds, once.

    A source that fails is reported on stderr; the feed is published with the entries stored of it before. Exit codes:
    0 done, 1 a feed could not be published (the others were), 2 the config is wrong, 3 nothing was fetched and nothing
    is stored, 4 another refresh is running.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_at_once)
    loaded = load(config)
    now = current_time(at)
    connection.load_driver(loaded.state)
    editions.fork_template()
    if not feed and source is None:
        loaded = _follow_lists(loaded, now, hush=quiet or as_json)
    names = _find_feeds(loaded, feed or (), source)
    with progress.show_progress(hush=quiet or (as_json and not verbose), verbose=verbose, beside=as_json) as listen:
        outcomes = refresh.refresh(
            loaded,
            at=now,
            feeds=names,
            force=force,
            only=source,
            wait=wait,
            new=new,
            learn=learn,
            is_clock=at is None,
            listen=listen,
        )
    if as_json or not quiet:
        _print_outcomes(loaded, outcomes, now, as_json=as_json, verbose=verbose)
    summary.print_warnings(outcomes)
    is_failing = strict and any(source_result.is_failing for outcome in outcomes for source_result in outcome.health)
    if is_failing or any(outcome.failures for outcome in outcomes):
        raise typer.Exit(1)


def _follow_lists(config: Config, now: datetime, *, hush: bool) -> Config:
    """Add to the config what its OPML lists have that is new, say so, and return the config as it is then."""
    news, problems = opml_lists.keep_in_step(config, now)
    for line in () if hush else news:
        typer.echo(line)
    for line in problems:
        summary.warn(line)
    return load(config.path) if news else config


def _print_outcomes(
    config: Config, outcomes: Sequence[Outcome], now: datetime, *, as_json: bool, verbose: bool
) -> None:
    names = [outcome.feed for outcome in outcomes]
    with database.open_store(config.state, is_checked=True) as store:
        next_polls = persist.read_next_polls(store, [config.plan(name) for name in names], now)
        stored = {} if as_json else entries.count_by_source(store, names)
    if as_json:
        typer.echo(to_json([summary.summary_values(outcome, next_polls[outcome.feed]) for outcome in outcomes]))
        return
    for outcome in outcomes:
        lines = summary.format_summary(outcome, next_polls[outcome.feed], stored=stored[outcome.feed], verbose=verbose)
        typer.echo("\n".join(lines))


def _find_feeds(config: Config, feeds: Sequence[str], source: str | None) -> tuple[str, ...]:
    """Return the names of the feeds, of all if none is named; raise ConfigError if the only one lacks ``source``."""
    if source is None:
        return tuple(plan.name for plan in find_plans(config, feeds))
    if len(feeds) > 1:
        raise ConfigError("--source: name one --feed")
    plan = find_plan(config, feeds[0] if feeds else None)
    known = [each.name for each in plan.sources]
    if source not in known:
        raise ConfigError(f'--source: {plan.name} has no source "{source}"; {suggest(source, known)}')
    return (plan.name,)


def _end_at_once(number: int, _frame: FrameType | None) -> None:
    """End the process at once; the store and the published files are complete at any instant.

    Waiting for running requests could take as long as the slowest host. The cursor is restored without ``sys.stdout``,
    because the thread that draws the bars may hold its lock.
    """
    if os.isatty(_STDOUT) and select.select([], [_STDOUT], [], 0)[1]:
        os.write(_STDOUT, _SHOW_CURSOR)
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)
