"""The stencil of an item: what the program that prints a feed puts around its texts, learned from one of its items.

A feed's items are printed by one program, so what stands between their texts is the same in each. A pattern made of
one item's elements and attributes finds the texts of the next in 2 µs, where libxml2 takes 13 for its tree and a walk
over that 30. What a pattern fits is well-formed by what the pattern is made of (XML 1.0, productions 10, 14, 18, 39 and
40); what it cannot know, references and the end of a section within a text, is looked at in what it found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from aggregator.fetchers import feed_xml
from aggregator.fetchers.feed_xml import CHANNELS, ITEMS, is_podcast
from aggregator.fetchers.swift_fields import ALIKE, CATEGORIES, FIELDS, PODCASTS, Places, placed, told_first
from aggregator.fetchers.swift_item import STEPS
from aggregator.fetchers.swift_names import REFUSED, IrregularError, Names, name
from aggregator.fetchers.swift_references import understood

OPENED, CLOSED = "<item>", "</item>"
BLANKS, BLANK = r"[ \t\n]*+", r"[ \t\n]++"  # what XML calls white space, line ends being one character already
NAME = r"[A-Za-z_][\w.-]*+"
VALUE = r'[^"<\n\t]*+'
TEXT = r"[^<]*+"
SECTION = r"[^\]]*+(?>(?:\](?!\]>)[^\]]*+)*)"
ATTRIBUTE = re.compile(rf'(?<![ \t\n]){BLANK}({NAME})="({VALUE})"', re.ASCII)
ELEMENT = re.compile(
    rf'{BLANKS}<(?P<name>(?:{NAME}:)?{NAME})(?P<attributes>(?>(?:{BLANK}{NAME}="{VALUE}")*)){BLANKS}'
    rf"(?:(?P<empty>/)>|>(?:(?P<text>{TEXT})|{BLANKS}<!\[CDATA\[(?P<section>{SECTION})\]\]>{BLANKS})</(?P=name){BLANKS}>)",
    re.ASCII,
)
BESIDES = CHANNELS | ITEMS | {"svg", "math"}  # what feedparser takes for itself whatever its namespace
NO_RUNS: Mapping[int, Sequence[Element]] = {}


class Element(NamedTuple):
    """One element of a run: its name without the prefix, its attributes in their order, its text."""

    name: str
    attributes: tuple[tuple[str, str], ...]
    text: str


class Stencil(NamedTuple):
    """A pattern that fits whole items, what its groups are called, and a choice of those in which references count.

    A group has feedparser's name of its element, with ``@`` and the attribute's name where it is one. Elements that
    come in runs are one group, as they stand in the document, called by what they are and their place; ``runs`` are
    the places of these. ``at`` is where the others stand, ``first`` the place of what feedparser calls the summary.
    ``chosen`` are the places of what ``bare`` chooses, ``named`` the names of what ``alike`` does: texts that most
    items have alike. ``prefixes`` are the item's and those of all its elements.
    """

    pattern: re.Pattern[str]
    fields: tuple[str, ...]
    chosen: tuple[int, ...]
    bare: Callable[[tuple[str, ...]], tuple[str, ...]]
    runs: tuple[int, ...]
    alike: Callable[[list[str | None]], tuple[str | None, ...]]
    named: tuple[str, ...]
    at: Places
    first: int
    prefixes: frozenset[str]


class Plain(Struct):
    """What a plain item says, as XML means it: texts in the order of the groups, then ``None``; runs by their place."""

    texts: list[str | None]
    stencil: Stencil
    runs: Mapping[int, Sequence[Element]]


class _Part(NamedTuple):
    """What one element is in a stencil; ``section`` says how its text stands, ``run`` what it is one of many of."""

    name: str
    prefix: str
    pattern: str
    fields: tuple[str, ...]
    section: bool = False
    run: str = ""


def learned(item: str, names: Names, spaces: Mapping[str, str]) -> Stencil | None:
    """The stencil of one item, given with its tags; ``None`` where it has more than plain elements, each once.

    ``spaces`` are the addresses of the namespaces by prefix, ``names`` what feedparser calls their elements.
    """
    parts: list[_Part] = []
    place = len(OPENED)
    while found := ELEMENT.match(item, place):
        place = found.end()
        part = _part(found, names, spaces)
        if part is None:
            return None
        if not (parts and part.run and parts[-1].pattern == part.pattern):
            parts.append(part._replace(fields=(f"{part.run} {len(parts)}",)) if part.run else part)
    fields = [field for part in parts for field in part.fields]
    once = [part.name for part in parts if not part.run]
    if item[place:].strip(" \t\n") != CLOSED or "title" not in fields or len(set(once)) < len(once):
        return None
    closed = {part.fields[-1] for part in parts if part.run or part.section}
    bare = [at for at, field in enumerate(fields) if field not in closed]
    if len(bare) < 2:  # noqa: PLR2004 -- of one, itemgetter makes no tuple
        return None
    alike = [field for field in fields if field in ALIKE]
    return Stencil(
        pattern=re.compile(OPENED + "".join(part.pattern for part in parts) + BLANKS + CLOSED, re.ASCII),
        fields=tuple(fields),
        chosen=tuple(bare),
        bare=itemgetter(*bare),
        runs=tuple(fields.index(part.fields[0]) for part in parts if part.run),
        alike=itemgetter(-1, -1, *map(fields.index, alike)),  # of none or one it would make no tuple
        named=("", "", *alike),
        at=placed(fields),
        first=told_first(fields),
        prefixes=frozenset({"", *(part.prefix for part in parts)}),
    )


def said(stencil: Stencil, found: re.Match[str]) -> Plain | None:
    """What an item that the stencil fits says; ``None`` where it is not well-formed."""
    values = found.groups()
    texts: list[str | None] = [*values, None]
    bare = stencil.bare(values)
    joined = "".join(bare)
    if ">" in joined and "]]>" in joined:
        return None
    if "&" in joined:
        for place, value in zip(stencil.chosen, bare):  # noqa: B905 -- the same choice of both
            if "&" in value:
                text = understood(value)
                if text is None:
                    return None
                texts[place] = text
    if not stencil.runs:
        return Plain(texts, stencil, NO_RUNS)
    runs = {place: elements(values[place]) for place in stencil.runs}
    known = {place: run for place, run in runs.items() if run is not None}
    return Plain(texts, stencil, known) if len(known) == len(runs) else None


@lru_cache(maxsize=512)  # most items of a feed have the same categories
def elements(run: str) -> Sequence[Element] | None:
    """The elements of a run; ``None`` where it is not well-formed."""
    place, found = 0, list[Element]()
    while match := ELEMENT.match(run, place):
        place = match.end()
        attributes = [(str(key), understood(value)) for key, value in ATTRIBUTE.findall(match["attributes"])]
        text = understood(match["text"] or "") if match["section"] is None else match["section"]
        known = {key for key, value in attributes if value is not None and key != "xmlns"}
        local = match["name"].rpartition(":")[2]
        if text is None or len(known) < len(attributes) or local.lower() in BESIDES:
            return None
        found.append(Element(local, tuple((key, value) for key, value in attributes if value is not None), text))
    return None if run[place:].strip(" \t\n") else found


def _part(found: re.Match[str], names: Names, spaces: Mapping[str, str]) -> _Part | None:
    """What an element is in the stencil; ``None`` where it says what is not understood here."""
    called = _called(found["name"], names, spaces)
    attributes = [str(key) for key, _ in ATTRIBUTE.findall(found["attributes"])]
    if called is None or len(set(attributes)) < len(attributes) or "xmlns" in attributes:
        return None
    if called in FIELDS and not FIELDS[called][1].issuperset(attributes):
        return None
    prefix, written = found["name"].rpartition(":")[0], re.escape(found["name"])
    if called in {CATEGORIES, PODCASTS}:
        one = rf"{re.escape(prefix)}:{NAME}" if called == PODCASTS else written
        keys = NAME if called == PODCASTS else "domain"
        inner = rf"(?:/>|>(?:{TEXT}|{BLANKS}<!\[CDATA\[{SECTION}\]\]>{BLANKS})</{one}{BLANKS}>)"
        run = rf'((?>(?:{BLANKS}<{one}(?>(?:{BLANK}{keys}="{VALUE}")*){BLANKS}{inner})*))'
        return _Part(called, prefix, run, (), run=called)
    begin = f"{BLANKS}<{written}" + "".join(f'{BLANK}{re.escape(key)}="({VALUE})"' for key in attributes) + BLANKS
    fields = (*(f"{called}@{key}" for key in attributes), called)
    if found["empty"]:
        return _Part(
            called, prefix, f"{begin}/>" if attributes else f"{begin}/>()", fields[: len(attributes)] or fields
        )
    if found["section"] is None:
        return _Part(called, prefix, f"{begin}>({TEXT})</{written}{BLANKS}>", fields)
    section = rf"{BLANKS}<!\[CDATA\[({SECTION})\]\]>{BLANKS}"
    return _Part(called, prefix, f"{begin}>{section}</{written}{BLANKS}>", fields, section=True)


def _called(written: str, names: Names, spaces: Mapping[str, str]) -> str | None:
    """What feedparser calls an element, or its own name where nothing reads it; ``None`` where more would be needed."""
    prefix, _, local = written.rpartition(":")
    address = spaces.get(prefix, "" if not prefix else None)
    if address is None:
        return None
    if is_podcast(address):
        return PODCASTS if prefix == PODCASTS and local.lower() not in BESIDES else None
    try:
        called = name(names, f"{{{address}}}{local}" if address else local)
    except IrregularError:
        return None
    if called not in FIELDS:
        return None if called in STEPS or called in REFUSED | CHANNELS | ITEMS else written
    before = feed_xml.PREFIXES.get(address.lower())
    return called if (None if before is None else before + local) == FIELDS[called][0] else None
