"""Show invisible characters where two texts differ in nothing else."""

from __future__ import annotations

import unicodedata

_SIGNS = {" ": "␣", "\n": "↵", "\t": "⇥"}  # other invisible characters are shown as their code point
_INVISIBLE = frozenset("ZC")  # major classes of Unicode (UAX 44, table 12): separators; controls and formats


def show_difference(before: str, after: str) -> tuple[str, str]:
    r"""Return both texts, with signs for invisible characters if they would look equal without.

    >>> show_difference("Cafe", "Café"), show_difference(" dogs ", "dogs"), show_difference("co\u00adop", "coop")
    (('Cafe', 'Café'), ('␣dogs␣', 'dogs'), ('co<U+00AD>op', 'coop'))
    """
    if before == after or _remove_invisible(before) != _remove_invisible(after):
        return before, after
    return _show_invisible(before), _show_invisible(after)


def _show_invisible(text: str) -> str:
    return "".join(_SIGNS.get(each, f"<U+{ord(each):04X}>") if _is_invisible(each) else each for each in text)


def _remove_invisible(text: str) -> str:
    return "".join(each for each in text if not _is_invisible(each))


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter)[0] in _INVISIBLE
