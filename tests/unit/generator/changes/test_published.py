"""What is compared of a feed is the same from kept items as from items that are rendered for it."""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.generator import rss
from aggregator.generator.changes.feed_state import ItemChange
from aggregator.generator.changes.published import describe_feed, find_difference
from aggregator.generator.content.prepared import prepare
from tests.support import sample_feed as made


def test_items_are_rendered_if_they_are_not_kept() -> None:
    feed = made.feed(4, 2)
    texts = rss.render_items(prepare(feed), range(len(feed.items)))
    kept = {item.guid: text for item, text in zip(feed.items, texts, strict=True)}
    described = describe_feed(feed, kept)
    assert list(described.items) == [item.guid for item in feed.items]
    assert describe_feed(feed, dict(list(kept.items())[::2])) == described == describe_feed(feed, {})


def test_an_item_is_compared_as_it_was_rendered() -> None:
    feed = made.feed(2, 0)
    first = feed.items[0]
    titled = replace(feed, items=(replace(first, title="Renamed"), *feed.items[1:]))
    (old, *_), before = rss.render_items(prepare(feed), [0]), describe_feed(feed, {})
    (change,) = find_difference(before, describe_feed(titled, {})).changed
    assert isinstance(change, ItemChange)
    assert [(each.field, each.before, each.after) for each in change.fields] == [("title", first.title, "Renamed")]
    assert not find_difference(before, describe_feed(titled, {first.guid: old}))
