"""Format and print counts, times, lengths and JSON; text of sources is made safe for a terminal."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from datetime import date, datetime
from pathlib import Path

import typer
from msgspec import Struct
from msgspec.structs import asdict

from aggregator.model.entry import Duration, Enclosure, Moment, Tag

SHORT = 80
"""Characters of a value shown in a table; two such columns fill a wide terminal."""

_UNSAFE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Controls that JSON permits in a text: those of terminals in one character, line breaks, directions."""

_TIMES = {"guess": "%Y", "year": "%Y", "day": "%Y-%m-%d", "minute": "%Y-%m-%d %H:%M", "second": "%Y-%m-%d %H:%M:%S"}


def format_count(number: int, noun: str, nouns: str | None = None) -> str:
    """Format a number with its noun in the right form.

    >>> format_count(1, "item"), format_count(2, "item"), format_count(0, "near miss", "near misses")
    ('1 item', '2 items', '0 near misses')
    """
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def shorten(text: str, most: int = SHORT) -> str:
    r"""Put a source's text on one line, shortened, without control characters.

    >>> shorten("a\x1b[2J\nb"), shorten("word " * 9, 12)
    ('a[2J b', 'word word w…')
    """
    bare = "".join(sign for sign in " ".join(text.split()) if unicodedata.category(sign) not in {"Cc", "Cs", "Cf"})
    return bare if len(bare) <= most else f"{bare[: most - 1]}…"


def format_value(given: object, most: int = SHORT) -> str:
    """Format a field's value on one line; empty if it is ``None``.

    >>> format_value(Duration(990)), format_value(Duration(1020, 60)), format_value(None)
    ('16:30', '17 min', '')
    """
    match given:
        case None:
            text = ""
        case Moment():
            text = given.at.strftime(_TIMES[given.precision])
        case Duration():
            text = _format_duration(given)
        case Enclosure():
            text = given.url
        case Tag():
            text = given.to_line()
        case bool():
            text = "yes" if given else "no"
        case tuple():
            text = ", ".join(format_value(each, most) for each in given)
        case _:
            text = str(given)
    return shorten(text, most)


def _format_duration(given: Duration) -> str:
    """Format a duration, in minutes if only minutes are known."""
    minutes, seconds = divmod(given.seconds, 60)
    if given.step >= 60:  # noqa: PLR2004 - seconds in a minute
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def paint(text: str, *, fg: str | None = None, bold: bool | None = None, dim: bool | None = None) -> str:
    """Colour text for a terminal; `typer.echo` takes the colours out where it prints to none, as does NO_COLOR."""
    return text if "NO_COLOR" in os.environ else typer.style(text, fg=fg, bold=bold, dim=dim)


def to_json(answer: object, *, indent: int | None = 2) -> str:
    r"""Return JSON: records as objects, times as RFC 3339; what moves the cursor or turns text around is escaped.

    >>> print(to_json("caf\u00e9 \x9b2J\u202e", indent=None))
    "café \u009b2J\u202e"
    """
    text = json.dumps(answer, indent=indent, ensure_ascii=False, default=_encode)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _encode(given: object) -> object:
    """Convert a value that JSON has no type for."""
    if isinstance(given, Struct):
        return asdict(given)
    if isinstance(given, datetime | date):
        return given.isoformat()
    if isinstance(given, Path):
        return str(given)
    raise TypeError(f"{type(given).__name__} has no form in JSON")
