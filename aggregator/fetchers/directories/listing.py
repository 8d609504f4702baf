"""Directory listings as text, or as an HTML page that becomes text: two shapes, distinguished by their lines.

The dated shape (pod.casts.io): ``SHOW artwork``, the title, then a line
``SHOW - April 29, 2024 00:01 - 15 minutes ★★★★★ - 35 ratings``, then the text in one line, cut to at most 300
characters, the last three ``...``. Times are UTC. Several shows may stand in one listing.

The numbered shape (podyssey.fm): the show, then ``1) TITLE`` and the text in one line, whole, or its first
200 characters and ``...Show More``. No dates, no lengths.

Both list the newest entries only. The mark of a cut is removed and the entry flagged; a blank before the mark stays:
it shows that the cut is between words.
"""

from __future__ import annotations

import re

from aggregator.fetchers.parsing import decoding
from aggregator.fetchers.parsing.entries import make_key
from aggregator.model.entry import Entry, Listing, Show
from aggregator.model.source import Document
from aggregator.text import html
from aggregator.text.times import dates, durations
from aggregator.translation.marks import N_

_LONGEST_HEAD = 600  # characters of the line with the date; the names of shows are shorter than 255
_CUT_AT = 300  # characters with the dots; shorter texts that end in dots were written so
_TRIMMED = 10  # blanks at the cut are trimmed away, then a text is shorter: 297 to 300 seen
_DATED = re.compile(
    r"(?P<show>\S.*)\s+-\s+(?P<date>[^\W\d]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?, \d{4}(?: \d{1,2}:\d{2})?)"
    r"(?:\s+-\s+(?P<length>\d[^★☆-]{0,30}?))?\s*(?:[★☆].*)?"
)

_ARTWORK = re.compile(r"(?P<show>\S.*) artwork")
_NUMBERED = re.compile(r"(?P<number>\d{1,5})\)\s+(?P<title>\S.*)")
_DOTS = re.compile(r"(?:\.\.\.|…)$")
_SHOW_MORE = re.compile(r"(?:\.\.\.|…)\s*Show More\s*$", re.IGNORECASE)


def read(document: Document) -> Listing:
    """Return the entries in their order, always partial; ReadError if the document has neither shape."""
    text = decoding.decode(document)
    if decoding.detect_type(document) == "html":
        text = html.to_text(text)
    lines = [line.strip(" \t\n\u200b\ufeff") for line in text.split("\n")]
    entries = _read_dated(document.source.name, lines) or _read_numbered(document.source.name, lines)
    if not entries:
        raise decoding.unexpected_type(document, N_("a directory's listing, dated or numbered,"))
    shows = {entry.show for entry in entries}
    return Listing(tuple(entries), Show(title=shows.pop() if len(shows) == 1 else None), partial=True)


def _read_dated(name: str, lines: list[str]) -> list[Entry]:
    """Return the entries of the dated shape: each is the lines around the one with its date."""
    heads = [
        (at, match)
        for at, line in enumerate(lines)
        if (match := _match_head(line)) and _find_title(lines, at) is not None
    ]
    titled = {_find_title(lines, at) for at, _ in heads} - {at for at, _ in heads}
    if len(titled) < len(heads):  # lines of another shape, each with its own title in place of the show
        return []
    ends = [_find_start(lines, at) for at, _ in heads[1:]] + [_find_last_end(lines, at) for at, _ in heads[-1:]]
    found: list[Entry] = []
    for position, ((at, match), end) in enumerate(zip(heads, ends, strict=True)):
        title = lines[_find_title(lines, at) or 0]
        published = dates.parse(match["date"])
        text, cut = _remove_cut(" ".join(line for line in lines[at + 1 : end] if line))
        found.append(
            Entry(
                source=name, key=make_key(title, published), title=title, position=position, show=match["show"],
                description=text or None, cut=cut,
                published=published, duration=durations.parse(match["length"]),
            )
        )  # fmt: skip
    return found


def _match_head(line: str) -> re.Match[str] | None:
    """Match the line with the date, from the right: shows and titles may contain `` - ``."""
    return _DATED.fullmatch(line) if " - " in line and len(line) <= _LONGEST_HEAD else None


def _find_title(lines: list[str], head: int) -> int | None:
    """Return the place of the title: the last line with text above the head; ``None`` if there is none."""
    return next((at for at in range(head - 1, -1, -1) if lines[at]), None)


def _find_start(lines: list[str], head: int) -> int:
    """Return the first line of an entry: the artwork's label above its title, else the title."""
    title = _find_title(lines, head) or 0
    above = _find_title(lines, title)
    return above if above is not None and _ARTWORK.fullmatch(lines[above]) else title


def _find_last_end(lines: list[str], head: int) -> int:
    """Return the end of the last entry: its text is one line behind the head, what follows belongs to the page."""
    return head + 2 if head + 1 < len(lines) and lines[head + 1] else head + 1


def _remove_cut(text: str) -> tuple[str, bool]:
    """Return the text without the dots of a cut, and whether it was cut: by its length, for authors write dots too."""
    if _CUT_AT - _TRIMMED <= len(text) <= _CUT_AT and _DOTS.search(text):
        return _DOTS.sub("", text), True
    return text, False


def _read_numbered(name: str, lines: list[str]) -> list[Entry]:
    """Return the entries of the numbered shape: numbers count up from the first one, others are part of a text."""
    heads: list[tuple[int, re.Match[str]]] = []
    for at, line in enumerate(lines):
        match = _NUMBERED.fullmatch(line)
        if match and (not heads or int(match["number"]) == int(heads[-1][1]["number"]) + 1):
            heads.append((at, match))
    if not heads:
        return []
    show = next((line for line in reversed(lines[: heads[0][0]]) if line), None)
    ends = [at for at, _ in heads[1:]] + [_find_last_end(lines, heads[-1][0])]
    found: list[Entry] = []
    for position, ((at, match), end) in enumerate(zip(heads, ends, strict=True)):
        text = " ".join(line for line in lines[at + 1 : end] if line)
        mark = _SHOW_MORE.search(text)
        found.append(
            Entry(
                source=name, key=make_key(match["title"]), title=match["title"], position=position, show=show,
                description=text[: mark.start()] if mark else text or None, cut=mark is not None,
            )
        )  # fmt: skip
    return found
