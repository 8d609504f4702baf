"""What a visitor may send in a form before it costs others more than their share, against a real server on loopback."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests

from aggregator.service.desk import access
from tests.integration.service.desk.conftest import Visitor, opened
from tests.support.waiting import wait_for

RIGHT = "open sesame"
FIELDS = "application/x-www-form-urlencoded"
PARTS = "multipart/form-data; boundary=b"


@pytest.fixture(scope="module")
def locked(refreshed: Path) -> Iterator[Visitor]:
    """A stranger before a desk with a password."""
    with opened(refreshed, password=access.hash_password(RIGHT)) as visitor:
        yield visitor


def nest(depth: int) -> bytes:
    """Parts of a form within each other."""
    return b"".join(b"--b%d\r\ncontent-type: multipart/mixed; boundary=b%d\r\n\r\n" % (n, n + 1) for n in range(depth))


HOSTILE = [
    (FIELDS, b"a&" * 30_000, 400),
    (FIELDS, b"a=" + b"%" * 900_000, 403),
    (FIELDS, b"a" * 1_000_001, 413),
    (PARTS, b"--b\r\n\r\n" * 30_000, 400),
    (PARTS + "0", nest(3000), 400),
    (PARTS, b"--b\r\ncontent-disposition: form-data" + b";a=1" * 1_500_000, 400),
    (PARTS, b'--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n' + b"a" * 4_000_001 + b"\r\n--b--", 400),
    (PARTS, b'--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n' + b"\r\n--" * 1_900_000 + b"\r\n--b--", 400),
    ("multipart/form-data", b"x", 400),
    (PARTS, b"x" * 8_000_001, 413),
]


@pytest.mark.parametrize(("media_type", "body", "status"), HOSTILE)
def test_a_hostile_form_is_refused_and_others_are_answered_meanwhile(
    looker: Visitor, media_type: str, body: bytes, status: int
) -> None:
    slowest, done = 0.0, threading.Event()

    def ask_others() -> None:
        nonlocal slowest
        while not done.wait(0.05):
            began = time.process_time()
            assert requests.get(f"{looker.url}/healthz", timeout=60).status_code == 200
            slowest = max(slowest, time.process_time() - began)

    other = threading.Thread(target=ask_others)
    other.start()
    began = time.process_time()
    answer = looker.session.post(
        f"{looker.url}/desk/import/read", data=body, headers={"content-type": media_type}, timeout=60
    )
    spent = time.process_time() - began
    done.set()
    other.join()
    assert answer.status_code == status
    assert spent < 4  # the server is a thread of this process
    assert slowest < 2  # processor seconds: others use the machine, too


@pytest.mark.parametrize(("media_type", "body", "_status"), HOSTILE)
@pytest.mark.parametrize("path", ["/login", "/logout", "/import/read", "/nowhere"])
def test_a_form_of_a_stranger_is_not_parsed(
    locked: Visitor, path: str, media_type: str, body: bytes, _status: int
) -> None:
    began = time.process_time()
    answer = locked.session.post(
        f"{locked.url}/desk{path}", data=body, headers={"content-type": media_type}, timeout=60
    )
    assert answer.status_code == ((413 if len(body) > 4096 else 400) if path == "/login" else 401)
    assert time.process_time() - began < 0.5


def test_a_stranger_who_does_not_say_how_much_he_sends_is_cut_off(locked: Visitor) -> None:
    pieces = iter([b"a" * 3_000] * 2)
    answer = locked.session.post(f"{locked.url}/desk/login", data=pieces, headers={"content-type": FIELDS}, timeout=60)
    assert answer.status_code == 413


def test_the_password_is_still_taken(locked: Visitor) -> None:
    visitor = Visitor(locked.url, locked.desk)
    visitor.get()
    assert visitor.press("Enter", password=RIGHT).status_code == 200


def test_all_forms_together_have_a_limit(looker: Visitor) -> None:
    host, _, port = looker.url.removeprefix("http://").partition(":")
    head = "POST /desk/import/read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7900000\r\n"
    head += f"Content-Type: {PARTS}\r\n\r\n"

    def is_refused() -> bool:
        with ExitStack() as lines:
            for _ in range(3):  # none of them ends, and each is closed after some seconds
                line = lines.enter_context(socket.create_connection((host, int(port)), timeout=30))
                line.sendall(head.encode() + b"a" * 7_800_000)
            return any(send_list(looker) == 503 for _ in range(5))

    wait_for(is_refused)
    wait_for(lambda: send_list(looker) == 200)


def send_list(visitor: Visitor) -> int:
    """Send an OPML file of 1 MB as a browser does, and return the status of the answer."""
    visitor.get("/import")
    [form] = [each for each in visitor.forms() if each["action"] == "/desk/import/read"]
    body = b"<opml><body>" + b" " * 1_000_000 + b'<outline xmlUrl="https://a.example/feed" text="A"/></body></opml>'
    answer = visitor.session.post(
        f"{visitor.url}/desk/import/read", data={"token": form["token"]}, files={"file": ("a.opml", body)}, timeout=60
    )
    assert answer.status_code != 200 or "https://a.example/feed" in answer.text
    return answer.status_code
