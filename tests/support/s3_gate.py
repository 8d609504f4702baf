"""A way to an S3 server on which writes can be held, as by a slow network, and answers lost."""

from __future__ import annotations

import http.client
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

HELD_SECONDS = 300


class Gate:
    """While ``opened`` is not set, PUT requests wait; ``is_held`` is set by the first that does.

    Those whose client has given up are passed on, too, when it is set: ``under_way`` has them until then.
    ``loses`` decides by method and path, and how often that was asked, whether an answer is lost, and ``refuses`` by
    method whether a request is.
    """

    def __init__(self, server: str) -> None:
        """Pass requests on to the server at the address."""
        self.opened, self.is_held, self._to = threading.Event(), threading.Event(), urlsplit(server).netloc
        self.opened.set()
        self.asked: Counter[tuple[str, str]] = Counter()
        self.under_way: set[object] = set()
        self.loses: Callable[[str, str, int], bool] = lambda *_: False
        self.refuses: Callable[[str], bool] = lambda _: False

    def wait(self) -> None:
        """Wait as a PUT request does."""
        if not self.opened.is_set():
            self.is_held.set()
            self.opened.wait(HELD_SECONDS)

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        """Pass a request on, with the host name that was signed; return status, headers and content of the answer."""
        with closing(http.client.HTTPConnection(self._to)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()


@contextmanager
def running_gate(server: str) -> Iterator[tuple[Gate, str]]:
    """Give a gate before the server, and its own address."""
    gate = Gate(server)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self) -> None:
            gate.under_way.add(self)
            try:
                self.answer()
            finally:
                gate.under_way.discard(self)

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            if self.command == "PUT":
                gate.wait()
            if gate.refuses(self.command):
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            status, headers, content = gate.ask(self.command, self.path, dict(self.headers), body)
            asked = (self.command, self.path)
            gate.asked[asked] += 1
            if gate.loses(*asked, gate.asked[asked]):
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in {"transfer-encoding", "content-length", "connection"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", f"{len(content)}")
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = pass_on  # noqa: N815 - the names of BaseHTTPRequestHandler

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        try:
            yield gate, f"http://127.0.0.1:{listening.server_port}"
        finally:
            gate.opened.set()
            listening.shutdown()
