"""Ports for programs that must be told one."""

from __future__ import annotations

import secrets
import socket


def find_port() -> int:
    """Find a port that nobody listens at, below those that Linux gives to whoever asks for any, or to an outgoing call.

    One of those may be somebody's before the program under test takes it (ip_local_port_range: 32768 and above).
    """
    while True:
        port = 20_000 + secrets.randbelow(12_000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
