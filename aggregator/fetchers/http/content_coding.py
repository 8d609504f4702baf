"""Read and decode the body of an answer, completely or not at all, within limits of size and memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import brotli

from aggregator.errors import FetchError

_PIECE = 65_536  # bytes read at once; a feed of 40 kB comes in one piece
_CHUNK = 1_048_576  # bytes decoded at once, so that a bomb is seen one part after the limit
_MOST_TIMES = 250  # how often a body may be larger than on the wire; feeds are packed 5 to 30 times
_MIN_ALLOWED = 4 * 1_048_576  # bytes that any body may have
_MOST_MEMBERS = 10_000  # of a gzip body; programs that write several have 64 kB in each
_DEFLATE = 8  # the only method of RFC 1950
_GZIP_MARK = b"\x1f\x8b\x08"  # RFC 1952 section 2.3.1, with the only method
_GZIP, _RAW = 16 + zlib.MAX_WBITS, -zlib.MAX_WBITS


def read_whole(raw: Any, coding: str, limit: int) -> bytes:
    """Return the decoded body, at most ``limit`` bytes; FetchError if it is longer, empty, cut or damaged.

    A body that ends before its Content-Length, inside a chunk or inside its compression is an error, not a feed.
    """
    body = BytesIO()  # a list of pieces would double the memory when it is joined
    wire = _Wire(raw)
    try:
        for piece in _decode(wire.read_pieces(), coding.strip().lower()):
            body.write(piece)
            if body.tell() > limit:
                raise FetchError(f"the body is larger than {limit:,} bytes")
            if body.tell() > max(_MIN_ALLOWED, _MOST_TIMES * wire.taken):
                raise FetchError(f"the body is packed more than {_MOST_TIMES} times")
    except (zlib.error, brotli.error) as error:
        raise FetchError("the compressed body is damaged") from error
    if not body.tell():
        raise FetchError("the body is empty")
    whole = body.getvalue()
    return _unpack(whole, limit) if whole.startswith(_GZIP_MARK) else whole


def _unpack(packed: bytes, limit: int) -> bytes:
    """Return a body that is a gzip file, as servers send ``feed.xml.gz``, without saying so."""
    body = BytesIO()
    try:
        for piece in _decode_gzip(packed[at : at + _PIECE] for at in range(0, len(packed), _PIECE)):
            body.write(piece)
            if body.tell() > min(limit, max(_MIN_ALLOWED, _MOST_TIMES * len(packed))):
                raise FetchError(f"the body is larger than {limit:,} bytes, or packed more than {_MOST_TIMES} times")
    except zlib.error:
        return packed
    return body.getvalue()


def read_start(raw: Any, coding: str, most: int) -> bytes:
    """Return at most ``most`` first bytes of the decoded body, none of an empty one; FetchError if it is damaged."""
    body = bytearray()
    try:
        for piece in _decode(_Wire(raw).read_pieces(), coding.strip().lower()):
            body += piece
            if len(body) >= most:
                break
    except (zlib.error, brotli.error) as error:
        raise FetchError("the compressed body is damaged") from error
    return bytes(body[:most])


class _Wire:
    """The body of urllib3's response as it comes over the wire, still encoded; ``taken`` bytes of it so far."""

    def __init__(self, raw: Any) -> None:
        self._raw, self.taken = raw, 0

    def read_pieces(self) -> Iterator[bytes]:
        while piece := self._raw.read(_PIECE, decode_content=False):
            self.taken += len(piece)
            yield piece


def _decode(pieces: Iterator[bytes], coding: str) -> Iterator[bytes]:
    if coding in {"", "identity"}:
        return pieces
    if coding in {"gzip", "x-gzip"}:
        return _decode_gzip(pieces)
    if coding == "deflate":
        return _decode_deflate(pieces)
    if coding == "br":
        return _decode_brotli(pieces)
    raise FetchError("the body is in a content coding that was not asked for")


def _decode_gzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Decode every member of a gzip body (RFC 1952 section 2.2); what follows the last is ignored, as by gzip.

    The pieces are short, because each member copies what follows it in its piece.
    """
    member, members = None, 0
    for given in pieces:
        piece = given
        while piece:
            if member is None:
                member, members = zlib.decompressobj(_GZIP), members + 1
                if members > _MOST_MEMBERS:
                    raise FetchError("the compressed body is damaged")
            yield from _decompress(member, piece)
            piece = b""
            if member.eof:
                piece, member = member.unused_data.lstrip(b"\0"), None
                if piece and not b"\x1f\x8b".startswith(piece[:2]):
                    return
    if member is not None:
        raise FetchError("the compressed body ended early")


def _decode_deflate(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Decode a deflate body with its zlib wrapper (RFC 9110 section 8.4.1.2) or, as some servers send it, without."""
    stream = None
    for piece in pieces:
        stream = stream or zlib.decompressobj(zlib.MAX_WBITS if _is_zlib(piece) else _RAW)
        yield from _decompress(stream, piece)
        if stream.eof:
            return  # what follows would be copied with each piece
    if stream is not None:
        raise FetchError("the compressed body ended early")


def _decode_brotli(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Decode a brotli body (RFC 7932) in parts; the decoder may hold output after it has taken the last byte."""
    stream = brotli.Decompressor()
    for piece in pieces:
        yield stream.process(piece, output_buffer_limit=_CHUNK)
        while not stream.can_accept_more_data():
            yield stream.process(b"", output_buffer_limit=_CHUNK)
    while not stream.is_finished():
        part = stream.process(b"", output_buffer_limit=_CHUNK)
        if not part:
            raise FetchError("the compressed body ended early")
        yield part


def _decompress(stream: zlib._Decompress, piece: bytes) -> Iterator[bytes]:
    while piece:
        yield stream.decompress(piece, _CHUNK)
        piece = stream.unconsumed_tail


def _is_zlib(start: bytes) -> bool:
    """Return whether deflate data begin with a zlib header: method 8, check divisible by 31 (RFC 1950 section 2.2)."""
    return len(start) > 1 and start[0] & 0x0F == _DEFLATE and int.from_bytes(start[:2], "big") % 31 == 0
