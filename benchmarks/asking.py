"""What one question costs: CPU time for a 304 and for a 200 of equal bytes, 200 sources of one origin on loopback.

python benchmarks/asking.py     one after the other, all at once as a refresh has it, and by requests alone
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from functools import partial
from statistics import median

import requests

from aggregator.fetchers.http.host_limits import HostLimiter
from aggregator.fetchers.http.polling import Policy
from aggregator.model.source import Answer, PollState, Source

SOURCES, ROUNDS, NOON = 200, 7, datetime(2026, 11, 20, 12, tzinfo=UTC)
BODY = (
    b"<rss version='2.0'><channel><title>A show</title>"
    + b"<item><title>x</title></item>" * 1_400
    + b"</channel></rss>"
)
HEAD = b"HTTP/1.1 %s\r\nDate: Fri, 20 Nov 2026 12:00:00 GMT\r\nServer: x\r\nCache-Control: max-age=300\r\n"
POLICY = Policy("https://a.example/", ("127.0.0.0/8",), host_rate=1e6)


def serve(listener: socket.socket) -> None:
    """Answer for ever: /same never knows what was sent before."""
    while True:
        client, _ = listener.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=answer, args=(client,), daemon=True).start()


def answer(client: socket.socket) -> None:
    """Each request that comes on the connection, until it is closed."""
    came = b""
    while data := client.recv(65_536):
        came += data
        while b"\r\n\r\n" in came:
            head, _, came = came.partition(b"\r\n\r\n")
            known = b"If-None-Match" in head and b" /same" not in head
            tag = b"" if b" /same" in head else b'ETag: "one"\r\n'
            body = b"" if known else b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
            client.sendall(HEAD % (b"304 Not Modified" if known else b"200 OK") + tag + (body or b"\r\n"))


def cost(work: Callable[[], object]) -> float:
    """Milliseconds of CPU time for one source, the median of several rounds after a first one that does not count."""
    found = []
    for turn in range(ROUNDS + 1):
        begun = time.process_time()
        work()
        found += [time.process_time() - begun] * (turn > 0)
    return median(found) / SOURCES * 1_000


def asked(address: str, *, together: bool) -> float:
    """Measure polls as a refresh makes them, conditional from the second time on."""
    known = [PollState(f"{address}/{number}") for number in range(SOURCES)]
    now = [NOON]
    limiter = HostLimiter(POLICY)

    def poll(number: int) -> Future[Answer]:
        return limiter.poll(Source(f"{number}", "feed", known[number].url), known[number], now[0], force=True)

    def once() -> None:
        now[0] += timedelta(hours=2)
        if together:
            polls = [poll(number) for number in range(SOURCES)]
            known[:] = [each.result().poll_state for each in polls]
        else:
            known[:] = [poll(number).result().poll_state for number in range(SOURCES)]

    try:
        return cost(once)
    finally:
        limiter.close()


def plainly(session: requests.Session, urls: list[str]) -> None:
    """Return the same by requests alone."""
    for url in urls:
        session.get(url)


def main() -> None:
    """Print the table."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    if (child := os.fork()) == 0:
        serve(listener)
    try:
        with requests.Session() as session:
            session.headers["If-None-Match"] = '"one"'
            for name, path in (("304", "known"), ("200, equal bytes", "same")):
                urls = [f"{address}/{path}/{number}" for number in range(SOURCES)]
                by_requests = cost(partial(plainly, session, urls))
                ours = [asked(f"{address}/{path}", together=together) for together in (False, True)]
                print(f"{name}: {ours[0]:.3f} ms, all at once {ours[1]:.3f} ms; requests {by_requests:.3f} ms")
    finally:
        os.kill(child, signal.SIGKILL)


if __name__ == "__main__":
    main()
