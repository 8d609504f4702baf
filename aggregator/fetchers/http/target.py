"""Parse the address of a request without changing how its path is sent."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from typing import Literal
from urllib.parse import quote, unquote_to_bytes, urljoin, urlsplit

import idna
from msgspec import Struct

from aggregator.errors import FetchError

LONGEST_URL = 8_000  # characters; what servers take in a request line (Apache's LimitRequestLine is 8190)
_LONGEST_SHOWN = 200  # characters of an origin's words in one line of a report

_Scheme = Literal["http", "https"]

_SCHEMES: dict[str, _Scheme] = {"http": "http", "https": "https"}
_PORTS: dict[_Scheme, int] = {"http": 80, "https": 443}
_ON_THE_WIRE = "".join(chr(code) for code in range(0x21, 0x7F))


class Target(Struct, frozen=True):
    """Parts of the address of one request: ``host`` in ASCII, ``path`` with its query, ``login`` for Basic or None."""

    scheme: _Scheme
    host: str
    port: int
    path: str
    login: str | None = None

    @property
    def origin(self) -> tuple[str, str, int]:
        """Return scheme, host and port, to which credentials and connections belong (RFC 6454 section 4)."""
        return (self.scheme, self.host, self.port)

    @property
    def authority(self) -> str:
        """Return the value of the Host header (RFC 9110 section 7.2)."""
        host = f"[{self.host.replace('%', '%25')}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """Return the address without credentials."""
        return f"{self.scheme}://{self.authority}{self.path}"


@lru_cache(maxsize=4096)
def parse_target(url: str) -> Target:
    """Parse an address; FetchError if it is none that may be requested.

    >>> parse_target("HTTP://Example.org?b=2&a=%2f#top").url
    'http://example.org/?b=2&a=%2f'
    """
    if len(url) > LONGEST_URL:
        raise FetchError("the address is too long")
    try:
        parts = urlsplit(url)
        scheme, host, port = _SCHEMES.get(parts.scheme), _encode_host(parts.hostname or ""), parts.port
    except ValueError:
        raise FetchError(f"not an address: {redact(url)}") from None
    if scheme is None:
        raise FetchError(f"only http and https are asked, not {make_printable(parts.scheme) or 'a path'}")
    if not host or port == 0 or "\\" in parts.netloc:
        raise FetchError(f"not an address: {redact(url)}")
    path = (parts.path or "/") + ("?" + parts.query if "?" in url.partition("#")[0] else "")
    path = path if path.startswith("/") else "/" + path
    login = _encode_login(parts.username, parts.password)
    return Target(scheme, host, port or _PORTS[scheme], quote(path, safe=_ON_THE_WIRE), login)


def follow_redirect(here: Target, location: str) -> Target:
    """Return the target of a redirect; credentials stay with their scheme, host and port."""
    try:
        url = urljoin(here.url, _decode_location(location))
    except ValueError:
        raise FetchError(f"redirected to what is no address: {make_printable(location)}") from None
    there = parse_target(url)
    if there.login is not None or there.origin != here.origin:
        return Target(there.scheme, there.host, there.port, there.path)
    return Target(there.scheme, there.host, there.port, there.path, here.login)


def redact(url: str) -> str:
    """Return the address without credentials and without the query, where private feeds have their tokens.

    >>> redact("https://me:secret@example.org/feed?token=abc")
    'https://example.org/feed?…'
    """
    try:
        parts = urlsplit(url)
        _ = parts.port  # of a login with a slash, the part before it is taken for host and port
    except ValueError:
        return "(an address that cannot be read)"
    host = parts.netloc.rpartition("@")[2]
    return make_printable(f"{parts.scheme}://{host}{parts.path}" + ("?…" if parts.query else ""))


def make_printable(text: str) -> str:
    r"""Return a text of an origin as one line without control characters.

    >>> make_printable("Bad\r\n\x1b[31mnews")
    'Bad [31mnews'
    """
    calm = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return calm if len(calm) <= _LONGEST_SHOWN else calm[: _LONGEST_SHOWN - 1] + "…"


def _encode_host(host: str) -> str:
    """Return the host in ASCII by UTS 46, as browsers do: look-alike digits become digits.

    The interface of a link-local address is written behind ``%25`` in an address (RFC 6874).
    """
    if ":" in host:
        return host.replace("%25", "%", 1)
    return host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")


def _encode_login(username: str | None, password: str | None) -> str | None:
    if username is None:
        return None
    pair = unquote_to_bytes(username) + b":" + unquote_to_bytes(password or "")
    return "Basic " + b64encode(pair).decode("ascii")


def _decode_location(location: str) -> str:
    """Return a Location as UTF-8, which origins send and http.client decodes as Latin-1."""
    try:
        return location.strip().encode("latin-1").decode("utf-8")
    except UnicodeError:
        return location.strip()
