"""Make records for matching from entries, or from lines of JSON about items of any kind.

The unit of a bare number as a duration (seconds, milliseconds, minutes) is found from the numbers of its source and
from lengths with units of other sources: the five catalogues of one public set write ``03:43``, ``223``, ``3.716``,
``3m 43sec`` and ``223000`` for one song.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median

from msgspec import Struct, field

from aggregator.model.entry import Entry, Span
from aggregator.text.fold import fold
from aggregator.text.times import dates, durations
from aggregator.text.urls import bare_audio, canonical

_BARE = re.compile(r"\s*\d{1,12}(?:\.\d+)?\s*")
_UNITS = {"seconds": 1.0, "milliseconds": 0.001, "minutes": 60.0}
_TYPICAL = 900.0  # seconds: between a song and an episode, if no other source has lengths with a unit
_RELUCTANCE = math.log(5)  # seconds are usual (RSS): another unit must fit five times better
_ADS_SECONDS, _ADS_SHARE = 240, 0.02  # by which advertisements change a length, at most
_LONGEST = 4000  # characters of any text that are examined
_BOUND = 1e12  # above any length in any unit
_HUGE = 1_000_000  # above any season or episode number; a file size in the wrong field
_YEARED = re.compile(r"\((\d{4})\)$")  # "Album (1998)"
_YEAR = re.compile(r"\s*(\d{4})\s*")


class Record(Struct, frozen=True):
    """One source's record of one item of any kind.

    - ``kind``: ``episode``, ``post``, or empty if unknown; ``assumed`` if it follows only from what the entry lacks.
    - ``ids``: hard ids as ``scheme:value``.
    - ``day``: the ordinal of the day in UTC; ``year`` alone if only that is known.
    - ``instant``: seconds since 1970; ``timed`` is false if it is a day or a local time.
    - ``seen``: when its source was first seen to list it, in seconds since 1970.
    - ``seconds``, ``step``: the duration and its precision.
    - ``position``: order in the listing, ``None`` without one.
    - ``summary``: a second text beside the description.
    - ``fresh``: whether it came since the feed was learned from: it changes neither rarity of words nor decoration.
    """

    id: str
    source: str
    title: str
    kind: str = ""
    assumed: bool = False
    ids: tuple[str, ...] = ()
    show: str | None = None
    author: str | None = None
    description: str | None = None
    summary: str | None = None
    day: int | None = None
    year: int | None = None
    instant: float | None = None
    timed: bool = True
    seen: float | None = None
    seconds: int | None = None
    step: int = 1
    season: int | None = None
    numbers: tuple[int, ...] = ()
    span: Span = field(default_factory=Span)
    position: int | None = None
    fresh: bool = False


def make_record(
    entry: Entry, assuming: Collection[str] = (), seen: datetime | None = None, *, fresh: bool = False
) -> Record:
    """Return the record of an entry that was first seen in its source's listing at the time ``seen``.

    The sources ``assuming`` only assume that an entry without a file is a post.
    """
    published, duration = entry.published, entry.duration
    dated = published is not None and published.precision != "year"
    measured = duration is not None and duration.seconds > 0
    return Record(
        id=entry.id,
        source=entry.source,
        title=entry.title,
        kind=entry.genre,
        assumed=entry.genre == "post" and entry.source in assuming,
        ids=_list_entry_ids(entry),
        show=entry.show,
        author=entry.author,
        description=entry.description or entry.summary,
        summary=entry.summary if entry.description else None,
        day=published.at.toordinal() if published is not None and dated else None,
        year=published.at.year if published is not None else None,
        instant=published.at.timestamp() if published is not None and dated else None,
        timed=published is not None and published.zoned and published.precision in ("minute", "second"),
        seen=None if seen is None else seen.timestamp(),
        seconds=duration.seconds if duration is not None and measured else None,
        step=duration.step if duration is not None and measured else 1,
        season=entry.season,
        numbers=() if entry.episode is None else (entry.episode,),
        span=entry.span,
        position=entry.position,
        fresh=fresh,
    )


def _list_entry_ids(entry: Entry) -> tuple[str, ...]:
    """Return every hard id of an entry, as ``scheme:value``."""
    found = [f"{scheme}:{value}" for scheme, value in entry.ids]
    if entry.guid:
        found.append(f"guid:{entry.guid}")
    if entry.enclosure is not None and entry.enclosure.url:
        found.append(f"audio:{bare_audio(entry.enclosure.url)}")
    if entry.link:
        found.append(f"link:{canonical(entry.link)}")
    return tuple(found)


def parse_records(lines: Sequence[Mapping[str, object]]) -> tuple[Record, ...]:
    """Return the records of lines with ``id`` and ``source``; other keys may be absent, null or of another type."""
    units = _find_units(lines)
    return tuple(_parse_record(line, units.get(str(line["source"]), 1.0)) for line in lines)


def _parse_record(line: Mapping[str, object], unit: float) -> Record:
    day, year, instant, timed = _parse_date(line.get("published"))
    seconds, step = _parse_length(line.get("duration"), unit)
    number = _read_number(line.get("episode"))
    description, summary = _read_text(line, "description"), _read_text(line, "summary")
    if year is None and (match := _YEARED.search(_read_text(line, "show") or "")):
        year = int(match[1])
    return Record(
        id=str(line["id"]),
        source=str(line["source"]),
        title=_read_text(line, "title") or "",
        kind=genre if (genre := _read_text(line, "genre")) in ("episode", "post") else "",
        ids=_list_line_ids(line),
        show=_read_text(line, "show"),
        author=_read_text(line, "author"),
        description=description or summary,
        summary=summary if description else None,
        day=day,
        year=year,
        instant=instant,
        timed=timed,
        seconds=seconds,
        step=step,
        season=_read_number(line.get("season")),
        numbers=() if number is None else (number,),
        position=_read_number(line.get("position")),
    )


def _list_line_ids(line: Mapping[str, object]) -> tuple[str, ...]:
    """Return the hard ids of a line as ``scheme:value``."""
    found = []
    if guid := _read_text(line, "guid"):
        found.append(f"guid:{guid}")
    if link := _read_text(line, "link"):
        found.append(f"link:{canonical(link)}")
    if audio := _read_text(line, "enclosure"):
        found += [f"audio:{bare_audio(audio)}", f"file:{audio}"]
    return tuple(found)


def _read_text(line: Mapping[str, object], key: str) -> str | None:
    value = line.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)[:_LONGEST] or None


def _read_number(value: object) -> int | None:
    """Return a whole number up to a million, as number or text."""
    number = _read_bare(value)
    return int(number) if number is not None and number < _HUGE and number == int(number) else None


def _parse_date(value: object) -> tuple[int | None, int | None, float | None, bool]:
    """Return the day's ordinal, the year and the instant where known, and whether it is a time with a zone."""
    if value is None or isinstance(value, bool):
        return None, None, None, False
    text = str(value)[:_LONGEST]
    if match := _YEAR.fullmatch(text):
        return None, int(match[1]), None, False
    moment = dates.parse(text)
    if moment is None:
        return None, None, None, False
    if moment.precision == "year":
        return None, moment.at.year, None, False
    timed = moment.zoned and moment.precision in ("minute", "second")
    return moment.at.toordinal(), moment.at.year, moment.at.timestamp(), timed


