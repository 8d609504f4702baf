"""Parse the duration of an item in the forms that sources use: whole seconds and their precision.

``itunes:duration`` is seconds or ``H:MM:SS`` (Apple, "A Podcaster's Guide to RSS", 2024); directories print minutes
("17 min", "1 hr 5 min", "20 minutes", other languages by ``worded_lengths``); JSON-LD and some APIs say ISO 8601
(``PT1H5M``, ``PT106M``).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from aggregator.model.entry import Duration
from aggregator.text.times import worded_lengths

LONGEST = 7 * 24 * 3600
"""Seconds; a longer "duration" is milliseconds or a file size in the wrong element."""
_LONGEST_TEXT = 60  # characters
_SECONDS_OF_UNIT = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}

_COLONS = re.compile(
    r"(?:(?P<hours>\d{1,3}):)?(?P<minutes>\d{1,4}):(?P<seconds>\d{1,2}(?:\.\d+)?)"
    r"|(?P<hours4>\d{1,3}):(?P<minutes4>\d{2}):(?P<seconds4>\d{2}):\d{3}"  # milliseconds behind
)
_ISO8601 = re.compile(
    r"P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d*)?")
_END = r"(?![^\W\d_])\.?"  # a unit ends where its letters end: "1h05", "24 Min."
_ENGLISH = re.compile(
    rf"(?:(?P<hours>\d{{1,3}})\s*(?:h|hrs?|hours?){_END},?\s*(?:and\s+)?)?"
    rf"(?:(?P<minutes>\d{{1,4}})\s*(?:(?:m|mins?|minutes?){_END}|\Z),?\s*(?:and\s+)?)?"
    rf"(?:(?P<seconds>\d{{1,5}})\s*(?:s|secs?|seconds?){_END})?",
    re.IGNORECASE,
)


def parse(text: str | float | None, *, language: str | None = None) -> Duration | None:
    """Return the duration, or ``None`` where the text or number is no duration, zero, or longer than a week.

    A bare number is seconds. Two figures with a colon are minutes and seconds, before a word for hours hours and
    minutes. A text is a duration as a whole or not at all. ``language`` (BCP 47) is that of its listing.

    >>> parse("01:21:45"), parse("1 hr 5 min")
    (Duration(seconds=4905, step=1), Duration(seconds=3900, step=60))
    >>> parse("1:05 h"), parse("1 ч 5 мин")
    (Duration(seconds=3900, step=60), Duration(seconds=3900, step=60))
    """
    if isinstance(text, str):
        text = text.strip()
        return _parse_text(text, language) if len(text) <= _LONGEST_TEXT else None
    return _round_seconds(text) if text and math.isfinite(text) else None


@lru_cache(maxsize=1024)
def _parse_text(text: str, language: str | None) -> Duration | None:
    if _NUMBER.fullmatch(text):
        return _round_seconds(float(text))
    if match := _COLONS.fullmatch(text):
        return _sum_units(match, exact=True)
    is_english = (language or "en").lower().startswith("en")
    if match := _ISO8601.fullmatch(text) or (_ENGLISH.fullmatch(text) if is_english else None):
        return _sum_units(match, exact=match["seconds"] is not None)
    if (found := worded_lengths.parse(text, language)) is not None:
        return _round_seconds(found[0], step=found[1])
    return None if is_english else _parse_text(text, None)


def _sum_units(match: re.Match[str], *, exact: bool) -> Duration | None:
    seconds = sum(float(number or 0) * _SECONDS_OF_UNIT[unit.rstrip("4")] for unit, number in match.groupdict().items())
    return _round_seconds(seconds, step=1 if exact else 60)


def _round_seconds(seconds: float, step: int = 1) -> Duration | None:
    whole = round(seconds)
    return Duration(whole, step) if 0 < whole <= LONGEST else None
