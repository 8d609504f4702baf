"""Answer with published files as RFC 9110 and feed readers want it: conditional, packed, cacheable.

ETags are strong digests of the content with a suffix for each encoding, so they are the same after a restart and on
other machines. No answer is 403 or 410: gPodder unsubscribes on both.
"""

from __future__ import annotations

import hashlib
import html
import os
import re
import stat
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import formatdate
from io import BufferedReader
from pathlib import Path
from typing import Final
from urllib.parse import quote

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from aggregator.generator.storage.names import (
    PAGE,
    TYPES,
    find_media_type,
    find_page_language,
    is_private,
    make_cache_control,
)
from aggregator.service.negotiation import choose_language, parse_weights
from aggregator.text.times.dates import parse_http_date
from aggregator.translation.locale import NAMES, SOURCE, Locale

_STREAMED: Final = 8_000_000  # bytes from which on a file is sent as it is read: many answers may be under way
_CHUNK: Final = 262_144

_SAFE: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "cross-origin",
}


def _make_missing(language: str) -> Response:
    text = Locale(language).gettext("not here")
    own = {"content-language": language, "vary": "Accept-Language", "cache-control": "public, max-age=60"}
    return PlainTextResponse(f"{text}\n", 404, {**own, **_SAFE})


NOT_HERE = {language: _make_missing(language) for language in NAMES}
"""The answer where nothing is, in each language."""

# A feed may load its stylesheet from here, and nothing else; a page has a policy of its own in a meta element,
# with the hashes of its style and script, and this one adds what such an element cannot set.
_FEED_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_PAGE_POLICY = "object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
_METHODS: Final = "GET, HEAD, OPTIONS"
# For players in browsers; the conditional headers are not on the list that needs no asking (Fetch, section 2.2.2).
_PREFLIGHT: Mapping[str, str] = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": _METHODS,
    "access-control-allow-headers": "If-None-Match, If-Modified-Since",
    "access-control-max-age": "86400",
    "allow": _METHODS,
}
# The links of a channel stand before its first item, within the first bytes of the file.
_HEAD_BYTES: Final = 16_384
_LINK = re.compile(rb"""<(?:atom:)?link\s[^>]*?\brel="(?P<rel>hub|self)"[^>]*?\bhref="(?P<href>[\x21-\x7e]+?)\"""")
# Of a page: its files in all of its languages.
_EDITION = re.compile(rb'<link rel="alternate" hreflang="([a-z]{2})" href="(index(?:\.[a-z]{2})?\.html)">')


