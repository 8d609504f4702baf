"""The outcome of a refresh, as lines for a person and as values for JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import typer

from aggregator.commands.output import format_count, shorten
from aggregator.errors import escape_lines
from aggregator.model.feed import SourceResult
from aggregator.result import NextPoll, Outcome

_FAILED = frozenset({"snapshot", "cached", "failed", "held back"})
"""States in which the live source gave no usable listing."""

NextPolls = Mapping[tuple[str, str], NextPoll]
"""When each source is next asked, by (feed, source)."""

_NO_POLLS: NextPolls = {}

_MOST_ALARMS = 20
"""Warnings printed for one feed; a feed with future dates may have thousands."""


def list_warnings(outcome: Outcome) -> tuple[str, ...]:
    """Return one line for each failed source, for each warning, and for each feed that could not be published."""
    failed = (
        f"{outcome.feed}: {source_result.source.name}: {_describe_status(source_result, why=True)}"
        for source_result in outcome.source_results
        if has_failed(source_result)
    )
    alarms = [f"{outcome.feed}: {shorten(alarm, 300)}" for alarm in outcome.alarms[:_MOST_ALARMS]]
    if more := len(outcome.alarms) - len(alarms):
        alarms.append(f"{outcome.feed}: {format_count(more, 'more warning')}; see aggregator events and report.json")
    return (*failed, *alarms, *(shorten(failure, 300) for failure in outcome.failures))


def print_news(outcomes: Sequence[Outcome], at: datetime) -> None:
    """Print the warnings of a scheduled refresh, and a summary of each feed that changed."""
    for outcome in outcomes:
        for warning in list_warnings(outcome):
            warn(warning)
        if outcome.new or outcome.changed:
            typer.echo("\n".join((f"{at:%Y-%m-%d %H:%M:%S}Z", *format_summary(outcome))))


def warn(text: str) -> None:
    """Print a warning on stderr."""
    for line in escape_lines(text):
        typer.echo(f"aggregator: {line}", err=True)


def has_failed(source_result: SourceResult) -> bool:
    """Return whether the live source gave no usable listing."""
    return source_result.status in _FAILED


def format_summary(outcome: Outcome, next_polls: NextPolls = _NO_POLLS, *, verbose: bool = False) -> Iterator[str]:
    """Yield lines about the sources, the items and the files."""
    yield outcome.feed
    width = max((len(source_result.source.name) for source_result in outcome.source_results), default=0)
    health = {each.source.name: each for each in outcome.health if has_failed(each)}
    for source_result in outcome.source_results:
        name, read = source_result.source.name, format_count(source_result.entries, "entry", "entries")
        lasting = health.get(name, source_result) if source_result.status == "not due" else source_result
        status = _describe_status(lasting, why=verbose)
        next_poll = next_polls.get((outcome.feed, name))
        following = f"; {format_next_poll(next_poll)}" if next_poll else ""
        yield f"  {name:{width}}  {read:>11}  {status}{following}"
        if verbose:
            yield from (f"  {'':{width}}  {shorten(remark, 300)}" for remark in source_result.remarks)
    kinds = f"{format_count(outcome.episodes, 'episode')}, {format_count(outcome.posts, 'post')}"
    yield (
        f"  {format_count(outcome.entries, 'entry', 'entries')} read, {outcome.stored} stored:"
        f" {format_count(outcome.items, 'item')} ({kinds}),"
        f" {outcome.new} new, {outcome.changed} changed, {outcome.repaired} repaired,"
        f" {format_count(outcome.near_misses, 'near miss', 'near misses')}"
    )
    yield from (f"  {shorten(line, 300)}" for line in (*outcome.held, *outcome.left_out))
    written = [file.name for file in outcome.files if file.changed]
    if written:
        yield f"  written: {', '.join(written)}"
    if len(written) < len(outcome.files):
        yield f"  unchanged: {format_count(len(outcome.files) - len(written), 'file')}"


def summary_values(outcome: Outcome, next_polls: NextPolls = _NO_POLLS) -> dict[str, object]:
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
                "next": next_polls.get((outcome.feed, source_result.source.name)),
            }
            for source_result in outcome.source_results
        ],
        "entries": outcome.entries,
        "remembered": outcome.stored,
        "items": outcome.items,
        "episodes": outcome.episodes,
        "posts": outcome.posts,
        "new": outcome.new,
        "changed": outcome.changed,
        "repaired": outcome.repaired,
        "near_misses": outcome.near_misses,
        "files": [{"name": file.name, "changed": file.changed} for file in outcome.files],
        "held": list(outcome.held),
        "left_out": list(outcome.left_out),
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


def _describe_status(source_result: SourceResult, *, why: bool) -> str:
    """Describe the state of a source; with ``why``, also the reason."""
    reason = f" ({shorten(source_result.message, 300)})" if why and source_result.message else ""
    words = {
        "ok": "ok",
        "unchanged": "unchanged",
        "snapshot": f"failed{reason}; using its snapshot {_snapshot_path(source_result) or ''}".rstrip(),
        "cached": f"failed{reason}; using the entries stored before",
        "failed": f"failed{reason}",
        "held back": f"listing held back{reason}; using the entries stored before",
        "not due": "not due",
    }
    return words[source_result.status]


def _snapshot_path(source_result: SourceResult) -> str | None:
    """Return the path of the snapshot that was used, relative to this folder if below it; ``None`` if none was."""
    if source_result.status != "snapshot" or source_result.source.snapshot is None:
        return None
    path = Path(source_result.source.snapshot)
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
