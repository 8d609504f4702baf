"""Requests a second for one feed of 300 kB: this program's server beside nginx, on the same files, in the same run.

    python benchmarks/serving.py [--seconds 4] [--rounds 3] [--connections 32]

Each server gets one core and one worker; wrk loads it from the other core. The rounds alternate between the servers
and the best of each is printed, so that what else the machine does falls on both. "A core" is requests for each second
of CPU that the server used: it hardly moves with the machine's other load. Needs nginx, wrk and taskset.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from aggregator.generator import files
from aggregator.generator.content.prepared import prepare
from aggregator.generator.feed_files import render_files
from aggregator.model.entry import Duration, Enclosure, Moment
from aggregator.model.feed import Channel, Feed
from aggregator.model.item import Item

SIZE = 300_000
SERVER_CORE, LOAD_CORE = "0", "1"
# Seconds for a server to start where other work has most of its core.
PATIENCE = 120
SERVE = (
    "from pathlib import Path; from aggregator.service import web; "
    "web.make_server(Path({root!r})).run(sockets=web.open_port('127.0.0.1', {port}))"
)
NGINX = """
daemon off; worker_processes 1; pid {home}/nginx.pid; error_log {home}/error.log; events {{ worker_connections 1024; }}
http {{
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=100;
  client_body_temp_path {home}/b; proxy_temp_path {home}/p; fastcgi_temp_path {home}/f; uwsgi_temp_path {home}/u;
  scgi_temp_path {home}/s;
  types {{ application/rss+xml xml; }} gzip_static on; gzip_vary on;
  server {{ listen 127.0.0.1:{port}; root {root}; add_header Cache-Control "public, max-age=300"; }}
}}
"""


class Score(NamedTuple):
    """What was measured: requests a second, and for each second of the server's CPU; the 99th percentile in ms."""

    rate: float
    core: float
    worst: float
    failed: int


class Target(NamedTuple):
    """A server: its process and the address to ask."""

    process: int
    url: str


def sample(size: int) -> Feed:
    """Return a feed whose RSS is about that many bytes and packs as show notes do: 300 kB to about 80 kB."""
    chance = random.Random(7)  # noqa: S311 - the same text in every run
    words = ["".join(chance.choices("etaoinshrdlucmfwypvbgkq", k=chance.randint(2, 11))) for _ in range(9000)]
    start = datetime(2024, 1, 1, tzinfo=UTC)

    def notes(number: int) -> str:
        return " ".join(chance.choices(words, k=120 + number % 60))

    def item(number: int) -> Item:
        return Item(
            title=f"Episode {number}: {notes(number)[:40]}",
            entries=(f"host/{number}",),
            guid=f"bench-{number}",
            description=notes(number),
            published=Moment(start + timedelta(days=number)),
            duration=Duration(1800 + number),
            enclosure=Enclosure(f"https://media.example/{number}.mp3", "audio/mpeg", 20_000_000 + number),
        )

    channel = Channel("bench", "Benchmark", "http://127.0.0.1/bench", description="x", link="https://x.example")
    few = Feed(channel, tuple(item(number) for number in range(60)), start)
    each = len(dict(render_files(prepare(few)))["podcast.xml"]) / len(few.items)
    return Feed(channel, tuple(item(number) for number in reversed(range(round(size / each)))), start)


