"""Access to the desk: this machine, a session after the password, or people whom a trusted proxy names.

The peer is always that of the socket: what a client says of itself (X-Forwarded-For) counts for nothing.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct, field
from starlette.requests import HTTPConnection

from aggregator.config.settings import DeskAccess
from aggregator.translation.marks import N_

COOKIE: Final = "aggregator_desk"
"""The name of a visitor's cookie: a random id, from which the tokens of its forms are made."""

KNOWN: Final = "aggregator_desk_known"
"""The name of the cookie of a browser from which the password was given."""

KNOWN_SECONDS: Final = 90 * 24 * 3600

_ID_LENGTH: Final = 43  # 32 bytes in base64

_SESSION_SECONDS: Final = 12 * 3600
_MOST_SESSIONS: Final = 1000

_WINDOW_SECONDS: Final = 600
_TRIES = 5
"""Wrong passwords in that time, of one address or one known browser, after which no more are tried."""

_SECONDS_A_TRY, _MOST_SECONDS = 0.02, 20.0
"""How long a stranger's password waits for each wrong one of all strangers in that time, and at most."""

MOST_WAITING: Final = 20
"""Passwords of strangers that wait at once.

With thousands of addresses n tries in 600 s wait n / 50 s each, 20 at a time: n is 775, 110,000 tries a day.
"""

_N, _R, _P = 2**15, 8, 1
"""Cost of scrypt (RFC 7914): 32 MB and a tenth of a second."""

_FORWARDED: Final = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via", "cf-connecting-ip")
"""Fields by which a proxy shows that it is one."""


def hash_password(password: str) -> str:
    """Return what the config keeps of a password."""
    salt = os.urandom(16)
    return f"scrypt${base64.b64encode(salt).decode()}${base64.b64encode(_derive(password, salt)).decode()}"


def is_password(password: str, hashed: str) -> bool:
    """Return whether this is the password from which :func:`hash_password` made the hash."""
    _, salt, derived = hashed.split("$")
    return hmac.compare_digest(_derive(password, base64.b64decode(salt)), base64.b64decode(derived))


def _derive(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=_N, r=_R, p=_P, maxmem=64 * 1024 * 1024)


def read_facts(request: HTTPConnection) -> AccessRequest:
    """Return the facts of a request that decide who is asking."""
    peer = request.client.host if request.client else ""
    return AccessRequest(peer, request.scope.get("http_version", ""), request.headers)


