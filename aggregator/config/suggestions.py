"""Suggest the known word that a misspelt one was probably meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from aggregator.translation.marks import N_

_ALIKE = 0.6
"""difflib's own default ratio; at 0.5 it offers words that share only letters, at 0.7 it misses two typos in six."""


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to the given one, ignoring case; ``None`` if none is similar.

    >>> find_nearest("sorces", ("state", "sources"))
    'sources'
    >>> find_nearest("Documentary", ("Arts", "Society & Culture > Documentary"))
    'Society & Culture > Documentary'
    """
    folded = {name.casefold(): name for name in known}
    tails = {name.rpartition(" > ")[2].casefold(): name for name in reversed(folded.values())}
    for names in (folded, tails):
        found = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=_ALIKE)
        if found:
            return names[found[0]]
    return None


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the end of a message: the nearest known word, else all of them.

    >>> suggest("knd", ("kind", "url"))
    'did you mean "kind"?'
    >>> suggest("zzz", ("kind", "url"))
    'known: kind, url'
    """
    names = tuple(known)
    near = find_nearest(word, names)
    return N_(f'did you mean "{near}"?') if near else N_(f"known: {', '.join(names)}")
