"""A proxy on loopback that makes tunnels, and writes down who asked for them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """A proxy that makes tunnels, or gives one answer to whoever wants one; ``asked`` are the heads that came.

    ``public`` are addresses that stand for origins on loopback.
    """

    reply: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n"
    asked: list[str] = field(default_factory=list)
    port: int = 0
    public: tuple[str, ...] = ()

    def url(self, login: str = "") -> str:
        return f"http://{login}127.0.0.1:{self.port}"


def passed(here: socket.socket, there: socket.socket) -> None:
    with suppress(OSError):
        while data := here.recv(65_536):
            there.sendall(data)
    with suppress(OSError):
        there.shutdown(socket.SHUT_WR)


def tunnel(proxy: Proxy, client: socket.socket) -> None:
    with client, suppress(OSError):
        client.settimeout(120)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (more := client.recv(1)):
                return
            head += more
        proxy.asked.append(head.decode())
        client.sendall(proxy.reply)
        if not proxy.reply.startswith(b"HTTP/1.1 200 Connection"):
            return
        host, _, port = head.split()[1].decode().rpartition(":")
        end = "127.0.0.1" if host in proxy.public else host.strip("[]")
        with socket.create_connection((end, int(port))) as there:
            back = threading.Thread(target=passed, args=(there, client))
            back.start()
            passed(client, there)
            back.join()


@contextmanager
def proxying(proxy: Proxy) -> Iterator[Proxy]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy.port = listener.getsockname()[1]

        def serve() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listener.accept()
                    threading.Thread(target=tunnel, args=(proxy, client), daemon=True).start()

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        yield proxy
        listener.shutdown(socket.SHUT_RDWR)
        server.join(60)
