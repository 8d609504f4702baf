"""The published items of a feed, read from its own files, and values as pages show them."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from aggregator.generator.pages import wording
from aggregator.generator.paging import find_archives
from aggregator.model.cluster import Pair
from aggregator.model.entry import Duration, Enclosure, Entry, Moment
from aggregator.model.item import Dissent
from aggregator.model.record import make_json_decoder
from aggregator.service.desk.frame import MissingError
from aggregator.text import word_diff
from aggregator.text.html import to_text

_MOST_REPORTS: Final = 8
_MOST_APP_ITEMS: Final = 3
_LONGEST_DESCRIPTION: Final = 300
_LONGEST_SUMMARY: Final = 120

Pieces = tuple[tuple[word_diff.Change, str], ...]
"""A text in pieces: those that another one lacks are marked."""


class ReportRepair(Struct, frozen=True, gc=False):
    """A repair of a published value, in ``report.json``."""

    cause: str
    before: str
    after: str


class ReportField(Struct, frozen=True, gc=False):
    """The origin of a field, in ``report.json``."""

    field: str
    source: str
    confidence: float = 1.0
    agreeing: tuple[str, ...] = ()
    dissent: tuple[Dissent, ...] = ()
    repairs: tuple[ReportRepair, ...] = ()


class ReportItem(Struct, frozen=True, gc=False):
    """A published item, in ``report.json``; ``evidence`` is decoded by :func:`read_evidence`, as one page needs it."""

    guid: str
    title: str
    genre: str
    published: datetime | None = None
    cut: bool = False
    entries: tuple[str, ...] = ()
    fields: tuple[ReportField, ...] = ()
    evidence: msgspec.Raw = msgspec.Raw(b"[]")


class ReportHeld(Struct, frozen=True, gc=False):
    """A new item that waits, in ``report.json``."""

    title: str
    why: str
    entries: tuple[str, ...] = ()
    until: datetime | None = None


class _ReportLeftOut(Struct, frozen=True, gc=False):
    """An entry or item that a filter leaves out, in ``report.json``; ``source`` is empty for an item."""

    title: str
    why: str
    entries: tuple[str, ...] = ()
    source: str = ""


class Report(Struct, frozen=True, gc=False):
    """The last publication of a feed, as ``report.json`` has it."""

    items: tuple[ReportItem, ...] = ()
    near_misses: tuple[Pair, ...] = ()
    held: tuple[ReportHeld, ...] = ()
    left_out: tuple[_ReportLeftOut, ...] = ()
    remarks: tuple[str, ...] = ()


_DECODER = make_json_decoder(Report)
_EVIDENCE_DECODER = make_json_decoder(tuple[Pair, ...])


def read_report(folder: Path) -> Report:
    """Return what was last published of the feed in this folder; an empty report before the first publication."""
    path = folder / "report.json"
    try:
        state = path.stat()
        return _decode_report(path, state.st_mtime_ns, state.st_size)
    except (OSError, ValueError):
        return Report()


@lru_cache(_MOST_REPORTS)
def _decode_report(path: Path, _changed: int, _size: int) -> Report:
    return _DECODER.decode(path.read_bytes())


def find_item(report: Report, guid: str) -> ReportItem:
    """Return the published item of that guid; raise MissingError."""
    for item in report.items:
        if item.guid == guid:
            return item
    raise MissingError("no published item has this guid")


def read_evidence(item: ReportItem) -> tuple[Pair, ...]:
    """Return the pairs of entries that were compared; none if they cannot be read."""
    try:
        return _EVIDENCE_DECODER.decode(item.evidence)
    except ValueError:
        return ()


class FeedItem(Struct, frozen=True, gc=False):
    """An item of ``feed.json``: the values as subscribers have them."""

    id: str
    title: str = ""
    url: str | None = None
    summary: str | None = None
    content_html: str = ""
    image: str | None = None
    date_published: str | None = None
    authors: tuple[dict[str, str], ...] = ()
    attachments: tuple[dict[str, str | int], ...] = ()


class _FeedFile(Struct, frozen=True, gc=False):
    title: str = ""
    description: str = ""
    icon: str | None = None
    authors: tuple[dict[str, str], ...] = ()
    items: tuple[FeedItem, ...] = ()


_FEED_DECODER = make_json_decoder(_FeedFile)


def read_published_item(folder: Path, guid: str) -> FeedItem:
    """Return an item as its files have it; only its guid if it is in none of them."""
    try:
        for name in ("feed.json", *find_archives(folder, "feed.json")):
            for item in _FEED_DECODER.decode((folder / name).read_bytes()).items:
                if item.id == guid:
                    return item
    except (OSError, ValueError):
        pass
    return FeedItem(guid)


class _AppItem(Struct, frozen=True):
    """An item in the list of an app."""

    title: str
    day: str
    length: str
    text: str


class AppView(Struct, frozen=True):
    """A feed as an app shows it: its head, and its newest items; only those with audio if any has.

    ``is_heard`` is whether any has audio.
    """

    title: str
    author: str
    image: str | None
    description: str
    items: tuple[_AppItem, ...]
    is_heard: bool


def read_app_view(folder: Path) -> AppView | None:
    """Return a feed as an app shows it, by the file that is published; ``None`` if there is none."""
    try:
        found = _FEED_DECODER.decode((folder / "feed.json").read_bytes())
    except (OSError, ValueError):
        return None
    heard = tuple(item for item in found.items if item.attachments)
    return AppView(
        title=found.title,
        author=found.authors[0].get("name", "") if found.authors else "",
        image=found.icon if found.icon and found.icon.startswith("https://") else None,
        description=_cut(found.description, _LONGEST_DESCRIPTION),
        items=tuple(map(_make_app_item, (heard or found.items)[:_MOST_APP_ITEMS])),
        is_heard=bool(heard),
    )


def _make_app_item(item: FeedItem) -> _AppItem:
    seconds = item.attachments[0].get("duration_in_seconds") if item.attachments else None
    return _AppItem(
        title=item.title,
        day=(item.date_published or "")[:10],
        length=wording.format_length(Duration(seconds)) if isinstance(seconds, int) else "",
        text=_cut(item.summary or "", _LONGEST_SUMMARY),
    )


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text, as apps cut it."""
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + "…"


def format_value(value: object) -> str:
    """Return a value of an entry for people."""
    match value:
        case Moment() if value.precision in ("minute", "second"):
            text = f"{value.at:%Y-%m-%d %H:%M} UTC"
        case Moment():
            text = wording.format_day(value)
        case Duration():
            text = wording.format_length(value)
        case Enclosure():
            text = value.url
        case bool():
            text = "yes" if value else "no"
        case tuple():
            text = ", ".join(map(str, value))
        case _:
            text = "" if value is None else str(value)
    return text


def full_text(entry: Entry) -> str:
    """Return the description of an entry as text."""
    return to_text(entry.html) if entry.description is None and entry.html is not None else entry.description or ""


def unmark(pieces: Pieces) -> Pieces:
    """Return the pieces without the signs that mark them where there is no colour: a page has elements for that."""
    return tuple((change, text if change == "same" else text[2:-2]) for change, text in pieces)


class ListedEntry(Struct, frozen=True):
    """An entry as it was read of a document."""

    title: str
    published: str
    duration: str
    audio: str
    characters: int


def make_entry(entry: Entry) -> ListedEntry:
    """Return an entry as it is listed before it is stored."""
    published, duration, audio = (format_value(value) for value in (entry.published, entry.duration, entry.enclosure))
    return ListedEntry(entry.title, published, duration, audio, len(full_text(entry)))
