"""Two ways of writing the same marks: typographic (’ “ ” – — …) and plain (' " - ...), a matter of a whole text."""

from __future__ import annotations

import re

# Kinds of marks, each with its typographic and its plain forms; a text may curl its quotes and still write "...".
KINDS = (("’‘“”", ("'", '"')), ("–—", ()), ("…", ("...",)))
DASHES = 1
DASH = re.compile(r"--|(?<!\S)-(?!\S)")
FOLDED = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})

Sides = tuple[int, ...]


def mixed(text: str) -> tuple[bool, ...]:
    """Return for quotes, dashes and ellipses whether a text writes them both typographically and plainly.

    >>> mixed("It’s 'fine'..."), mixed("It’s “fine”...")
    ((True, False, False), (False, False, False))
    """
    return tuple(one > 0 and other > 0 for one, other in zip(*_counts(text), strict=True))


def sides(text: str) -> Sides:
    """For quotes, dashes and ellipses: 1 where a text writes them typographically, -1 plainly, 0 where it has none.

    >>> sides("It’s “fine” - or so..."), sides("fine")
    ((1, -1, -1), (0, 0, 0))
    """
    return tuple((one > other) - (one < other) for one, other in zip(*_counts(text), strict=True))


def _counts(text: str) -> tuple[list[int], list[int]]:
    """Return how often a text writes each kind typographically, and how often plainly."""
    curled = [0 if text.isascii() else sum(map(text.count, marks)) for marks, _ in KINDS]
    plain = [sum(map(text.count, marks)) for _, marks in KINDS]
    plain[DASHES] = len(DASH.findall(text)) if "-" in text else 0
    return curled, plain


def fold(surface: str) -> str:
    """A surface in plain style, to compare surfaces of both.

    >>> fold("“there…”"), fold("a--b")
    ('"there..."', 'a-b')
    """
    return surface if surface.isascii() and "--" not in surface else surface.translate(FOLDED).replace("--", "-")
