"""The nearest known word to a mistyped one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALIKE = 0.6
"""difflib's own default ratio; at 0.5 it offers words that share only letters, at 0.7 it misses two typos in six."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like the given one, whatever the case; ``None`` where none is alike.

    >>> nearest("sorces", ("state", "sources"))
    'sources'
    >>> nearest("Documentary", ("Arts", "Society & Culture > Documentary"))
    'Society & Culture > Documentary'
    """
    folded = {name.casefold(): name for name in known}
    tails = {name.rpartition(" > ")[2].casefold(): name for name in reversed(folded.values())}
    for names in (folded, tails):
        found = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=ALIKE)
        if found:
            return names[found[0]]
    return None


def hint(word: str, known: Iterable[str]) -> str:
    """What to add to an error: the nearest known word, else all of them.

    >>> hint("knd", ("kind", "url"))
    'did you mean "kind"?'
    >>> hint("zzz", ("kind", "url"))
    'known: kind, url'
    """
    names = tuple(known)
    near = nearest(word, names)
    return f'did you mean "{near}"?' if near else f"known: {', '.join(names)}"