def _parse_length(value: object, unit: float) -> tuple[int | None, int]:
    """Return seconds and their precision; ``None`` seconds if the length is missing or 0."""
    bare = _read_bare(value)
    if bare is not None:
        seconds = round(bare * unit)
        coarse = unit > 1 and bare == int(bare)
        return (seconds, 60 if coarse else 1) if 0 < seconds <= durations.LONGEST else (None, 1)
    reading = durations.parse(value) if isinstance(value, str) else None
    return (None, 1) if reading is None else (reading.seconds, reading.step)


def _read_bare(value: object) -> float | None:
    """Return a number that is not negative, given as number or as digits; else ``None``."""
    if isinstance(value, str):
        return float(value) if _BARE.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _BOUND else None


def _find_units(lines: Sequence[Mapping[str, object]]) -> dict[str, float]:
    """Return the unit of bare numbers in seconds, by source, by comparison with lengths of the show elsewhere."""
    bare: defaultdict[str, list[float]] = defaultdict(list)
    worded: defaultdict[str, list[float]] = defaultdict(list)
    shows: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        source, show, value = str(line["source"]), fold(_read_text(line, "show") or ""), line.get("duration")
        number = _read_bare(value)
        if number:
            bare[source].append(number)
            shows[source].add(show)
        elif isinstance(value, str) and (reading := durations.parse(value)):
            worded[show].append(reading.seconds)
    every = [seconds for lengths in worded.values() for seconds in lengths]
    units = {}
    for source, numbers in bare.items():
        known = [seconds for show in shows[source] if show for seconds in worded.get(show, ())]
        units[source] = _find_unit(median(numbers), median(known or every or [_TYPICAL]))
    return units


