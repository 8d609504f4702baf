"""Write the titles of a show in Latin letters where one of its listings does and another does not.

A directory may list "Zimniy mayak" where the host has "Зимний маяк". Systems of transliteration differ in some letters
("zimnii maiak"), so that these are written as one: y and j as i, w as v; h, and the signs of hardness, are left out.
Chinese characters stay: one syllable is that of many of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from aggregator.merger.matching.features.records import Record
from aggregator.text.fold import fold
from aggregator.text.titles.titles import Title

_LATIN, _OTHER = 0.8, 0.2  # share of the letters of a listing's titles that are Latin: at least, at most
_CHINESE = re.compile("[\u3400-\u9fff]")
_SIMPLE = str.maketrans({"y": "i", "j": "i", "w": "v", "h": None, "'": None, '"': None, "`": None})


def write_in_latin(titles: Sequence[Title], rows: Sequence[Record], shows: Sequence[int]) -> tuple[Title, ...]:
    """Return the titles, their cores in Latin letters for shows with listings in Latin and in other letters."""
    every: Counter[tuple[int, str]] = Counter()
    latin: Counter[tuple[int, str]] = Counter()
    for title, row, show in zip(titles, rows, shows, strict=True):
        every[show, row.source] += len(title.core)
        # Folded Latin letters are ASCII but for some, such as the Polish ł and the German ß.
        latin[show, row.source] += len(title.core if title.core.isascii() else title.core.encode("latin-1", "ignore"))
    shares: defaultdict[int, list[float]] = defaultdict(list)
    for (show, source), size in every.items():
        shares[show].append(latin[show, source] / max(size, 1))
    mixed = {show for show, found in shares.items() if max(found) >= _LATIN and min(found) <= _OTHER}
    if not mixed:
        return tuple(titles)
    from anyascii import anyascii  # noqa: PLC0415 - few shows need it

    return tuple(
        title._replace(core=fold(anyascii(title.core).lower().translate(_SIMPLE)) or title.core)
        if show in mixed and not _CHINESE.search(title.core)
        else title
        for title, show in zip(titles, shows, strict=True)
    )
