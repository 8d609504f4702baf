"""Read the forms that visitors send, within limits of memory for each and for all together, and parse them in a thread.

What a stranger sends is at most a password; what is larger is read only of those who may enter.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import parse_qsl

from anyio import CapacityLimiter, to_thread
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from aggregator.model.record import make_json_decoder
from aggregator.translation.marks import N_

OF_STRANGERS: Final = 4_096
"""Bytes of a form of someone who has not given the password yet: a password, a path and a token."""

_LARGEST_FORM: Final = 8_000_000
"""Bytes of a form with a file; an OPML file of 10,000 feeds has 2 MB."""

_LARGEST_PART: Final = 4_000_000
"""Bytes of a part that is no file: the same list, pasted."""

_LARGEST_FIELDS: Final = 1_000_000
"""Bytes of a form without files; unquoting takes up to 40 bytes for each."""

_TOGETHER: Final = 24_000_000
"""Bytes of all forms that are being read or acted upon."""

_MOST_FIELDS: Final = 20_000
_MOST_FILES: Final = 4
_TOO_LARGE: Final = N_("The form is too large.")
_UNREADABLE: Final = N_("The form cannot be read.")

_FIELDS: Final = make_json_decoder(dict[str, str])

Form = tuple[dict[str, str], dict[str, bytes]]
"""The fields and the files of a form."""


class FormError(Exception):
    """A form is not taken; ``status`` is that of the answer."""

    def __init__(self, status: int, why: str) -> None:
        """Say why in one sentence, which is a message."""
        super().__init__(why)
        self.status = status


class Forms:
    """The forms of one group of visitors: each within ``most`` bytes, all within `_TOGETHER`."""

    def __init__(self, most: int = _LARGEST_FORM) -> None:
        """Hold no form yet."""
        self._most, self._held = most, 0
        self._limiter: CapacityLimiter | None = None

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[Form]:
        """Yield the form of a request; its bytes count until the end of the block. Raise FormError."""
        is_multipart = request.headers.get("content-type", "").lower().startswith("multipart/form-data")
        most = self._most if is_multipart else min(self._most, _LARGEST_FIELDS)
        if int(request.headers.get("content-length", 0)) > most:  # the server has checked that it is a number
            raise FormError(413, _TOO_LARGE)
        body = bytearray()
        try:
            async for piece in request.stream():
                if len(body) + len(piece) > most:
                    raise FormError(413, _TOO_LARGE)
                if self._held + len(piece) > _TOGETHER:
                    raise FormError(503, N_("Too many forms are being read: send it again in a minute."))
                self._held += len(piece)
                body += piece
            self._limiter = self._limiter or CapacityLimiter(1)
            yield await to_thread.run_sync(_parse, request.headers, bytes(body), is_multipart, limiter=self._limiter)
        except ClientDisconnect as error:
            raise FormError(400, _UNREADABLE) from error
        finally:
            self._held -= len(body)


def _parse(headers: Headers, body: bytes, is_multipart: bool) -> Form:  # noqa: FBT001 - of a thread
    """Return the fields and the files of a form, in either of its two encodings or as JSON; raise FormError."""
    try:
        if headers.get("content-type", "").lower().startswith("application/json"):
            return _parse_json(body), {}
        if is_multipart:
            return asyncio.run(_parse_parts(headers, body))
        text = body.decode("utf-8", "replace")
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)), {}
    except (MultiPartException, ValueError) as error:
        raise FormError(400, _UNREADABLE) from error


def _parse_json(body: bytes) -> dict[str, str]:
    """Parse a JSON object of texts; raise ValueError."""
    fields = _FIELDS.decode(body or b"{}")
    if len(fields) > _MOST_FIELDS:
        raise ValueError(_UNREADABLE)
    return fields


async def _parse_parts(headers: Headers, body: bytes) -> Form:
    """Parse multipart/form-data (RFC 7578); raise MultiPartException or ValueError."""

    async def stream() -> AsyncGenerator[bytes]:
        yield body

    parser = MultiPartParser(
        headers, stream(), max_files=_MOST_FILES, max_fields=_MOST_FIELDS, max_part_size=_LARGEST_PART
    )
    parser.spool_max_size = _LARGEST_FORM  # the bytes are in memory already, so that no temporary file saves any
    fields: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for name, value in (await parser.parse()).multi_items():
        if isinstance(value, UploadFile):
            files[name] = await value.read()
            await value.close()
        else:
            fields[name] = value
    return fields, files
