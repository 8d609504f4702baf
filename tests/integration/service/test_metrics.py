"""What is counted, and that nothing is unless it is asked for; the server as its own process."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families
from starlette.types import ASGIApp

from aggregator.model.feed import SourceResult
from aggregator.model.results import Outcome, Publication
from aggregator.model.source import Source
from aggregator.service import metrics, web

Serving = Callable[[ASGIApp], AbstractContextManager[int]]

FEED = b"<rss>" + b"x" * 995


@pytest.fixture
def output(tmp_path: Path) -> Path:
    (tmp_path / "feed.xml").write_bytes(FEED)
    return tmp_path


def counts(body: str) -> dict[str, float]:
    return {
        sample.name + "".join(f" {value}" for _, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(body)
        for sample in family.samples
        if not sample.name.endswith(("_created", "_bucket"))
    }


def test_nothing_is_counted_unless_asked_for(output: Path, serving: Serving) -> None:
    with serving(web.app(output)) as port:
        assert requests.get(f"http://127.0.0.1:{port}/metrics", timeout=10).status_code == 404


def test_answers_are_counted_by_kind_and_status(output: Path, serving: Serving) -> None:
    with serving(web.app(output, meter=metrics.make_meter())) as port:
        top = f"http://127.0.0.1:{port}"
        tag = requests.get(f"{top}/feed.xml", timeout=10).headers["etag"]
        requests.get(f"{top}/feed.xml", headers={"if-none-match": tag}, timeout=10)
        requests.head(f"{top}/feed.xml", timeout=10)
        requests.get(f"{top}/nowhere/at/all.php", timeout=10)
        told = requests.get(f"{top}/metrics", timeout=10)
    assert told.headers["content-type"].startswith("text/plain; version=")
    assert told.headers["cache-control"] == "no-store"
    found = counts(told.text)
    assert found["aggregator_http_requests_total rss 200"] == 2
    assert found["aggregator_http_requests_total rss 304"] == 1
    assert found["aggregator_http_requests_total other 404"] == 1
    assert found["aggregator_http_sent_bytes_total"] == len(FEED) + len("not here\n")
    assert found["aggregator_http_seconds_count"] == 4


def test_strangers_cannot_make_new_labels(output: Path, serving: Serving) -> None:
    with serving(web.app(output, meter=metrics.make_meter())) as port:
        top = f"http://127.0.0.1:{port}"
        for number in range(30):
            requests.get(f"{top}/{number}.x{number}", timeout=10)
        told = counts(requests.get(f"{top}/metrics", timeout=10).text)
    assert len([name for name in told if "requests" in name]) == 1


def test_a_refresh_is_counted() -> None:
    meter = metrics.make_meter()
    health = tuple(SourceResult(Source(status, "feed"), status) for status in ("ok", "failed"))
    metrics.count_refresh(
        meter, [Outcome("show", published=Publication("", items=84), health=health)], datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert meter.registry.get_sample_value("aggregator_feed_items", {"feed": "show"}) == 84
    assert meter.registry.get_sample_value("aggregator_feed_silent_sources", {"feed": "show"}) == 1
    assert meter.registry.get_sample_value("aggregator_feed_refreshed_seconds", {"feed": "show"}) == 1767225600


def test_the_server_serves_until_it_is_told_to_stop(output: Path, free_port: int) -> None:
    program = "from pathlib import Path; from aggregator.service import web; "
    program += f"web.make_server(Path({str(output)!r})).run(sockets=web.open_port('127.0.0.1', {free_port}))"
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE) as server:
        try:
            assert answered(free_port) == (200, FEED)
            server.send_signal(signal.SIGTERM)
            assert server.wait(180) in (0, -signal.SIGTERM)
        finally:
            server.kill()
        assert server.stderr is not None
        assert b"Traceback" not in server.stderr.read()


def answered(port: int) -> tuple[int, bytes]:
    """What the server says once it is up, at most 180 s from now."""
    end = time.monotonic() + 180
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", "/feed.xml")
            answer = connection.getresponse()
            return answer.status, answer.read()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)
        finally:
            connection.close()