def _find_unit(middle: float, typical: float) -> float:
    """Return the unit with which the source's median is nearest to the typical length."""

    def off(name: str) -> float:
        distance = abs(math.log(middle) + math.log(_UNITS[name] / typical))  # a product could be rounded to 0
        return distance + (0.0 if name == "seconds" else _RELUCTANCE)

    return _UNITS[min(_UNITS, key=off)]


def differ_in_length(one: Record, other: Record) -> bool | None:
    """Return whether lengths are further apart than advertisements explain; ``None`` if one is unknown."""
    if one.seconds is None or other.seconds is None:
        return None
    return abs(one.seconds - other.seconds) > max(_ADS_SECONDS, _ADS_SHARE * max(one.seconds, other.seconds))


def list_unique_ids(records: Sequence[Record]) -> list[list[str]]:
    """Return the hard ids of each record that no other item of its source has.

    An id that a source lists again later, for an entry that replaced another one (a corrected title under a new guid),
    is still the id of one item if the instant and the length, the text, the title or a further id are the same. So it
    is if all of these but the instant are, while others are listed beside it: the item was posted again, to be the
    newest. A source that lists only its newest item has one link, or one file ("latest.mp3"), for all of them.
    """
    rows: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)
    sources: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        sources[record.source].append(record)
        for value in set(record.ids):
            rows[record.source, value].append(record)
    several = {key: every for key, every in rows.items() if len(every) > 1}
    shared = {key for key, every in several.items() if not _replace_each_other(every, sources[key[0]])}
    return [[value for value in record.ids if (record.source, value) not in shared] for record in records]


def _replace_each_other(records: Sequence[Record], listed: Sequence[Record]) -> bool:
    """Return whether each of these records of one source and id was replaced by the next one, as one item."""
    order = sorted(records, key=lambda record: (record.span.first, record.span.last, record.id))
    return all(
        before.span.last < after.span.first
        and (_is_corrected(before, after) or _is_posted_again(before, after, listed))
        for before, after in pairwise(order)
    )


def _is_corrected(before: Record, after: Record) -> bool:
    return (
        before.instant is not None
        and before.instant == after.instant
        and (
            before.title == after.title
            or (before.seconds is not None and before.seconds == after.seconds)
            or (before.description is not None and before.description == after.description)
            or len(set(before.ids) & set(after.ids)) > 1
        )
    )


def _is_posted_again(before: Record, after: Record, listed: Sequence[Record]) -> bool:
    """Return whether the same item has another instant, and its source lists others beside it."""
    same = (before.title, before.description, before.seconds) == (after.title, after.description, after.seconds)
    is_told = (before.description, before.seconds) != (None, None)
    return same and is_told and any(one is not after and after.span.first <= one.span.last for one in listed)
