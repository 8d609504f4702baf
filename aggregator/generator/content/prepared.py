"""A feed with its channel and items prepared for all formats."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import msgspec
import nh3
from lxml import etree
from msgspec import Struct
from msgspec.structs import replace

from aggregator.generator.content import feed_channel, feed_item
from aggregator.generator.content.feed_channel import FeedChannel
from aggregator.generator.content.feed_item import FeedItem
from aggregator.model.feed import Feed
from aggregator.version import digest_code

_LIBRARIES: Final = (etree.__version__, msgspec.__version__, nh3.__version__)  # type: ignore[attr-defined]  # of nh3's stub
_PROGRAM: Final = (digest_code("generator", "model", "text"), *_LIBRARIES)
"""Names the code that renders items; another release of these packages may sanitise or write them in another way."""


DIGEST_BYTES: Final = 16
"""Of the digest of an item."""


class PreparedFeed(Struct, frozen=True):
    """The channel and the items, newest first; ``source`` is the feed from which they were made, item by item.

    ``digests`` are, item by item, of all that its rendering depends on: the item without its evidence, the channel
    and the program.
    """

    source: Feed
    channel: FeedChannel
    items: tuple[FeedItem, ...]
    digests: tuple[bytes, ...]


def prepare(feed: Feed) -> PreparedFeed:
    """Prepare the channel and every item for the formats."""
    channel = feed_channel.make_feed_channel(feed)
    shared = _digest((_PROGRAM, channel, feed.channel))
    digests = (_digest((shared, replace(item, rank=0, pairs=()))) for item in feed.items)
    return PreparedFeed(feed, channel, tuple(map(feed_item.make_feed_item, feed.items)), tuple(digests))


def _digest(value: tuple[object, ...]) -> bytes:
    try:
        encoded = msgspec.msgpack.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which a source's escapes can hold
        encoded = repr(value).encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=DIGEST_BYTES).digest()
