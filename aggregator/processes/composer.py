"""The functions that forks call: compose a feed from a snapshot of the store and render it, list all feeds."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from msgspec.structs import replace

from aggregator import announcements, enclosure_probe, publish
from aggregator.belonging import compare_with_feeds
from aggregator.compose import compose
from aggregator.fetchers import credentials
from aggregator.generator.files import Staged
from aggregator.generator.pages.pages import compile_templates
from aggregator.merger import filters
from aggregator.merger.identity import admission
from aggregator.model.feed import Channel, Cover, Feed, Plan
from aggregator.model.item import Item, Settlement
from aggregator.model.record import encode_msgpack
from aggregator.model.results import MOST_TITLES, Announcement, ChangedTitles, Composition, Publication
from aggregator.processes.editions import Edition, Part, Task
from aggregator.sandbox import calls
from aggregator.sandbox.template import Note
from aggregator.store import database, publications

_WITHOUT_LISTING = frozenset({"failed", "held back"})  # the statuses of a source that never gave anything


def run(task: bytes, out: IO[bytes], note: Note) -> None:
    """Call the function that the task names, in a fork."""
    calls.answer(
        {"compose": partial(_compose, out, note), "list": _list_feeds, "compare": compare_with_feeds}, task, out
    )


def _compose(out: IO[bytes], note: Note, task: Task) -> Edition:
    """Return the feed composed, its files under temporary names; what is large of it is written to ``out`` before."""
    plan = task.plan

    def keep(part: Part) -> None:
        calls.write_part(out, encode_msgpack(part))

    with (
        database.open_store(task.state, is_checked=True) as opened,
        database.snapshot(opened) as store,
    ):
        composed = compose(store, plan, task.at, note=note, keep=keep)
        feed, settlement = composed.feed, composed.settlement
        publication = _to_publication(
            composed, publications.input_digest(store, plan, enclosure_probe.read_gone(store, plan))
        )
        if not feed.items and all(each.status in _WITHOUT_LISTING for each in feed.source_results):
            return Edition(publication)  # no source ever answered
        waiting: tuple[Announcement, ...] = ()
        if plan.announces and settlement.new:
            new = publish.describe_items(feed, settlement.new)
            waiting = announcements.add_new(store, plan, feed, new, task.at)
        history, packed_history = publish.update_history(store, feed, task.at, keep)
        note("publishing")
        filled = _fill_private_audio(feed, plan)
        has_secrets = bool(plan.channel.token) and filled.items != feed.items  # none goes into the store
        kept = None if has_secrets else publish.keep_items(store, plan.name, keep)
        staged = publish.stage(Path(task.output), filled, plan.window, history, kept, packed=task.packed)
    return Edition(
        publication,
        replace(composed, feed=replace(feed, items=()), settlement=replace(settlement, items=())),
        history=packed_history,
        waiting=waiting,
        titles=_find_changed_titles(feed, settlement),
        cover=publish.make_cover(feed),
        staged=staged,
        incomplete=tuple(enclosure_probe.find_incomplete(feed.items)) if plan.probe_enclosures else (),
        rivals=tuple(enclosure_probe.find_rivals(feed.items)) if plan.probe_gone else (),
    )


def _find_changed_titles(feed: Feed, settlement: Settlement) -> ChangedTitles:
    """Return the titles of the items that are new or changed, the newest first."""
    new, changed = (
        tuple(islice((item.title for item in feed.items if item.guid in guids), MOST_TITLES))
        for guids in (frozenset(settlement.new), frozenset(settlement.changed))
    )
    return ChangedTitles(new, changed)


def _fill_private_audio(feed: Feed, plan: Plan) -> Feed:
    """Return the feed with the secrets in the addresses of its audio if it is private, else without such audio."""
    sources = {source.name: source for source in plan.sources if source.private}

    def fill(item: Item) -> Item:
        if item.enclosure is None or not credentials.names_secret(item.enclosure.url):
            return item
        source = sources.get(item.source_of("enclosure") or "")
        url = credentials.fill_audio(item.enclosure.url, source) if source else None
        return replace(item, enclosure=replace(item.enclosure, url=url) if url else None)

    return replace(feed, items=tuple(map(fill, feed.items)))


def _list_feeds(output: str, covers: tuple[Cover, ...], packed: bool) -> Staged:  # noqa: FBT001 - from a message
    """Return the files that list every feed, under temporary names."""
    return publish.stage_index(Path(output), covers, packed=packed)


def _to_publication(composed: Composition, input_digest: str) -> Publication:
    """Return what is about to be published, without its files."""
    feed = composed.feed
    episodes = sum(item.genre == "episode" for item in feed.items)
    return Publication(
        input=input_digest,
        entries=composed.entries,
        items=len(feed.items),
        merged=sum(len(item.entries) - 1 for item in feed.items),
        episodes=episodes,
        posts=len(feed.items) - episodes,
        repaired=composed.repaired,
        near_misses=len(feed.near_misses),
        alarms=composed.alarms,
        held=admission.describe_held(feed.held),
        left_out=filters.describe(feed.left_out),
        until=composed.until,
        has_audio=any(item.enclosure for item in feed.items),
        new_items=publish.count_new_items(composed.settlement.published_items),
        undecided=tuple((pair.left, pair.right) for pair in feed.near_misses),
    )


def _warm_up() -> None:
    """Make what every fork needs: the templates of pages and, by composing an empty feed, statements and decoders."""
    compile_templates()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  # flushing costs nothing there
    with suppress(OSError), TemporaryDirectory(prefix="aggregator-", dir=memory) as folder:
        plan = Plan("warm-up", Channel("warm-up", "", ""), ())
        task = Task(f"{folder}/store.db", datetime.now(UTC), plan, folder, packed=False)
        with database.open_store(task.state):  # makes it
            pass
        run(calls.encode("compose", task), BytesIO(), lambda _: None)


_warm_up()  # this module is imported once, by the process that is forked for each feed
