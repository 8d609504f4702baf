"""Web addresses damaged on their way: a stretch of the path said twice, an id torn by a blank or a line end.

How sure that can be differs. Of the 27 470 addresses of the recorded feeds and pages 163 say one part of their path
twice and mean it (``/pytorch/pytorch/``), one says a date twice; none says a stretch of two parts with a word in it
twice. So only such a stretch is mended in a lone copy; a single part is, where another copy has it once. A blank ends
an address, except inside the brackets of a Markdown link, where nothing else can stand.
"""

from __future__ import annotations

import re

ADDRESS = re.compile(r"https?://[^\s\"'<>()\[\]]{4,2000}")
PATH_END = re.compile(r"[?#]")
WORDY = re.compile(r"[^\W\d_]{3}")
# "](https://example.org/d/12 34ab)": what stands in the brackets of a link is one address, or an address and a title.
BRACKETED = re.compile(r"(?<=\]\()(https?://[^\s()\[\]\"'<>]{4,300})((?:\s{1,3}[\w%./?&=#+~-]{1,100}){1,4})(?=\))")
BLANK = re.compile(r"\s+")
LONGEST_STRETCH = 6  # parts of a path that are said twice together
SEVERAL = 2
MOST_PARTS = 60  # of a path that is looked into; the longest of the recorded addresses has 22


def whole(text: str) -> str:
    """The text with the addresses mended that are surely damaged."""
    return undoubled(rejoined(text)) if "://" in text else text


def undoubled(text: str) -> str:
    """The text with its addresses, where a stretch of two and more parts of a path stands twice in a row, once.

    >>> undoubled("see https://example.org/org/repo/org/repo/pull/5, please")
    'see https://example.org/org/repo/pull/5, please'
    >>> undoubled("https://example.org/tree/tree/5"), undoubled("https://example.org/2016/08/2016/08/a")
    ('https://example.org/tree/tree/5', 'https://example.org/2016/08/2016/08/a')
    """
    return ADDRESS.sub(lambda found: _undoubled(found.group()), text)


def _undoubled(address: str) -> str:
    for once, stretch in shortened(address):
        if len(stretch) >= SEVERAL and len(set(stretch)) > 1 and any(map(WORDY.search, stretch)):
            return _undoubled(once)
    return address


def shortened(address: str) -> list[tuple[str, tuple[str, ...]]]:
    """The address without each stretch of its path that repeats what stands before it, and that stretch.

    >>> shortened("https://example.org/a/a/b?c")
    [('https://example.org/a/b?c', ('a',))]
    """
    end = PATH_END.search(address)
    path, rest = (address[: end.start()], address[end.start() :]) if end else (address, "")
    parts = path.split("/")
    found: list[tuple[str, tuple[str, ...]]] = []
    if len(parts) > MOST_PARTS:
        return found
    for size in range(min(LONGEST_STRETCH, (len(parts) - 3) // 2), 0, -1):
        for at in range(3, len(parts) - 2 * size + 1):
            stretch = tuple(parts[at : at + size])
            if all(stretch) and stretch == tuple(parts[at + size : at + 2 * size]):
                found.append(("/".join(parts[:at] + parts[at + size :]) + rest, stretch))
    return found


def rejoined(text: str) -> str:
    r"""The text with the addresses of Markdown links whole, where blanks or line ends tore them.

    >>> rejoined("[notes](https://example.org/d/12\n34ab) and more")
    '[notes](https://example.org/d/1234ab) and more'
    >>> rejoined('[notes](https://example.org/d "A title")')
    '[notes](https://example.org/d "A title")'
    """
    return BRACKETED.sub(lambda found: found[1] + BLANK.sub("", found[2]), text) if "](http" in text else text
