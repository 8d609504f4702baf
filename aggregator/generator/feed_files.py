"""Edition: every machine-readable file of one feed, the archives among them, as publish takes them.

An item is cleaned once and written once for each format; podcast.xml is made of the same pieces as feed.xml. What a
piece says depends on the item and the masthead alone, so a caller may keep pieces from one refresh to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from aggregator.generator import atom, jsonfeed, report, rss
from aggregator.generator.content import feed_channel, feed_item
from aggregator.generator.content.feed_channel import Masthead
from aggregator.generator.jsontext import CLOSE, separated
from aggregator.generator.paging import Sheet, archive_name, count
from aggregator.generator.spool import spool
from aggregator.model.feed import Feed
from aggregator.model.item import Item

Content = Iterator[bytes]


class Pieces(Struct, frozen=True):
    """One item as each format writes it; ``playable`` says whether podcast.xml has it too."""

    playable: bool
    rss: bytes
    atom: bytes
    json: bytes
    report: bytes


class _Stock(Struct, frozen=True):
    """All that an edition is made of: whether the item at a position is played, and its piece in each format."""

    feed: Feed
    head: Masthead
    playable: Sequence[bool]
    rss: Callable[[int], bytes]
    atom: Callable[[int], bytes]
    json: Callable[[int], bytes]
    report: Callable[[int], bytes]


def pieces(item: Item, head: Masthead) -> Pieces:
    """The item in every format; the same item and masthead give the same bytes."""
    said = feed_item.of(item)
    return Pieces(
        said.playable,
        rss.written(said, head),
        atom.written(said, head),
        jsonfeed.written(item, said, head),
        report.written(item, said, head),
    )


def render(feed: Feed, *, window: int | None = None) -> dict[str, bytes]:
    """The files by name; ``window`` is the most items of a page (RFC 5005), ``None`` for all on one page."""
    head = feed_channel.of(feed)
    return assemble(feed, [pieces(item, head) for item in feed.items], window=window)


def assemble(feed: Feed, made: Sequence[Pieces], *, window: int | None = None) -> dict[str, bytes]:
    """The files by name, of pieces already made, one for each item of the feed in its order."""
    stock = _Stock(
        feed,
        feed_channel.of(feed),
        [piece.playable for piece in made],
        lambda position: made[position].rss,
        lambda position: made[position].atom,
        lambda position: made[position].json,
        lambda position: made[position].report,
    )
    return {name: b"".join(content) for name, content in _files(stock, window)}


def stream(
    feed: Feed, *, window: int | None = None, beside: Path | None = None, made: Iterable[Pieces] | None = None
) -> Iterator[tuple[str, Content]]:
    """The same files in pieces, one file after the other, for feeds too large to hold in every format.

    Each item is written once, too: its pieces wait on the disk, in unnamed files in ``beside`` (else in the system's
    folder for such), until the last file was taken. ``made`` gives the pieces, one for each item of the feed in its
    order, where the caller has them. Raises OSError where the disk refuses.
    """
    head = feed_channel.of(feed)
    playable: list[bool] = []
    with ExitStack() as opened:
        items, entries, objects, accounts = (opened.enter_context(spool(beside)) for _ in range(4))
        for each in (pieces(item, head) for item in feed.items) if made is None else made:
            playable.append(each.playable)
            items.add(each.rss)
            entries.add(each.atom)
            objects.add(each.json)
            accounts.add(each.report)
        stock = _Stock(feed, head, playable, items.piece, entries.piece, objects.piece, accounts.piece)
        yield from _files(stock, window)


def _files(stock: _Stock, window: int | None) -> Iterator[tuple[str, Content]]:
    """Every file in pieces; each is to be taken before the next is asked for."""
    feed, head = stock.feed, stock.head
    everything = range(len(feed.items))
    episodes = [position for position in everything if stock.playable[position]]
    yield "report.json", _list(report.front(feed, head), map(stock.report, everything))
    for number in range(count(len(episodes), window) + 1):
        yield _name("podcast.xml", number), _rss(stock, ("podcast.xml", episodes), Sheet(window, number))
    for number in range(count(len(everything), window) + 1):
        sheet = Sheet(window, number)
        part = sheet.cut(everything)
        yield _name("feed.xml", number), _rss(stock, ("feed.xml", everything), sheet)
        dated = sheet.dated([feed.items[position] for position in part], feed.updated)
        opening = atom.front(head, sheet.links(head, atom.NAME, len(everything)), dated)
        yield _name(atom.NAME, number), _document(opening, map(stock.atom, part), atom.CLOSE)
        listed = _list(jsonfeed.front(head, sheet, len(everything)), map(stock.json, part))
        yield _name(jsonfeed.NAME, number), listed


def _rss(stock: _Stock, chosen: tuple[str, Sequence[int]], sheet: Sheet) -> Content:
    """One page of podcast.xml or of feed.xml."""
    name, positions = chosen
    head = rss.titled(stock.head, heard=all(stock.playable[position] for position in positions))
    part = sheet.cut(positions)
    links = sheet.links(head, name, len(positions))
    opening = rss.opening(stock.feed, head, [stock.feed.items[position] for position in part], links, sheet)
    return rss.pieces(opening, map(stock.rss, part))


def _document(opening: bytes, made: Iterable[bytes], close: bytes) -> Content:
    yield opening
    yield from made
    yield close


def _list(opening: bytes, made: Iterable[bytes]) -> Content:
    return _document(opening, (separated(position, piece) for position, piece in enumerate(made)), CLOSE)


def _name(name: str, number: int) -> str:
    return archive_name(name, number) if number else name
