"""Lines of JSON -> neutral records, for items of any kind: episodes, songs, papers.

What a bare number means as a duration (seconds, milliseconds, minutes) is learned from the numbers of its source and
from what other sources say in words: the five catalogues of one public set write ``03:43``, ``223``, ``3.716``,
``3m 43sec`` and ``223000`` for one song.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from aggregator.merger.matching.features.record import Record
from aggregator.text import dates, durations
from aggregator.text.fold import fold
from aggregator.text.urls import bare_audio, canonical

_BARE = re.compile(r"\s*\d{1,12}(?:\.\d+)?\s*")
_UNITS = {"seconds": 1.0, "milliseconds": 0.001, "minutes": 60.0}
_TYPICAL = 900.0  # seconds: between a song and an episode, where no other source says a length in words
_RELUCTANCE = math.log(5)  # seconds are the rule (RSS): another unit must fit five times better
_LONGEST = 4000  # characters of any text that are looked at
_BOUND = 1e12  # no length in any unit
_HUGE = 1_000_000  # no season or episode number; a file size in the wrong field
_YEARED = re.compile(r"\((\d{4})\)$")  # "Album (1998)"
_YEAR = re.compile(r"\s*(\d{4})\s*")


def records(lines: Sequence[Mapping[str, object]]) -> tuple[Record, ...]:
    """The records of lines that have an ``id`` and a ``source``; other keys may be absent, null or of another type."""
    units = _units(lines)
    return tuple(_record(line, units.get(str(line["source"]), 1.0)) for line in lines)


def _record(line: Mapping[str, object], unit: float) -> Record:
    day, year, instant, timed = _dated(line.get("published"))
    seconds, step = _length(line.get("duration"), unit)
    number = _whole(line.get("episode"))
    description, summary = _text(line, "description"), _text(line, "summary")
    if year is None and (met := _YEARED.search(_text(line, "show") or "")):
        year = int(met[1])
    return Record(
        id=str(line["id"]),
        source=str(line["source"]),
        title=_text(line, "title") or "",
        kind=genre if (genre := _text(line, "genre")) in ("episode", "post") else "",
        ids=_ids(line),
        show=_text(line, "show"),
        author=_text(line, "author"),
        description=description or summary,
        summary=summary if description else None,
        day=day,
        year=year,
        instant=instant,
        timed=timed,
        seconds=seconds,
        step=step,
        season=_whole(line.get("season")),
        numbers=() if number is None else (number,),
        position=_whole(line.get("position")),
    )


def _ids(line: Mapping[str, object]) -> tuple[str, ...]:
    """The hard ids of a line as ``scheme:value``."""
    found = []
    if guid := _text(line, "guid"):
        found.append(f"guid:{guid}")
    if link := _text(line, "link"):
        found.append(f"link:{canonical(link)}")
    if audio := _text(line, "enclosure"):
        found += [f"audio:{bare_audio(audio)}", f"file:{audio}"]
    return tuple(found)


def _text(line: Mapping[str, object], key: str) -> str | None:
    value = line.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)[:_LONGEST] or None


def _whole(value: object) -> int | None:
    """A whole number up to a million, as number or text."""
    number = _bare(value)
    return int(number) if number is not None and number < _HUGE and number == int(number) else None


def _dated(value: object) -> tuple[int | None, int | None, float | None, bool]:
    """The day's ordinal, the year and the instant, as far as the source says them; whether it is a time with a zone."""
    if value is None or isinstance(value, bool):
        return None, None, None, False
    text = str(value)[:_LONGEST]
    if met := _YEAR.fullmatch(text):
        return None, int(met[1]), None, False
    moment = dates.parse(text)
    if moment is None:
        return None, None, None, False
    if moment.precision == "year":
        return None, moment.at.year, None, False
    timed = moment.zoned and moment.precision in ("minute", "second")
    return moment.at.toordinal(), moment.at.year, moment.at.timestamp(), timed


def _length(value: object, unit: float) -> tuple[int | None, int]:
    """Seconds and their grain; nothing where the length is absent or 0."""
    bare = _bare(value)
    if bare is not None:
        seconds = round(bare * unit)
        coarse = unit > 1 and bare == int(bare)
        return (seconds, 60 if coarse else 1) if 0 < seconds <= durations.LONGEST else (None, 1)
    reading = durations.parse(value) if isinstance(value, str) else None
    return (None, 1) if reading is None else (reading.seconds, reading.step)


def _bare(value: object) -> float | None:
    """A number that is not negative, as number or as plain digits."""
    if isinstance(value, str):
        return float(value) if _BARE.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _BOUND else None


def _units(lines: Sequence[Mapping[str, object]]) -> dict[str, float]:
    """For each source with bare numbers how many seconds one is; measured against what its own show lasts elsewhere."""
    bare: defaultdict[str, list[float]] = defaultdict(list)
    worded: defaultdict[str, list[float]] = defaultdict(list)
    shows: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        source, show, value = str(line["source"]), fold(_text(line, "show") or ""), line.get("duration")
        number = _bare(value)
        if number:
            bare[source].append(number)
            shows[source].add(show)
        elif isinstance(value, str) and (reading := durations.parse(value)):
            worded[show].append(reading.seconds)
    every = [seconds for lengths in worded.values() for seconds in lengths]
    units = {}
    for source, numbers in bare.items():
        known = [seconds for show in shows[source] if show for seconds in worded.get(show, ())]
        units[source] = _unit(median(numbers), median(known or every or [_TYPICAL]))
    return units


def _unit(middle: float, typical: float) -> float:
    """The unit whose reading of the source's median lies nearest to the typical length."""

    def off(name: str) -> float:
        return abs(math.log(middle * _UNITS[name] / typical)) + (0.0 if name == "seconds" else _RELUCTANCE)

    return _UNITS[min(_UNITS, key=off)]
