"""The head of an answer, read by one pattern where it is plain, as nearly every one is.

``http.client`` reads a head with the parser of letters, which is most of what a 304 costs. What the pattern does not
match is left to it, and nothing is read away before: folded lines, other signs than ASCII's, chunks, HTTP/1.0, interim
answers, whatever comes in several pieces. What both read they read alike (``tests/fetchers/test_heads.py``).
"""

from __future__ import annotations

import re
from http.client import HTTPMessage, HTTPResponse
from socket import socket

_PLAIN = re.compile(rb"HTTP/1\.1 ([2-5][0-9]{2}) ([!-~][ -~]*)?\r\n((?:[!-9;-~]+:[\t -~]*\r\n){0,99})\r\n")
"""Status, reason, and at most as many lines as ``http.client`` takes; an empty reason keeps its space (RFC 9112)."""

_HEAD = HTTPMessage()  # for ``http.client``, which wants one; the fields of a plain head are in ``lines`` alone
_LENGTH = re.compile(r"[0-9]{1,15}")
_BODILESS = frozenset({204, 304})  # RFC 9112 section 6.3


class Response(HTTPResponse):
    """An answer whose head is read at once where it is plain."""

    def __init__(self, line: socket, method: str) -> None:
        """Nothing read yet; ``method`` is that of the request."""
        super().__init__(line, method=method)
        self.line, self.asked = line, method
        self.lines: list[tuple[str, str]] | None = None  # where the head was plain
        self._found: re.Match[bytes] | None = None

    def begun(self) -> bool:
        """Whether anything came before the end; waits until one of them has."""
        return bool(self.fp.peek())

    def plain(self) -> bool:
        """Whether the head has come whole and is plain, so that `begin` waits for nothing; once it has begun."""
        self._found = _PLAIN.match(self.fp.peek())
        return self._found is not None

    def begin(self) -> None:
        """Read the head: afterwards all is known but the body."""
        found = self._found or (_PLAIN.match(self.fp.peek()) if self.headers is None else None)
        self._found = None
        lines: list[tuple[str, str]] = _lines(found[3]) if found else []
        first = {name.lower(): value for name, value in reversed(lines)}
        length = first.get("content-length")
        if found is None or "transfer-encoding" in first or not (length is None or _LENGTH.fullmatch(length)):
            super().begin()
            return
        self.fp.read(found.end())
        self.code = self.status = int(found[1])
        self.reason = (found[2] or b"").decode("ascii").strip()
        self.version = 11
        self.headers = self.msg = _HEAD
        self.lines = lines
        self._end(length, first.get("connection", ""))

    def _end(self, length: str | None, connection: str) -> None:
        """Say where the body ends: after its length, at once, or with the connection."""
        self.chunked = False
        self.length = int(length) if length else None
        if self.status in _BODILESS or self.asked == "HEAD":
            self.length = 0
        self.will_close = self.length is None or "close" in connection.lower()

    def getheaders(self) -> list[tuple[str, str]]:
        """The fields as they came."""
        return super().getheaders() if self.lines is None else self.lines


def _lines(head: bytes) -> list[tuple[str, str]]:
    """The fields of a plain head."""
    fields = [line.split(":", 1) for line in head.decode("ascii").split("\r\n")[:-1]]
    return [(name, value.lstrip(" \t")) for name, value in fields]
