"""Each item written once for every format: an item that is as it was is not written again."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from hashlib import blake2b
from struct import Struct

from aggregator import kept
from aggregator.generator import edition, masthead
from aggregator.generator.edition import Pieces
from aggregator.kept import Work
from aggregator.ledger import records
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Feed

PRINTED = "printed"
"""The kind of work: by the digest of the item and of what its formats take from the show."""

FRONT = Struct(">?III")
"""Before the pieces: is the item played, and how many bytes the first three of them have."""

SQUEEZED = 1
"""The level of zlib: a third of the bytes for 1 % of what writing costs; 6 takes three times as long for 10 % less."""


def printed(book: Ledger, feed: Feed) -> Iterator[Pieces]:
    """The items of the feed as every format writes them, in its order; what had to be written is kept as it goes."""
    head = masthead.of(feed)
    show = repr(head)
    used: set[str] = set()
    for lot in kept.lots(feed.items):
        names = [_name(records.name(item), show) for item in lot]
        known = kept.found(book, feed.channel.name, PRINTED, names)
        fresh: list[tuple[str, bytes]] = []
        for item, name in zip(lot, names, strict=True):
            if name in known:
                yield unpacked(known[name])
            else:
                made = edition.pieces(item, head)
                fresh.append((name, packed(made)))
                yield made
        used.update(names)
        kept.add(book, feed.channel.name, Work(PRINTED, fresh=tuple(fresh)))
    kept.keep(book, feed.channel.name, Work(PRINTED, frozenset(used)))


def packed(made: Pieces) -> bytes:
    """An item's pieces as they are kept."""
    front = FRONT.pack(made.playable, len(made.rss), len(made.atom), len(made.json))
    return zlib.compress(b"".join((front, made.rss, made.atom, made.json, made.report)), SQUEEZED)


def unpacked(value: bytes) -> Pieces:
    """The pieces that :func:`packed` packed."""
    body = zlib.decompress(value)
    playable, rss, atom, json = FRONT.unpack_from(body)
    first = FRONT.size
    second, third, fourth = first + rss, first + rss + atom, first + rss + atom + json
    return Pieces(playable, body[first:second], body[second:third], body[third:fourth], body[fourth:])


def _name(item: str, show: str) -> str:
    """The digest of all that an item's pieces depend on."""
    return blake2b(f"{item}\n{show}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
