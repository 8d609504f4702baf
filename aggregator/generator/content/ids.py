"""Ids as each format wants them, all from one guid.

The namespace is that of ``podcast:guid`` (podcast namespace, "guid"): UUIDv5 of the feed's URL without its scheme
and final slashes. The Atom id must be an absolute IRI (RFC 4287 section 4.2.6), which a guid need not be.
"""

from __future__ import annotations

import re
from uuid import NAMESPACE_URL, UUID, uuid5

PODCAST = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20]+")
HEX = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def podcast(address: str) -> str:
    """The podcast:guid of the feed first served at this address.

    >>> podcast("https://podnews.net/rss")
    '9b024349-ccf0-5f69-a609-6b82873eab3c'
    >>> podcast("http://mp3s.nashownotes.com/pc20rss.xml/")
    '917393e3-1b1e-5cef-ace4-edaa54e1f810'
    """
    bare = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", address).rstrip("/")
    return str(uuid5(PODCAST, bare))


def atom(guid: str, show: str) -> str:
    """The Atom id of an item: its guid where that is an absolute IRI, else a ``urn:uuid:`` made of it.

    ``show`` is the podcast:guid. A guid with a scheme but no authority counts only where the scheme is ``urn`` or
    ``tag``: "Episode:12" is not an address.

    >>> atom("https://example.org/?p=1", "9b024349-ccf0-5f69-a609-6b82873eab3c")
    'https://example.org/?p=1'
    >>> atom("9B024349-ccf0-5f69-a609-6b82873eab3c", "9b024349-ccf0-5f69-a609-6b82873eab3c")
    'urn:uuid:9B024349-ccf0-5f69-a609-6b82873eab3c'
    >>> atom("Buzzsprout-1", "9b024349-ccf0-5f69-a609-6b82873eab3c")
    'urn:uuid:f21fcaf7-6f59-57e3-a538-2c8a5536364c'
    """
    if HEX.fullmatch(guid):
        return f"urn:uuid:{guid}"
    if IRI.fullmatch(guid) and ("://" in guid or guid.lower().startswith(("urn:", "tag:"))):
        return guid
    return f"urn:uuid:{uuid5(UUID(show) if HEX.fullmatch(show) else NAMESPACE_URL, guid)}"


def stand_in(guid: str) -> str:
    """A guid for one of which nothing is left once XML's forbidden characters are gone."""
    return str(uuid5(PODCAST, repr(guid)))
