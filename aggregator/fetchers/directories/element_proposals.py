"""Propose selectors for a page by the elements that repeat in it, and by the content of most of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from aggregator.errors import ReadError
from aggregator.fetchers.directories.element_fields import (
    CLASS_NAME,
    ENDINGS,
    HEADINGS,
    USUAL,
    find_ending,
    find_fields,
    get_text,
    is_entry,
    is_media,
    list_classes,
    name_part,
    read_texts,
    says_when,
)
from aggregator.fetchers.parsing import html_page, xml

Options: TypeAlias = tuple[tuple[str, str], ...]

_CONTAINERS = ("article", "li", "div", "section", "tr", "a", "dd", "p", "details", "td")
_OUTSIDE = frozenset({"nav", "footer", "header", "aside", "form", "head", "script", "style", "template", "noscript"})
_NUMBER = re.compile(r"\d")
# Elements that make a list: two are one if they are articles, or have dates and audio.
_MIN_ELEMENTS, _SURE_ELEMENTS = 2, 3
_MOST_GROUPS, _MOST_ROWS, _MOST = 60, 25, 3
_MOST_PLACES = 6  # behind a heading, at which its audio may stand
_BESIDE = 0.2  # of the score of elements in a sidebar, or among other posts


class _Group(Struct):
    """Elements that repeat, what most of them have, and how well that looks like a list of entries.

    ``others`` stands behind their selector: it leaves out elements that are no entries, such as advertisements.
    """

    elements: list[xml.Element]
    fields: dict[str, str]
    score: float
    others: str


def propose(root: xml.Element) -> tuple[Options, ...]:
    """Return the options of kind ``page`` for each list of entries found, the best first."""
    judged = [group for elements in _find_groups(root) if (group := _make_group(elements))]
    judged.sort(key=lambda group: -group.score)
    proposals = []
    for group in judged[: 2 * _MOST]:
        items = _select_items(root, group.elements, group.fields["title"])
        if items is not None:
            items = items if items.startswith("/") else items + group.others
            proposals.append(tuple(sorted({**group.fields, "items": items}.items())))
    proposals += _propose_headings(root)
    return tuple(dict.fromkeys(proposals))[:_MOST]


def propose_around(root: xml.Element, chosen: xml.Element) -> Options:
    """Return the options of kind ``page`` for the list of entries that an element is in; raise ReadError for none.

    Of lists within lists it is the one that looks most like a list of entries.
    """
    path = [chosen, *chosen.iterancestors()]
    groups = [group for group in _find_groups(root) if any(each is one for one in path for each in group)]
    judged = sorted((group for each in groups if (group := _make_group(each))), key=lambda group: -group.score)
    for group in judged:
        if (items := _select_items(root, group.elements, group.fields["title"])) is not None:
            return tuple(sorted({**group.fields, "items": items}.items()))
    for elements in groups:
        if (items := _select_items(root, elements, "./self::*")) is not None:
            return (("items", items),)
    raise ReadError("nothing like it repeats on the page: choose the text of another entry, or type a selector")


def find_selector(entries: Sequence[xml.Element], chosen: xml.Element, field: str) -> str:
    """Return the selector of a field that finds an element in its entry, and one in most others; raise ReadError."""
    path = [chosen, *chosen.iterancestors()]
    entry = next((each for each in path if any(each is one for one in entries)), None)
    if entry is None:
        raise ReadError("what was chosen is in no entry: choose in one that is marked")
    inside = path[: next(place for place, each in enumerate(path) if each is entry)] or [entry]
    attribute, target = _find_attribute(inside, field)
    named = sorted(name_part(target), key=lambda name: (":" in name, "." not in name))
    names = ["./self::*"] if target is entry else [*named, _find_path(entry, target)]
    selectors = [f"{name}/@{attribute}" if name.startswith(".") else f"{name}@{attribute}" for name in names]
    selectors = selectors if attribute else names
    wanted = target.get(attribute) if attribute else target

    def rank(selector: str) -> tuple[int, int]:
        return sum(bool(xml.select(each, selector)) for each in entries[:_MOST_ROWS]), -selectors.index(selector)

    fitting = [name for name in selectors if xml.select(entry, name)[:1] == [wanted]]
    return max(fitting or selectors[-1:], key=rank)


def _find_attribute(inside: Sequence[xml.Element], field: str) -> tuple[str, xml.Element]:
    """Return the attribute that has the value of a field, empty for the text, and its element: the innermost one."""
    names = {"audio": ("src", "href"), "link": ("href",), "image": ("src",), "date": ("datetime",)}.get(field, ())
    for element in inside:
        for name in names:
            if element.get(name) and (field != "audio" or is_media(element.get(name, ""))):
                return name, element
    return "", inside[0]


def _find_path(entry: xml.Element, target: xml.Element) -> str:
    steps = []
    while target is not entry and (parent := target.getparent()) is not None:
        same = [each for each in parent if each.tag == target.tag]
        steps.append(f"{target.tag}[{same.index(target) + 1}]")
        target = parent
    return "./" + "/".join(reversed(steps))


def _propose_headings(root: xml.Element) -> Iterator[Options]:
    """Yield the options for headings that are followed by what belongs to them, without an element round both."""
    parents: dict[object, list[xml.Element]] = {}
    for each, _ in _walk(root, ()):
        if each.tag in (*HEADINGS[1:], "dt"):
            parents.setdefault((id(each.getparent()), each.tag), []).append(each)
    for headings in (each for each in parents.values() if len(each) >= _SURE_ELEMENTS):
        items = _select_items(root, headings, "./self::*")
        if items is None:
            continue
        behind = [_find_behind(str(headings[0].tag), place) for place in range(1, _MOST_PLACES + 1)]
        date, text = _find_dates_behind(headings, behind[:2])
        audio = _find_audio_behind(headings, behind)
        if date or (audio and sum(bool(xml.select(each, audio)) for each in headings) >= USUAL * len(headings)):
            options = {"items": items, "title": "./self::*"} | ({"audio": audio} if audio else {})
            yield tuple(sorted((options | ({"date": date, "length": date, "text": text} if date else {})).items()))


def _find_dates_behind(headings: Sequence[xml.Element], behind: Sequence[str]) -> tuple[str, str]:
    """Return the XPath of the dates behind headings, of a whole element or one in it, and of the texts; empty for none.

    It is the one that finds most dates.
    """
    found = dict(zip(behind, reversed(behind), strict=True))
    for place in behind:
        parts = (part for each in xml.select(headings[0], place) if not isinstance(each, str) for part in each)
        for tag in dict.fromkeys(str(part.tag) for part in parts if isinstance(part.tag, str)):
            found[f"{place}/{tag}[1]"] = f"{place}/node()[not(self::{tag})]"
    counts = {date: _count_dates(headings, date) for date in found}
    date = max(counts, key=lambda date: counts[date])
    return (date, found[date]) if counts[date] >= USUAL * len(headings) else ("", "")


def _find_behind(tag: str, place: int) -> str:
    """Return the XPath of the element at a place behind a heading, if no other heading stands before it.

    >>> _find_behind("h3", 2)
    './following-sibling::*[2][not((self::*|preceding-sibling::*[position()<2])[self::h3])]'
    """
    others = f"(self::*|preceding-sibling::*[position()<{place}])[self::{tag}]" if place > 1 else f"self::{tag}"
    return f"./following-sibling::*[{place}][not({others})]"


def _count_dates(headings: Sequence[xml.Element], selector: str) -> int:
    found = (xml.select(each, selector)[:1] for each in headings)
    texts = [get_text(each) for some in found for each in some]
    return sum(map(says_when, texts))


def _find_audio_behind(headings: Sequence[xml.Element], behind: Sequence[str]) -> str:
    """Return the XPath of the audio at these places behind a heading, a player or a link to a file; empty for none."""
    files = [f'a/@href[contains(., ".{ending}")]' for ending in ENDINGS]
    paths = [
        f"{place}/descendant-or-self::{file}" for place in behind for file in ("audio/@src", "source/@src", *files)
    ]
    used = [path for path in paths if any(xml.select(each, path) for each in headings)]
    return used[0] if len(used) == 1 else f"({' | '.join(used)})" if used else ""


def _find_groups(root: xml.Element) -> list[list[xml.Element]]:
    """Return the elements of one name and class that stand in one parent, or at the same place all over the page."""
    groups: dict[object, list[xml.Element]] = {}
    for element, path in _walk(root, ()):
        if element.tag in _CONTAINERS and not (element.tag == "tr" and element.find("td") is None):
            groups.setdefault(path, []).append(element)
            groups.setdefault((id(element.getparent()), path[-1]), []).append(element)
            groups.setdefault((id(element.getparent()), element.tag), []).append(element)
            if element.tag in ("a", "tr") and find_ending(element):
                groups.setdefault((id(element.getparent()), "media"), []).append(element)
                groups.setdefault((path, "media"), []).append(element)
    found = [group for group in groups.values() if len(group) >= _MIN_ELEMENTS]
    unique = {tuple(map(id, group)): group for group in found}
    return sorted(unique.values(), key=lambda group: -len(group))[:_MOST_GROUPS]


def _walk(element: xml.Element, above: tuple[str, ...]) -> Iterator[tuple[xml.Element, tuple[str, ...]]]:
    """Yield the elements in the page's order, each with the names and first classes down to it."""
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _OUTSIDE and not html_page.is_of_comments(child):
            lasting = (name for name in list_classes(child) if not _NUMBER.search(name))
            path = (*above, ".".join((child.tag, *islice(lasting, 1))))
            yield child, path
            yield from _walk(child, path)


