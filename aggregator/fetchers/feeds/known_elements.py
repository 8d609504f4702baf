"""Know an element of a feed that was read before, so that it is not read again.

An entry is a function of its element, of how its source is read, and of the base of its addresses; of all these and of
the program's modules the digest is made. What depends on the other entries of a listing (dates that leave the order of
day and month open, links that lead to no item, repeated keys) has no digest: such an element is read each time.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

from msgspec.structs import replace

from aggregator.fetchers.parsing import enclosures, xml
from aggregator.fetchers.parsing.xml import Element
from aggregator.model.entry import Entry
from aggregator.model.record import make_json_decoder
from aggregator.model.source import Document
from aggregator.version import digest_code

_DIGEST_BYTES = 16

_DECODER = make_json_decoder(Entry)


@cache
def get_code() -> str:
    """Return the digest of the modules that read a feed; called first before the process is forked."""
    return digest_code("fetchers", "model", "text")


def digest_reading(document: Document, *of_format: object) -> bytes:
    """Return the digest of what the entries of a document depend on beside their elements."""
    source = document.source
    read_as = (get_code(), source.name, source.kind, source.options, enclosures.find_base(document), *of_format)
    return blake2b(repr(read_as).encode("utf-8", "surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def digest_element(reading: bytes, element: Element) -> str:
    """Return the digest of an element with all that its entry depends on."""
    return blake2b(xml.write(element), digest_size=_DIGEST_BYTES, key=reading).hexdigest()


def find_entry(document: Document, digest: str) -> Entry | None:
    """Return the entry that was read of the element, ``None`` if it is not known."""
    record = document.known.get(digest) if document.known else None
    return None if record is None else replace(_DECODER.decode(record), element=digest)
