"""Make the guid of an item whose sources gave none: the same for ever from the same feed, title and day."""

from __future__ import annotations

import uuid

from aggregator.model.entry import Moment
from aggregator.text.fold import fold
from aggregator.text.urls import PODCAST_NAMESPACE


def make_guid(feed: str, title: str, published: Moment | None, turn: int = 0) -> str:
    """Return a UUIDv5 (RFC 9562, section 5.5) of the feed's name, the folded title, and the day where one is known.

    ``turn`` counts up from 0 for further items of the same title and day. The name of the feed is its key in the
    config: the same config gives the same guids on another machine and under another address.

    >>> make_guid("show", "Listener Mail", None)
    '81624d19-1afa-506d-b8ec-7a19fa3ce3c6'
    """
    day = published.at.strftime("%Y-%m-%d") if published else ""
    words = fold(title) or title
    name = "\n".join([words, day] + ([str(turn)] if turn else []))
    return str(uuid.uuid5(uuid.uuid5(PODCAST_NAMESPACE, feed), name))
