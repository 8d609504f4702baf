"""What a question waits for, said and not waited for: so one thread waits for the answers of many (`rounds`).

A question is a generator. What it yields is what it waits for, and it goes on once that has come; what stands between
two of them keeps nobody waiting. Where nobody has others to wait for meanwhile, :func:`answered` waits for one alone.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from concurrent.futures import Future
from socket import socket
from typing import TypeVar

from msgspec import Struct

R = TypeVar("R")


class Wait(Struct, frozen=True):
    """To go on at a moment (`time.monotonic`), or before it, once something has come over the line."""

    until: float
    line: socket | None = None


ALONE = Wait(0.0)
"""To go on in a thread of one's own: what follows may take its time (a name, a new connection, a body)."""

Asking = Generator[Wait | Future[None], None, R]
"""A question on its way; a Future is a place that somebody else makes free."""


def answered(asking: Asking[R]) -> R:
    """What the question came to, waited for in this thread; a line is waited for by whoever reads from it."""
    while True:
        try:
            wait = next(asking)
        except StopIteration as done:
            answer: R = done.value
            return answer
        if isinstance(wait, Future):
            wait.result()
        elif wait.line is None and (pause := wait.until - time.monotonic()) > 0:
            time.sleep(pause)