def _make_group(elements: list[xml.Element]) -> _Group | None:
    """Return a group with the selectors of its fields; ``None`` if it has no titles, or neither dates nor audio."""
    rows = [read_texts(element) for element in elements[:_MOST_ROWS]]
    fields = find_fields(rows, elements[0])
    if fields is None:
        return None
    if len(elements) < _SURE_ELEMENTS and elements[0].tag != "article" and not {"date", "audio"} <= fields.keys():
        return None
    weights = {"date": 2.0, "audio": 2.0, "length": 0.6, "text": 0.4, "link": 1.5}
    full = sum(fields["title"] in row for row in rows) / len(rows)
    place = _BESIDE if html_page.is_beside(elements[0]) else 1.0
    entries = [element for element, row in zip(elements, rows, strict=False) if is_entry(row, fields)]
    full *= place * len(entries) / len(rows)
    score = full * len(elements) ** 0.5 * (1 + sum(weights.get(each, 0) for each in fields))
    return _Group(elements, fields, score, _leave_out(elements[: len(rows)], entries))


def _leave_out(elements: Sequence[xml.Element], entries: Sequence[xml.Element]) -> str:
    """Return the end of a selector that leaves out those of few elements that are no entries, by their classes."""
    if len(entries) < USUAL * len(elements):
        return ""
    own = {name for element in entries for name in list_classes(element)}
    others = {name for element in elements for name in list_classes(element)} - own
    return "".join(f":not(.{name})" for name in sorted(others) if not _NUMBER.search(name))


