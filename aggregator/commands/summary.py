"""What a refresh came to: for a person in a few lines, for a machine as plain values."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from aggregator.commands.wording import count, line
from aggregator.model.feed import SourceResult
from aggregator.outcome import Outcome

WORRYING = frozenset({"recorded", "remembered", "silent", "suspicious"})
"""The states in which the live source did not give a listing that was believed."""


MOST_ALARMS = 20
"""Alarms of one feed that a person is told; an archive dated in the future has thousands."""


def worries(outcome: Outcome) -> tuple[str, ...]:
    """One line for each source that did not speak for itself, for each alarm, and for what could not be published."""
    silent = (
        f"{outcome.feed}: {source_result.source.name}: {_said(source_result, why=True)}"
        for source_result in outcome.source_results
        if worrying(source_result)
    )
    alarms = [f"{outcome.feed}: {line(alarm, 300)}" for alarm in outcome.alarms[:MOST_ALARMS]]
    if more := len(outcome.alarms) - len(alarms):
        alarms.append(f"{outcome.feed}: {count(more, 'more alarm')}; aggregator events keeps those of guids and dates")
    return (*silent, *alarms, *(line(failure, 300) for failure in outcome.failures))


def worrying(source_result: SourceResult) -> bool:
    """Whether the live source did not give a listing that was believed."""
    return source_result.state in WORRYING


def lines(outcome: Outcome, *, verbose: bool = False) -> Iterator[str]:
    """The outcome for a person: its sources, its items, its files."""
    yield outcome.feed
    width = max((len(source_result.source.name) for source_result in outcome.source_results), default=0)
    for source_result in outcome.source_results:
        read = count(source_result.entries, "entry", "entries")
        yield f"  {source_result.source.name:{width}}  {read:>11}  {_said(source_result, why=verbose)}"
        if verbose:
            yield from (f"  {'':{width}}  {line(remark, 300)}" for remark in source_result.remarks)
    yield (
        f"  {count(outcome.entries, 'entry', 'entries')} read, {outcome.remembered} remembered:"
        f" {count(outcome.items, 'item')} ({count(outcome.episodes, 'episode')}, {count(outcome.posts, 'post')}),"
        f" {outcome.new} new, {outcome.changed} changed, {outcome.repaired} repaired,"
        f" {count(outcome.near_misses, 'near miss', 'near misses')}"
    )
    yield from (f"  {line(held, 300)}" for held in outcome.held)
    written = [file.name for file in outcome.files if file.changed]
    if written:
        yield f"  written: {', '.join(written)}"
    if len(written) < len(outcome.files):
        yield f"  unchanged: {count(len(outcome.files) - len(written), 'file')}"


def plain(outcome: Outcome) -> dict[str, object]:
    """The outcome for a machine."""
    return {
        "feed": outcome.feed,
        "sources": [
            {
                "name": source_result.source.name,
                "kind": source_result.source.kind,
                "state": source_result.state,
                "message": source_result.message,
                "entries": source_result.entries,
                "recording": _recording(source_result),
                "remarks": list(source_result.remarks),
            }
            for source_result in outcome.source_results
        ],
        "entries": outcome.entries,
        "remembered": outcome.remembered,
        "items": outcome.items,
        "episodes": outcome.episodes,
        "posts": outcome.posts,
        "new": outcome.new,
        "changed": outcome.changed,
        "repaired": outcome.repaired,
        "near_misses": outcome.near_misses,
        "files": [{"name": file.name, "changed": file.changed} for file in outcome.files],
        "held": list(outcome.held),
        "alarms": list(outcome.alarms),
        "failures": list(outcome.failures),
    }


def _said(source_result: SourceResult, *, why: bool) -> str:
    """What became of a source, in words; with ``why``, what it said or what was in the way."""
    reason = f" ({line(source_result.message, 300)})" if why and source_result.message else ""
    words = {
        "heard": "heard",
        "unchanged": "heard, nothing changed",
        "recorded": f"silent{reason}; its recording {_recording(source_result)} spoke",
        "remembered": f"silent{reason}; what it said before stands",
        "silent": f"silent{reason}",
        "suspicious": f"its answer is held back{reason}; what it said before stands",
        "resting": line(source_result.message, 300) or "not asked",
    }
    return words[source_result.state]


def _recording(source_result: SourceResult) -> str | None:
    """The recording that spoke, as seen from here; ``None`` where none did."""
    if source_result.state != "recorded" or source_result.source.snapshot is None:
        return None
    path = Path(source_result.source.snapshot)
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
