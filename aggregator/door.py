"""The way out of one run: the gate to every host and the children that read, made when the first source is due."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from threading import Lock

from msgspec import Struct, field

from aggregator.fetchers import nursery, policy, sandbox
from aggregator.fetchers.http import client, host_limits
from aggregator.model.source import Robots


class Door(Struct):
    """Shut until somebody goes through; may be used from several threads.

    ``contact``, ``networks``, ``proxy`` and ``obey_robots`` are what the config says of every question, ``held`` is
    which hosts asked for silence, ``recall`` what is remembered of a robots.txt, by its address. What a source lists at
    length waits on the disk of the folder ``beside``.
    """

    contact: str
    networks: tuple[str, ...]
    held: Mapping[str, datetime]
    recall: Callable[[str], Robots | None]
    proxy: str = ""
    obey_robots: bool = False
    beside: Path | None = None
    _gate: host_limits.Gate | None = None
    _children: sandbox.Pool | None = None
    _lock: Lock = field(default_factory=Lock)

    def policy(self) -> policy.Policy:
        """How every origin is asked in this run."""
        return policy.Policy(
            contact=self.contact, allow_networks=self.networks, proxy=self.proxy, obey_robots=self.obey_robots
        )

    def gate(self) -> host_limits.Gate:
        """The gate that all questions of this run go through."""
        with self._lock:
            self._gate = self._gate or host_limits.Gate(self.policy(), self.held, self.recall)
            return self._gate

    def news(self) -> tuple[Robots, ...]:
        """What was learned of robots.txt since this was last asked."""
        with self._lock:
            return self._gate.news() if self._gate else ()

    def children(self) -> sandbox.Pool:
        """The children that read for this run, one for each processor."""
        with self._lock:
            self._children = self._children or sandbox.Pool(nursery.Limits(), os.cpu_count() or 1, self.beside)
            return self._children

    def close(self) -> None:
        """End what was begun."""
        with self._lock:
            if self._children is not None:
                self._children.close()
            if self._gate is not None:
                client.close()
