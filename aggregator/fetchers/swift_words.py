"""What feedparser makes of the text and the attributes of one element (6.0.14, ``mixin.py``)."""

from __future__ import annotations

import re
from contextlib import suppress

from aggregator.fetchers.swift_names import IrregularError, of_address
from aggregator.fetchers.tree import Element

C1 = re.compile("[\x80-\x9f]")
CP1252 = {  # what Windows Latin means by the controls of ISO 8859-1; the five that it leaves open stay
    code: bytes((code,)).decode("cp1252") for code in range(0x80, 0xA0) if code not in {0x81, 0x8D, 0x8F, 0x90, 0x9D}
}
SLASHES = re.compile(r"^([A-Za-z][A-Za-z0-9+-.]*://)/+")  # its range from plus to dot is feedparser's
KINDS = {"text": "text/plain", "plain": "text/plain", "html": "text/html"}
READ = {"text/plain", "text/html"}  # anything else is XHTML, Base64, or no text


def told(text: str | None) -> str:
    """The text stripped, with UTF-8 read as Latin-1 and the controls of Windows Latin made right."""
    if not text:
        return ""
    text = text.strip()
    if text.isascii():
        return text
    with suppress(UnicodeError):
        text = text.encode("latin-1").decode("utf-8")
    return text.translate(CP1252) if C1.search(text) else text


def address(text: str) -> str:
    """The address as it is written, but for slashes that no address begins with."""
    return SLASHES.sub(r"\1", text) if ":///" in text else text


def attributes(element: Element) -> dict[str, str]:
    """The attributes by their names in lower case, ``rel`` and ``type`` with lower values.

    A namespace that feedparser does not know is no part of the name, unless that is written without one as well; of one
    that it knows nothing is read.
    """
    found: dict[str, str] = {}
    bare: dict[str, str] = {}
    for name, value in element.items():
        space, _, local = str(name).rpartition("}")
        if not space or not of_address(space[1:]):
            key = local.lower()
            (found if space else bare)[key] = str(value).lower() if key in {"rel", "type"} else str(value)
    return found | bare


def addressed(said: dict[str, str]) -> dict[str, str]:
    """The attributes with the address under ``href``, whatever it was called."""
    href = said.get("url", said.get("uri", said.get("href")))
    if href:
        said = {name: value for name, value in said.items() if name not in {"url", "uri"}} | {"href": href}
    return said


def kind(element: Element, otherwise: str) -> str:
    """The type of the text inside: plain or HTML; ``IrregularError`` for any other."""
    if not element.attrib:
        return otherwise
    said = attributes(element)
    found = said.get("type", otherwise)
    found = KINDS.get(found, found)
    if found not in READ or said.get("mode") == "base64":
        raise IrregularError(f"a text of the type {found}")
    return found
