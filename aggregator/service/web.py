"""The published folder over HTTP, as RFC 9110 and feed readers want it: conditional, packed, cacheable, no cookies.

Strong tags are hashes of the content with a suffix for each encoding, so they outlive a restart and agree between
machines. Nothing is answered with 403 or 410: gPodder takes both as an order to unsubscribe.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aggregator.service import metrics, negotiate
from aggregator.service.metrics import Answered, Meter
from aggregator.service.shelf import Find, Leaf, shelf

# How long a client may use its copy without asking, in seconds: feeds change a few times a day, and 300 to 900 is what
# readers and caches expect; longer delays a new episode by as much.
MAX_AGE = 300
# How many answers may be under way at once. Beyond it a client is asked to come back: 503, never a silent queue.
MOST = 512
RETRY_AFTER = 30

SAFE = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"cross-origin"),
)
# A feed may load its stylesheet from here, and nothing else; a page brings its own policy, allowing its style and
# script by their hashes, and this one adds what a page cannot say of itself.
FEED_POLICY = b"default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
PAGE_POLICY = b"object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
PLAIN = (b"content-type", b"text/plain; charset=utf-8")
# For players in browsers; the conditional headers are not on the list that needs no asking (Fetch, section 2.2.2).
PREFLIGHT = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET, HEAD, OPTIONS"),
    (b"access-control-allow-headers", b"If-None-Match, If-Modified-Since"),
    (b"access-control-max-age", b"86400"),
    (b"allow", b"GET, HEAD, OPTIONS"),
)

Headers = list[tuple[bytes, bytes]]


class Asked(NamedTuple):
    """The headers of a request that change its answer; ``None`` where one is not given."""

    accepted: str | None
    tags: str | None
    since: str | None


def app(output: Path, *, routes: Sequence[BaseRoute] = (), meter: Meter | None = None, most: int = MOST) -> Starlette:
    """Make the application that serves ``output``; ``routes`` come first, ``most`` limits concurrent answers.

    With a ``meter`` every answer is counted, and ``/metrics`` tells the counts.
    """
    published = limited(files(shelf(output)), most)
    if meter is not None:
        published = counted(published, meter)
        routes = (*routes, Route("/metrics", partial(counts, meter)))

    def healthz(_: object) -> Response:
        well = output.is_dir()
        answer = PlainTextResponse("ok\n" if well else "the output folder is missing\n", 200 if well else 503)
        answer.headers["cache-control"] = "no-store"
        return answer

    return Starlette(routes=[*routes, Route("/healthz", healthz), Mount("/", app=published)])


def serve(host: str, port: int, output: Path, *, routes: Sequence[BaseRoute] = (), meter: Meter | None = None) -> None:
    """Serve ``output`` until a signal ends it; running answers have ten seconds to finish."""
    uvicorn.run(
        app(output, routes=routes, meter=meter),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=10,
    )


def files(find: Find) -> ASGIApp:
    """Make the application that answers with what ``find`` returns."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI's signature
        method = scope["method"]
        if method == "OPTIONS":
            await reply(send, 204, [*PREFLIGHT])
            return
        if method not in ("GET", "HEAD"):
            await reply(send, 405, [(b"allow", b"GET, HEAD, OPTIONS")], b"only GET and HEAD\n")
            return
        path = scope["path"].removeprefix("/")
        leaf = find(path + "index.html" if not path or path.endswith("/") else path)
        if leaf is not None:
            status, headers, body = chosen(leaf, asked(scope), time.time())
            await reply(send, status, headers, body)
        elif find(f"{path}/index.html") is not None:
            # Relative, so that it is right behind a proxy's prefix too.
            await reply(send, 308, [(b"location", f"{path.rpartition('/')[2]}/".encode())])
        else:
            await reply(send, 404, [(b"cache-control", b"public, max-age=60"), *SAFE], b"not here\n")

    return answer


def asked(scope: Scope) -> Asked:
    """Return the request's relevant headers; repeated ones are joined, as section 5.3 says."""
    found: dict[bytes, str] = {}
    for name, value in scope["headers"]:
        if name in (b"accept-encoding", b"if-none-match", b"if-modified-since"):
            text = value.decode("latin-1")
            found[name] = f"{found[name]}, {text}" if name in found else text
    return Asked(found.get(b"accept-encoding"), found.get(b"if-none-match"), found.get(b"if-modified-since"))


def chosen(leaf: Leaf, wanted: Asked, now: float) -> tuple[int, Headers, bytes]:
    """Return status, headers and body of the answer for an existing file."""
    encoding = negotiate.encoding(wanted.accepted, leaf.offered)
    form = leaf.forms[encoding]
    # A time ahead of the clock is not said (section 8.8.2.1); publication in one second makes such times.
    modified = leaf.modified if leaf.modified.timestamp() <= now else None
    headers: Headers = [
        (b"etag", form.tag.encode()),
        (b"cache-control", b"public, max-age=%d" % MAX_AGE),
        (b"vary", b"Accept-Encoding"),
        *SAFE,
    ]
    if modified:
        headers.append((b"last-modified", leaf.stamp.encode()))
    if leaf.kind != "text/html":
        headers += [(b"access-control-allow-origin", b"*"), (b"access-control-expose-headers", b"ETag, Last-Modified")]
    if leaf.links:
        headers.append((b"link", leaf.links.encode()))
    if negotiate.unchanged(wanted.tags, wanted.since, form.tag, modified):
        return 304, headers, b""
    headers += [
        (b"content-type", leaf.media_type.encode()),
        (b"content-length", b"%d" % len(form.body)),
        (b"content-security-policy", PAGE_POLICY if leaf.kind == "text/html" else FEED_POLICY),
    ]
    if encoding != "identity":
        headers.append((b"content-encoding", encoding.encode()))
    return 200, headers, form.body


def limited(inner: ASGIApp, most: int) -> ASGIApp:
    """Limit an application to ``most`` concurrent answers; further clients get 503 with Retry-After."""
    under_way = 0

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal under_way
        if under_way >= most:
            await reply(send, 503, [(b"retry-after", b"%d" % RETRY_AFTER), (b"cache-control", b"no-store")], b"busy\n")
            return
        under_way += 1
        try:
            await inner(scope, receive, send)
        finally:
            under_way -= 1

    return answer


def counted(inner: ASGIApp, meter: Meter) -> ASGIApp:
    """Make an application that counts every answer."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        status = sent = 0

        async def count(message: Message) -> None:
            nonlocal status, sent
            status = message.get("status", status)
            sent += 0 if scope["method"] == "HEAD" else len(message.get("body", b""))
            await send(message)

        await inner(scope, receive, count)
        metrics.answered(meter, Answered(scope["path"], status, sent, time.perf_counter() - began))

    return answer


def counts(meter: Meter, _: Request) -> Response:
    """Answer with the counts, for Prometheus."""
    media_type, body = metrics.told(meter)
    return Response(body, headers={"content-type": media_type, "cache-control": "no-store"})


async def reply(send: Send, status: int, headers: Headers, body: bytes = b"") -> None:
    """One whole answer. One that says no length of its own is plain text, or nothing at all."""
    if status not in (204, 304) and not any(name == b"content-length" for name, _ in headers):
        headers = [*headers, (b"content-length", b"%d" % len(body)), *[PLAIN] * bool(body)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
