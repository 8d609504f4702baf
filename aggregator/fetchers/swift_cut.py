"""The plain items cut out of a document, which leaves little for libxml2: the head, the end, and what is not plain.

Where items were, an element stands that says which. libxml2 reads the rest strictly, and where it finds each of these
elements, and the namespaces are those that were assumed, the items stood where an element may stand: the document is
then well-formed if the rest is. An item inside of a comment or a section is no element of the rest, and is missed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
LOT = 65_536  # bytes taken at once, as far as items are whole: what is at hand in the processor, and no copy of it all
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


def cut(body: bytes, start: int, plain: Plainly) -> Cut:
    """The document, which is in UTF-8 and begins at ``start``, without those of its items that are plain.

    ``plain`` decides on what an item says. Nothing is cut where few items are, or characters that no XML has; whether
    the rest is well-formed is not looked at.
    """
    knife = _Knife(Cut(b""))
    try:
        if _has_many(body):
            for text in _lots(body, start):
                _take(text, knife, plain)
        found = knife.found
        found.rest = "".join(knife.pieces).encode()
        if knife.stencils and found.rest.count(MARK.encode()) == len(found.runs):
            return found
    except (UnicodeDecodeError, IrregularError):
        pass
    return Cut(body[start:])


class _Knife(Struct):
    """How far a document is cut: the stencils that were learned, items that none fits, the pieces of the rest.

    ``blank`` is whether the last lot ended in an item that was cut out, but for white space.
    """

    found: Cut
    stencils: list[Stencil] = field(default_factory=list)
    missed: int = 0
    pieces: list[str] = field(default_factory=list)
    blank: bool = False


def _has_many(body: bytes) -> bool:
    place = -1
    for _ in range(FEWEST):
        place = body.find(OPENED.encode(), place + 1)
        if place < 0:
            return False
    return True


def _lots(body: bytes, start: int) -> Iterator[str]:
    """The text in lots, each but the last to where an item ends; ``IrregularError`` at a character that no XML has."""
    mark = CLOSED.encode()
    while start < len(body):
        end = body.rfind(mark, start, start + LOT)
        end = body.find(mark, start) if end < 0 else end
        lot = body[start : end + len(mark) if end >= 0 else len(body)]
        start += len(lot)
        if any(control in lot for control in CONTROLS):
            raise IrregularError("a control")
        text = lot.decode()
        if any(letter in text for letter in NO_CHARACTERS):
            raise IrregularError("no character")
        yield text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _take(text: str, knife: _Knife, plain: Plainly) -> None:
    """Cut out of a lot what is plain."""
    found, end, blank = knife.found, 0, knife.blank
    start = text.find(OPENED)
    if not knife.pieces:
        _assume(text[:start], found)
    while start >= 0 and knife.missed < MISSED:
        item = _item(text, start, knife.stencils, found)
        if item is None or not plain(item[0]):
            knife.missed += 1
            start = text.find(OPENED, start + 1)
            continue
        between = text[end:start]
        if not blank or between.strip(" \t\n"):
            knife.pieces += (between, f'<item {MARK}="{len(found.runs)}"/>')
            found.runs.append([])
        found.runs[-1].append(item[0])
        end, blank = item[1], True
        start = text.find(OPENED, end)
    left = text[end:]
    knife.pieces.append(left)
    knife.blank = blank and not left.strip(" \t\n")


def _assume(head: str, found: Cut) -> None:
    """Note the namespaces that are declared before the first item, by prefix those of the root."""
    root = head.find(">", head.find("<rss"))
    for each in SPACE.finditer(head):
        if address := each[2] or each[3]:
            declare(found.names, each[1] or "", address)
            if each.end() <= root:
                found.spaces[each[1] or ""] = address


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
