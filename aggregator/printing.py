"""Each item written once for every format and for the page: an item that is as it was is not written again."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

from msgspec import Struct

from aggregator import kept
from aggregator.generator import feed_files
from aggregator.generator.content import feed_channel
from aggregator.generator.feed_files import Pieces
from aggregator.generator.pages import pages as page
from aggregator.ledger import ledger, records
from aggregator.ledger.ledger import Ledger
from aggregator.model.feed import Feed
from aggregator.model.item import Item, Whole, itself

T = TypeVar("T")

PRINTED, CARDED = "printed", "carded"
"""The kinds of work: by the digest of the item and of what its formats, or its card on the page, take from the show."""

FRONT = struct.Struct(">?III")
"""Before the pieces: is the item played, and how many bytes the first three of them have."""

SQUEEZED = 1
"""The level of zlib: a third of the bytes for 1 % of what writing costs; 6 takes three times as long for 10 % less."""


class Rest(Struct, frozen=True):
    """What is left to be kept of a feed's items once all of them were written, and which of what is kept they use."""

    feed: str
    kind: str
    fresh: Mapping[str, bytes]
    used: Collection[str]


Rests = list[Rest]
"""Where the rest waits for a transaction of the caller's: one of its own takes 0.5 ms."""


def printed(book: Ledger, feed: Feed, whole: Whole = itself, rests: Rests | None = None) -> Iterator[Pieces]:
    """The items of the feed as every format writes them, in its order; what had to be written is kept as it goes.

    ``whole`` gives an item with its texts. The rest is kept at the end, or by the caller where it has ``rests``.
    """
    head = feed_channel.of(feed)
    shelf = _Shelf(book, feed.channel.name, PRINTED, repr(head), whole, rests)
    return _made(shelf, feed.items, lambda item: feed_files.pieces(item, head), (packed, unpacked))


def cards(book: Ledger, feed: Feed, whole: Whole = itself, rests: Rests | None = None) -> Iterator[str]:
    """The cards of the items that the page shows, in the page's order; kept as the pieces of ``printed`` are."""
    language = feed.channel.language
    shelf = _Shelf(book, feed.channel.name, CARDED, repr(language), whole, rests)
    episodes, posts = page.shown(feed)
    return _made(shelf, (*episodes, *posts), lambda item: page.card(item, language), (_squeezed, _whole))


class _Shelf(Struct, frozen=True):
    """Where what is made of a feed's items is kept: under which kind, and what it depends on besides the whole item."""

    book: Ledger
    feed: str
    kind: str
    show: str
    whole: Whole
    rests: Rests | None


def _made(
    shelf: _Shelf,
    items: Sequence[Item],
    make: Callable[[Item], T],
    forms: tuple[Callable[[T], bytes], Callable[[bytes], T]],
) -> Iterator[T]:
    """What is made of each item, in their order; ``forms`` are how it is kept and how it is read again."""
    pack, unpack = forms
    used: set[str] = set()
    fresh: dict[str, bytes] = {}
    for lot in kept.lots(map(shelf.whole, items)):
        kept.add(shelf.book, shelf.feed, shelf.kind, fresh)
        names = [_name(item, shelf.show) for item in lot]
        known = kept.found(shelf.book, shelf.feed, shelf.kind, names)
        fresh = {}
        for item, name in zip(lot, names, strict=True):
            if name in known:
                yield unpack(known[name])
            else:
                made = make(item)
                fresh[name] = pack(made)
                yield made
        used.update(names)
    rest = Rest(shelf.feed, shelf.kind, fresh, used)
    if shelf.rests is None:
        keep(shelf.book, [rest])
    else:
        shelf.rests.append(rest)


def keep(book: Ledger, rests: Rests) -> None:
    """Keep what is left, in one transaction."""
    with ledger.transaction(book) as page:
        for rest in rests:
            kept.add(page, rest.feed, rest.kind, rest.fresh)
            kept.sweep(page, rest.feed, rest.kind, rest.used)


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


def _squeezed(card: str) -> bytes:
    """A card as it is kept; half a letter becomes what the page would make of it."""
    return zlib.compress(card.encode("utf-8", "replace"), SQUEEZED)


def _whole(value: bytes) -> str:
    return zlib.decompress(value).decode()


def _name(item: Item, show: str) -> str:
    """The digest of all that is made of an item depends on."""
    try:
        said = records.packed(item)
    except UnicodeEncodeError:
        said = records.encode(item).encode()
    return blake2b(b"%b\n%b" % (said, show.encode("utf-8", "surrogatepass")), digest_size=16).hexdigest()
