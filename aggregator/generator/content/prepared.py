"""A feed with its channel and items prepared for all formats."""

from __future__ import annotations

from msgspec import Struct

from aggregator.generator.content import feed_channel, feed_item
from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem
from aggregator.model.feed import Feed


class PreparedFeed(Struct, frozen=True):
    """The channel and the items, newest first; ``source`` is the feed of which they were made, item by item."""

    source: Feed
    channel: FeedChannel
    items: tuple[FeedItem, ...]


def prepare(feed: Feed) -> PreparedFeed:
    """Prepare the channel and every item for the formats."""
    return PreparedFeed(feed, feed_channel.make_feed_channel(feed), tuple(map(feed_item.make_feed_item, feed.items)))
