"""The stencil of an item: what the program that prints a feed puts around its texts, learned from one of its items.

A feed's items are printed by one program, so what stands between their texts is the same in each. A pattern made of
one item's elements and attributes finds the texts of the next in 4 µs, where libxml2 takes 13 for its tree and a walk
over that 30. What a pattern fits is well-formed by what the pattern is made of (XML 1.0, productions 10, 14, 18, 39 and
40); what it cannot know, references and the end of a section within a text, is looked at in what it found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from msgspec import Struct

from aggregator.fetchers import feed_xml
from aggregator.fetchers.feed_xml import CHANNELS, ITEMS, PODCAST
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
CATEGORIES, PODCASTS = "category", "podcast"  # what stands in runs, as often as it likes
AUTHORS = {"author", "dc_creator", "itunes_author"}
BESIDES = CHANNELS | ITEMS | {"svg", "math"}  # what feedparser takes for itself whatever its namespace
NONE: frozenset[str] = frozenset()
NO_RUNS: Mapping[str, Sequence[Element]] = {}
# What is read of an item, by feedparser's name: the name in the XML's own account, the attributes that are understood.
FIELDS: Mapping[str, tuple[str | None, frozenset[str]]] = {
    "title": ("title", NONE),
    "link": ("link", NONE),
    "guid": ("guid", frozenset({"isPermaLink"})),
    "pubdate": ("pubDate", NONE),
    "description": ("description", NONE),
    "content_encoded": ("content:encoded", NONE),
    "enclosure": ("enclosure", frozenset({"url", "length", "type"})),
    "category": ("category", frozenset({"domain"})),
    "author": ("author", NONE),
    "dc_creator": (None, NONE),
    "itunes_author": ("itunes:author", NONE),
    "itunes_summary": ("itunes:summary", NONE),
    "itunes_subtitle": ("itunes:subtitle", NONE),
    "itunes_duration": ("itunes:duration", NONE),
    "itunes_season": ("itunes:season", NONE),
    "itunes_episode": ("itunes:episode", NONE),
    "itunes_episodetype": ("itunes:episodeType", NONE),
    "itunes_explicit": ("itunes:explicit", NONE),
    "itunes_image": ("itunes:image", frozenset({"href"})),
    "itunes_keywords": ("itunes:keywords", NONE),
    "feedburner_origlink": (None, NONE),
}


class Element(NamedTuple):
    """One element of a run: its name without the prefix, its attributes in their order, its text."""

    name: str
    attributes: tuple[tuple[str, str], ...]
    text: str


class Stencil(NamedTuple):
    """A pattern that fits whole items, what its groups are called, and a choice of those in which references count.

    ``named`` are the groups that ``bare`` chooses.

    A group has feedparser's name of its element, with ``@`` and the attribute's name where it is one. Elements that
    come in runs are one group, as they stand in the document, called by what they are and their place; ``runs`` are
    these groups, ``authors`` those that name an author. ``prefixes`` are the item's and those of all its elements.
    """

    pattern: re.Pattern[str]
    fields: tuple[str, ...]
    named: tuple[str, ...]
    bare: Callable[[tuple[str, ...]], tuple[str, ...]]
    runs: tuple[str, ...]
    authors: tuple[str, ...]
    prefixes: frozenset[str]


class Plain(Struct):
    """What a plain item says, as XML means it: texts by the names of the groups, and those of runs by the same.

    ``authors`` are the names of the groups that name one, in their order.
    """

    texts: dict[str, str]
    authors: tuple[str, ...]
    runs: Mapping[str, Sequence[Element]]


class _Part(NamedTuple):
    """What one element is in a stencil; ``section`` says how its text stands, ``run`` what it is one of many of."""

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
    if item[place:].strip(" \t\n") != CLOSED or "title" not in fields or len(set(fields)) < len(fields):
        return None
    closed = {part.fields[-1] for part in parts if part.run or part.section}
    bare = [at for at, field in enumerate(fields) if field not in closed]
    if len(bare) < 2:  # noqa: PLR2004 -- of one, itemgetter makes no tuple
        return None
    return Stencil(
        pattern=re.compile(OPENED + "".join(part.pattern for part in parts) + BLANKS + CLOSED, re.ASCII),
        fields=tuple(fields),
        named=tuple(fields[at] for at in bare),
        bare=itemgetter(*bare),
        runs=tuple(part.fields[0] for part in parts if part.run),
        authors=tuple(field for field in fields if field in AUTHORS),
        prefixes=frozenset({"", *(part.prefix for part in parts)}),
    )


def said(stencil: Stencil, found: re.Match[str]) -> Plain | None:
    """What an item that the stencil fits says; ``None`` where it is not well-formed."""
    values = found.groups()
    texts = dict(zip(stencil.fields, values))  # noqa: B905 -- as many as there are groups
    bare = stencil.bare(values)
    joined = "".join(bare)
    if ">" in joined and "]]>" in joined:
        return None
    if "&" in joined:
        for field, value in zip(stencil.named, bare):  # noqa: B905 -- the same choice of both
            if "&" in value:
                text = understood(value)
                if text is None:
                    return None
                texts[field] = text
    if not stencil.runs:
        return Plain(texts, stencil.authors, NO_RUNS)
    runs = {field: elements(texts[field]) for field in stencil.runs}
    known = {field: run for field, run in runs.items() if run is not None}
    return Plain(texts, stencil.authors, known) if len(known) == len(runs) else None


def elements(run: str) -> list[Element] | None:
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
        return _Part(prefix, run, (), run=called)
    begin = f"{BLANKS}<{written}" + "".join(f'{BLANK}{re.escape(key)}="({VALUE})"' for key in attributes) + BLANKS
    fields = (*(f"{called}@{key}" for key in attributes), called)
    if found["empty"]:
        return _Part(prefix, f"{begin}/>()", fields)
    if found["section"] is None:
        return _Part(prefix, f"{begin}>({TEXT})</{written}{BLANKS}>", fields)
    section = rf"{BLANKS}<!\[CDATA\[({SECTION})\]\]>{BLANKS}"
    return _Part(prefix, f"{begin}>{section}</{written}{BLANKS}>", fields, section=True)


def _called(written: str, names: Names, spaces: Mapping[str, str]) -> str | None:
    """What feedparser calls an element, or its own name where nothing reads it; ``None`` where more would be needed."""
    prefix, _, local = written.rpartition(":")
    address = spaces.get(prefix, "" if not prefix else None)
    if address is None:
        return None
    if address.lower() in PODCAST:
        return PODCASTS if prefix == PODCASTS and local.lower() not in BESIDES else None
    try:
        called = name(names, f"{{{address}}}{local}" if address else local)
    except IrregularError:
        return None
    if called not in FIELDS:
        return None if called in STEPS or called in REFUSED | CHANNELS | ITEMS else written
    before = feed_xml.PREFIXES.get(address.lower())
    return called if (None if before is None else before + local) == FIELDS[called][0] else None
