"""What is kept of the sources between two runs: how each was heard last, and the audio that is held back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from aggregator.merger.reconciling import enclosure_hold
from aggregator.model.feed import Plan, SourceResult
from aggregator.store import entries, facts, polls, records
from aggregator.store.database import Store

HEARINGS: Final = "hearings"
"""The fact under which the last hearing of each source is kept."""

HELD: Final = "held"
"""The fact under which audio is kept that still stands (``merger.held``)."""


def source_results(store: Store, plan: Plan) -> tuple[SourceResult, ...]:
    """What became of each source when it was last asked, sorted by name."""
    kept = facts.read_fact(store, plan.name, HEARINGS)
    return records.decode_all(SourceResult, kept.decode()) if kept else ()


def answering(store: Store, plan: Plan, grace: timedelta) -> Mapping[str, datetime | None]:
    """The sources that answer for themselves, each with the time at which its answer no longer counts.

    A source that was heard when it was last asked answers (``None``). One that fails since, or whose answer is held
    back, counts for ``grace`` after it was last heard. A recording does not answer for its source.
    """
    states = {source_result.source.name: source_result.state for source_result in source_results(store, plan)}
    answers: dict[str, datetime | None] = {name: None for name, state in states.items() if state == "heard"}
    failing = {name for name, state in states.items() if state in ("remembered", "suspicious")}
    known = polls.read_poll_states(store, [plan.name]) if failing else {}
    for source in plan.sources:
        heard = [
            poll_state.heard
            for poll_state in known.get((plan.name, source.name), ())
            if poll_state.heard is not None and (source.path is not None or not poll_state.url.startswith("file:"))
        ]
        if source.name in failing and heard:
            answers[source.name] = max(heard) + grace
    return answers


def held_audio(store: Store, plan: Plan) -> tuple[enclosure_hold.HeldAudio, ...]:
    """The audio that still stands where a source moved all of its own at once."""
    kept = facts.read_fact(store, plan.name, HELD)
    return records.decode_all(enclosure_hold.HeldAudio, kept.decode()) if kept else ()


def trust_of(store: Store, plan: Plan) -> Mapping[str, float]:
    """How far each source is trusted: as the config says, or as it last said of a source it no longer names."""
    kept = {name: source.trust for name, source in entries.read_sources(store, plan.name).items()}
    return kept | {source.name: source.trust for source in plan.sources}
