"""Parse the duration of an item in the forms that sources use: whole seconds and their precision.

``itunes:duration`` is seconds or ``H:MM:SS`` (Apple, "A Podcaster's Guide to RSS", 2024); directories print minutes
("17 min", "1 hr 5 min", "24 Min.", "20 minutes"); JSON-LD and some APIs say ISO 8601 (``PT1H5M``, ``PT106M``).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from aggregator.model.entry import Duration

LONGEST = 7 * 24 * 3600
"""Seconds; a longer "duration" is milliseconds or a file size in the wrong element."""
_LONGEST_TEXT = 60  # characters
_SECONDS_OF_UNIT = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}

_COLONS = re.compile(r"(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,4}):(?P<seconds>\d{1,2}(?:\.\d+)?)")
_ISO8601 = re.compile(
    r"P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d*)?")
_END = r"(?![^\W\d_])\.?"  # a unit ends where its letters end: "1h05", "24 Min."
_WORDS = re.compile(
    rf"(?:(?P<hours>\d{{1,3}})\s*(?:h|hrs?|hours?|std|stunden?|heures?|horas?|ore|ora|uur|timmar){_END},?\s*(?:and\s+|und\s+)?)?"
    rf"(?:(?P<minutes>\d{{1,4}})\s*(?:(?:m|mins?|minutes?|minuten|minutos?|minut[ioy]|minuter){_END}|\Z),?\s*(?:and\s+|und\s+)?)?"
    rf"(?:(?P<seconds>\d{{1,5}})\s*(?:s|secs?|seconds?|sek|sekunden?|segundos?|secondi){_END})?",
    re.IGNORECASE,
)


def parse(text: str | float | None) -> Duration | None:
    """Return the duration, or ``None`` where the text or number is no duration, zero, or longer than a week.

    A bare number is seconds. Two figures with a colon are minutes and seconds.

    >>> parse("01:21:45"), parse("1 hr 5 min")
    (Duration(seconds=4905, step=1), Duration(seconds=3900, step=60))
    """
    if isinstance(text, str):
        text = text.strip()
        return _parse_text(text) if len(text) <= _LONGEST_TEXT else None
    return _round_seconds(text) if text and math.isfinite(text) else None


@lru_cache(maxsize=1024)
def _parse_text(text: str) -> Duration | None:
    if _NUMBER.fullmatch(text):
        return _round_seconds(float(text))
    if match := _COLONS.fullmatch(text):
        return _sum_units(match, exact=True)
    if match := _ISO8601.fullmatch(text) or _WORDS.fullmatch(text):
        return _sum_units(match, exact=match["seconds"] is not None)
    return None


def _sum_units(match: re.Match[str], *, exact: bool) -> Duration | None:
    seconds = sum(float(number or 0) * _SECONDS_OF_UNIT[unit] for unit, number in match.groupdict().items())
    return _round_seconds(seconds, step=1 if exact else 60)


def _round_seconds(seconds: float, step: int = 1) -> Duration | None:
    whole = round(seconds)
    return Duration(whole, step) if 0 < whole <= LONGEST else None
