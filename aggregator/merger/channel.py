"""What the feed says of itself: the config's word first, else that of the most trusted source.

Who owns the feed, where it moves, who may import it and where it is announced comes from the config alone: a source
that could say so would own the subscribers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from aggregator.model.feed import Channel
from aggregator.model.sighting import Show
from aggregator.text import markup, urls
from aggregator.text.mend import mend

TEXTS = ("description", "author", "copyright")
ADDRESSES = ("link", "image")
PLAIN = ("language", "explicit", "categories")


def complete(channel: Channel, shows: Mapping[str, Show], trust: Mapping[str, float]) -> Channel:
    """The channel with what the config left open taken from the most trusted source that says it.

    ``shows`` is each source's account of the show. Texts are repaired; addresses are web addresses or left out.
    """
    order = [shows[source] for source in sorted(shows, key=lambda source: (-trust.get(source, 0.5), source))]
    for name in (*TEXTS, *ADDRESSES, *PLAIN):
        if getattr(channel, name) in (None, ()):
            value = _first(name, order)
            channel = channel if value is None else replace(channel, **{name: value})
    return channel


def _first(name: str, shows: Sequence[Show]) -> Any:
    """The first account's word on one field that is fit to print, ``None`` where nobody has one."""
    for show in shows:
        value = getattr(show, name)
        if name in TEXTS and value:
            value = mend(markup.to_text(value)).text
        if name in ADDRESSES and value and not urls.is_web(value):
            continue
        if value not in (None, "", ()):
            return value
    return None
