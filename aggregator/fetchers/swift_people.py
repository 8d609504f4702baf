"""Who wrote it, as feedparser tells it: the last person's name, unless the first stood in one text with an address.

Its steps are kept one by one, since what they come to depends on their order (6.0.14, ``mixin.py``): a name inside of
``itunes:owner`` also replaces the name of the author told before.
"""

from __future__ import annotations

import re
from typing import Any

from aggregator.fetchers.swift_names import IrregularError, Names, name
from aggregator.fetchers.swift_words import told
from aggregator.fetchers.tree import Element

EMAIL = re.compile(
    r"[a-zA-Z0-9_.+-]+@(?:\[[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.|(?:[a-zA-Z0-9-]+\.)+)(?:[a-zA-Z]{2,4}|[0-9]{1,3})\]?(?:\?subject=\S+)?"
)
PARTS = {"name": "name", "itunes_name": "name", "email": "email", "itunes_email": "email"}
ADDRESSES = {"url", "uri", "homepage"}
UNREAD = {"gd_image"}  # in every feed of Blogger


def author(values: dict[str, Any], element: Element, names: Names) -> str:
    """Note an author in what an item or a channel says; the element's own text."""
    values.setdefault("authors", []).append({})
    for part, text in _parts(element, names):
        _save(values, part, text)
    return _whole(element)


def agreed(values: dict[str, Any]) -> None:
    """Make ``author`` and ``author_detail`` say the same, once ``author`` holds the text of the last."""
    detail = (values.get("authors") or [{}])[-1]
    if detail:
        said, email = detail.get("name"), detail.get("email")
        if said and email:
            values["author"] = f"{said} ({email})"
        elif said or email:
            values["author"] = said or email
        return
    said, email = _divided(values.get("author") or "")
    if said or email:
        values.setdefault("author_detail", detail)
    if said:
        detail["name"] = said
    if email:
        detail["email"] = email


def owner(values: dict[str, Any], element: Element, names: Names) -> None:
    """Note what the owner of a show changes of its author."""
    for part, text in _parts(element, names):
        if part != "href":
            agreed(values)
            values.setdefault("authors", [{}])[-1][part] = text


def strangers(element: Element, names: Names) -> None:
    """Nothing, where the element holds the parts of a person and no more."""
    _parts(element, names)


def _save(values: dict[str, Any], part: str, text: str) -> None:
    values.setdefault("author_detail", {})[part] = text
    agreed(values)
    values.setdefault("authors", [{}])[-1][part] = text


def _parts(element: Element, names: Names) -> list[tuple[str, str]]:
    found = []
    for child in element:
        called = name(names, child.tag) if isinstance(child.tag, str) and not len(child) else ""
        if called in PARTS:
            found.append((PARTS[called], (child.text or "").strip()))
        elif called in ADDRESSES:
            found.append(("href", told(child.text)))
        elif called not in UNREAD:
            raise IrregularError(f'"{called}" inside of a person')
    return found


def _whole(element: Element) -> str:
    """The text of the element itself, around what stands inside."""
    if not len(element):
        return told(element.text)
    return told("".join([element.text or "", *(child.tail or "" for child in element)]))


def _divided(text: str) -> tuple[str, str | None]:
    """Name and address of "ann@example.org (Ann)", either way round."""
    found = EMAIL.search(text) if "@" in text else None
    if not found:
        return text, None
    text = text.replace(found[0], "")
    for debris in ("()", "<>", "&lt;&gt;"):
        text = text.replace(debris, "")
    return text.strip().removeprefix("(").removesuffix(")").strip(), found[0]
