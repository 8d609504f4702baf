"""A program on loopback that is told something: it answers with a status, and can be kept from answering."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from tests.support.origin import Origin, Request, answer, playing


@dataclass(kw_only=True)
class Receiver:
    """It takes each request, once its ``door`` is open, and answers with ``status``; ``came`` is set by each."""

    status: int = 200
    origin: Origin | None = None
    came: threading.Event = field(default_factory=threading.Event)
    door: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        assert self.origin
        return self.origin.url(path)

    def play(self, request: Request) -> bytes:
        self.came.set()
        assert self.door.wait(300)
        self.take(request)
        return answer(self.status, b"")

    def take(self, request: Request) -> None:
        """Keep what a request says."""


R = TypeVar("R", bound=Receiver)


@contextmanager
def receiving(receiver: R) -> Iterator[R]:
    """The receiver, its door open, until the block ends."""
    receiver.door.set()
    with playing(receiver.play) as receiver.origin:
        yield receiver
