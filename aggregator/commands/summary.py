"""What a refresh came to: for a person in a few lines, for a machine as plain values."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from aggregator.commands.wording import count, line
from aggregator.model.feed import Hearing
from aggregator.outcome import Outcome

WORRYING = frozenset({"recorded", "remembered", "silent", "suspicious"})
"""The states in which the live source did not give a listing that was believed."""


MOST_ALARMS = 20
"""Alarms of one feed that a person is told; an archive dated in the future has thousands."""


def worries(outcome: Outcome) -> tuple[str, ...]:
    """One line for each source that did not speak for itself, for each alarm, and for what could not be published."""
    silent = (
        f"{outcome.feed}: {hearing.source.name}: {_said(hearing, why=True)}"
        for hearing in outcome.hearings
        if worrying(hearing)
    )
    alarms = [f"{outcome.feed}: {line(alarm, 300)}" for alarm in outcome.alarms[:MOST_ALARMS]]
    if more := len(outcome.alarms) - len(alarms):
        alarms.append(f"{outcome.feed}: {count(more, 'more alarm')}; aggregator events keeps those of guids and dates")
    return (*silent, *alarms, *(line(failure, 300) for failure in outcome.failures))


def worrying(hearing: Hearing) -> bool:
    """Whether the live source did not give a listing that was believed."""
    return hearing.state in WORRYING


def lines(outcome: Outcome, *, verbose: bool = False) -> Iterator[str]:
    """The outcome for a person: its sources, its items, its files."""
    yield outcome.feed
    width = max((len(hearing.source.name) for hearing in outcome.hearings), default=0)
    for hearing in outcome.hearings:
        read = count(hearing.entries, "entry", "entries")
        yield f"  {hearing.source.name:{width}}  {read:>13}  {_said(hearing, why=verbose)}"
        if verbose:
            yield from (f"  {'':{width}}  {line(remark, 300)}" for remark in hearing.remarks)
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
                "name": hearing.source.name,
                "kind": hearing.source.kind,
                "state": hearing.state,
                "message": hearing.message,
                "entries": hearing.entries,
                "recording": _recording(hearing),
                "remarks": list(hearing.remarks),
            }
            for hearing in outcome.hearings
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


def _said(hearing: Hearing, *, why: bool) -> str:
    """What became of a source, in words; with ``why``, what it said or what was in the way."""
    reason = f" ({line(hearing.message, 300)})" if why and hearing.message else ""
    words = {
        "heard": "heard",
        "unchanged": "heard, nothing changed",
        "recorded": f"silent{reason}; its recording {_recording(hearing)} spoke",
        "remembered": f"silent{reason}; what it said before stands",
        "silent": f"silent{reason}",
        "suspicious": f"its answer is held back{reason}; what it said before stands",
        "resting": line(hearing.message, 300) or "not asked",
    }
    return words[hearing.state]


def _recording(hearing: Hearing) -> str | None:
    """The recording that spoke, as seen from here; ``None`` where none did."""
    if hearing.state != "recorded" or hearing.source.snapshot is None:
        return None
    path = Path(hearing.source.snapshot)
    return os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path)
