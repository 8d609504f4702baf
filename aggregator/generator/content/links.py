"""URLs, media types and ids as the formats may carry them."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit, urlunsplit
from uuid import NAMESPACE_URL, UUID, uuid5

from aggregator.generator.content import sanitize
from aggregator.text.urls import PODCAST_NAMESPACE

# RFC 3986, section 3.3 to 3.5: what may stand in a path, query or fragment as it is, brackets not among it; "%" too:
# nothing is encoded twice.
_KEEP = "!#$%&'()*+,/:;=?@~-._"
_PLAIN = re.compile(
    r"https?://[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?(?:[/?#][A-Za-z0-9!#$%&'()*+,/:;=?@~._-]*)?"
)
# A host has at most 253 characters (RFC 1035); urlsplit and IDNA take quadratic time for one of combining marks.
_LONG_HOST = re.compile(r"[^/?#]*//[^/?#]{600}")
_HOST = re.compile(r"[A-Za-z0-9.:\[\]_-]+")

_SECRET = re.compile(r"(?i)(?:^|[&_-])(?:auth|key|apikey|pass|password|pwd|secret|sig|signature|token|user|uid)=")


def clean_url(value: str | None) -> str | None:
    """Return an http or https URL in ASCII without a login, otherwise unchanged; ``None`` if it is no web URL.

    >>> clean_url("https://example.org/ä b?x=1%20"), clean_url("https://me:word@example.org/a[1].mp3")
    ('https://example.org/%C3%A4%20b?x=1%20', 'https://example.org/a%5B1%5D.mp3')
    >>> clean_url("javascript:alert(1)") is None
    True
    """
    value = value and sanitize.cut_logins(value)  # also in an address that another one contains
    if value is None or _PLAIN.fullmatch(value):
        return value
    if _LONG_HOST.match(value):
        return None
    try:
        parts = urlsplit("".join(sanitize.clean_text(value).split("\n")))
        host = _clean_host(parts.netloc)
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or not host:
        return None
    path, query, fragment = (quote(piece, safe=_KEEP) for piece in (parts.path, parts.query, parts.fragment))
    return urlunsplit((parts.scheme.lower(), host, path, query, fragment))


def clean_public_url(value: str | None) -> str | None:
    """Return the URL of a source if it may be published; ``None`` if it contains a user name or a secret.

    >>> clean_public_url("https://example.org/feed?token=1") is None
    True
    """
    address = None if value and "${" in value else clean_url(value)
    if address is None or "@" in urlsplit(value or "").netloc or _SECRET.search(urlsplit(address).query):
        return None
    return address


def _clean_host(netloc: str) -> str | None:
    """Return host and port in ASCII (IDNA 2003, as in the standard library); ``None`` if the host is invalid."""
    host = netloc.rpartition("@")[2]
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    return host if _HOST.fullmatch(host) and host.strip(".:[]") else None


IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`\x00-\x20]+")
_HEX = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def make_podcast_guid(address: str) -> str:
    """Make the podcast:guid of a feed from the URL at which it was first served (podcast namespace, "guid").

    >>> make_podcast_guid("https://podnews.net/rss")
    '9b024349-ccf0-5f69-a609-6b82873eab3c'
    >>> make_podcast_guid("http://mp3s.nashownotes.com/pc20rss.xml/")
    '917393e3-1b1e-5cef-ace4-edaa54e1f810'
    """
    bare = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", address).rstrip("/")
    return str(uuid5(PODCAST_NAMESPACE, bare))


def make_atom_id(guid: str, show: str) -> str:
    """Make the Atom id of an item: its guid if that is an absolute IRI, else a ``urn:uuid:`` made of it.

    ``show`` is the podcast:guid. A guid with a scheme but no authority counts only where the scheme is ``urn`` or
    ``tag``: "Episode:12" is not an address.

    >>> make_atom_id("https://example.org/?p=1", "9b024349-ccf0-5f69-a609-6b82873eab3c")
    'https://example.org/?p=1'
    >>> make_atom_id("9B024349-ccf0-5f69-a609-6b82873eab3c", "9b024349-ccf0-5f69-a609-6b82873eab3c")
    'urn:uuid:9B024349-ccf0-5f69-a609-6b82873eab3c'
    >>> make_atom_id("Buzzsprout-1", "9b024349-ccf0-5f69-a609-6b82873eab3c")
    'urn:uuid:f21fcaf7-6f59-57e3-a538-2c8a5536364c'
    """
    if _HEX.fullmatch(guid):
        return f"urn:uuid:{guid}"
    if IRI.fullmatch(guid) and ("://" in guid or guid.lower().startswith(("urn:", "tag:"))):
        return guid
    return f"urn:uuid:{uuid5(UUID(show) if _HEX.fullmatch(show) else NAMESPACE_URL, guid)}"
