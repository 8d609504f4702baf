"""How origins are asked: apart from who asks them, so that a run that asks nobody need not load the network."""

from __future__ import annotations

from msgspec import Struct

from aggregator.fetchers.http.polling import Pace


class Policy(Struct, frozen=True):
    """How origins are asked, the same for a whole run.

    ``contact`` is the address in the User-Agent. ``allow_networks`` are the private networks (CIDR) that may be
    reached besides what is public. ``deadline`` is in seconds for one poll, redirects and all. ``raw_bytes`` are
    counted on the wire, headers too, ``decoded_bytes`` after decompression. ``host_concurrency`` and ``host_rate``
    (requests a second) are for one host and port. ``ca_files`` are certificates trusted besides the usual.
    ``proxy`` is the address of one that all connections are made through, empty for none; the environment names none.
    ``obey_robots`` is whether a robots.txt is obeyed for addresses that the config names, too: the gate sees to it.
    """

    contact: str = ""
    allow_networks: tuple[str, ...] = ()
    deadline: float = 30.0
    raw_bytes: int = 32 * 1024 * 1024
    decoded_bytes: int = 64 * 1024 * 1024
    hops: int = 5
    host_concurrency: int = 2
    host_rate: float = 10.0
    pace: Pace = Pace()  # frozen, so one may be shared
    ca_files: tuple[str, ...] = ()
    proxy: str = ""
    obey_robots: bool = False
