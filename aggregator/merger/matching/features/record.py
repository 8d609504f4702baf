"""The neutral record that the match engine works on: what an entry or a line of JSON says, ready to be compared."""

from __future__ import annotations

from msgspec import Struct, field

from aggregator.model.entry import Entry, Span
from aggregator.text.urls import bare_audio, canonical


class Record(Struct, frozen=True):
    """One account of one item of any kind.

    ``kind`` is ``episode``, ``post`` or empty where nobody says. ``ids`` are hard ids as ``scheme:value``; which of
    them are unique in their source is found later. ``day`` is the UTC day's ordinal, ``year`` stands alone where
    only the year is known. ``timed`` is false where ``instant`` (seconds since 1970) is no time of day with a zone, but
    a day or a local time. ``seconds`` with ``step`` is the duration and its grain. ``position`` orders
    the records of a listing, ``None`` where it has no order. ``summary`` is a second text beside the description.
    """

    id: str
    source: str
    title: str
    kind: str = ""
    ids: tuple[str, ...] = ()
    show: str | None = None
    author: str | None = None
    description: str | None = None
    summary: str | None = None
    day: int | None = None
    year: int | None = None
    instant: float | None = None
    timed: bool = True
    seconds: int | None = None
    step: int = 1
    season: int | None = None
    numbers: tuple[int, ...] = ()
    span: Span = field(default_factory=Span)
    position: int | None = None


def of_entry(entry: Entry) -> Record:
    """The neutral record of an entry."""
    published, duration = entry.published, entry.duration
    dated = published is not None and published.precision != "year"
    measured = duration is not None and duration.seconds > 0
    return Record(
        id=entry.id,
        source=entry.source,
        title=entry.title,
        kind=entry.genre,
        ids=_ids(entry),
        show=entry.show,
        author=entry.author,
        description=entry.description or entry.summary,
        summary=entry.summary if entry.description else None,
        day=published.at.toordinal() if published is not None and dated else None,
        year=published.at.year if published is not None else None,
        instant=published.at.timestamp() if published is not None and dated else None,
        timed=published is not None and published.zoned and published.precision in ("minute", "second"),
        seconds=duration.seconds if duration is not None and measured else None,
        step=duration.step if duration is not None and measured else 1,
        season=entry.season,
        numbers=() if entry.episode is None else (entry.episode,),
        span=entry.span,
        position=entry.position,
    )


def _ids(entry: Entry) -> tuple[str, ...]:
    """Every hard id that an entry carries, as ``scheme:value``."""
    found = [f"{scheme}:{value}" for scheme, value in entry.ids]
    if entry.guid:
        found.append(f"guid:{entry.guid}")
    if entry.enclosure is not None and entry.enclosure.url:
        found.append(f"audio:{bare_audio(entry.enclosure.url)}")
    if entry.link:
        found.append(f"link:{canonical(entry.link)}")
    return tuple(found)
