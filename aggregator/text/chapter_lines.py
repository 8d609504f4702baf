r"""Find the chapters in the notes of an episode: lines that begin with a time, or end with one.

>>> find_chapters("00:00 Hello\n(12:30) The lamp\n1:02:03 - Goodbye", 4000)
((0, 'Hello'), (750, 'The lamp'), (3723, 'Goodbye'))
>>> find_chapters("The doors open at 19:30.\n20:00 Concert", 3600)
()
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

Chapters = tuple[tuple[int, str], ...]
"""The second at which each chapter starts, and its title."""

_Line = tuple[int, str, bool]
"""The same of a line, and whether its time has hours."""

_MIN_CHAPTERS: Final = 3
"""Lines with a time; two are as often times of day."""

_MAX_CHAPTERS: Final = 300
"""Lines with a time; more are a transcript."""

_LATEST_START: Final = 300
"""Seconds at which the first chapter starts at the latest where times have no hours: later ones may be times of day."""

_LONGEST_TITLE: Final = 200

_BULLETS: Final = " \t-–—*•·#"
_BEFORE_TIME: Final = f"{_BULLETS}(["
_AFTER_TIME: Final = " \t)]-–—:|.•"

_TIME: Final = r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d)(?!\d|:\d)"
_AHEAD = re.compile(rf"{_TIME}(?:\s?[-–—]\s?(?:\d{{1,2}}:)?\d{{1,3}}:[0-5]\d)?(?=[\s)\]–—:|.-])")
_BEHIND = re.compile(rf"(?<=[\s–—:|(\[-]){_TIME}[)\]]?[.;,]?$")
_DIVIDING: Final = "-–—:|([ "
_DIVIDERS: Final = tuple(_DIVIDING.strip())
_LONGEST_TIME: Final = 14
"""Characters of a time at the end of a line, with what stands around it."""


def find_chapters(notes: str, seconds: int | None) -> Chapters:
    """Return the chapters in the notes of an episode, none if it is doubtful that they are chapters.

    ``seconds`` is the length of the episode, ``None`` if it is not known. There are three at least, each starts after
    the one before and within the episode, the first within five minutes, unless it has hours (``00:09:22``).
    """
    lines = [line.strip() for line in notes.splitlines() if ":" in line]
    for found in (tuple(_read_ahead(lines)), tuple(_read_behind(lines))):
        if (
            _MIN_CHAPTERS <= len(found) <= _MAX_CHAPTERS
            and (found[0][2] or found[0][0] <= _LATEST_START)
            and all(one[0] < other[0] for one, other in pairwise(found))
            and (seconds is None or found[-1][0] < seconds)
        ):
            return tuple((start, title) for start, title, _ in found)
    return ()


def _read_ahead(lines: Iterable[str]) -> Iterator[_Line]:
    for line in lines:
        begun = line.lstrip(_BEFORE_TIME)
        if (match := _AHEAD.match(begun)) and (title := _clean(begun[match.end() :].lstrip(_AFTER_TIME))):
            yield _count_seconds(match), title, match[1] is not None


def _read_behind(lines: Iterable[str]) -> Iterator[_Line]:
    for line in lines:
        ended = line[-_LONGEST_TIME:]
        if match := _BEHIND.search(ended):
            before = line[: len(line) - len(ended) + match.start()].rstrip()
            if before.endswith(_DIVIDERS) and (title := _clean(before.rstrip(_DIVIDING).lstrip(_BULLETS))):
                yield _count_seconds(match), title, match[1] is not None


def _count_seconds(match: re.Match[str]) -> int:
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def _clean(title: str) -> str:
    """Return a title of one line, "" if it has no letter or is longer than any."""
    line = " ".join(title.split())
    return line if any(map(str.isalpha, line)) and len(line) <= _LONGEST_TITLE else ""
