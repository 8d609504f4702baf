"""Write the titles of a show in Latin letters where one of its listings does and another does not.

A directory may list "Zimniy mayak" where the host has "Зимний маяк". Systems of transliteration differ in some letters
("zimnii maiak"), so that these are written as one: y and j as i, w as v; h, and the signs of hardness, are left out.
Chinese characters stay: one syllable is that of many of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from aggregator.merger.matching.features.habits import NEARLY_ALL, is_habit
from aggregator.merger.matching.features.records import Record
from aggregator.text.fold import fold
from aggregator.text.titles.titles import Title

_CHINESE = re.compile("[\u3400-\u9fff]")
_END_OF_LATIN = "\u0250"  # the first letter behind Latin Extended-B (Unicode blocks)
_SIMPLE = str.maketrans({"y": "i", "j": "i", "w": "v", "h": None, "'": None, '"': None, "`": None})


def write_in_latin(
    titles: Sequence[Title], rows: Sequence[Record], shows: Sequence[int], learned: Sequence[bool]
) -> tuple[Title, ...]:
    """Return the titles, their cores in Latin letters for shows with listings in Latin and in other letters.

    ``learned`` says which titles show in what letters their listing writes.
    """
    listed: defaultdict[tuple[int, str], list[float]] = defaultdict(list)
    measure_latin = cache(_measure_latin)  # most sources list the same titles
    for title, row, show, is_learned in zip(titles, rows, shows, learned, strict=True):
        if is_learned and (share := measure_latin(title.core)) is not None:
            listed[show, row.source].append(share)
    latin = {show for (show, _), shares in listed.items() if _are_most(share >= NEARLY_ALL for share in shares)}
    other = {show for (show, _), shares in listed.items() if _are_most(share <= 1 - NEARLY_ALL for share in shares)}
    mixed = latin & other
    if not mixed:
        return tuple(titles)
    from anyascii import anyascii  # noqa: PLC0415 - few shows need it

    return tuple(
        title._replace(core=fold(anyascii(title.core).lower().translate(_SIMPLE)) or title.core)
        if show in mixed and not _CHINESE.search(title.core)
        else title
        for title, show in zip(titles, shows, strict=True)
    )


def _measure_latin(core: str) -> float | None:
    """Return the share of Latin letters, ``None`` of a title without letters or with Chinese characters."""
    letters = [letter for letter in core if letter.isalpha()]
    if not letters or _CHINESE.search(core):
        return None
    return sum(letter < _END_OF_LATIN for letter in letters) / len(letters)


def _are_most(some: Iterable[bool]) -> bool:
    """Return whether there are enough titles, and nearly all are so."""
    holds = list(some)
    return is_habit(sum(holds), len(holds))
