"""What nobody sees in a text, told: for whoever asks what a repair changed, and would see two equal words."""

from __future__ import annotations

import unicodedata

SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥"}
"""What stands for the blanks that most texts have; others, and what has no look, are told by their code point."""

BLANK, LOOKLESS = "Z", "C"
"""The major classes of Unicode (UAX 44, table 12) that nobody sees: separators, and controls and formats."""


def apart(before: str, after: str) -> tuple[str, str]:
    r"""Both texts so that they can be told apart: as they are, and where they would look alike, as ``told``.

    >>> apart("Cafe", "Café"), apart(" dogs ", "dogs"), apart("co\u00adop", "coop")
    (('Cafe', 'Café'), ('␣dogs␣', 'dogs'), ('co<U+00AD>op', 'coop'))
    """
    return (told(before), told(after)) if before != after and _seen(before) == _seen(after) else (before, after)


def told(text: str) -> str:
    r"""The text with a sign, or a name, for everything in it that nobody sees.

    >>> told("a b\u00a0c\n")
    'a␣b<U+00A0>c↵'
    """
    return "".join(SIGNS.get(each, f"<U+{ord(each):04X}>") if _unseen(each) else each for each in text)


def _seen(text: str) -> str:
    return "".join(each for each in text if not _unseen(each))


def _unseen(letter: str) -> bool:
    return unicodedata.category(letter)[0] in {BLANK, LOOKLESS}
