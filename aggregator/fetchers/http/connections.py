"""A connection to an origin: guarded, under one deadline and one count of bytes, through a proxy where one is named.

The limits live in the sockets themselves: each `recv` waits no longer than what is left until the deadline, and what
came is counted. That holds for slow headers, slow bodies and endless 1xx alike, and needs no watchdog thread. Tried
and dropped: timeouts given to a client (they start anew with each byte), and a thread a request that shuts sockets.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
import time
from functools import lru_cache
from typing import Any

from msgspec import Struct

from aggregator.errors import FetchError
from aggregator.fetchers.http import ssrf
from aggregator.fetchers.http.target import Target, target

CONNECT_SECONDS = 10.0  # for one address of a host, so that a dead IPv6 leaves time for IPv4
_OUR_SIDE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}  # no way out of here
ANYWHERE = ("0.0.0.0/0", "::/0")
_PROXY_HEAD = 16_384  # bytes of what a proxy says before the tunnel begins
_TUNNEL = re.compile(rb"HTTP/1\.[01] 2[0-9][0-9]\b")


class Meter(Struct):
    """What one fetch may still cost: until when (`time.monotonic`), and how many bytes from the wire.

    ``reached`` is whether any origin took a connection, or refused it itself.
    """

    deadline: float
    bytes_left: int
    reached: bool = False

    def patience(self) -> float:
        """Seconds left, above 0; FetchError where there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise FetchError("took longer than its deadline")
        return left

    def count(self, size: int) -> int:
        """The size, once it is taken off what is left; FetchError where it is more."""
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise FetchError("sent more bytes than are taken")
        return size


class Terms(Struct, frozen=True):
    """On what terms connections are made: which private networks are allowed, whose certificates too, by which proxy.

    ``proxy`` is its address, with its login where it wants one; empty where connections are made from here.
    """

    allowed: tuple[str, ...] = ()
    ca_files: tuple[str, ...] = ()
    proxy: str = ""


class _Metered(socket.socket):
    """A socket whose reading is under a Meter; `makefile` reads through `recv_into` alone."""

    meter: Meter

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        self.settimeout(self.meter.patience())
        return self.meter.count(super().recv_into(buffer, nbytes, flags))


class _MeteredTLS(ssl.SSLSocket):
    """The same over TLS."""

    meter: Meter

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(self.meter.patience())
        return self.meter.count(super().recv_into(buffer, nbytes, flags))


def dial(where: Target, terms: Terms, meter: Meter) -> socket.socket:
    """A connection to the first address of the host that takes one, of those that may be reached.

    A proxy is asked for a way to the address that was judged here, never to the name: it can lead nowhere else.
    """
    failure: OSError = OSError("no address")
    for address in ssrf.resolve(where.host, where.port, meter.patience(), terms.allowed):
        try:
            if terms.proxy:
                line = _tunnelled(address, where.port, target(terms.proxy), meter)
            else:
                line = _connected(address, where.port, meter)
            return _secured(line, where, terms) if where.scheme == "https" else line
        except OSError as error:
            failure = error
            meter.reached = meter.reached or error.errno not in _OUR_SIDE
    raise failure


def _connected(address: str, port: int, meter: Meter) -> socket.socket:
    """A connection to the address; OSError or FetchError where there is none."""
    line = _Metered(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    line.meter = meter
    try:
        line.settimeout(min(meter.patience(), CONNECT_SECONDS))
        line.connect((address, port))
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.settimeout(meter.patience())
    except (OSError, FetchError):
        line.close()
        raise
    return line


def _tunnelled(address: str, port: int, proxy: Target, meter: Meter) -> socket.socket:
    """A connection to the address through the proxy (CONNECT, RFC 9110 section 9.3.6); FetchError where it gives none.

    The proxy itself may stand anywhere: the config names it.
    """
    line = _to_proxy(proxy, meter)
    end = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    login = f"Proxy-Authorization: {proxy.login}\r\n" if proxy.login else ""
    try:
        line.sendall(f"CONNECT {end} HTTP/1.1\r\nHost: {end}\r\n{login}\r\n".encode("ascii"))
        head = _head(line)
    except (OSError, FetchError) as error:
        line.close()
        raise FetchError("the proxy did not answer") from error
    if not _TUNNEL.match(head) or not head.endswith(b"\r\n\r\n"):
        line.close()
        status = head.split(maxsplit=2)[1:2]
        raise FetchError(f"the proxy gives no way: {status[0].decode('ascii', 'replace')[:3] if status else 'no HTTP'}")
    return line


def _to_proxy(proxy: Target, meter: Meter) -> socket.socket:
    """A connection to the first address of the proxy that takes one."""
    failure = FetchError("the proxy could not be reached")
    for address in ssrf.resolve(proxy.host, proxy.port, meter.patience(), ANYWHERE):
        try:
            return _connected(address, proxy.port, meter)
        except OSError as error:
            failure = FetchError(f"the proxy could not be reached: {error.strerror or error}")
    raise failure


def _head(line: socket.socket) -> bytes:
    """What the proxy says before the tunnel begins, read sign by sign: what follows is the origin's."""
    head, one = bytearray(), bytearray(1)
    while not head.endswith(b"\r\n\r\n"):
        if line.recv_into(one) == 0 or len(head) > _PROXY_HEAD:
            break
        head += one
    return bytes(head)


def _secured(line: socket.socket, where: Target, terms: Terms) -> socket.socket:
    """The same connection under TLS; name and certificate are checked against the host that was asked for."""
    try:
        return _context(terms.ca_files).wrap_socket(line, server_hostname=where.host)
    except OSError:
        line.close()
        raise


@lru_cache(maxsize=4)
def _context(ca_files: tuple[str, ...]) -> ssl.SSLContext:
    """The system's certificates and those named; built once, because reading them takes 30 ms."""
    context = ssl.create_default_context()
    for name in ca_files:
        context.load_verify_locations(name)
    context.sslsocket_class = _MeteredTLS
    return context
