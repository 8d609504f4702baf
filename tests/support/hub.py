"""A WebSub hub on loopback: it takes subscriptions, verifies them by calling back, and distributes what changed."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.support.origin import Request
from tests.support.receiver import Receiver, receiving


def call(url: str, method: str = "GET", body: bytes = b"", **fields: str) -> tuple[int, bytes]:
    """The status and the body of an answer."""
    parts = urlsplit(url)
    line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    try:
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        line.request(method, path, body or None, {name.replace("_", "-"): value for name, value in fields.items()})
        got = line.getresponse()
        return got.status, got.read()
    finally:
        line.close()


@dataclass(kw_only=True)
class Hub(Receiver):
    """A hub and its subscriptions, by topic.

    It verifies the requests that it took with ``lease`` seconds, by a call of its own, and keeps what it was asked in
    ``asked``; with ``denies`` it refuses in place of verifying. With ``verifies_first`` it answers only after that.
    """

    status: int = 202
    lease: int = 864_000
    denies: bool = False
    verifies_first: bool = False
    asked: list[dict[str, str]] = field(default_factory=list)
    subscriptions: dict[str, dict[str, str]] = field(default_factory=dict)
    threads: list[threading.Thread] = field(default_factory=list)

    @property
    def address(self) -> str:
        return self.url("/hub")

    def take(self, request: Request) -> None:
        form = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        assert request.method == "POST"
        self.asked.append(form)
        if self.status == 202:
            thread = threading.Thread(target=self._verify, args=(form,), daemon=True)
            self.threads.append(thread)
            thread.start()
            if self.verifies_first:
                thread.join(60)

    def _verify(self, form: dict[str, str]) -> None:
        mode, topic, callback = form["hub.mode"], form["hub.topic"], form["hub.callback"]
        if self.denies:
            query = {"hub.mode": "denied", "hub.topic": topic, "hub.reason": "not here"}
            assert call(f"{callback}?{urlencode(query)}")[0] == 200
            return
        query = {
            "hub.mode": mode,
            "hub.topic": topic,
            "hub.challenge": "ch4llenge",
            "hub.lease_seconds": str(self.lease),
        }
        if call(f"{callback}?{urlencode(query)}") != (200, b"ch4llenge"):
            return
        if mode == "subscribe":
            self.subscriptions[topic] = form
        else:
            self.subscriptions.pop(topic, None)

    def settle(self) -> None:
        """Wait until everything is verified."""
        for thread in self.threads:
            thread.join(60)

    def distribute(self, topic: str, body: bytes, *, method: str = "sha256", secret: str | None = None) -> int:
        """Send what changed to the subscriber, and return its answer; with another secret the signature is wrong."""
        known = self.subscriptions[topic]
        signed = hmac.new((secret or known["hub.secret"]).encode(), body, getattr(hashlib, method)).hexdigest()
        return call(known["hub.callback"], "POST", body, X_Hub_Signature=f"{method}={signed}")[0]


@contextmanager
def running_hub() -> Iterator[Hub]:
    """A hub that answers until the block ends."""
    with receiving(Hub()) as hub:
        yield hub
        hub.settle()