def _is_loopback(address: str) -> bool:
    """Return whether an address, or a name of this machine, is reached from this machine alone.

    >>> _is_loopback("127.0.0.1"), _is_loopback("::1"), _is_loopback("localhost"), _is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost" or address.endswith(".localhost")


def may_open(access: DeskAccess, host: str) -> bool:
    """Return whether the desk may be offered at this address: anyone may ask there unless it is loopback."""
    return _is_loopback(host) or bool(access.password or access.trusted_header)


class AccessRequest(Struct, frozen=True):
    """The facts of a request that decide who is asking: the peer of the socket, the HTTP version, and the header."""

    peer: str
    version: str
    headers: Mapping[str, str]

    @property
    def host(self) -> str:
        """Return the name that the client asked for, without its port."""
        try:
            return urlsplit(f"//{self.headers.get('host', '')}").hostname or ""
        except ValueError:
            return ""

    @property
    def is_foreign(self) -> bool:
        """Return whether a page of another origin sent the request (Fetch Metadata; RFC 6454 section 7)."""
        if self.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return True
        origin = self.headers.get("origin")
        return origin is not None and origin.partition("://")[2] != self.headers.get("host")


HOW_TO_OPEN: Final = N_(
    "To open the desk at this address, start the server with --desk-password, or give the config a desk: with a "
    "password, or with the header and networks of your proxy (docs/desk.md)."
)


class AccessVerdict(Struct, frozen=True):
    """The answer to a visitor: whether they may enter; if not, whether a password would help, and why not.

    ``why`` is a message, with the placeholder ``peer`` if that matters.
    """

    enters: bool
    asks_password: bool = False
    why: str = ""


def judge(access: DeskAccess, request: AccessRequest, *, in_session: bool) -> AccessVerdict:
    """Return whether the one who asks may enter."""
    if access.trusted_header and request.headers.get(access.trusted_header.lower()):
        if _is_within(request.peer, access.trusted_networks):
            return AccessVerdict(enters=True)
        if not access.password:
            return AccessVerdict(enters=False, why=N_("%(peer)s is in none of the desk’s trusted_networks"))
    if access.password:
        return AccessVerdict(enters=in_session, asks_password=not in_session)
    if access.trusted_header:
        return AccessVerdict(enters=False, why=N_("the proxy did not say who you are"))
    return AccessVerdict(enters=not (why := _explain_stranger(request)), why=why)


def _is_within(peer: str, networks: Sequence[str]) -> bool:
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return any(mapped in ipaddress.ip_network(network) for network in networks)


def _explain_stranger(request: AccessRequest) -> str:
    """Return why the one who asks is not taken for a person at this machine; empty for such a person.

    A name that is not this machine's is a page that had its name lead here (DNS rebinding), and what came through a
    proxy may come from anyone.
    """
    if not _is_loopback(request.peer):
        return N_("without a password the desk is open to this machine alone")
    if not _is_loopback(request.host):
        return N_("without a password the desk is asked for as localhost or 127.0.0.1")
    if request.version == "1.0" or any(name in request.headers for name in _FORWARDED):
        return N_("a proxy is in between: anyone could ask it, so the desk needs a password")
    return ""


class Sessions(Struct):
    """The visitors who gave the password, until when, and who tried wrong ones; it is gone with the process."""

    key: bytes = field(default_factory=lambda: os.urandom(32))
    open: dict[str, float] = field(default_factory=dict)
    wrong: dict[str, list[float]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def is_open(self, visitor: str) -> bool:
        """Return whether the visitor gave the password, and keep the session open from now on."""
        with self.lock:
            until = self.open.get(visitor, 0.0)
            if until < time.monotonic():
                self.open.pop(visitor, None)
                return False
            self.open[visitor] = time.monotonic() + _SESSION_SECONDS
            return True

    def begin(self) -> str:
        """Begin a session, and return the id of its visitor: another one than before the password."""
        visitor = make_visitor()
        with self.lock:
            while len(self.open) >= _MOST_SESSIONS:
                self.open.pop(next(iter(self.open)))
            self.open[visitor] = time.monotonic() + _SESSION_SECONDS
        return visitor

    def end(self, visitor: str) -> None:
        """End the session of a visitor."""
        with self.lock:
            self.open.pop(visitor, None)

    def begin_try(self, who: str) -> tuple[int, float] | None:
        """Count a try, wrong until :meth:`forgive` is called; return how many were before, and for how long it waits.

        The time is in seconds. ``None`` if this one, of :func:`name_client`, may try no more.
        """
        now = time.monotonic()
        with self.lock:
            self.wrong = {
                each: late
                for each, times in self.wrong.items()
                if (late := [at for at in times if at > now - _WINDOW_SECONDS])
            }
            strangers = sum(len(times) for each, times in self.wrong.items() if not is_known(each))
            before = len(self.wrong.get(who, ()))
            if before >= _TRIES:
                return None
            self.wrong.setdefault(who, []).append(now)
        return before, 0.0 if is_known(who) else min(strangers * _SECONDS_A_TRY, _MOST_SECONDS)

    def take_back(self, who: str) -> None:
        """Count a try no more, because the password was not tested."""
        with self.lock:
            if times := self.wrong.get(who):
                times.pop()

    def forgive(self, who: str) -> None:
        """Forget wrong passwords of the one who gave the right one."""
        with self.lock:
            self.wrong.pop(who, None)

    def make_token(self, visitor: str) -> str:
        """Return the token that a visitor's forms carry."""
        return hmac.new(self.key, visitor.encode(), hashlib.sha256).hexdigest()

    def is_token(self, visitor: str, token: str) -> bool:
        """Return whether a form is one that this desk gave to this visitor."""
        return hmac.compare_digest(self.make_token(visitor).encode(), token.encode("utf-8", "surrogatepass"))


def make_known(hashed: str) -> str:
    """Return the cookie of a browser from which the password was given; it is good until the password changes."""
    name = make_visitor()
    return f"{name}.{_sign(hashed, name)}"


def name_client(hashed: str, cookie: str, peer: str) -> str:
    """Return by what wrong passwords are counted: a known browser by itself, others by their address.

    So strangers can lock out strangers at their address at most, not who has been here before. Of IPv6 the network of
    64 bits counts: a host may have all of its addresses (RFC 4291, section 2.5.4).
    """
    name, _, signature = cookie.partition(".")
    if name.isascii() and hmac.compare_digest(_sign(hashed, name).encode(), signature.encode("utf-8", "replace")):
        return f"known {name}"
    try:
        address = ipaddress.ip_address(peer.partition("%")[0])
    except ValueError:
        return peer
    mapped = getattr(address, "ipv4_mapped", None) or address
    return str(mapped if mapped.version == 4 else ipaddress.ip_network((mapped, 64), strict=False))  # noqa: PLR2004


def is_known(who: str) -> bool:
    """Return whether :func:`name_client` gave a known browser."""
    return who.startswith("known ")


def _sign(hashed: str, name: str) -> str:
    return hmac.new(hashed.encode(), name.encode(), hashlib.sha256).hexdigest()


def make_visitor() -> str:
    """Return a random id for a visitor."""
    return secrets.token_urlsafe(32)


def is_visitor(text: str) -> bool:
    """Return whether the value of a cookie may be an id that :func:`make_visitor` gave."""
    return len(text) == _ID_LENGTH and text.isascii() and text.replace("-", "").replace("_", "").isalnum()
