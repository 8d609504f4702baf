"""Show invisible characters, where a repair changed them and both texts would look equal."""

from __future__ import annotations

import unicodedata

_SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥"}
"""What stands for the blanks that most texts have; others, and what has no look, are told by their code point."""

_BLANK, _LOOKLESS = "Z", "C"
"""The major classes of Unicode (UAX 44, table 12) that nobody sees: separators, and controls and formats."""


def show_difference(before: str, after: str) -> tuple[str, str]:
    r"""Return both texts so that they can be told apart: as they are, or with names for what is unseen.

    >>> show_difference("Cafe", "Café"), show_difference(" dogs ", "dogs"), show_difference("co\u00adop", "coop")
    (('Cafe', 'Café'), ('␣dogs␣', 'dogs'), ('co<U+00AD>op', 'coop'))
    """
    return (
        (_show_invisible(before), _show_invisible(after))
        if before != after and _remove_invisible(before) == _remove_invisible(after)
        else (before, after)
    )


def _show_invisible(text: str) -> str:
    r"""Return the text with a sign, or a name, for everything in it that is not seen.

    >>> _show_invisible("a b\u00a0c\n")
    'a␣b<U+00A0>c↵'
    """
    return "".join(_SIGNS.get(each, f"<U+{ord(each):04X}>") if _is_invisible(each) else each for each in text)


def _remove_invisible(text: str) -> str:
    return "".join(each for each in text if not _is_invisible(each))


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter)[0] in {_BLANK, _LOOKLESS}