def _select_items(root: xml.Element, elements: Sequence[xml.Element], title: str) -> str | None:
    """Return the simplest selector that finds these elements and no others with a title; ``None`` if there is none."""
    wanted = {*map(id, elements)}
    classes = set.intersection(*(set(list_classes(each)) for each in elements))
    for selector in _list_item_selectors(elements[0], [name for name in list_classes(elements[0]) if name in classes]):
        found = [each for each in xml.select(root, selector) if not isinstance(each, str)]
        others = (each for each in found if id(each) not in wanted)
        if wanted <= {*map(id, found)} and not any(title in read_texts(each) for each in others):
            return selector
    parent = elements[0].getparent()
    if parent is None or any(each.getparent() is not parent for each in elements):
        return None
    path = parent.getroottree().getpath(parent).removeprefix("/html")
    selector = f"/{path}/{elements[0].tag}"
    return selector if wanted <= {*map(id, xml.select(root, selector))} else None


def _list_item_selectors(element: xml.Element, classes: Sequence[str]) -> Iterator[str]:
    """Yield selectors of an element, the shortest first: its name, classes, and those of the elements above it."""
    own = [element.tag, *(f"{element.tag}.{name}" for name in classes)]
    ending = find_ending(element)
    if ending and element.tag == "a":
        own.append(f'a[href*=".{ending}"]')
    own.append(".".join((str(element.tag), *classes)))
    own = [*own[1:], own[0]] if len(own) > 1 else own
    yield from map(str, own)
    tail = ""
    for above in element.iterancestors():
        names = [f"{above.tag}.{name}" for name in list_classes(above)]
        if CLASS_NAME.fullmatch(above.get("id") or ""):
            names.append(f"{above.tag}#{above.get('id')}")
        for name in names:
            yield from (f"{name}{tail} > {each}" for each in own)
            yield from (f"{name} {each}" for each in own)
        tail = f" > {above.tag}{tail}"
        yield from (f"{tail.removeprefix(' > ')} > {each}" for each in own[-1:])
    if ending and element.tag == "tr":
        yield f'//tr[.//a[contains(@href, ".{ending}")]]'
