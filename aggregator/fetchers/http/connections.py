"""The adapter of the requests session: connections to checked addresses only, under one deadline and one byte count.

The limits are in the sockets: each `recv` waits no longer than what is left until the deadline, and what it returns is
counted. So they hold for slow heads, slow bodies and endless interim answers. Timeouts of requests and urllib3
do not: they start anew with each byte.
"""

from __future__ import annotations

import errno
import http.client
import logging
import re
import socket
import ssl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests.structures import CaseInsensitiveDict
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, Retry
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from aggregator.errors import FetchError, UnansweredError
from aggregator.fetchers.http import ssrf
from aggregator.fetchers.http.exchange import Exchange, Meter
from aggregator.fetchers.http.target import Target, make_printable
from aggregator.translation.marks import N_

_HOSTS = 100  # pools of connections kept for hosts asked last; more only costs file descriptors
_HEAD_BYTES = 128 * 1024  # status line, header fields and all interim heads; the largest of honest origins are < 16 KB

_CONNECT_SECONDS = 10.0  # for one address of a host, so that a dead IPv6 leaves time for IPv4
_OUR_SIDE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}  # no route from this machine
_ANYWHERE = ("0.0.0.0/0", "::/0")
_PROXY_HEAD = 16_384  # bytes of a proxy's answer before the tunnel begins
_TUNNEL = re.compile(rb"HTTP/1\.[01] 2[0-9][0-9]\b")

logging.getLogger("urllib3").setLevel(logging.ERROR)  # its warnings quote what origins send; ours are in the report


class RequestFields(CaseInsensitiveDict[str]):
    """The header fields of a request; they carry its `Exchange` through requests and urllib3 to the connection."""

    def __init__(self, fields: Iterable[tuple[str, str]], exchange: Exchange) -> None:
        """Keep the fields in their order."""
        super().__init__(fields)
        self.exchange = exchange

    def copy(self) -> RequestFields:
        """Return a copy for the same exchange; urllib3 sends a copy of the header."""
        return RequestFields(self.items(), self.exchange)


class _MeteredSocket(socket.socket):
    """A socket whose reading is under a Meter; http.client reads through `recv_into` alone."""

    meter: Meter

    def recv_into(self, buffer: Any, nbytes: int = 0, flags: int = 0) -> int:
        self.settimeout(self.meter.seconds_left())
        return self.meter.count(super().recv_into(buffer, nbytes, flags))


class _MeteredTLSSocket(ssl.SSLSocket):
    """The same over TLS."""

    meter: Meter

    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(self.meter.seconds_left())
        return self.meter.count(super().recv_into(buffer, nbytes, flags))


