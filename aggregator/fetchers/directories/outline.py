"""Show a page as an outline to choose elements from, and make selectors of what is chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from aggregator.errors import ReadError
from aggregator.fetchers.directories import element_fields, element_proposals, page
from aggregator.fetchers.parsing import xml
from aggregator.model.outline import Outline, Piece
from aggregator.model.source import Document

_LEFT_OUT = frozenset(
    {"head", "script", "style", "template", "noscript", "svg", "nav", "form", "select", "iframe", "object"}
)
_INLINE = frozenset(
    {
        "a", "abbr", "audio", "b", "bdi", "button", "cite", "code", "em", "i", "img", "label", "mark", "q", "s",
        "small", "source", "span", "strong", "sub", "sup", "time", "u", "wbr",
    }
)  # fmt: skip
_MEDIA = {"audio": "src", "source": "src", "video": "src", "img": "src", "a": "href"}
_ATTRIBUTE = re.compile(r"/?@[\w:-]+\s*(?=,|$)")  # which a selector takes, at the end of it
_MOST_PIECES = 300
_MAX_PIECE = 160
"""Characters of a piece: enough to recognise it."""


def make_outline(document: Document, first: int = 0) -> Outline:
    """Return the pieces of a page from one on; those that its source's options find are marked. Raises ReadError."""
    elements = list(page.parse_page(document).iter())  # held, as the ids of elements count
    pieces = list(_walk(elements, _find_roles(document, elements[0])))
    return Outline(tuple(pieces[first : first + _MOST_PIECES]), len(pieces))


def pick(document: Document, number: int, field: str) -> dict[str, str]:
    """Return the options of the document's source, with a selector of the element of this number for a field.

    If it was chosen as an entry ("items"), selectors of its title, date and other fields are proposed in place of those
    before. Raises ReadError for an element that the page does not have, or that no selector can name.
    """
    root, options = page.parse_page(document), dict(document.source.options)
    element = next((each for at, each in enumerate(root.iter()) if at == number), None)
    if element is None or not isinstance(element.tag, str):
        raise ReadError("the page has no such element")
    entries = _select(root, options.get("items", ""))
    try:
        if field == "items":
            return dict(element_proposals.propose_around(root, element))
        return {**options, field: element_proposals.find_selector(entries, element, field)}
    except ValueError as error:  # "a<ul" is a name in HTML, but in no selector
        raise ReadError("no selector can name this element: choose one around it") from error


def _select(element: xml.Element, selector: str) -> list[xml.Element]:
    """Return the elements that a selector finds; none if it is wrong, as while it is typed."""
    try:
        return [each for each in xml.select(element, selector) if not isinstance(each, str)] if selector else []
    except ValueError:
        return []


def _find_roles(document: Document, root: xml.Element) -> Mapping[int, tuple[int, str]]:
    """Return the entry and the field of the elements that the options find, by the ids of the elements."""
    options = {**page.DEFAULTS, **dict(document.source.options)}
    roles: dict[int, tuple[int, str]] = {}
    for number, entry in enumerate(_select(root, options.get("items", "")), 1):
        roles[id(entry)] = number, ""
        for field in ("text", "image", "audio", "length", "date", "title"):
            for found in _select(entry, _ATTRIBUTE.sub("", options.get(field, "")))[:1]:
                roles[id(found)] = number, field
    return roles


def _walk(elements: Sequence[xml.Element], roles: Mapping[int, tuple[int, str]]) -> Iterator[Piece]:
    """Yield the texts of a page in their order, each with the number of the innermost element around it."""
    numbers = {id(each): number for number, each in enumerate(elements)}
    starts = True
    ahead: list[tuple[xml.Element, xml.Element | None, tuple[int, str]]] = [(elements[0], None, (0, ""))]
    while ahead:
        owner, parent, role = ahead.pop()  # with a parent it is what follows the element there
        starts = starts or owner.tag not in _INLINE
        if parent is not None:
            owner, shown = parent, [(owner.tail, False)]
        else:
            role = roles.get(id(owner), role)
            shown = [(_name_file(owner), True), (owner.text, False)]
            for child in reversed(owner):
                ahead.append((child, owner, role))
                if child.tag not in _LEFT_OUT:
                    ahead.append((child, None, role))
        for text, is_media in shown:
            if words := " ".join((text or "").split()):
                level = int(owner.tag[1]) if owner.tag in element_fields.HEADINGS else 0
                yield Piece(numbers[id(owner)], words[:_MAX_PIECE], starts, level, is_media, *role)
                starts = False


def _name_file(element: xml.Element) -> str:
    """Return the name of the file that an element plays, shows or links to; empty if it does not."""
    url = element.get(_MEDIA.get(str(element.tag), "src"), "")
    if element.tag == "a" and not element_fields.is_media(url):
        return ""
    return url.split("?")[0].rstrip("/").rsplit("/", 1)[-1]
