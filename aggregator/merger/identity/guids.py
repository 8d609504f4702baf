"""Make guids, and compare them as they are published."""

from __future__ import annotations

import re
import uuid
from typing import Final

from aggregator.model.entry import Moment
from aggregator.text.characters import clean_guid
from aggregator.text.fold import fold
from aggregator.text.urls import PODCAST_NAMESPACE

URN: Final = "urn:uuid:"
"""What an Atom id that is a UUID begins with (RFC 9562, section 4)."""

_UUID: Final = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def find_likeness(guid: str) -> str:
    r"""Return what is equal of two guids that are published as one, be it as an Atom id.

    >>> find_likeness("show-1\x9b") == find_likeness("show-1")
    True
    >>> find_likeness("urn:uuid:81624D19-1afa-506d-b8ec-7a19fa3ce3c6")
    '81624d19-1afa-506d-b8ec-7a19fa3ce3c6'
    """
    line = clean_guid(guid)
    bare = line[len(URN) :] if line[: len(URN)].lower() == URN else line
    return bare.lower() if _UUID.fullmatch(bare) else line


def make_guid(feed: str, title: str, published: Moment | None, turn: int = 0) -> str:
    """Return a UUIDv5 (RFC 9562, section 5.5) of the feed's name, the folded title, and the day if one is known.

    ``turn`` counts items of the same title and day from 0. The name of the feed is its key in the config: the same
    config gives the same guids on another machine and under another address.

    >>> make_guid("show", "Listener Mail", None)
    '81624d19-1afa-506d-b8ec-7a19fa3ce3c6'
    """
    day = published.at.strftime("%Y-%m-%d") if published else ""
    words = fold(title) or title
    name = "\n".join([words, day] + ([str(turn)] if turn else []))
    return str(uuid.uuid5(uuid.uuid5(PODCAST_NAMESPACE, feed), name))
