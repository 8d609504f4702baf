"""Refresh: fetch and parse what is due, and store it; compose and publish each feed that changed.

fetch      Source   -> Document   fetchers.fetch_feeds: all hosts side by side, one host politely
parse      Document -> Entry      fetchers.fetch_feeds, in child processes with limits
store      Entry    -> Store      persist.write_fetched: absence never deletes
compose    Store    -> Feed       compose.compose, in child processes: repair, match, reconcile, identify
publish    Feed     -> files      publish.stage in the same processes, editions.place here: whole or not at all
list       Feeds    -> files      feed_list.publish_list: the page of all feeds, and their OPML

Several feeds are composed at once, each in a process that reads the store and is killed if it costs too much: its last
edition stands. This process alone writes to the store and gives files their names.

The guids of a feed are committed before its files appear: a crash between the two leaves guids that the next run
publishes, never a published guid that the store does not know.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import partial

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator import announcements, enclosure_probe, feed_list, folders, full_texts, hubs, moving, notify, persist
from aggregator.config.settings import Config
from aggregator.errors import DamagedError, NothingToPublishError, PublishError, StoreError
from aggregator.fetchers.fetch import FetchContext, Resources
from aggregator.fetchers.fetch_feeds import FetchedFeed, fetch_feeds
from aggregator.model.feed import Plan, SourceResult
from aggregator.model.files import FileState, WrittenFile
from aggregator.model.results import Listener, Outcome, Progress, Publication, ignore_progress, limit_alike
from aggregator.model.source import Source
from aggregator.processes import editions
from aggregator.processes.editions import Edition
from aggregator.sandbox.calls import Returned
from aggregator.store import backup, cache, connection, database, facts, hosts, leases, polls, publications
from aggregator.store.database import Claim, Store
from aggregator.store.hosts import HostLeases
from aggregator.translation.marks import N_

GC_THRESHOLDS = (100_000, 20, 100)
"""For ``gc.set_threshold`` during a run and in the server: our records make no reference cycles, and with Python's own
(700, 10, 10) the garbage collector takes a fifth of a refresh, or of a page of the desk, to find that out."""

_DOCUMENTS = frozenset({"podcast.xml", "feed.xml", "feed.atom", "feed.json"})
_NEARLY_TOO_LARGE = 4_000_000
"""Bytes from which on a warning says so: the W3C feed validator stops at 5 MB."""


class Run(Struct, frozen=True):
    """One run: its clock, the open store, what sources are fetched with, its feeds, and what listens to its progress.

    ``only`` names the one source that is polled (``None``: all). ``is_clock`` says that ``at`` is what the machine's
    clock shows, so that the time of hosts may correct it. ``failures`` are what could not be written before it began,
    ``renamed`` one line for each feed that the config has under another name.
    """

    config: Config
    at: datetime
    store: Store
    resources: Resources
    plans: tuple[Plan, ...]
    force: bool = False
    only: str | None = None
    is_clock: bool = False
    listen: Listener = field(default=ignore_progress)
    failures: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()


class _StoredFeed(Struct, frozen=True):
    """A feed whose sources were fetched and stored; ``publication`` is ``None`` if it is to be composed.

    ``now`` is the time with which its new items are dated. ``health`` is what the report says of its sources.
    ``is_put_off`` is whether a source is to be asked later, before the feed is composed.
    """

    plan: Plan
    now: datetime
    results: tuple[SourceResult, ...]
    publication: Publication | None
    health: tuple[SourceResult, ...]
    is_put_off: bool = False


def refresh(  # noqa: PLR0913 - each is an option of a run
    config: Config,
    *,
    at: datetime,
    feeds: Collection[str] = (),
    force: bool = False,
    only: str | None = None,
    wait: bool = False,
    new: bool = False,
    learn: bool = False,
    is_clock: bool = False,
    listen: Listener = ignore_progress,
    claim: Claim | None = None,
) -> tuple[Outcome, ...]:
    """Refresh the named feeds, or all, and return the outcome of each; of the sources poll all, or ``only`` one.

    Unless it begins a ``new`` store, the store must know every feed that is published. With ``learn`` the models of the
    feeds are dropped first, so that they are learned anew. Raises LockedError if another refresh runs (unless
    ``wait``), ConfigError for a feed the config does not name, NothingToPublishError if nothing could be fetched and
    nothing was stored before, StoreError. A feed whose files could not be written stops no other:
    its outcome says so. On PostgreSQL feeds that another refresh has are left out, or those of the ``claim`` refreshed.
    """
    names = {config.plan(name).name for name in feeds} or {plan.name for plan in config.plans}
    if not new and not connection.has_content(config.state):
        folders.require_known((), config.output, config.state, config.plans)
    with (
        leases.lock_feeds(config.state, {leases.INDEX, *names}, wait=wait, claim=claim) as store,
        open_run(config, store, at, [plan for plan in config.plans if plan.name in names], new=new) as opened,
    ):
        for plan in opened.plans if learn else ():
            persist.forget_model(store, plan.name)
        return refresh_feeds(replace(opened, force=force, only=only, is_clock=is_clock, listen=listen))


@contextmanager
def open_run(config: Config, store: Store, at: datetime, plans: Sequence[Plan], *, new: bool = False) -> Iterator[Run]:
    """Give a run of the feeds that the store was opened for (`leases.lock_feeds`); raise StoreError."""
    gate = None
    if store.claim is not None:
        plans = [plan for plan in plans if plan.name in store.claim.feeds]
        gate = HostLeases(store, config.polling_policy.host_rate, config.lease)
    moving.complete(config, store, at)
    names = [plan.name for plan in plans]
    known = facts.read_feeds(store, names)
    if renamed := folders.adopt_renamed(store, config.plans, set(names) - known, at):
        known = facts.read_feeds(store, names)
    if not new:
        others = folders.read_folders(store) if len(known) < len(names) else ()
        unknown = [plan for plan in plans if plan.channel.folder not in others]
        folders.require_known(known, config.output, config.state, unknown)
    failures = _back_up(config, at) if known else ()
    holds, read_robots = polls.read_holds(store, at), partial(hosts.read_robots, store)
    resources = Resources(config.polling_policy, holds, read_robots, gate)
    before = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield Run(config, at, store, resources, tuple(plans), failures=failures, renamed=renamed)
    finally:
        gc.set_threshold(*before)
        resources.close()


def _back_up(config: Config, at: datetime) -> tuple[str, ...]:
    """Make the copy of the day, and return why it could not be written; raise DamagedError if the store is damaged."""
    try:
        backup.back_up_daily(config.state, at, config.backups)
    except DamagedError:
        raise
    except StoreError as error:
        return (str(error),)
    return ()


def refresh_feeds(run: Run) -> tuple[Outcome, ...]:
    """Refresh the feeds of a run, and the files that list all feeds if they are the run's to write; as `refresh`."""
    newest, every = run.at, run.plans
    folders.note_suspects(run.store, run.config.plans)
    refused = folders.find_refused(run.store, run.config.plans)
    run = replace(run, plans=tuple(plan for plan in every if plan.name not in refused))
    removed = feed_list.remove_former(run.config, run.store, run.plans, run.at)
    with _composing_threads() as threads:
        updates: dict[str, Future[Outcome]] = {}
        health: dict[str, tuple[SourceResult, ...]] = {}
        for stored in _fetch_and_store(run):
            newest = max(newest, *(each.now for each in stored))
            updates |= {each.plan.name: _update_feed(replace(run, at=each.now), each, threads) for each in stored}
            health |= {each.plan.name: each.health for each in stored}
        done = {
            name: _add(replace(each.result(), health=health[name]), removed.get(name)) for name, each in updates.items()
        }
    outcomes = [
        done[plan.name] if plan.name in done else Outcome(plan.name, failures=(refused[plan.name],), is_refused=True)
        for plan in every
    ]
    if outcomes and not any(each.files or each.failures or each.is_put_off for each in outcomes):
        raise NothingToPublishError(_describe_failures(outcomes, removed))
    index = _add(feed_list.publish_list(run.config, run.store, run.at, refused), removed.get(leases.INDEX))
    if not outcomes:
        return (index,) if index.failures or index.alarms else ()
    outcomes[-1] = replace(
        outcomes[-1],
        files=(*outcomes[-1].files, *index.files),
        failures=(*outcomes[-1].failures, *index.failures),
    )
    news, call = notify.send_news(run.config, run.store, outcomes), run.resources.limiter.call
    for lines in (
        announcements.tell(run.config, run.store, run.plans, call, run.at),
        {} if run.config.is_copy else hubs.tell(run.store, run.plans, call, run.at),
    ):
        outcomes = [replace(each, alarms=(*each.alarms, *lines.get(each.feed, ()))) for each in outcomes]
    alarms = (*_describe_clock(run.at, newest), *run.renamed, *index.alarms, *outcomes[0].alarms, *news)
    failures = (*run.failures, *outcomes[0].failures)
    return (replace(outcomes[0], alarms=alarms, failures=failures), *outcomes[1:])


