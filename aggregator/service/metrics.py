"""Metrics for Prometheus, off by default: what was served, how long it took, and the result of the last refresh."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from aggregator.errors import AggregatorError
from aggregator.model.results import Outcome
from aggregator.store.leases import Counts

# Upper bounds in seconds: an answer from memory takes a fraction of a millisecond, a slow client tens of seconds.
_BUCKETS = (0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0)
# The only names a path may give: a label for each address asked would let any stranger fill the memory.
_ENDINGS = {"": "page", "html": "page", "xml": "rss", "atom": "atom", "json": "json", "opml": "opml", "css": "style"}


class QueueCounts(Struct, frozen=True):
    """Feeds by their leases, messages that no worker has taken, and feeds claimed and lost since the start."""

    feeds: Counts
    messages: int
    claims: int
    lost: int


class ServerMeter(Struct, frozen=True):
    """Everything that is counted, in a registry of its own; ``make_meter`` makes one."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    sent: Counter
    items: Gauge
    failing: Gauge
    refreshed: Gauge


class WorkerMeter(Struct, frozen=True):
    """Counts of one worker: feeds refreshed, failed, and whose lease was lost; jobs at work."""

    refreshed: Counter
    failed: Counter
    lost: Counter
    busy: Gauge


def make_worker_meter(port: int | None) -> tuple[WorkerMeter, CollectorRegistry]:
    """Make the counts of a worker at zero, and serve them at the port if there is one."""
    registry = CollectorRegistry()
    counts = WorkerMeter(
        Counter("aggregator_worker_feeds", "Feeds refreshed", registry=registry),
        Counter("aggregator_worker_failed_feeds", "Feeds whose refresh failed", registry=registry),
        Counter("aggregator_worker_lost_leases", "Leases lost before the refresh was done", registry=registry),
        Gauge("aggregator_worker_busy_jobs", "Jobs at work", registry=registry),
    )
    if port is not None:
        start_http_server(port, registry=registry)
    return counts, registry


class _QueueCollector(Collector):
    """Reads queue and leases at each scrape; an error of either gives no figures, and the target stays up."""

    def __init__(self, count: Callable[[], QueueCounts]) -> None:
        self._count = count

    def collect(self) -> Iterator[Metric]:
        try:
            found = self._count()
        except AggregatorError:
            yield GaugeMetricFamily("aggregator_queue_up", "Whether store and queue can be read", 0)
            return
        yield GaugeMetricFamily("aggregator_queue_up", "Whether store and queue can be read", 1)
        yield GaugeMetricFamily("aggregator_queue_messages", "Messages that no worker has taken", found.messages)
        by_state = GaugeMetricFamily("aggregator_queue_feeds", "Feeds by state", labels=["state"])
        for state in ("waiting", "queued", "working"):
            by_state.add_metric([state], getattr(found.feeds, state))
        yield by_state
        yield CounterMetricFamily("aggregator_queue_claims", "Feeds claimed", found.claims)
        yield CounterMetricFamily("aggregator_queue_lost_leases", "Leases that ended without a result", found.lost)
        lags = GaugeMetricFamily("aggregator_queue_lag_seconds", "Time since feeds were due", labels=["quantile"])
        for quantile, lag in zip(("0.5", "0.9", "0.99", "1"), found.feeds.lags, strict=True):
            lags.add_metric([quantile], lag)
        yield lags


def make_queue_registry(count: Callable[[], QueueCounts]) -> CollectorRegistry:
    """Return the figures of queue and leases, read at each scrape."""
    registry = CollectorRegistry()
    registry.register(_QueueCollector(count))
    return registry


def serve_queue(port: int, count: Callable[[], QueueCounts]) -> int:
    """Serve the figures of queue and leases, and return the port; 0 chooses one."""
    return start_http_server(port, registry=make_queue_registry(count))[0].server_port


def make_meter() -> ServerMeter:
    """Make a meter at zero."""
    registry = CollectorRegistry()
    return ServerMeter(
        registry,
        Counter("aggregator_http_requests", "Answers given", ["kind", "status"], registry=registry),
        Histogram("aggregator_http_seconds", "Time to answer", buckets=_BUCKETS, registry=registry),
        Counter("aggregator_http_sent_bytes", "Bytes of bodies sent", registry=registry),
        Gauge("aggregator_feed_items", "Items published", ["feed"], registry=registry),
        Gauge("aggregator_feed_silent_sources", "Sources that did not answer", ["feed"], registry=registry),
        Gauge("aggregator_feed_refreshed_seconds", "When last refreshed", ["feed"], registry=registry),
    )


def count_refresh(meter: ServerMeter, outcomes: Sequence[Outcome], at: datetime) -> None:
    """Count the feeds of a refresh; ``at`` is aware."""
    for outcome in outcomes:
        meter.items.labels(outcome.feed).set(outcome.published.items)
        meter.failing.labels(outcome.feed).set(sum(result.is_failing for result in outcome.health))
        meter.refreshed.labels(outcome.feed).set(at.timestamp())


def count_answer(meter: ServerMeter, path: str, *, status: int, sent: int, seconds: float) -> None:
    """Count an answer: the path that was asked, its status, the bytes of its body, and the seconds that it took."""
    meter.requests.labels(_find_kind(path), str(status)).inc()
    meter.sent.inc(sent)
    meter.seconds.observe(seconds)


def _find_kind(path: str) -> str:
    """Return the kind of file that a path asks for, out of a closed list.

    >>> _find_kind("/show/feed.xml"), _find_kind("/"), _find_kind("/show/x.php"), _find_kind("/show")
    ('rss', 'page', 'other', 'page')
    """
    name = path.rpartition("/")[2]
    return _ENDINGS.get(name.rpartition(".")[2] if "." in name else "", "other")


def render(meter: ServerMeter) -> tuple[str, bytes]:
    """Return media type and body of the counts in Prometheus' text format."""
    return CONTENT_TYPE_LATEST, generate_latest(meter.registry)
