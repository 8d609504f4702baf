"""Counts for Prometheus, off unless asked for: what was served, how long it took, and how the last refresh went."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

# Upper bounds in seconds: an answer from memory takes a fraction of a millisecond, a slow client tens of seconds.
BUCKETS = (0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)
# The only names a path may give: a label for each address asked would let any stranger fill the memory.
ENDINGS = {"": "page", "html": "page", "xml": "rss", "atom": "atom", "json": "json", "opml": "opml", "css": "style"}


class Meter(Struct, frozen=True):
    """Everything that is counted, in a registry of its own; ``meter`` makes one."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    sent: Counter
    items: Gauge
    silent: Gauge
    refreshed: Gauge


class Answered(Struct, frozen=True):
    """One answer: the path that was asked, the status, the bytes of the body that were sent, the seconds it took."""

    path: str
    status: int
    sent: int
    seconds: float


class Refreshed(Struct, frozen=True):
    """Result of refreshing one feed, as it is counted; ``at`` is aware."""

    feed: str
    at: datetime
    items: int
    silent: int


def meter() -> Meter:
    """Make a meter at zero."""
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
    """Count a refresh."""
    for outcome in outcomes:
        counts.items.labels(outcome.feed).set(outcome.items)
        counts.silent.labels(outcome.feed).set(outcome.silent)
        counts.refreshed.labels(outcome.feed).set(outcome.at.timestamp())


def answered(counts: Meter, answer: Answered) -> None:
    """Count an answer."""
    counts.requests.labels(kind_of(answer.path), str(answer.status)).inc()
    counts.sent.inc(answer.sent)
    counts.seconds.observe(answer.seconds)


def kind_of(path: str) -> str:
    """Return the kind of file that a path asks for, out of a closed list.

    >>> kind_of("/show/feed.xml"), kind_of("/"), kind_of("/show/x.php"), kind_of("/show")
    ('rss', 'page', 'other', 'page')
    """
    name = path.rpartition("/")[2]
    return ENDINGS.get(name.rpartition(".")[2] if "." in name else "", "other")


def render(counts: Meter) -> tuple[str, bytes]:
    """Return media type and body of the counts in Prometheus' text format."""
    return CONTENT_TYPE_LATEST, generate_latest(counts.registry)
