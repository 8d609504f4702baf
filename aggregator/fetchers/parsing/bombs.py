"""Recognise documents that are made to exceed the limits of parsing, in milliseconds, and describe why.

The limits of the parser process hold for every other document, too.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from aggregator.errors import ReadError

_MOST_DEPTH = 256  # levels; libxml2's own bound. The deepest of 200 real feeds has 30, XHTML content and all
_MOST_ATTRIBUTES = 256  # of one element, namespaces among them; quadratic in feedparser: 0.16 s for 2,000
_MOST_PERSON = 4_096  # bytes of an author's name; quadratic in feedparser: 0.2 s for 4 KB (its issue 562)
_MOST_NAMESPACES = 20_000  # declarations in all; a feed that declares two in each of 10,000 items passes
_MOST_LOOSE = 20_000  # brackets never closed, or closing tags never opened; of 386 real documents: 13
_MOST_AMPERSANDS = 200_000  # that no semicolon can end; every reader is slow on them. Of 386 real documents: 1,948

_ITEMS = (b"<item", b"<entry")
_ENTITY = re.compile(rb"<!ENTITY\b", re.IGNORECASE)
_EBCDIC_ENTITY = re.compile(rb"\x4c.\xc5\xd5\xe3\xc9\xe3\xe8", re.DOTALL)  # the code of "!" differs by country
_LONG_TAG = re.compile(rb"<[A-Za-z_:][^<>]{2048,}")
_ATTRIBUTE = re.compile(rb"""[\w.:-]\s*=\s*["']""")
_PERSON = re.compile(
    rb"<(?:\w+:)?(?:author|creator|contributor|name|email|managingEditor|webMaster|owner|publisher)\b[^<>]{0,1024}>"
    rb"(?:<!\[CDATA\[)?[^<]{%d}" % _MOST_PERSON,
    re.IGNORECASE,
)
_XML = re.compile(rb"\s*+(?>(?:\xef\xbb\xbf)?)\s*+<(?:\?xml|rss|feed|rdf:RDF)\b", re.IGNORECASE)


def check_bombs(body: bytes, most_items: int) -> None:
    """Raise ReadError with a description if the document is such a bomb."""
    plain = body.replace(b"\0", b"") if b"\0" in body[:4096] else body  # UTF-16 and UTF-32 read as ASCII
    if _ENTITY.search(plain) or _EBCDIC_ENTITY.search(plain):
        raise ReadError("it declares entities, which no feed needs and bombs are made of")
    if plain.count(b"xmlns") > _MOST_NAMESPACES:
        raise ReadError(f"it declares more than {_MOST_NAMESPACES:,} namespaces")
    _check_counts(plain, most_items)
    for tag in _LONG_TAG.finditer(plain):
        if len(_ATTRIBUTE.findall(tag[0])) > _MOST_ATTRIBUTES:
            raise ReadError(f"an element has more than {_MOST_ATTRIBUTES} attributes")
    if _PERSON.search(plain):
        raise ReadError(f"a person's name is longer than {_MOST_PERSON:,} bytes")
    if _XML.match(body):
        _check_depth(body)


def _check_counts(plain: bytes, most_items: int) -> None:
    """Refuse documents with too many tags, brackets or ampersands, counted without parsing."""
    if sum(plain.count(mark) for mark in _ITEMS) > most_items:
        raise ReadError(f"it lists more than {most_items} items")
    opened = plain.count(b"<")
    if opened - plain.count(b">") > _MOST_LOOSE:
        raise ReadError(f"more than {_MOST_LOOSE:,} of its tags do not end")
    if 2 * plain.count(b"</") - opened > _MOST_LOOSE:
        raise ReadError(f"more than {_MOST_LOOSE:,} of its tags close and never opened")
    if plain.count(b"&") - plain.count(b";") > _MOST_AMPERSANDS:
        raise ReadError(f"it has more than {_MOST_AMPERSANDS:,} broken references")


class _Nothing:
    """A parser target that keeps nothing, so that libxml2 only walks through the document."""

    def close(self) -> None:
        pass


def _check_depth(body: bytes) -> None:
    target: Any = _Nothing()
    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    try:
        etree.fromstring(body, parser)
    except etree.LxmlError:
        return  # not well-formed: a tolerant parser may read it
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" and "depth" in entry.message for entry in parser.error_log):
        raise ReadError(f"its elements stand more than {_MOST_DEPTH} deep")
