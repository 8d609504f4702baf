"""Know an element of a feed that was read before, so that it is not read again.

An entry is a function of the bytes of its element, of the tags around it, of how its source is read, and of the base of
its addresses; of all these and of the program's modules the digest is made. What depends on the other entries of a
listing (dates that leave the order of day and month open, links that lead to no item, repeated keys) has no digest:
such an element is read each time.

Elements are cut out of a document without a parser: from each start tag to the next end tag of its name. That is right
if the strict reader finds as many elements of this name as were cut out, because the name begins nowhere else; if it
finds others, the document is read whole.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b

from msgspec.structs import replace

from aggregator.fetchers.parsing import enclosures
from aggregator.model.entry import Entry
from aggregator.model.record import make_json_decoder
from aggregator.model.source import Document
from aggregator.version import digest_code

_DIGEST_BYTES = 16

_DECODER = make_json_decoder(Entry)

_HEAD = 65_536  # bytes in which the first element is looked for
_AROUND = re.compile(rb"""<(?:\?xml|rss|channel|feed|(?:\w+:)?RDF)\b(?:[^<>"']|"[^<"]*"|'[^<']*')*>""")
_AFTER_NAME = (b">", b" ", b"\n", b"\r", b"\t")


class OtherElementsError(Exception):
    """The strict reader found other elements than were cut out of a document."""


@cache
def get_code() -> str:
    """Return the digest of the modules that read a feed; called first before the process is forked."""
    return digest_code("fetchers", "model", "text")


def leave_out(document: Document) -> Document:
    """Return the document with an empty element in place of each that is known, and the digests of all.

    It is the same document if its elements cannot be cut out, or nothing is to be known of them.
    """
    body, known = document.body, document.known
    places = _find_places(document) if known is not None else []
    if known is None or not places:
        return document
    reading = _digest_reading(document, places[0][0])
    digests = [blake2b(body[start:end], digest_size=_DIGEST_BYTES, key=reading).hexdigest() for start, end in places]
    empty = b"<entry/>" if body.startswith(b"<entry", places[0][0]) else b"<item/>"
    parts, at = [], 0
    for (start, end), digest in zip(places, digests, strict=True):
        if digest in known:
            parts += [body[at:start], empty]
            at = end
    shortened = b"".join((*parts, body[at:]))
    return document if b"xml:base" in shortened else replace(document, body=shortened, elements=tuple(digests))


def _find_places(document: Document) -> list[tuple[int, int]]:
    """Return where each element begins and ends; none if that is not certain."""
    body = document.body
    around = [tag for tag in _AROUND.findall(body, 0, _HEAD) if not tag.startswith(b"<?")]
    name = b"entry" if around and around[0].startswith(b"<feed") else b"item"
    tag = re.compile(rb"<%b[>\s]" % name).search(body, 0, _HEAD) if around else None
    places: list[tuple[int, int]] = []
    start, at = tag.start() if tag else -1, 0
    while start >= 0:
        end = body.find(b"</%b>" % name, start)
        if end < 0 or body[start + len(name) + 1 : start + len(name) + 2] not in _AFTER_NAME:
            return []
        if body.find(b"<" + name, start + 1, end) >= 0 or (places and body.find(b"</" + name, at, start) >= 0):
            return []
        at = end + len(name) + 3
        places.append((start, at))
        start = body.find(b"<" + name, at)
    return places if body.find(b"</" + name, at) < 0 else []


def _digest_reading(document: Document, end: int) -> bytes:
    """Return the digest of what the entries of a document depend on beside their elements; its head has an end."""
    source, around = document.source, _AROUND.findall(document.body, 0, end)
    of_document = enclosures.find_base(document), document.charset, around
    read_as = (get_code(), source.name, source.kind, source.options, *of_document)
    return blake2b(repr(read_as).encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def find_entry(document: Document, digest: str | None) -> Entry | None:
    """Return the entry that was read of the element, ``None`` if it is not known."""
    record = document.known.get(digest) if document.known and digest else None
    return None if record is None else replace(_DECODER.decode(record), element=digest)
