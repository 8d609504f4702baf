"""How the commands word what they show: counts, times, lengths, and text of sources made safe for a terminal."""

from __future__ import annotations

import json
import unicodedata
from datetime import date, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from aggregator.model.entry import Duration, Enclosure, Moment

SHORT = 80
"""Characters of a value shown in a table: two columns of it fill a wide terminal."""


def count(number: int, noun: str, nouns: str | None = None) -> str:
    """A number and its noun, in the right form.

    >>> count(1, "item"), count(2, "item"), count(0, "near miss", "near misses")
    ('1 item', '2 items', '0 near misses')
    """
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def line(text: str, most: int = SHORT) -> str:
    r"""A source's text on one line of a terminal, shortened, without anything that a terminal obeys.

    >>> line("a\x1b[2J\nb"), line("word " * 9, 12)
    ('a[2J b', 'word word w…')
    """
    bare = "".join(sign for sign in " ".join(text.split()) if unicodedata.category(sign) not in {"Cc", "Cs", "Cf"})
    return bare if len(bare) <= most else f"{bare[: most - 1]}…"


def value(given: object, most: int = SHORT) -> str:
    """A field's value on one line; empty where there is none.

    >>> value(Duration(990)), value(Duration(1020, 60)), value(None)
    ('16:30', '17 min', '')
    """
    said = str(given)
    if given is None:
        said = ""
    elif isinstance(given, Moment):
        said = moment(given)
    elif isinstance(given, Duration):
        said = duration(given)
    elif isinstance(given, Enclosure):
        said = given.url
    elif isinstance(given, bool):
        said = "yes" if given else "no"
    elif isinstance(given, tuple):
        said = ", ".join(value(each, most) for each in given)
    return line(said, most)


def moment(given: Moment) -> str:
    """A time as precisely as it is known.

    >>> from datetime import UTC
    >>> moment(Moment(datetime(2024, 8, 4, tzinfo=UTC), "day"))
    '2024-08-04'
    """
    shapes = {"year": "%Y", "day": "%Y-%m-%d", "minute": "%Y-%m-%d %H:%M", "second": "%Y-%m-%d %H:%M:%S"}
    return given.at.strftime(shapes[given.precision])


def duration(given: Duration) -> str:
    """A length as it was given: in minutes where only minutes are known."""
    minutes, seconds = divmod(given.seconds, 60)
    if given.step >= 60:  # noqa: PLR2004 - seconds in a minute
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def machine(answer: object) -> str:
    """Anything of ours as JSON for a machine: records as objects, times as RFC 3339."""
    return json.dumps(answer, indent=2, ensure_ascii=False, default=_plain)


def _plain(given: object) -> object:
    """One value that JSON has no word for."""
    if isinstance(given, Struct):
        return asdict(given)
    if isinstance(given, datetime | date):
        return given.isoformat()
    if isinstance(given, Path):
        return str(given)
    raise TypeError(f"{type(given).__name__} has no form in JSON")
