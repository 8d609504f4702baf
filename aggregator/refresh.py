"""Refresh: fetch and parse what is due, store the entries, compose and publish each feed that changed.

fetch      Source    -> Document    run.heard, by fetchers/fetch: all hosts side by side, one host politely
parse      Document  -> Entry       fetchers/fetch, in child processes
store      Entry     -> Store       persist.remember_all: absence never deletes
compose    Store     -> Feed        update_feed, by compose.compose
publish    Feed      -> files       update_feed, by publish.publish: written whole or not at all
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from msgspec.structs import replace

from aggregator import enclosure_probe, outcome, persist, run, unchanged_output
from aggregator.config.load import Config
from aggregator.errors import NothingToPublishError, PublishError, StoreError
from aggregator.model.feed import Plan, SourceResult
from aggregator.outcome import Listener, Outcome, quiet
from aggregator.run import Run
from aggregator.store import database, polls
from aggregator.store.database import Store


def refresh(  # noqa: PLR0913 - each is an option of a run
    config: Config,
    *,
    at: datetime,
    feeds: Collection[str] = (),
    force: bool = False,
    wait: bool = False,
    listen: Listener = quiet,
) -> tuple[Outcome, ...]:
    """Refresh the named feeds (all where none is named) and say what became of each.

    Raises LockedError where another refresh is at work (unless ``wait``), ConfigError for a feed the config does not
    name, NothingToPublishError where nothing could be fetched and nothing was remembered, StoreError. A feed whose
    files could not be written stops no other: its outcome says so.
    """
    chosen = [config.plan(name) for name in sorted(set(feeds))] if feeds else config.plans
    with run.begin(config, at, wait=wait) as begun:
        current = replace(begun, force=force, listen=listen)
        found: dict[str, Outcome] = {}
        for lot in _remembered(current, chosen):
            found |= {plan.name: _updated(current, plan, told, stands) for plan, told, stands in lot}
        outcomes = [found[plan.name] for plan in chosen]
        if not any(each.files or each.failures for each in outcomes):
            raise NothingToPublishError(outcome.silence(outcomes))
        return (*outcomes[:-1], _with_index(current, outcomes[-1]))


def _with_index(current: Run, last: Outcome) -> Outcome:
    """The last outcome of a run with the files that list every feed, or why they could not be written."""
    output, plans = current.config.output, current.config.plans
    basis = persist.basis_of_all(current.store, plans)
    stands = unchanged_output.standing(current.store, persist.EVERY, basis)
    if stands and unchanged_output.stand(output, stands.files):
        return replace(last, files=(*last.files, *outcome.files(stands)))
    from aggregator import publish  # noqa: PLC0415 - the template engine and lxml, only where something changed

    try:
        written = publish.publish_index(output, persist.covers(current.store, plans))
    except PublishError as error:
        return replace(last, failures=(*last.failures, str(error)))
    stands = unchanged_output.Standing(basis, files=unchanged_output.states(output, [each.name for each in written]))
    done = replace(last, files=(*last.files, *written))
    try:
        unchanged_output.keep_standing(current.store, persist.EVERY, stands)
    except StoreError as error:
        return outcome.not_noted(done, error)
    return done


def _remembered(
    current: Run, plans: Sequence[Plan]
) -> Iterator[list[tuple[Plan, tuple[SourceResult, ...], unchanged_output.Standing | None]]]:
    """Some feeds at a time, what became of their sources, and what stands: all that they said is in the store.

    It is remembered in one transaction and then let go: 20,000 entries are not held while others are composed.
    """
    for heard in run.heard(current, plans):
        with database.transaction(current.store) as tx:
            persist.remember_all(tx, heard, current.at)
            polls.write_robots(tx, current.resources.news())
            lot = [(plan, persist.source_results(said), _stands(tx, plan, current.at)) for plan, said in heard]
        del heard
        yield lot


def _stands(store: Store, plan: Plan, now: datetime) -> unchanged_output.Standing | None:
    """What stands in the output, ``None`` where it must be made anew or media are still to be asked for."""
    more = plan.probe_enclosures and enclosure_probe.known(store, plan).more
    return None if more else persist.stands(store, plan, now)


def _updated(
    current: Run, plan: Plan, told: tuple[SourceResult, ...], stands: unchanged_output.Standing | None
) -> Outcome:
    """Return the outcome of one feed: as it stands if nothing changed, else composed and published anew."""
    if stands and unchanged_output.stand(current.config.output, stands.files):
        return outcome.outcome(plan, told, stands)
    from aggregator.update_feed import update_feed  # noqa: PLC0415 - merger and generator take half a second to load

    return update_feed(current, plan, told)
