"""Counts for Prometheus, off unless asked for: what was served, how long it took, and how the last refresh went."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Upper bounds in seconds: an answer from memory takes a fraction of a millisecond, a slow client tens of seconds.
BUCKETS = (0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)
# The only names a path may give: a label for each address asked would let any stranger fill the memory.
ENDINGS = {"": "page", "html": "page", "xml": "rss", "atom": "atom", "json": "json", "opml": "opml", "css": "style"}


@dataclass(frozen=True, slots=True)
class Meter:
    """Everything that is counted, in a registry of its own; ``meter`` makes one."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    sent: Counter
    items: Gauge
    silent: Gauge
    refreshed: Gauge


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh of one feed came to, as far as it is counted; ``at`` is aware."""

    feed: str
    at: datetime
    items: int
    silent: int


def meter() -> Meter:
    """A meter at zero."""
    kept = CollectorRegistry()
    return Meter(
        kept,
        Counter("aggregator_http_requests", "Answers given", ["kind", "status"], registry=kept),
        Histogram("aggregator_http_seconds", "Time to answer", buckets=BUCKETS, registry=kept),
        Counter("aggregator_http_sent_bytes", "Bytes of bodies sent", registry=kept),
        Gauge("aggregator_feed_items", "Items published", ["feed"], registry=kept),
        Gauge("aggregator_feed_silent_sources", "Sources that did not answer", ["feed"], registry=kept),
        Gauge("aggregator_feed_refreshed_seconds", "When last refreshed", ["feed"], registry=kept),
    )


def refreshed(counts: Meter, outcomes: Sequence[Refreshed]) -> None:
    """Counts a refresh."""
    for outcome in outcomes:
        counts.items.labels(outcome.feed).set(outcome.items)
        counts.silent.labels(outcome.feed).set(outcome.silent)
        counts.refreshed.labels(outcome.feed).set(outcome.at.timestamp())


def counted(inner: ASGIApp, counts: Meter) -> ASGIApp:
    """The application with every answer counted."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        began = time.perf_counter()
        kind = kind_of(scope["path"])

        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                counts.requests.labels(kind, str(message["status"])).inc()
            elif scope["method"] != "HEAD":
                counts.sent.inc(len(message.get("body", b"")))
            await send(message)

        await inner(scope, receive, count)
        counts.seconds.observe(time.perf_counter() - began)

    return answer


def kind_of(path: str) -> str:
    """What kind of thing a path asks for, out of a closed list.

    >>> kind_of("/show/feed.xml"), kind_of("/"), kind_of("/show/x.php"), kind_of("/show")
    ('rss', 'page', 'other', 'page')
    """
    name = path.rpartition("/")[2]
    return ENDINGS.get(name.rpartition(".")[2] if "." in name else "", "other")


def route(counts: Meter) -> Route:
    """``/metrics`` in Prometheus' text format."""

    def metrics(_: Request) -> Response:
        return Response(
            generate_latest(counts.registry), headers={"content-type": CONTENT_TYPE_LATEST, "cache-control": "no-store"}
        )

    return Route("/metrics", metrics)
