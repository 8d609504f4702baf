"""Serve the published files and other routes over HTTP, with limits, counts and the health of the server."""

from __future__ import annotations

import errno
import signal
import socket
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aggregator.errors import ConfigError
from aggregator.service import metrics
from aggregator.service.connection import limit_connections
from aggregator.service.metrics import ServerMeter
from aggregator.service.published_files import NOT_HERE, PublishedFiles
from aggregator.translation.locale import SOURCE

# How many answers may be under way at once. Beyond it a client is asked to come back: 503, never a silent queue.
_MAX_ANSWERS: Final = 512
_BACKLOG: Final = 2048  # connections that wait to be accepted
_RETRY_AFTER: Final = 30
_LONGEST_OVERDUE: Final = timedelta(hours=2)  # from which on /healthz is 503: the least time between two polls, twice
FindOverdue = Callable[[datetime], tuple[str, timedelta] | None]
"""Returns the feed that has been due for longest, and for how long; ``None`` if none is due."""


def app(  # noqa: PLR0913 - each is one part of what a server answers with
    output: Path | None,
    *,
    routes: Sequence[BaseRoute] = (),
    meter: ServerMeter | None = None,
    find_overdue: FindOverdue | None = None,
    first: str | None = None,
    most: int = _MAX_ANSWERS,
) -> Starlette:
    """Return the application that serves ``output``; ``routes`` come before it, ``most`` limits answers under way.

    With a ``meter`` every answer is counted, and ``/metrics`` gives the counts. Without an output it serves only these.
    ``first`` is where the root leads as long as nothing is published, relative to it. ``/healthz`` says for how long a
    feed has been overdue.
    """
    published = limit(PublishedFiles(output, first) if output else NOT_HERE[SOURCE], most)
    if meter is not None:
        published = _count(published, meter)
        routes = (*routes, Route("/metrics", partial(_show_counts, meter)))

    def healthz(_: Request) -> Response:
        overdue = find_overdue(datetime.now(UTC)) if find_overdue else None
        age, is_there = overdue[1] if overdue else timedelta(), output is None or output.is_dir()
        is_well = is_there and age < _LONGEST_OVERDUE
        lines = [
            *(("ok",) if is_well else ()),
            *(() if is_there else ("the output folder is missing",)),
            *((f"the oldest overdue feed has been due for {age.total_seconds() / 60:.0f} min",) if overdue else ()),
        ]
        text = "".join(f"{line}\n" for line in lines)
        return PlainTextResponse(text, 200 if is_well else 503, {"cache-control": "no-store"})

    return Starlette(routes=[*routes, Route("/healthz", healthz), Mount("/", app=published)])


def open_port(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets of all addresses of the host; ConfigError if the port cannot be had."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        addresses = dict.fromkeys((family, address[:2]) for family, *_, address in found)
        return [socket.create_server(address, family=family, backlog=_BACKLOG) for family, address in addresses]
    except OSError as error:
        why = "another program uses it" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise ConfigError(f"cannot serve at {host} port {port}: {why}; give another with --host and --port") from error


def make_server(
    output: Path | None,
    *,
    routes: Sequence[BaseRoute] = (),
    meter: ServerMeter | None = None,
    find_overdue: FindOverdue | None = None,
    first: str | None = None,
) -> uvicorn.Server:
    """Return a server of ``output`` and the routes; ``run(sockets=...)`` serves until a signal or ``should_exit``.

    Answers under way have ten seconds to finish.
    """
    config = uvicorn.Config(
        app(output, routes=routes, meter=meter, find_overdue=find_overdue, first=first),
        http=limit_connections(),
        ws="none",  # no library of web sockets, whichever is installed
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the desk judges the peer of the socket
        timeout_graceful_shutdown=10,
    )
    return uvicorn.Server(config)


def catch_signals(server: uvicorn.Server) -> None:
    """Have SIGTERM and SIGINT end the server; one that comes again ends the process at once."""

    def end(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        server.should_exit = True  # an error raised here would be lost if it came in a destructor

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def limit(inner: ASGIApp, most: int) -> ASGIApp:
    """Return the application with at most ``most`` answers under way; further clients get 503 with Retry-After."""
    under_way = 0
    busy = PlainTextResponse("busy\n", 503, {"retry-after": str(_RETRY_AFTER), "cache-control": "no-store"})

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal under_way
        if under_way >= most:
            await busy(scope, receive, send)
            return
        under_way += 1
        try:
            await inner(scope, receive, send)
        finally:
            under_way -= 1

    return answer


def _count(inner: ASGIApp, meter: ServerMeter) -> ASGIApp:
    """Return the application with every answer counted."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        status = sent = 0

        async def count(message: Message) -> None:
            nonlocal status, sent
            status = message.get("status", status)
            sent += 0 if scope["method"] == "HEAD" else len(message.get("body", b""))
            await send(message)

        await inner(scope, receive, count)
        seconds = time.perf_counter() - began
        metrics.count_answer(meter, scope["path"], status=status, sent=sent, seconds=seconds)

    return answer


def _show_counts(meter: ServerMeter, _: Request) -> Response:
    """Return the counts for Prometheus."""
    media_type, body = metrics.render(meter)
    return Response(body, headers={"content-type": media_type, "cache-control": "no-store"})
