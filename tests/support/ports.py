"""Ports for programs that must be told one."""

from __future__ import annotations

import itertools
import os
import secrets
import socket

_WORKERS, _EACH = 64, 187
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _WORKERS
_NUMBERS = itertools.count(_WORKER + _WORKERS * secrets.randbelow(_EACH), _WORKERS)
"""Those of this process: no worker of a run finds the port that another has found and not yet taken."""


def find_port() -> int:
    """Find a port that nobody listens at, below those that Linux gives to whoever asks for any, or to an outgoing call.

    One of those may be somebody's before the program under test takes it (ip_local_port_range: 32768 and above).
    """
    while True:
        port = 20_000 + next(_NUMBERS) % (_WORKERS * _EACH)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
