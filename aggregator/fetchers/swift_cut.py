"""The plain items cut out of a document, which leaves little for libxml2: the head, the end, and what is not plain.

Where items were, an element stands that says which. libxml2 reads the rest strictly, and where it finds each of these
elements, and the namespaces are those that were assumed, the items stood where an element may stand: the document is
then well-formed if the rest is. An item inside of a comment or a section is no element of the rest, and is missed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct, field

from aggregator.fetchers.swift_names import IrregularError, Names, declare
from aggregator.fetchers.swift_stencil import CLOSED, OPENED, Plain, Stencil, learned, said

FEWEST = 16  # items that repay a pattern: it takes a millisecond to make, an item without it a tenth of one
MOST = 6  # patterns of one document; most need one, and those with odd items two or three
MISSED = 50  # items that no pattern fits, until no more are looked at
MARK = "swift-cut"  # the attribute that says which items stood there
SPACE = re.compile(r"""\bxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"<&]*)"|'([^'<&]*)')""")
CONTROLS = [bytes((code,)) for code in range(0x20) if code not in b"\t\n\r"]
NO_CHARACTERS = ("\ufffe", "\uffff")


Plainly: TypeAlias = Callable[[Plain], bool]


class Cut(Struct):
    """A document without its plain items, these in runs as they stood together, and what was assumed of namespaces.

    ``prefixes`` are those that stand in the items; ``spaces`` are the addresses by prefix, ``names`` all as declared.
    """

    rest: bytes
    runs: list[list[Plain]] = field(default_factory=list)
    prefixes: set[str] = field(default_factory=set)
    spaces: dict[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=Names)


def cut(body: bytes, plain: Plainly) -> Cut:
    """The document, in UTF-8 and without a declaration, without those of its items that are plain.

    ``plain`` decides on what an item says. Nothing is cut where few items are, or characters that no XML has; whether
    the rest is well-formed is not looked at.
    """
    found = Cut(body)
    if not _has_many(body) or any(control in body for control in CONTROLS):
        return found
    try:
        text = (body.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in body else body).decode("utf-8")
        root = text.find(">", text.find("<rss"))
        for each in SPACE.finditer(text, 0, text.find(OPENED)):
            if address := each[2] or each[3]:
                declare(found.names, each[1] or "", address)
                if each.end() <= root:
                    found.spaces[each[1] or ""] = address
    except (UnicodeDecodeError, IrregularError):
        return found
    if not any(letter in text for letter in NO_CHARACTERS):
        _part(text, found, plain)
    return found if found.rest.count(MARK.encode()) == len(found.runs) else Cut(body)


def _has_many(body: bytes) -> bool:
    place = -1
    for _ in range(FEWEST):
        place = body.find(OPENED.encode(), place + 1)
        if place < 0:
            return False
    return True


def _part(text: str, found: Cut, plain: Plainly) -> None:
    """Part the text into what is cut out of it and the rest."""
    stencils: list[Stencil] = []
    pieces: list[str] = []
    end, missed = 0, 0
    start = text.find(OPENED)
    while start >= 0 and missed < MISSED:
        item = _item(text, start, stencils, found)
        if item is None or not plain(item[0]):
            missed += 1
            start = text.find(OPENED, start + 1)
            continue
        between = text[end:start]
        if not found.runs or between.strip(" \t\n"):
            pieces += (between, f'<item {MARK}="{len(found.runs)}"/>')
            found.runs.append([])
        found.runs[-1].append(item[0])
        end = item[1]
        start = text.find(OPENED, end)
    found.rest = ("".join(pieces) + text[end:]).encode()


def _item(text: str, start: int, stencils: list[Stencil], found: Cut) -> tuple[Plain, int] | None:
    """The item that begins there, and where it ends; ``None`` where no stencil fits, not even one of its own."""
    for stencil in stencils:
        if match := stencil.pattern.match(text, start):
            item = said(stencil, match)
            return (item, match.end()) if item else None
    end = text.find(CLOSED, start) + len(CLOSED)
    own = learned(text[start:end], found.names, found.spaces) if len(stencils) < MOST else None
    if own is None:
        return None
    stencils.append(own)
    found.prefixes |= own.prefixes
    return _item(text, start, [own], found) if own.pattern.match(text, start) else None
