"""An origin on loopback for the benchmarks: every file of a folder, with validators or not, by several hosts.

python benchmarks/origin.py FOLDER [--forget]     prints its port; --forget never answers 304; its time is not counted
"""

from __future__ import annotations

import hashlib
import http.server
import json
import sys
import threading
from collections import Counter
from functools import cache
from pathlib import Path
from typing import ClassVar

ANSWERS = "/-/answers"
HOSTS = [f"127.0.0.{number}" for number in range(1, 26)]  # so that nobody's manners towards one host are measured


@cache
def body(path: Path, _changed: int) -> tuple[bytes, str]:
    """Return the file and its entity tag, read once for each time it changed."""
    data = path.read_bytes()
    return data, f'"{hashlib.blake2b(data, digest_size=8).hexdigest()}"'


class Handler(http.server.BaseHTTPRequestHandler):
    """GET, with a connection kept."""

    protocol_version = "HTTP/1.1"
    folder = Path()
    forgets = False
    answers: ClassVar[Counter[int]] = Counter()

    def do_GET(self) -> None:
        """Send the file, or 304 to who has it; at /-/answers, how often each status was sent since this was asked."""
        if self.path == ANSWERS:
            self._tell()
            return
        path = self.folder / self.path.rpartition("/")[2].partition("?")[0]
        if not path.is_file():
            self.send_error(404)
            return
        data, tag = body(path, path.stat().st_mtime_ns)
        known = not self.forgets and self.headers.get("If-None-Match") == tag
        status = 304 if known else 200
        self.answers[status] += 1
        self.send_response(status)
        if not self.forgets:
            self.send_header("ETag", tag)
        self.send_header("Content-Type", "application/rss+xml")
        self.send_header("Content-Length", "0" if known else str(len(data)))
        self.end_headers()
        if not known:
            self.wfile.write(data)

    def _tell(self) -> None:
        said = json.dumps(self.answers).encode()
        self.answers.clear()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main() -> None:
    """Serve until killed."""
    Handler.folder, Handler.forgets = Path(sys.argv[1]), "--forget" in sys.argv
    http.server.ThreadingHTTPServer.daemon_threads = True
    server = http.server.ThreadingHTTPServer((HOSTS[0], 0), Handler)
    for host in HOSTS[1:]:
        other = http.server.ThreadingHTTPServer((host, server.server_port), Handler)
        threading.Thread(target=other.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