def fetch(run: Run) -> Iterator[tuple[FetchedFeed, ...]]:
    """Yield the feeds of a run with what was fetched of their sources, some at a time."""
    return fetch_feeds(persist.read_poll_states(run.store, run.plans), partial(_make_context, run))


def _make_context(run: Run, plan: Plan) -> FetchContext:
    def tell(source: Source, stage: str, message: str) -> None:
        run.listen(Progress(plan.name, source.name, stage, message))

    def read_known(source: Source) -> Mapping[str, str]:
        return cache.read_known(run.store, plan.name, source.name)

    return FetchContext(
        run.resources,
        run.at,
        tell,
        force=run.force or run.only is not None,
        only=run.only,
        read_known=read_known,
        note_news=editions.start,  # the feed is going to be composed
    )


def _fetch_and_store(run: Run) -> Iterator[list[_StoredFeed]]:
    """Yield feeds whose sources were fetched and stored, some in one transaction.

    Their listings are released first: 20,000 entries do not stay in memory while other feeds are composed.
    """
    for fetched in fetch(run):
        with database.transaction(run.store) as tx:
            now = persist.choose_time(tx, fetched, run.at, ask_hosts=run.is_clock)
            persist.write_fetched(tx, fetched, now)
            hosts.write_robots(tx, run.resources.limiter.take_new_robots())
            stored = [
                _StoredFeed(
                    plan,
                    now,
                    tuple(SourceResult(each.source, each.status, each.message, each.entries) for each in sources),
                    _read_publication(tx, plan, now),
                    persist.read_source_results(tx, plan),
                    any(each.is_put_off for each in sources),
                )
                for plan, sources in fetched
            ]
        del fetched
        yield stored


