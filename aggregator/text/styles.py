"""Two ways of writing the same marks: typographic (’ “ ” – — …) and plain (' " - ...), a matter of a whole text."""

from __future__ import annotations

import re
from typing import NamedTuple

TYPOGRAPHIC = re.compile("[’‘“”–—…]")
PLAIN = re.compile(r"['\"]|--|\.\.\.")
FOLDED = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})


class Style(NamedTuple):
    """How many typographic and how many plain marks a text has."""

    typographic: int
    plain: int

    @property
    def side(self) -> int:
        """1 for a typographic text, -1 for a plain one, 0 where it cannot be told."""
        return (self.typographic > self.plain) - (self.typographic < self.plain)


def style(text: str) -> Style:
    """The style of a text, by its marks.

    >>> style("It’s “fine”").side, style("It's fine").side, style("fine").side
    (1, -1, 0)
    """
    return Style(len(TYPOGRAPHIC.findall(text)), len(PLAIN.findall(text)))


def fold(surface: str) -> str:
    """A surface in plain style, to compare surfaces of both."""
    return surface if surface.isascii() and "--" not in surface else surface.translate(FOLDED).replace("--", "-")
