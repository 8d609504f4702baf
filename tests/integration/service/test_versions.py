"""What clients get while new versions are published; against a real server on loopback."""

from __future__ import annotations

import gzip
import hashlib
import threading
import time
from email.utils import formatdate
from pathlib import Path

from aggregator.service import web
from tests.support.web import FEED, THEN, Ask, Publish, Serving


def test_a_new_version_is_seen_at_once_even_of_equal_size_and_second(
    tmp_path: Path, serving: Serving, ask: Ask, publish: Publish
) -> None:
    publish(tmp_path, "feed.xml", b"<a>1</a>", THEN)
    with serving(web.app(tmp_path)) as number:
        first = ask(number, "/feed.xml", accept_encoding="gzip")
        publish(tmp_path, "feed.xml", b"<a>2</a>", THEN)
        second = ask(number, "/feed.xml", accept_encoding="gzip", if_none_match=first.headers["etag"])
        assert second.status == 200
        assert gzip.decompress(second.body) == b"<a>2</a>"


def test_the_tag_outlives_a_restart_and_a_rewrite_of_the_same_bytes(
    tmp_path: Path, serving: Serving, ask: Ask, publish: Publish
) -> None:
    publish(tmp_path, "feed.xml", FEED, THEN)
    with serving(web.app(tmp_path)) as number:
        first = ask(number, "/feed.xml").headers["etag"]
    publish(tmp_path, "feed.xml", FEED, THEN + 60)
    with serving(web.app(tmp_path)) as number:
        assert ask(number, "/feed.xml", if_none_match=first).status == 304


def test_a_packed_form_of_another_version_is_not_offered(
    tmp_path: Path, serving: Serving, ask: Ask, publish: Publish
) -> None:
    publish(tmp_path, "feed.xml", b"<a>old</a>", THEN)
    (tmp_path / "feed.xml").write_bytes(b"<a>new</a>")
    with serving(web.app(tmp_path)) as number:
        answer = ask(number, "/feed.xml", accept_encoding="gzip, br")
        assert (answer.headers.get("content-encoding"), answer.body) == (None, b"<a>new</a>")
        publish(tmp_path, "feed.xml", b"<a>new</a>", THEN + 60)
        assert ask(number, "/feed.xml", accept_encoding="gzip, br").headers["content-encoding"] == "gzip"


def test_a_file_that_left_is_not_served_from_memory(
    tmp_path: Path, serving: Serving, ask: Ask, publish: Publish
) -> None:
    publish(tmp_path, "feed.xml", FEED)
    with serving(web.app(tmp_path)) as number:
        assert ask(number, "/feed.xml").status == 200
        (tmp_path / "feed.xml").unlink()
        assert ask(number, "/feed.xml").status == 404


def test_a_time_ahead_of_the_clock_is_not_said(tmp_path: Path, serving: Serving, ask: Ask, publish: Publish) -> None:
    publish(tmp_path, "feed.xml", FEED, int(time.time()) + 3600)
    with serving(web.app(tmp_path)) as number:
        answer = ask(number, "/feed.xml")
        assert "last-modified" not in answer.headers
        assert ask(number, "/feed.xml", if_modified_since=formatdate(time.time() + 7200, usegmt=True)).status == 200


def test_no_answer_is_half_old_and_half_new_while_publishing(
    tmp_path: Path, serving: Serving, ask: Ask, publish: Publish
) -> None:
    versions = [bytes([65 + number]) * 40_000 for number in range(12)]
    publish(tmp_path, "feed.xml", versions[0], THEN)
    stop = threading.Event()

    def keep_publishing() -> None:
        for number in range(1, 200):
            if stop.is_set():
                return
            publish(tmp_path, "feed.xml", versions[number % 12], THEN + number)

    with serving(web.app(tmp_path)) as number:
        writer = threading.Thread(target=keep_publishing)
        writer.start()
        for turn in range(150):
            answer = ask(number, "/feed.xml", accept_encoding=("gzip", "identity")[turn % 2])
            packed = answer.headers.get("content-encoding") == "gzip"
            body = gzip.decompress(answer.body) if packed else answer.body
            assert body in versions
            assert answer.headers["etag"].startswith(f'"{hashlib.sha256(body).hexdigest()[:32]}')
        stop.set()
        writer.join()
