"""Update one feed: compose it, commit its promises, publish its files.

The promises are committed before the files appear: a crash between the two leaves a promise that the next run keeps,
never a published guid that the store does not know.
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator import commit, enclosure_probe, outcome, persist, publish, stages, unchanged_output
from aggregator.compose import compose
from aggregator.errors import PublishError, StoreError
from aggregator.fetchers.fetch import SPOKEN
from aggregator.generator.files import WrittenFile
from aggregator.merger.identity import admission
from aggregator.model.feed import Plan, SourceResult
from aggregator.outcome import Outcome, Progress
from aggregator.run import Run
from aggregator.store import database, polls
from aggregator.unchanged_output import Standing


def update_feed(run: Run, plan: Plan, told: tuple[SourceResult, ...]) -> Outcome:
    """Compose and publish a feed from the entries in the store; ``told`` is what became of its sources in this run."""
    run.listen(Progress(plan.name, "", "compose"))
    if plan.probe_enclosures:
        _probe(run, plan)
    with database.transaction(run.store) as tx:
        composed = compose(tx, plan, run.at)
        stands = _standing(composed, persist.basis(tx, plan))
        # A feed whose sources never answered has nothing to publish.
        if not composed.feed.items and not any(each.state in SPOKEN for each in composed.feed.source_results):
            return outcome.outcome(plan, told, stands)
        commit.promise(tx, plan, composed, run.at)
        past = commit.record_changes(tx, plan, composed.feed, run.at)
    run.listen(Progress(plan.name, "", "publish"))
    try:
        written = publish.publish(run.config.output, composed.feed, plan.window, past)
    except PublishError as error:
        return replace(outcome.outcome(plan, told, stands), failures=(str(error),))
    stands = replace(stands, files=unchanged_output.states(run.config.output, [each.name for each in written]))
    done = _with_news(outcome.outcome(plan, told, stands), composed, written)
    try:
        with database.transaction(run.store) as tx:
            commit.stand_published(tx, plan, composed.feed, stands)
    except StoreError as error:
        return outcome.not_noted(done, error)
    return done


def _probe(run: Run, plan: Plan) -> None:
    """Ask the media's hosts for what no source gave; no transaction is open meanwhile."""
    items = compose(run.store, plan, run.at).feed.items
    enclosure_probe.ask(run.store, plan, items, run.resources.limiter(), run.at)
    polls.write_robots(run.store, run.resources.news())


def _standing(composed: stages.Composition, basis: str) -> Standing:
    """Return what the summary says of a feed, before its files are written."""
    feed = composed.feed
    episodes = sum(item.genre == "episode" for item in feed.items)
    return Standing(
        basis=basis,
        remembered=composed.entries,
        items=len(feed.items),
        episodes=episodes,
        posts=len(feed.items) - episodes,
        repaired=composed.repaired,
        near_misses=len(feed.near_misses),
        alarms=composed.alarms,
        held=admission.describe_held(feed.held),
        until=composed.until,
    )


def _with_news(before: Outcome, composed: stages.Composition, written: tuple[WrittenFile, ...]) -> Outcome:
    """Return the outcome with what this run published and settled."""
    settlement = composed.settlement
    return replace(
        before,
        new=len(settlement.new),
        changed=len(settlement.changed),
        files=written,
        alarms=(*settlement.events, *composed.arrived, *before.alarms),
    )
