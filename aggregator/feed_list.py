"""Publish the files that list all feeds; before anything is published, remove what may be read no more.

On PostgreSQL one worker does both for all feeds together: the one that has the lease `leases.INDEX`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from aggregator import folders
from aggregator.config.settings import Config
from aggregator.errors import PublishError, StoreError
from aggregator.model.feed import Plan
from aggregator.model.results import Outcome, Publication
from aggregator.processes import editions
from aggregator.store import leases, publications
from aggregator.store.database import Store


def remove_former(config: Config, store: Store, plans: Sequence[Plan], at: datetime) -> dict[str, Outcome]:
    """Remove what may be read no more of the feeds of a run, and of unnamed ones; return by feed what to say of it."""
    output, every = config.output, config.plans
    other = folders.describe_other_output(store, output, plans)
    lines, failures = folders.revoke(store, output, plans, every, at)
    done = {
        name: Outcome(name, alarms=lines.get(name, ()), failures=failures.get(name, ())) for name in lines | failures
    }
    unnamed, failed = tuple[str, ...](), tuple[str, ...]()
    if _is_leased(store):
        try:
            unnamed = folders.remove_unnamed(store, output, every, at)
        except PublishError as error:
            failed = (str(error),)
    return done | {leases.INDEX: Outcome(leases.INDEX, alarms=(*other, *unnamed), failures=failed)}


def publish_list(config: Config, store: Store, at: datetime, refused: Collection[str]) -> Outcome:
    """Publish the files that list every feed; the outcome has them, or why they were not written.

    Private feeds that are ``refused`` are not listed.
    """
    if not _is_leased(store):
        return Outcome(leases.INDEX)
    plans = [plan for plan in config.plans if not plan.channel.token and plan.name not in refused]
    output, digest = config.output, publications.index_digest(store, plans)
    published = publications.read_publication(store, leases.INDEX, digest, at)
    if published and published.files and (config.is_copy or output.are_unchanged(published.files)):
        return Outcome(leases.INDEX, files=published.unchanged_files)
    noticing = partial(folders.noticing_lost_lease, store, output, leases.INDEX, at)
    try:
        staged = editions.list_feeds(output, publications.read_covers(store, plans))
        with noticing():
            written = editions.place(output, "", staged)
    except PublishError as error:
        return Outcome(leases.INDEX, failures=(str(error),))
    states = output.read_states([each.name for each in written])
    try:
        with noticing():
            publications.write_publication(store, leases.INDEX, Publication(digest, files=states))
    except StoreError as error:
        failure = f"the list of all feeds: published, but not noted: {error}"
        return Outcome(leases.INDEX, files=written, failures=(failure,))
    return Outcome(leases.INDEX, files=written)


def _is_leased(store: Store) -> bool:
    """Return whether what concerns all feeds is this run's to do, not another worker's."""
    return store.claim is None or leases.INDEX in store.claim.feeds