@contextmanager
def running(command: Sequence[str], port: int) -> Iterator[int]:
    """Return the process id of a server on its core, from its first answer to the end of the block."""
    with subprocess.Popen(["taskset", "-c", SERVER_CORE, *command], stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + PATIENCE
            while not answers(port):
                if process.poll() is not None or time.monotonic() > end:
                    sys.exit(f"{command[0]} does not answer on port {port}")
                time.sleep(0.05)
            yield process.pid
        finally:
            process.terminate()


def answers(port: int) -> bool:
    """Whether somebody listens on a port of loopback."""
    try:
        socket.create_connection(("127.0.0.1", port), 0.2).close()
    except OSError:
        return False
    return True


def sizes(folder: Path) -> dict[str, int]:
    """Return the bytes of each file of a folder."""
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


def free_port() -> int:
    """Return a port of loopback that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number: int = listener.getsockname()[1]
        return number


def tag(url: str, headers: Mapping[str, str]) -> str:
    """Return the entity tag of an address."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=dict(headers)), timeout=10) as answer:  # noqa: S310
        return str(answer.headers["ETag"])


def used(process: int) -> float:
    """Seconds of CPU that a process and its children used so far (Linux, proc(5): fields 14 and 15 of stat)."""
    home = Path("/proc") / str(process)
    fields = (home / "stat").read_text(encoding="ascii").rpartition(")")[2].split()
    children = (home / "task" / str(process) / "children").read_text(encoding="ascii").split()
    own = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own + sum(used(int(child)) for child in children)


def load(target: Target, headers: Mapping[str, str], seconds: int, connections: int) -> Score:
    """One run of wrk against one server."""
    before = used(target.process)
    given = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    command = [
        "taskset",
        "-c",
        LOAD_CORE,
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--latency",
        *given,
        target.url,
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 30).stdout
    spent = used(target.process) - before
    count = re.search(r"(\d+) requests in", printed)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", printed)
    worst = re.search(r"99%\s+([\d.]+)(us|ms|s)", printed)
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", printed)
    assert count is not None, printed
    assert rate is not None, printed
    assert worst is not None, printed
    scale = {"us": 0.001, "ms": 1.0, "s": 1000.0}[worst[2]]
    return Score(float(rate[1]), int(count[1]) / spent, float(worst[1]) * scale, int(failed[1]) if failed else 0)


def measure(seconds: int, rounds: int, connections: int) -> dict[str, dict[str, Score]]:
    """Return the best of each server for each way of asking."""
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="aggregator-bench-")))
        root = home / "output"
        body = dict(render_files(prepare(sample(SIZE))))["podcast.xml"]
        files.publish(root / "bench", {"podcast.xml": body}, compress=True)
        (home / "nginx.conf").write_text(
            NGINX.format(home=home, port=(other := free_port()), root=root), encoding="utf-8"
        )
        home.chmod(0o755)
        ours = free_port()
        commands = {
            "aggregator": ([sys.executable, "-c", SERVE.format(port=ours, root=str(root))], ours),
            "nginx": (["nginx", "-e", f"{home}/error.log", "-c", str(home / "nginx.conf")], other),
        }
        targets = {
            name: Target(stack.enter_context(running(command, port)), f"http://127.0.0.1:{port}/bench/podcast.xml")
            for name, (command, port) in commands.items()
        }
        print(
            f"files: {sizes(root / 'bench')}; connections: {connections}; {rounds} rounds of {seconds} s",
            file=sys.stderr,
        )
        scores: dict[str, dict[str, Score]] = {name: {} for name in targets}
        for _ in range(rounds):
            for name, target in targets.items():
                for way, score in ways(target, seconds, connections).items():
                    known = scores[name].get(way, score)
                    scores[name][way] = Score(
                        max(score.rate, known.rate),
                        max(score.core, known.core),
                        min(score.worst, known.worst),
                        score.failed + (known.failed if known is not score else 0),
                    )
        return scores


def ways(target: Target, seconds: int, connections: int) -> dict[str, Score]:
    """Each way of asking, once: whole, packed, and with the tag the client has."""
    packed = {"Accept-Encoding": "gzip"}
    asked: dict[str, dict[str, str]] = {
        "200": {},
        "gzip": packed,
        "304": {**packed, "If-None-Match": tag(target.url, packed)},
    }
    return {way: load(target, headers, seconds, connections) for way, headers in asked.items()}


def main() -> None:
    """Print the table, and the same as JSON with ``--json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    missing = [program for program in ("nginx", "wrk", "taskset") if shutil.which(program) is None]
    if missing or (os.cpu_count() or 1) < 2:
        sys.exit(f"needs two cores and {', '.join(missing) or 'nothing more'}")
    scores = measure(given.seconds, given.rounds, given.connections)
    if given.json:
        print(
            json.dumps({name: {way: score._asdict() for way, score in told.items()} for name, told in scores.items()})
        )
        return
    print("| server | way | requests/s | a core | p99 ms | failed |\n|-|-|-:|-:|-:|-:|")
    for name, told in scores.items():
        for way, score in told.items():
            print(f"| {name} | {way} | {score.rate:,.0f} | {score.core:,.0f} | {score.worst:.1f} | {score.failed} |")


if __name__ == "__main__":
    main()