class PublishedFiles(StaticFiles):
    """The published files, packed if the client takes that; nothing else of the folder can be reached."""

    def __init__(self, output: Path, first: str | None) -> None:
        """Serve ``output``, which need not exist yet; the root leads to ``first`` until it does."""
        super().__init__(directory=output, check_dir=False)
        self._first = first
        self._digests: dict[str, tuple[tuple[int, ...], str]] = {}

    async def check_config(self) -> None:
        """Accept a folder that is missing: the first refresh makes it."""

    async def get_response(self, path: str, scope: Scope) -> Response:  # noqa: ARG002 - normalised; ours must not be
        """Return the answer to any request."""
        if scope["method"] == "OPTIONS":
            return Response(status_code=204, headers=_PREFLIGHT)
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("only GET and HEAD\n", 405, {"allow": _METHODS})
        return await to_thread.run_sync(self._answer, scope["path"].removeprefix("/"), Headers(scope=scope))

    def is_not_modified(self, response_headers: Headers, request_headers: Headers) -> bool:
        """Return whether the client's copy is still good; dates that cannot be read do not count."""
        if request_headers.get("if-none-match"):
            return super().is_not_modified(response_headers, request_headers)
        since = parse_http_date(request_headers.get("if-modified-since", ""))
        changed = parse_http_date(response_headers.get("last-modified", ""))
        return since is not None and changed is not None and changed <= since

    def _answer(self, path: str, headers: Headers) -> Response:
        is_folder = not path or path.endswith("/")
        name = path + PAGE if is_folder else path
        if (file := self._open(name)) is not None:
            return self._negotiate(path, file, headers) if is_folder else self._answer_with(name, file, headers)
        if (index := self._open(f"{path}/{PAGE}")) is not None:
            index.close()
            private = self._is_private(f"{path}/{PAGE}")
            # Relative, so that it is right behind a proxy's prefix too.
            place = {"location": f"{quote(path.rpartition('/')[2], safe='')}/"}
            return Response(status_code=308, headers=place | _describe_reach(private=private))
        if self._first and not path:
            return Response(status_code=302, headers={"location": self._first, "cache-control": "no-store"})
        return NOT_HERE[choose_language(",".join(headers.getlist("accept-language")), NAMES) or SOURCE]

    def _negotiate(self, folder: str, file: BufferedReader, headers: Headers) -> Response:
        """Return the page of a folder in the language that the client prefers, if it is published in several.

        It has no Last-Modified: of pages in several languages at one address, a date tells no two apart.
        """
        head = file.read(_HEAD_BYTES)
        file.seek(0)
        editions = {language.decode(): name.decode() for language, name in _EDITION.findall(head)}
        preferred = choose_language(",".join(headers.getlist("accept-language")), editions)
        name = editions.get(preferred or "", PAGE)
        if name != PAGE:
            if (other := self._open(folder + name)) is None:  # between the renames of a publication
                name = PAGE
            else:
                file.close()
                file = other
        chosen = {"content-location": name, "vary": "Accept-Encoding, Accept-Language"} if editions else {}
        return self._answer_with(folder + name, file, headers, chosen)

    def _answer_with(
        self, name: str, file: BufferedReader, headers: Headers, chosen: Mapping[str, str] | None = None
    ) -> Response:
        """Return the file, packed if the client prefers that; 304 if its copy is still good (RFC 9110, section 13.2.2).

        A large file is sent as it is read, and stays open for that. It is closed here or by the answer.
        """
        media_type = find_media_type(name)
        is_page = media_type.startswith("text/html")
        digest, changed = self._digest(name, file), int(os.fstat(file.fileno()).st_mtime)
        packed = self._open_packed(name, changed) if _prefers_gzip(headers) else None
        answer = {
            "etag": f'"{digest}"' if packed is None else f'"{digest}-gzip"',
            "vary": "Accept-Encoding",
            **_describe_reach(private=self._is_private(name)),
            **_SAFE,
            **(chosen or {}),
        }
        # A later time must not be sent (section 8.8.2.1); two versions in a second have one.
        if changed <= time.time() and not chosen:
            answer["last-modified"] = formatdate(changed, usegmt=True)
        if not is_page:
            answer |= {"access-control-allow-origin": "*", "access-control-expose-headers": "ETag, Last-Modified"}
        head = file.read(_HEAD_BYTES)
        if is_page and (language := find_page_language(head)):
            answer["content-language"] = language
        if links := _find_links(head):
            answer["link"] = links
        file.seek(0)
        sent = file
        if packed is not None:
            file.close()
            sent = packed
        if self.is_not_modified(Headers(answer), headers):
            sent.close()
            return Response(status_code=304, headers=answer)
        answer |= {"content-type": media_type, "content-security-policy": _PAGE_POLICY if is_page else _FEED_POLICY}
        if packed is not None:
            answer["content-encoding"] = "gzip"
        if os.fstat(sent.fileno()).st_size > _STREAMED:
            return _LargeFile(sent, answer)
        with sent:
            return Response(sent.read(), headers=answer)

    def _is_private(self, name: str) -> bool:
        """Return whether the file is in the folder of a private feed, or may be: its page is published last."""
        folder = name.rpartition("/")[0]
        page = self._open(f"{folder}/{PAGE}") if folder else None
        if page is None:
            return bool(folder)
        with page:
            return is_private(page.read(_HEAD_BYTES))

    def _digest(self, name: str, file: BufferedReader) -> str:
        """Return the digest of a file's content, computed once for each version of the file."""
        state = os.fstat(file.fileno())
        version = (state.st_ino, state.st_mtime_ns, state.st_size)
        known = self._digests.get(name)
        if known is None or known[0] != version:
            known = self._digests[name] = version, hashlib.file_digest(file, "sha256").hexdigest()[:32]
            file.seek(0)
        return known[1]

    def _open_packed(self, name: str, changed: int) -> BufferedReader | None:
        """Return the packed copy of a file, ``None`` if there is none of this version.

        It has the time of the file, as publication gives it: between the renames of a publication it may be of another
        version.
        """
        packed = self._open_any(f"{name}.gz")
        if packed is not None and int(os.fstat(packed.fileno()).st_mtime) != changed:
            packed.close()
            return None
        return packed

    def _open(self, name: str) -> BufferedReader | None:
        """Open a published file; ``None`` if there is none."""
        return self._open_any(name) if _is_served(name) else None

    def _open_any(self, name: str) -> BufferedReader | None:
        """Open a file of the folder as ``_open``; a link leads nowhere: the file must be where its name says."""
        try:
            full_path, state = self.lookup_path(name)
            home = os.path.realpath(self.directory or "")
            if state is None or not stat.S_ISREG(state.st_mode) or full_path != os.path.join(home, name):  # noqa: PTH118
                return None
            return Path(full_path).open("rb")
        except (OSError, ValueError):  # a name that is too long, or has a null byte
            return None


