"""Two ways of writing the same marks: typographic (’ “ ” – — …) and plain (' " - ...), a matter of a whole text."""

from __future__ import annotations

import re

# Kinds of marks, each with its typographic and its plain form; a text may curl its quotes and still write "...".
KINDS = (
    (re.compile("[’‘“”]"), re.compile("['\"]")),
    (re.compile("[–—]"), re.compile(r"--|(?<!\S)-(?!\S)")),
    (re.compile("…"), re.compile(r"\.\.\.")),
)
FOLDED = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "..."})

Sides = tuple[int, ...]


def sides(text: str) -> Sides:
    """For quotes, dashes and ellipses: 1 where a text writes them typographically, -1 plainly, 0 where it has none.

    >>> sides("It’s “fine” - or so..."), sides("fine")
    ((1, -1, -1), (0, 0, 0))
    """
    counts = ((len(curled.findall(text)), len(plain.findall(text))) for curled, plain in KINDS)
    return tuple((curled > plain) - (curled < plain) for curled, plain in counts)


def fold(surface: str) -> str:
    """A surface in plain style, to compare surfaces of both.

    >>> fold("“there…”"), fold("a--b")
    ('"there..."', 'a-b')
    """
    return surface if surface.isascii() and "--" not in surface else surface.translate(FOLDED).replace("--", "-")
