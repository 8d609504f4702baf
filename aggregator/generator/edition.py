"""Edition: every machine-readable file of one feed, the archives among them, as publish takes them.

An item is cleaned once and written once for each format; podcast.xml is made of the same pieces as feed.xml. What a
piece says depends on the item and the masthead alone, so a caller may keep pieces from one refresh to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aggregator.generator import atom, jsonfeed, leaf, masthead, report, rss
from aggregator.generator.archive import Sheet, archive_name, count
from aggregator.generator.jsontext import CLOSE, separated
from aggregator.generator.masthead import Masthead
from aggregator.model.feed import Feed
from aggregator.model.item import Item


@dataclass(frozen=True, slots=True)
class Pieces:
    """One item as each format writes it; ``playable`` says whether podcast.xml has it too."""

    playable: bool
    rss: bytes
    atom: bytes
    json: bytes
    report: bytes


def pieces(item: Item, head: Masthead) -> Pieces:
    """The item in every format; the same item and masthead give the same bytes."""
    said = leaf.of(item)
    return Pieces(
        said.playable,
        rss.written(said, head),
        atom.written(said, head),
        jsonfeed.written(item, said, head),
        report.written(item, said, head),
    )


def render(feed: Feed, *, window: int | None = None) -> dict[str, bytes]:
    """The files by name; ``window`` is the most items of a page (RFC 5005), ``None`` for all on one page."""
    head = masthead.of(feed)
    return assemble(feed, [pieces(item, head) for item in feed.items], window=window)


def assemble(feed: Feed, made: Sequence[Pieces], *, window: int | None = None) -> dict[str, bytes]:
    """The files by name, of pieces already made, one for each item of the feed in its order."""
    head = masthead.of(feed)
    everything = list(zip(feed.items, made, strict=True))
    episodes = [pair for pair in everything if pair[1].playable]
    files = {"report.json": _list(report.front(feed, head), (piece.report for piece in made))}
    for number in range(count(len(episodes), window) + 1):
        files[_name("podcast.xml", number)] = _rss(feed, head, episodes, "podcast.xml", Sheet(window, number))
    for number in range(count(len(everything), window) + 1):
        sheet = Sheet(window, number)
        part = sheet.cut(everything)
        links = sheet.links(head, atom.NAME, len(everything))
        front = atom.front(head, links, sheet.dated([item for item, _ in part], feed.updated))
        files[_name("feed.xml", number)] = _rss(feed, head, everything, "feed.xml", sheet)
        files[_name(atom.NAME, number)] = b"".join((front, *(piece.atom for _, piece in part), atom.CLOSE))
        files[_name(jsonfeed.NAME, number)] = _list(
            jsonfeed.front(head, sheet, len(everything)), (piece.json for _, piece in part)
        )
    return files


def stream(feed: Feed, *, window: int | None = None) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The same files in pieces, one file after the other: no more than one item is held at a time.

    For feeds too large to hold in every format; it takes three times as long, for each format cleans each item.
    """
    yield "report.json", report.stream(feed)
    for number in range(count(sum(map(leaf.playable, feed.items)), window) + 1):
        yield _name("podcast.xml", number), rss.stream(feed, episodes_only=True, sheet=Sheet(window, number))
    for number in range(count(len(feed.items), window) + 1):
        sheet = Sheet(window, number)
        yield _name("feed.xml", number), rss.stream(feed, episodes_only=False, sheet=sheet)
        yield _name(atom.NAME, number), atom.stream(feed, sheet=sheet)
        yield _name(jsonfeed.NAME, number), jsonfeed.stream(feed, sheet=sheet)


def _rss(feed: Feed, head: Masthead, chosen: Sequence[tuple[Item, Pieces]], name: str, sheet: Sheet) -> bytes:
    part = sheet.cut(chosen)
    titled = rss.titled(head, heard=all(piece.playable for _, piece in chosen))
    front = rss.opening(feed, titled, [item for item, _ in part], sheet.links(head, name, len(chosen)), sheet)
    return rss.assemble(front, (piece.rss for _, piece in part))


def _list(front: bytes, made: Iterable[bytes]) -> bytes:
    return b"".join((front, *(separated(position, piece) for position, piece in enumerate(made)), CLOSE))


def _name(name: str, number: int) -> str:
    return archive_name(name, number) if number else name
