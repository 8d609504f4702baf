"""Titles that are only a number, "Episode 12" or "第12回": equal ones agree in the number and in nothing else.

Such a title is known by its shape, in any language: the words beside its one number are those of an episode number,
or none, or three titles of the listing have the same words with other numbers.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from aggregator.text.titles.titles import Title

_LEAST = 3  # titles of one listing that differ in their number alone; two may be "X" and its sequel
_DIGITS = re.compile(r"\d+")


def stems(titles: Sequence[Title], sources: Sequence[str]) -> list[str | None]:
    """Return the words beside the number of each title that is only a number, ``None`` for any other title.

    The words are "" where they are those of an episode number.
    """
    found = [_stem(title) for title in titles]
    cores: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for title, source, stem in zip(titles, sources, found, strict=True):
        if stem:
            cores[source, stem].add(title.core)
    shapes = {stem for (_, stem), different in cores.items() if len(different) >= _LEAST} | {""}
    return [stem if stem in shapes else None for stem in found]


def _stem(title: Title) -> str | None:
    """Return the words beside the one number of a core, "" if it is marked as an episode number, else ``None``."""
    digits = _DIGITS.findall(title.core)
    if len(digits) != 1:
        return None
    return "" if int(digits[0]) in title.numbers else " ".join(_DIGITS.sub(" ", title.core).split())