class _Response(http.client.HTTPResponse):
    """An answer whose interim heads (1xx) are skipped; all heads together are under one limit of bytes."""

    def __init__(self, sock: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self._meter: Meter = sock.meter

    def begin(self) -> None:
        afterwards = self._meter.bytes_left - _HEAD_BYTES
        self._meter.bytes_left = _HEAD_BYTES
        try:
            super().begin()
            while self.status // 100 == 1:
                self.headers = None  # type: ignore[assignment]  # `begin` reads another head if there is none
                super().begin()
        finally:
            self._meter.bytes_left += afterwards


class _Connection(HTTPConnection):
    """A connection to one of the addresses of a host that may be reached."""

    response_class = _Response
    exchange: Exchange
    address: str

    def begin(self, exchange: Exchange) -> None:
        """Put what follows under the rules and limits of this exchange.

        Raises RefusedAddressError if it may not use a kept connection.
        """
        self.exchange = exchange
        if self.sock is not None:
            ssrf.check_address(self.address, exchange.access.networks)
            self._meter_socket()

    def connect(self) -> None:
        super().connect()
        self._meter_socket()

    def _new_conn(self) -> socket.socket:
        """Connect to an address that was checked, never to the name again: another answer of the DNS gains nothing."""
        sock, self.address = _connect(self.exchange)
        return sock

    def getresponse(self) -> Any:
        """Return the answer; ConnectionError if the request could not be sent, which urllib3 passes over."""
        if self.sock is None:
            raise ConnectionResetError
        return super().getresponse()

    def _meter_socket(self) -> None:
        sock: Any = self.sock  # of our own classes
        sock.meter = self.exchange.meter
        self.exchange.meter.reached = True


class _TLSConnection(_Connection, HTTPSConnection):
    """The same over TLS; name and certificate are checked against the host that was asked for."""


class _Pool(HTTPConnectionPool):
    """Connections of one origin. A request goes out with the path as it was configured, not as urllib3 rewrites it."""

    ConnectionCls = _Connection

    def _make_request(self, conn: Any, method: str, url: str, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        """Send the request; once more over a new connection if a kept one ends before one byte of an answer.

        Then the origin had closed it meanwhile (RFC 9110 section 9.2.2). That is the only second try there is.
        """
        exchange: Exchange = kwargs["headers"].exchange
        kept, before = conn.sock is not None, exchange.meter.bytes_left
        conn.begin(exchange)
        try:
            return super()._make_request(conn, method, exchange.where.path, *args, **kwargs)
        except ConnectionError:
            if not kept or exchange.meter.bytes_left != before:
                raise
        conn.close()
        return super()._make_request(conn, method, exchange.where.path, *args, **kwargs)


class _TLSPool(_Pool, HTTPSConnectionPool):
    """The same over TLS."""

    ConnectionCls = _TLSConnection


class GuardedAdapter(HTTPAdapter):
    """The adapter mounted on the session: guarded and metered connections, no retry, no proxy of the environment.

    ``ca_files`` are certificates trusted besides those of the system and of requests.
    """

    def __init__(self, ca_files: tuple[str, ...], at_once: int) -> None:
        """Keep at most ``at_once`` connections to one origin between requests."""
        self._ca_files = (DEFAULT_CA_BUNDLE_PATH, *ca_files)
        super().__init__(pool_connections=_HOSTS, pool_maxsize=at_once, max_retries=Retry(total=False))

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **pool_kwargs: Any) -> None:  # noqa: FBT001, FBT002  # the signature of requests
        """Make pools of our own connections."""
        super().init_poolmanager(connections, maxsize, block, **pool_kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[Any, Any]:
        """Give connections over TLS our own context, as requests documents it."""
        host_params, pool_kwargs = super().build_connection_pool_key_attributes(request, verify, cert)
        if host_params["scheme"] == "https":
            fields: Any = request.headers
            ca = fields.exchange.access.ca
            pool_kwargs["ssl_context"] = _context(self._ca_files) if ca is None else _trust(ca, self._ca_files)
        return host_params, pool_kwargs

    def cert_verify(self, conn: Any, url: Any, verify: Any, cert: Any) -> None:
        """Leave the certificates to the context: requests would load its own anew for each connection (30 ms)."""

    def build_response(self, req: requests.PreparedRequest, resp: Any) -> requests.Response:
        """Return the answer with its body unread and its cookies unparsed."""
        response = requests.Response()
        response.status_code = resp.status
        response.headers = CaseInsensitiveDict(resp.headers)
        response.raw, response.reason, response.request = resp, resp.reason, req
        response.url = req.url or ""
        return response


def _connect(exchange: Exchange) -> tuple[socket.socket, str]:
    """Return a connection to the first address of the host that takes one, of those that may be reached, and which.

    A proxy is asked for a way to the address that was checked here, never to the name: it can lead nowhere else.
    """
    where, meter = exchange.where, exchange.meter
    failure: OSError = OSError("no address")
    for address in ssrf.resolve(where.host, where.port, meter.seconds_left(), exchange.access.networks):
        try:
            if exchange.proxy is not None:
                return _tunnel(address, where.port, exchange.proxy, meter), address
            return _connect_to(address, where.port, meter), address
        except OSError as error:
            failure = error
            meter.reached = meter.reached or error.errno not in _OUR_SIDE
    raise failure


def _connect_to(address: str, port: int, meter: Meter) -> socket.socket:
    """Return a connection to the address; OSError or FetchError if there is none."""
    sock = _MeteredSocket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    sock.meter = meter
    try:
        sock.settimeout(min(meter.seconds_left(), _CONNECT_SECONDS))
        host, _, interface = address.partition("%")
        sock.connect((host, port, 0, int(interface)) if interface else (host, port))
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(meter.seconds_left())
    except (OSError, FetchError):
        sock.close()
        raise
    return sock


def _tunnel(address: str, port: int, proxy: Target, meter: Meter) -> socket.socket:
    """Return a connection to the address through the proxy (CONNECT, RFC 9110 section 9.3.6); FetchError if refused.

    The proxy itself may have any address: the config names it.
    """
    sock = _connect_to_proxy(proxy, meter)
    end = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    login = f"Proxy-Authorization: {proxy.login}\r\n" if proxy.login else ""
    try:
        sock.sendall(f"CONNECT {end} HTTP/1.1\r\nHost: {end}\r\n{login}\r\n".encode("ascii"))
        head = _read_head(sock)
    except (OSError, FetchError) as error:
        sock.close()
        raise FetchError("the proxy did not answer") from error
    if not _TUNNEL.match(head) or not head.endswith(b"\r\n\r\n"):
        sock.close()
        status = head.split(maxsplit=2)[1:2]
        raise FetchError(f"the proxy gives no way: {status[0].decode('ascii', 'replace')[:3] if status else 'no HTTP'}")
    return sock


def _connect_to_proxy(proxy: Target, meter: Meter) -> socket.socket:
    """Return a connection to the first address of the proxy that takes one."""
    failure = FetchError("the proxy could not be reached")
    for address in ssrf.resolve(proxy.host, proxy.port, meter.seconds_left(), _ANYWHERE):
        try:
            return _connect_to(address, proxy.port, meter)
        except OSError as error:
            failure = FetchError(f"the proxy could not be reached: {error.strerror or error}")
    raise failure


def _read_head(sock: socket.socket) -> bytes:
    """Return the proxy's answer before the tunnel begins, read byte by byte: what follows is the origin's."""
    head, one = bytearray(), bytearray(1)
    while not head.endswith(b"\r\n\r\n"):
        if sock.recv_into(one) == 0 or len(head) > _PROXY_HEAD:
            break
        head += one
    return bytes(head)


def _trust(ca: str, others: tuple[str, ...]) -> ssl.SSLContext:
    """Return a context that trusts a source's own certificate, too; FetchError if its file cannot be read."""
    try:
        return _context((*others, ca), Path(ca).stat().st_mtime_ns)
    except OSError as error:  # an SSLError is one, and has no file name
        raise FetchError(f"ca: {ca}: no certificate in PEM can be read: {error.strerror or error}") from error


@lru_cache(maxsize=16)
def _context(ca_files: tuple[str, ...], _changed: int = 0) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates and those named; made once, for it takes 30 ms."""
    context = ssl.create_default_context()
    for name in ca_files:
        context.load_verify_locations(name)
    context.sslsocket_class = _MeteredTLSSocket
    return context


@contextmanager
def translate_errors() -> Iterator[None]:
    """Raise every error of an origin or the network in the body as FetchError."""
    try:
        yield
    except (OSError, http.client.HTTPException, HTTPError, ValueError) as error:
        cause = _find_cause(error)
        of_answer = requests.RequestException | ssl.SSLCertVerificationError
        is_answer = isinstance(cause, of_answer) or not isinstance(cause, OSError)
        raise (FetchError if is_answer else UnansweredError)(_describe(cause)) from error


def _find_cause(error: BaseException) -> BaseException:
    """Return the error of the socket or of http.client that requests and urllib3 wrapped; else the error itself."""
    found, each = error, error.__context__
    while each is not None:
        if isinstance(each, OSError | http.client.HTTPException) and not isinstance(each, requests.RequestException):
            found = each
        each = each.__context__
    return found


def _describe(error: BaseException) -> str:
    """Return one line that describes the error; bytes of the origin only where they help, and escaped."""
    if isinstance(error, ssl.SSLCertVerificationError):
        why = N_(f"the certificate is not accepted: {make_printable(error.verify_message)}")
        return "; ".join(filter(None, (why, _CERTIFICATE_ADVICE.get(error.verify_code))))
    if isinstance(error, ssl.SSLError):
        return N_(f"no secure connection: {make_printable(str(error))}")
    for kind, words in _WORDS:
        if isinstance(error, kind):
            return words
    if isinstance(error, http.client.HTTPException | HTTPError | ValueError):
        return N_(f"the answer is not sound HTTP: {make_printable(str(error))}")
    return N_(f"could not be reached: {make_printable(getattr(error, 'strerror', None) or str(error))}")


_WORDS: tuple[tuple[type[BaseException], str], ...] = (  # the first that fits, so the special before the general
    (TimeoutError, N_("took longer than its deadline")),
    (ConnectionRefusedError, N_("the connection was refused")),
    (http.client.RemoteDisconnected, N_("closed the connection without an answer")),
    (ConnectionError, N_("the connection broke")),
    (http.client.IncompleteRead, N_("the body ended early")),
    (http.client.BadStatusLine, N_("does not answer by HTTP")),
)

_TRUST = N_("if you trust it, write the file of its certificate (PEM) as ca of the source")
_CERTIFICATE_ADVICE = {
    9: N_("the clock of this machine may be wrong"),
    10: N_("its host must renew it"),
    **dict.fromkeys((18, 19, 20, 21), _TRUST),
}
"""What to do, by the code of OpenSSL (x509_vfy.h): not yet valid, expired, self-signed, of an unknown authority."""