class _LargeFile(Response):
    """An answer whose content is sent as it is read; the file is closed at its end."""

    def __init__(self, file: BufferedReader, headers: Mapping[str, str]) -> None:
        """Take over the open file."""
        super().__init__(headers={**headers, "content-length": str(os.fstat(file.fileno()).st_size)})
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - nothing is received
        """Send the answer; to HEAD without its content."""
        with self._file, suppress(RuntimeError):  # uvloop: the connection has just been closed
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while scope["method"] != "HEAD" and (chunk := await to_thread.run_sync(self._file.read, _CHUNK)):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body"})


def _describe_reach(*, private: bool) -> dict[str, str]:
    """Return the headers that say who may keep and list what is published."""
    return {"cache-control": make_cache_control(private=private)} | ({"x-robots-tag": "noindex"} if private else {})


def _is_served(path: str) -> bool:
    """Return whether a path may name a published file: plain parts, none hidden, and an ending that is served.

    All else in the folder, temporary and packed files too, is not found.

    >>> [_is_served(path) for path in ("show/feed.xml", "../feed.xml", "show/.git/feed.xml", "a//feed.xml")]
    [True, False, False, False]
    """
    parts = path.split("/")
    is_plain = "\x00" not in path and "\\" not in path
    return is_plain and all(part and not part.startswith((".", "~")) for part in parts) and Path(path).suffix in TYPES


def _find_links(body: bytes) -> str:
    """Return the Link header of a feed that names a hub: the hub and the feed's own address (WebSub, section 4).

    >>> _find_links(
    ...     b'<atom:link rel="hub" href="https://hub.example/"/><atom:link rel="self" href="https://a.example/f"/>'
    ... )
    '<https://hub.example/>; rel="hub", <https://a.example/f>; rel="self"'
    """
    found = [
        (match["rel"].decode(), html.unescape(match["href"].decode())) for match in _LINK.finditer(body, 0, _HEAD_BYTES)
    ]
    if not any(rel == "hub" for rel, _ in found):
        return ""
    # What would end the address or the header is left out whole: it is no address.
    return ", ".join(f'<{href}>; rel="{rel}"' for rel, href in found if not re.search(r"[\s<>\"]", href))


def _prefers_gzip(headers: Headers) -> bool:
    """Return whether the client accepts gzip, and does not prefer the plain file (RFC 9110, section 12.5.3).

    >>> _prefers_gzip(Headers({"accept-encoding": "br, gzip;q=0.5"})), _prefers_gzip(Headers({"accept-encoding": "*"}))
    (True, True)
    >>> _prefers_gzip(Headers({"accept-encoding": "gzip;q=0, *;q=0.5"})), _prefers_gzip(Headers())
    (False, False)
    """
    weights = parse_weights(",".join(headers.getlist("accept-encoding")))
    weight = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return weight > 0 and weight >= weights.get("identity", 0.0)
