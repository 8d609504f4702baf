"""The outcome of a refresh, as lines for a person and as values for JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import typer

from aggregator.commands.output import format_count, paint, shorten
from aggregator.config.settings import Config
from aggregator.errors import escape_lines
from aggregator.model.feed import SourceResult
from aggregator.model.results import NextPoll, Outcome, limit_alike
from aggregator.store import database, entries

_NO_POLLS: Mapping[str, NextPoll] = {}
_NO_COUNTS: Mapping[str, int] = {}

_MOST_ALARMS = 20
"""Warnings printed for one feed; a feed with future dates may have thousands."""


def list_warnings(outcome: Outcome) -> tuple[str, ...]:
    """Return one line for each failed source, for each warning, and for each feed that could not be published.

    Of many sources that failed for one reason some have a line, and the others one together; so have those together
    that are read from saved copies.
    """
    failing = [each for each in outcome.source_results if each.is_failing]
    saved = [each for each in failing if each.status == "snapshot"]
    together = saved if len(saved) > 1 else []
    shown, others = limit_alike(each for each in failing if each not in together)
    failed = [f"{outcome.feed}: {each.source.name}: {_describe_failure(each)}" for each in shown]
    failed += (f"{outcome.feed}: {shorten(line, 300)}" for line in others)
    if together:
        names, reason = ", ".join(each.source.name for each in together), together[0].message.rpartition(": ")[2]
        failed.append(f"{outcome.feed}: not reached, so saved copies are used: {shorten(names, 300)} ({reason})")
    alarms = [f"{outcome.feed}: {shorten(alarm, 300)}" for alarm in outcome.alarms[:_MOST_ALARMS]]
    if more := len(outcome.alarms) - len(alarms):
        alarms.append(f"{outcome.feed}: {format_count(more, 'more warning')}; see aggregator events and report.json")
    return (*failed, *alarms, *(shorten(failure, 300) for failure in outcome.failures))


def print_warnings(outcomes: Sequence[Outcome]) -> None:
    """Print the warnings of a refresh."""
    for warning in (line for outcome in outcomes for line in list_warnings(outcome)):
        warn(warning)


def print_news(config: Config, outcomes: Sequence[Outcome], at: datetime) -> None:
    """Print the warnings of a scheduled refresh, and a summary of each feed that changed."""
    stored: Mapping[str, Mapping[str, int]] = {}
    if changed := [each.feed for each in outcomes if each.new or each.changed]:
        with database.open_store(config.state, is_checked=True) as store:
            stored = entries.count_by_source(store, changed)
    for outcome in outcomes:
        print_warnings([outcome])
        if outcome.feed in stored:
            lines = format_summary(outcome, stored=stored[outcome.feed])
            typer.echo("\n".join((f"{at:%Y-%m-%d %H:%M:%S}Z", *lines)))


def warn(text: str) -> None:
    """Print a warning on stderr."""
    for line in escape_lines(text):
        typer.echo(f"{paint('aggregator:', fg='yellow')} {line}", err=True)


def format_summary(
    outcome: Outcome,
    next_polls: Mapping[str, NextPoll] = _NO_POLLS,
    *,
    stored: Mapping[str, int] = _NO_COUNTS,
    verbose: bool = False,
) -> Iterator[str]:
    """Yield what became of the entries, the sources with the next poll of each by name, and what to do next.

    ``stored`` are how many entries of each source the store has. A source that failed in this run is left out: its line
    is one of the warnings. With ``verbose`` remarks and files are listed, too.
    """
    yield paint(outcome.feed, bold=True)
    found = outcome.published
    kinds = f"{format_count(found.episodes, 'episode')}, {format_count(found.posts, 'post')}"
    yield (
        f"  {format_count(found.entries, 'entry', 'entries')} → {format_count(found.items, 'item')} ({kinds}):"
        f" {format_count(found.merged, 'duplicate')} merged,"
        f" {outcome.new} new, {outcome.changed} changed, {found.repaired} repaired,"
        f" {format_count(found.near_misses, 'near miss', 'near misses')}"
    )
    yield from _list_titles("new", "green", outcome.new, outcome.titles.new)
    yield from _list_titles("changed", "yellow", outcome.changed, outcome.titles.changed)
    yield from (f"  {shorten(line, 300)}" for line in (*outcome.published.held, *outcome.published.left_out))
    width = max((len(each.source.name) for each in outcome.source_results if not each.is_failing), default=0)
    health = {each.source.name: each for each in outcome.health}
    for source_result in outcome.source_results:
        if not source_result.is_failing:
            name = source_result.source.name
            yield f"  {name:{width}}  {_describe_status(source_result, health.get(name), stored.get(name, 0))}"
        if verbose:
            yield from (f"  {'':{width}}  {shorten(remark, 300)}" for remark in source_result.remarks)
    yield from (paint(f"  {line}", dim=True) for line in _list_next_polls(next_polls))
    if verbose:
        written = [file.name for file in outcome.files if file.changed]
        yield f"  written: {', '.join(written) or 'nothing'}"
        if len(written) < len(outcome.files):
            yield f"  unchanged: {format_count(len(outcome.files) - len(written), 'file')}"
    yield from (paint(f"  {line}", fg="cyan") for line in _list_next_steps(outcome))


def _list_titles(word: str, colour: str, count: int, titles: Sequence[str]) -> Iterator[str]:
    yield from (f"  {paint(word, fg=colour)}: {shorten(title, 200)}" for title in titles)
    if titles and count > len(titles):
        yield f"  {paint(word, fg=colour)}: {count - len(titles)} more; see changes.html"


def _list_next_polls(next_polls: Mapping[str, NextPoll]) -> Iterator[str]:
    """Yield when the sources are next asked, those of one time together."""
    names: dict[str, list[str]] = {}
    for source, next_poll in next_polls.items():
        names.setdefault(format_next_poll(next_poll), []).append(source)
    yield from (f"{when}: {', '.join(sources)}" for when, sources in names.items())


def _list_next_steps(outcome: Outcome) -> Iterator[str]:
    if outcome.published.episodes and not outcome.published.has_audio:
        yield (
            "podcast.xml is empty: no source gives audio; subscribe to feed.xml, or add one that does: aggregator add"
        )
    if outcome.published.near_misses:
        misses = format_count(outcome.published.near_misses, "near miss", "near misses")
        yield f"{misses} to decide about: run aggregator review"


def summary_values(outcome: Outcome, next_polls: Mapping[str, NextPoll] = _NO_POLLS) -> dict[str, object]:
    """Return the outcome for JSON."""
    return {
        "feed": outcome.feed,
        "sources": [
            {
                "name": source_result.source.name,
                "kind": source_result.source.kind,
                "state": source_result.status,
                "message": source_result.message,
                "entries": source_result.entries,
                "recording": _snapshot_path(source_result),
                "remarks": list(source_result.remarks),
                "next": next_polls.get(source_result.source.name),
            }
            for source_result in outcome.source_results
        ],
        "entries": sum(each.entries for each in outcome.source_results),
        "remembered": outcome.published.entries,
        "items": outcome.published.items,
        "merged": outcome.published.merged,
        "episodes": outcome.published.episodes,
        "posts": outcome.published.posts,
        "new": outcome.new,
        "changed": outcome.changed,
        "titles": {"new": list(outcome.titles.new), "changed": list(outcome.titles.changed)},
        "repaired": outcome.published.repaired,
        "near_misses": outcome.published.near_misses,
        "files": [{"name": file.name, "changed": file.changed} for file in outcome.files],
        "held": list(outcome.published.held),
        "left_out": list(outcome.published.left_out),
        "alarms": list(outcome.alarms),
        "failures": list(outcome.failures),
    }


def format_next_poll(following: NextPoll) -> str:
    """Return when a source is next asked, and why."""
    if following.at is None:
        return f"not asked any more ({following.why})"
    if not following.why:
        return "next asked at the next refresh"
    return f"next asked {following.at:%Y-%m-%d %H:%M} UTC ({following.why})"


def _describe_failure(source_result: SourceResult) -> str:
    head, _, rest = source_result.standing.partition("; ")
    reason = f" ({shorten(source_result.message, 300)})" if source_result.message else ""
    path = f" {_snapshot_path(source_result) or ''}".rstrip()
    return f"{head}{reason}" + (f"; {rest}{path}" if rest else "")


def _describe_status(source_result: SourceResult, health: SourceResult | None, stored: int) -> str:
    """Describe what came of a source that did not fail in this run; one that is not due may have failed before."""
    if source_result.status == "not due" and health is not None and health.is_failing:
        return paint(health.standing, fg="red")
    read = format_count(source_result.entries, "entry", "entries")
    kept = format_count(stored, "entry", "entries")
    match source_result.status:
        case "ok":
            return paint(f"{read} read", fg="green")
        case "snapshot":
            return paint(f"{read} read from its snapshot", fg="green")
        case "not due":
            return f"not due, {kept} stored"
        case status:
            return paint(f"{status}, {kept} stored", fg="green")


def _snapshot_path(source_result: SourceResult) -> str | None:
    """Return the path of the snapshot that was used, relative to this folder if below it; ``None`` if none was."""
    if source_result.status != "snapshot" or source_result.source.snapshot is None:
        return None
    path = Path(source_result.source.snapshot)
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