def _read_publication(store: Store, plan: Plan, now: datetime) -> Publication | None:
    """Return what was last published of the feed, ``None`` if it is to be composed, or more is to be fetched."""
    if enclosure_probe.is_probe_due(store, plan, now) or full_texts.is_due(store, plan, now):
        return None
    return publications.read_publication(
        store, plan.name, publications.input_digest(store, plan, enclosure_probe.read_gone(store, plan)), now
    )


@contextmanager
def _composing_threads() -> Iterator[ThreadPoolExecutor]:
    """Give the threads that wait for feeds to be composed; if the body fails, feeds not begun are left out."""
    threads = ThreadPoolExecutor(editions.PROCESSES, "compose")
    try:
        yield threads
    finally:
        threads.shutdown(cancel_futures=True)


def _update_feed(run: Run, stored: _StoredFeed, threads: ThreadPoolExecutor) -> Future[Outcome]:
    """Return the outcome of one feed: unchanged if its input and its files are, else composed and published."""
    published, done = stored.publication, Future[Outcome]()
    if stored.is_put_off:
        waiting = _unchanged_outcome(stored.plan, stored.results, published or Publication(""))
        done.set_result(replace(waiting, is_put_off=True))
        return done
    if published and published.files and (run.config.is_copy or run.config.output.are_unchanged(published.files)):
        done.set_result(_unchanged_outcome(stored.plan, stored.results, published))
        return done
    return threads.submit(_compose_and_publish, run, stored.plan, stored.results)


def _compose_and_publish(run: Run, plan: Plan, results: tuple[SourceResult, ...]) -> Outcome:
    """Compose a feed from the store, commit its guids, publish its files."""
    run.listen(Progress(plan.name, "", "compose"))
    publication = Publication("")
    noticing = partial(folders.noticing_lost_lease, run.store, run.config.output, plan.name, run.at)
    try:
        with _compose(run, plan) as composed:
            edition, publication = composed.result, composed.result.publication
            made = edition.composition
            if made is None or edition.staged is None or edition.cover is None:
                return _unchanged_outcome(plan, results, publication)  # no source ever answered
            with database.transaction(run.store) as tx:
                editions.write_parts(tx, run.config.output, plan, composed)
                publications.write_composition(tx, plan, made, run.at)
                if edition.history is not None:
                    facts.write_fact(tx, plan.name, facts.HISTORY, edition.history)
                if edition.waiting:
                    announcements.write(tx, plan, edition.waiting)
                hubs.note_changes(tx, plan, edition.staged.written, run.at)
                folders.note_files(tx, run.config.output, plan, [each.name for each in edition.staged.written])
        run.listen(Progress(plan.name, "", "publish"))
        with noticing():
            written = editions.place(run.config.output, plan.channel.folder, edition.staged)
            removed = folders.remove_former(run.store, run.config.output, plan, run.config.plans, run.at)
    except PublishError as error:
        failures = (plan.channel.hide_token(str(error)),)
        return replace(_unchanged_outcome(plan, results, publication), failures=failures)
    states = run.config.output.read_states([each.name for each in written])
    until = min((at for at in (publication.until, folders.find_end(run.store, plan.name)) if at), default=None)
    alarms = (*publication.alarms, *_describe_sizes(plan, states))
    publication = replace(publication, files=states, until=until, alarms=alarms)
    outcome = replace(
        _unchanged_outcome(plan, results, publication),
        new=len(made.settlement.new),
        changed=len(made.settlement.changed),
        titles=edition.titles,
        files=_name_files(plan, written),
        alarms=(*removed, *made.settlement.events, *made.arrived, *publication.alarms),
    )
    try:
        with noticing():
            publications.write_published(run.store, plan, edition.cover, publication, run.at)
    except StoreError as error:
        return replace(outcome, failures=(f"{plan.name}: published, but not noted: {error}",))
    return outcome


