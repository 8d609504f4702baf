"""Publish a feed: the files of its folder, the history of its changes, and the files that list every feed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from aggregator.generator import chapters, feed_files, files, jsonfeed, opml, paging
from aggregator.generator.changes import changes_page
from aggregator.generator.changes.changes import History, advance_history, pack_history, unpack_history
from aggregator.generator.content import feed_channel
from aggregator.generator.content.prepared import prepare
from aggregator.generator.files import Staged
from aggregator.generator.kept import KeptItems
from aggregator.generator.pages import languages, pages, view
from aggregator.model.entry import Moment
from aggregator.model.feed import Cover, Feed
from aggregator.model.item import PublishedItem
from aggregator.store import cache, facts
from aggregator.store.cache import CachePart
from aggregator.store.database import Store, batches
from aggregator.store.items import RENDERED, FeedItems, ItemPart
from aggregator.store.polls import DAYS
from aggregator.store.schema import mark


def update_history(
    store: Store, feed: Feed, now: datetime, keep: Callable[[ItemPart], object]
) -> tuple[History, bytes | None]:
    """Return what each run changed of the feed, this one included, newest first, and the fact of it if that is new.

    ``keep`` receives the items that are to be written.
    """
    before = unpack_history(facts.read_fact(store, feed.channel.name, facts.HISTORY))
    after = advance_history(before, feed, now, FeedItems(store, feed.channel.name, keep))
    return after, None if after is before else pack_history(after)


def keep_items(store: Store, feed: str, keep: Callable[[CachePart], object] = lambda _: None) -> KeptItems:
    """Return what the items of a feed are in each format in the store's cache; ``keep`` receives what is new of it."""

    def read(format_name: str, guids: Sequence[str]) -> Mapping[str, bytes]:
        names = {mark(guid): guid for guid in guids}
        kept = cache.read_cached(store, feed, f"{RENDERED}{format_name}", names)
        return {names[key]: value for key, value in kept.items()}

    def write(format_name: str, values: Mapping[str, bytes]) -> None:
        for some in batches(values.items()):
            keep(CachePart(f"{RENDERED}{format_name}", {mark(guid): value for guid, value in some}))

    return KeptItems(read, write)


def count_new_items(published: Collection[PublishedItem]) -> tuple[tuple[date, int], ...]:
    """Return how many items were first published on each UTC day, up to ninety days before the last such day.

    Those of the feed's first publication are left out: they are all that the sources listed when the feed began.
    """
    first = min((item.minted for item in published), default=None)
    counts = Counter(item.minted.date() for item in published if item.minted != first and item.alias_of is None)
    last = max(counts, default=date.min)
    return tuple(sorted((day, count) for day, count in counts.items() if last - day < timedelta(days=DAYS)))


def make_cover(feed: Feed) -> Cover:
    """Return the feed's entry on the page of all feeds."""
    episodes = sum(item.genre == "episode" for item in feed.items)
    return Cover(
        channel=feed.channel,
        address=view.subscription_url(feed),
        updated=feed.updated,
        episodes=episodes,
        posts=len(feed.items) - episodes,
        newest=next((item.published for item in feed.items if not _is_guessed(item.published)), None),
    )


def _is_guessed(published: Moment | None) -> bool:
    """Return whether a date is missing or a guess."""
    return published is None or published.precision == "guess"


def render(
    feed: Feed, window: int | None = None, history: History | None = None, kept: KeptItems | None = None
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of one feed; the same feed and history give the same bytes.

    ``window`` is the most items of the page that is polled; older ones go to archives (RFC 5005). The changes page
    lists the ``history``; with ``None`` there is none. Items that are ``kept`` are not rendered.
    """
    kept, prepared = kept or KeptItems(), prepare(feed)
    yield from feed_files.render_files(prepared, window=window, kept=kept)
    for edition in languages.list_editions("index.html", languages.list_languages(feed.channel)):
        page = pages.lay_out_feed_page(feed, edition.language, changes=history is not None)
        cards = partial(pages.render_cards, language=edition.language)
        name = "page" if edition.file == "index.html" else f"page {edition.language}"
        yield from kept.render(prepared, name, cards, [(edition.file, page)])
    if history is not None:
        yield from changes_page.render_changes_pages(feed, history)
        yield "changes.atom", changes_page.render_changes_feed(feed, history)


def describe_items(feed: Feed, guids: Collection[str]) -> list[dict[str, Any]]:
    """Return the items of these guids as ``feed.json`` has them, the newest first."""
    wanted = frozenset(guids)
    indices = [index for index, item in enumerate(feed.items) if item.guid in wanted]
    return [json.loads(each) for each in jsonfeed.render_items(prepare(feed), indices)]


def stage(  # noqa: PLR0913 - each is a part of what stands in the folder
    output: Path,
    feed: Feed,
    window: int | None = None,
    history: History | None = None,
    kept: KeptItems | None = None,
    *,
    packed: bool = True,
) -> Staged:
    """Write the files of a feed's folder under temporary names, with packed copies; raise PublishError if that fails.

    Archives of this feed that are not needed any more (after ``window`` grew), and chapters, are removed once no page
    names them.
    """
    folder = output / feed.channel.folder
    staged = files.stage(folder, render(feed, window, history, kept), compress=packed)
    current = {each.name for each in staged.written}
    archives = paging.find_stale_archives(folder, feed_channel.make_feed_channel(feed).guid, current)
    others = (*chapters.find_stale(folder, frozenset(current)), *languages.find_stale(folder, current))
    return replace(staged, outdated=(*archives, *others))


def stage_index(output: Path, covers: Sequence[Cover], *, packed: bool = True) -> Staged:
    """Write the page and the OPML that list every feed under temporary names; raise PublishError if that fails."""
    listed = [
        *pages.render_index_pages(covers),
        ("feeds.opml", opml.render(covers)),
        ("feed.css", pages.FEED_STYLESHEET),
    ]
    staged = files.stage(output, listed, compress=packed)
    current = {each.name for each in staged.written}
    return replace(staged, outdated=tuple(languages.find_stale(output, current)))
