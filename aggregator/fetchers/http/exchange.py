"""A poll as it is asked for, and each request of it: its target, its budget, and what is permitted at its host."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

from msgspec import Struct

from aggregator.errors import FetchError, UnansweredError
from aggregator.fetchers.http.target import Target
from aggregator.model.source import PollState, Source

Headers = tuple[tuple[str, str], ...]


class PollRequest(Struct, frozen=True):
    """A poll of the address of a poll state, for a source; ``now`` is the clock of the run, by which all is decided.

    With ``force`` it is asked though it is not due. ``found_by`` is the address of the document that names this one,
    ``None`` if the config does: then its robots.txt is always obeyed, and it may have a private address only at the
    host that the config names, else a document could have us send requests to a private network. ``own_fields`` are
    header fields for the origin of the address alone: they are sent neither after a redirect to another origin nor to
    one that the address has permanently moved to. ``secrets`` are the names and values for ``${NAME}`` in an address
    that the config names; the answer has names.
    """

    source: Source
    poll_state: PollState
    now: datetime
    force: bool = False
    found_by: str | None = None
    own_fields: Headers = ()
    secrets: tuple[tuple[str, str], ...] = ()


class Meter(Struct):
    """Budget of one fetch: its deadline (`time.monotonic`), and the bytes left on the wire.

    ``reached`` is whether any origin took a connection, or refused it itself; ``redirected`` is whether one led on.
    """

    deadline: float
    bytes_left: int
    reached: bool = False
    redirected: bool = False

    def seconds_left(self) -> float:
        """Return the seconds left, above 0; UnansweredError if there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise UnansweredError("took longer than its deadline")
        return left

    def count(self, size: int) -> int:
        """Return the size once it is taken off what is left; FetchError if it is more."""
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise FetchError("sent more bytes than are taken")
        return size


class Access(Struct, frozen=True):
    """Permissions of the config for a source's own host alone.

    ``networks`` are private networks (CIDR) that it may be in. ``ca`` is a file with a certificate that is trusted
    there, too (PEM), ``None`` if there is none.
    """

    networks: tuple[str, ...] = ()
    ca: str | None = None


class Exchange(Struct, frozen=True):
    """One request as its connection needs it: target, budget, and rules for connecting.

    ``proxy`` is the one that all connections are made through; ``None`` if they are made from here.
    """

    where: Target
    meter: Meter
    access: Access = Access()
    proxy: Target | None = None


Permit = Callable[[Target, Meter, Access], None]
"""Called before each hop, with what is permitted there; BarredError if a robots.txt forbids it."""
