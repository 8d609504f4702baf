"""The neutral record that the match engine works on: what a sighting or a line of JSON says, ready to be compared."""

from __future__ import annotations

from msgspec import Struct, field

from aggregator.model.sighting import Sighting, Span
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


def of_sighting(sighting: Sighting) -> Record:
    """The neutral record of a sighting."""
    published, duration = sighting.published, sighting.duration
    dated = published is not None and published.precision != "year"
    measured = duration is not None and duration.seconds > 0
    return Record(
        id=sighting.id,
        source=sighting.source,
        title=sighting.title,
        kind=sighting.genre,
        ids=_ids(sighting),
        show=sighting.show,
        author=sighting.author,
        description=sighting.description or sighting.summary,
        summary=sighting.summary if sighting.description else None,
        day=published.at.toordinal() if published is not None and dated else None,
        year=published.at.year if published is not None else None,
        instant=published.at.timestamp() if published is not None and dated else None,
        timed=published is not None and published.zoned and published.precision in ("minute", "second"),
        seconds=duration.seconds if duration is not None and measured else None,
        step=duration.step if duration is not None and measured else 1,
        season=sighting.season,
        numbers=() if sighting.episode is None else (sighting.episode,),
        span=sighting.span,
        position=sighting.position,
    )


def _ids(sighting: Sighting) -> tuple[str, ...]:
    """Every hard id that a sighting carries, as ``scheme:value``."""
    found = [f"{scheme}:{value}" for scheme, value in sighting.ids]
    if sighting.guid:
        found.append(f"guid:{sighting.guid}")
    if sighting.enclosure is not None and sighting.enclosure.url:
        found.append(f"audio:{bare_audio(sighting.enclosure.url)}")
    if sighting.link:
        found.append(f"link:{canonical(sighting.link)}")
    return tuple(found)
