"""A blog's front or category page as bare text: the posts by the line that closes each.

Two shapes, both of one blog: since its move to Hugo each excerpt ends with a line ``Read more...`` (seed 003); under
WordPress each ended in ``[…]`` with a line ``• May 5, 2021`` behind (2021 to 2024). The site's name, its motto and
the category stand above the first post; a picture is a line ``image``. There are no addresses.
"""

from __future__ import annotations

import re

from aggregator.fetchers.parsing.entry_keys import titled
from aggregator.model.entry import Entry, Listing, Moment, Show
from aggregator.text import dates

READ_MORE = re.compile(
    r"\[?(?:read more|continue reading|weiterlesen|mehr lesen|lire la suite|leer más)\b"
    r"(?:[^.!?…]{0,80}|.{0,120}?(?:\.\.\.|…|→|»|\]))",
    re.IGNORECASE,
)
DATE_LINE = re.compile(r"[•·]\s*(?P<date>\S.{4,40})")
PICTURE = re.compile(r"image|!\[[^\]]*\]\([^)]*\)", re.IGNORECASE)
EXCERPT = re.compile(r"\[(?:…|\.\.\.)\]$")
SENTENCE = re.compile(r"[.!?:;…][\"'”’)\]]*$")
LONGEST_TITLE = 120  # characters; a longer line is prose even without a full stop


def read(name: str, text: str) -> Listing | None:
    """The posts of the source called ``name`` in their order, excerpts flagged as cut; ``None`` where none is closed.

    The listing is partial, and its show is what stands first on the page.
    """
    blocks, rest = _blocks([line.strip() for line in text.split("\n")])
    found: list[Entry] = []
    show = None
    for lines, date in blocks:
        title = _first_title(lines) if not found else 0
        if title is None or len(lines) < title + 1:
            continue
        if not found and title:
            show = lines[0]
        body = "\n\n".join(lines[title + 1 :])
        found.append(
            Entry(
                source=name, key=titled(lines[title], date), title=lines[title], genre="post", position=len(found),
                description=EXCERPT.sub("", body).rstrip() or None,
                cut=date is None or EXCERPT.search(body) is not None,
                published=date,
            )
        )  # fmt: skip
    if not found:
        return None
    remarks = (f"{rest} lines behind the last post belong to none",) if rest else ()
    return Listing(tuple(found), Show(title=show), partial=True, remarks=remarks)


def _blocks(lines: list[str]) -> tuple[list[tuple[list[str], Moment | None]], int]:
    """The lines with words of each post and the date that closes it, and how many lines follow the last one."""
    blocks: list[tuple[list[str], Moment | None]] = []
    block: list[str] = []
    for line in lines:
        date = _date(line)
        if date or READ_MORE.fullmatch(line):
            if block:
                blocks.append((block, date))
            block = []
        elif line and not PICTURE.fullmatch(line):
            block.append(line)
    return blocks, len(block)


def _date(line: str) -> Moment | None:
    match = DATE_LINE.fullmatch(line)
    moment = dates.parse(match["date"]) if match else None
    return Moment(*moment) if moment else None


def _first_title(lines: list[str]) -> int | None:
    """Where the first post's title stands: above the prose that ends its block; the page's own names stand before."""
    at = len(lines)
    while at and _is_prose(lines[at - 1]):
        at -= 1
    return at - 1 if at else None


def _is_prose(line: str) -> bool:
    return len(line) > LONGEST_TITLE or SENTENCE.search(line) is not None