def _describe_sizes(plan: Plan, files: Sequence[FileState]) -> Iterator[str]:
    """Yield a line for each document of the feed that is near the size at which readers stop."""
    for each in files:
        name = each.name.removeprefix(f"{plan.channel.folder}/")
        if name in _DOCUMENTS and each.size >= _NEARLY_TOO_LARGE:
            fewer = f"fewer than {plan.window}" if plan.window else "a number"
            yield (
                f"{name} has {each.size / 1e6:.1f} MB; at 5 MB the W3C validator stops reading, and apps may; give "
                f"{fewer} as window of the feed: older items then go to archives"
            )


def _name_files(plan: Plan, written: Iterable[WrittenFile]) -> tuple[WrittenFile, ...]:
    """Return the files by names that do not give away where a private feed is."""
    return tuple(WrittenFile(plan.channel.hide_token(each.name), changed=each.changed) for each in written)


def _compose(run: Run, plan: Plan) -> Returned[Edition]:
    """Return the feed composed: once more if the hosts of its media were asked for what no source gave, or has gone.

    The pages of posts are fetched before.
    """
    full_texts.fetch_pages(run.store, plan, run.resources.limiter.poll, run.at)
    composed = editions.compose(run.config, run.store, plan, run.at)
    if plan.probe_enclosures or plan.probe_gone:  # before the transaction: it waits for media hosts
        edition, head, has_news = composed.result, run.resources.limiter.head, False
        if plan.probe_enclosures:
            has_news = enclosure_probe.probe(run.store, plan, edition.incomplete, head, run.at) > 0
        if plan.probe_gone:
            has_news |= enclosure_probe.probe_gone(run.store, plan, edition.rivals, head, run.at)
        hosts.write_robots(run.store, run.resources.limiter.take_new_robots())
        if has_news:
            composed.close()
            return editions.compose(run.config, run.store, plan, run.at)
    return composed


def _describe_clock(at: datetime, newest: datetime) -> tuple[str, ...]:
    """Return one line about a clock that is behind, none about another."""
    if newest == at:
        return ()
    shown, used = (f"{time:%Y-%m-%d %H:%M} UTC" for time in (at, newest))
    return (N_(f"the clock is behind: it shows {shown}; new items without a date get {used}, the newest time known"),)


def _unchanged_outcome(plan: Plan, results: tuple[SourceResult, ...], publication: Publication) -> Outcome:
    """Return the outcome of a feed that published nothing new."""
    files = _name_files(plan, publication.unchanged_files)
    return Outcome(plan.name, results, publication, files=files, alarms=publication.alarms)


def _add(outcome: Outcome, other: Outcome | None) -> Outcome:
    """Return the outcome with the lines of another in front."""
    if other is None:
        return outcome
    failures = tuple(dict.fromkeys((*other.failures, *outcome.failures)))
    return replace(outcome, alarms=(*other.alarms, *outcome.alarms), failures=failures)


def _describe_failures(outcomes: Sequence[Outcome], removed: Mapping[str, Outcome]) -> str:
    """Return why there is nothing to publish, one line for each source or many alike, and what was removed."""
    lines = list[str]()
    for each in outcomes:
        shown, more = limit_alike(each.source_results)
        lines += (f"{each.feed}: {line}" for line in (*(f"{one.source.name}: {one.message}" for one in shown), *more))
    lines += [line for each in removed.values() for line in (*each.alarms, *each.failures)]
    return "nothing could be fetched, and nothing is stored from earlier" + "".join(f"\n  {line}" for line in lines)
