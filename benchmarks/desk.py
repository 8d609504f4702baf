"""How long the pages of the desk take: `python -m benchmarks.desk [feeds] [items]`, by default 200 of 1,000 items.

One feed of three sources is refreshed by the program; its rows and files are copied for the others. Each page is asked
for in another feed each time, so that nothing of it is in memory. Then the same while a feed is refreshed.
"""

from __future__ import annotations

import argparse
import gc
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import escape
from pathlib import Path
from urllib.parse import quote

import msgspec
import requests
from sqlalchemy import delete, insert, select

from aggregator.config.load import load
from aggregator.model.source import Poll
from aggregator.refresh import GC_THRESHOLDS
from aggregator.service import web
from aggregator.service.desk import app
from aggregator.service.desk.frame import Desk, now
from aggregator.store import checksums, database, schema
from benchmarks.warm import START, episode

SOURCES = ("host", "mirror", "directory")
ROUNDS = 9


def write_listings(folder: Path, items: int) -> None:
    """Write the documents of three sources: all have the same items, one cuts their texts."""
    for name in SOURCES:
        entries = []
        for number in range(items):
            title, text = episode(number)
            at = START + timedelta(days=number, minutes=number % 600)
            entries.append(
                f"<item><title>{escape(title)}</title><guid isPermaLink='false'>{name}-{number}</guid>"
                f"<pubDate>{at:%a, %d %b %Y %H:%M:%S} GMT</pubDate><link>https://{name}.example/{number}</link>"
                f"<description>{escape(text[: 200 if name == 'directory' else 2000])}</description>"
                f"<enclosure url='https://{name}.example/{number}.mp3' type='audio/mpeg' length='9'/></item>"
            )
        head = "<rss version='2.0'><channel><title>A Show of Words</title><link>https://a.example/</link>"
        head += "<description>Words.</description>"
        (folder / f"{name}.xml").write_text(f"{head}{''.join(reversed(entries))}</channel></rss>")


def write_config(folder: Path, feeds: int) -> None:
    """Write a config of so many feeds of the same sources."""
    sources = "".join(f"      {name}: {{kind: feed, path: {name}.xml}}\n" for name in SOURCES)
    lines = [f"  show-{number}:\n    title: Show {number}\n    sources:\n{sources}" for number in range(feeds)]
    (folder / "config.yaml").write_text("feeds:\n" + "".join(lines))


def multiply(folder: Path, feeds: int) -> None:
    """Copy the rows and files of the first feed for all others."""
    config = load(folder / "config.yaml")
    with database.open_store(config.state) as store, database.writing(store) as connection:
        polls = msgspec.msgpack.encode([Poll(number, "ok", 200, 90_000, 120, 9) for number in range(100)])
        connection.execute(schema.polls.update().values(value=polls))
        today = now().date()
        days = [(today - timedelta(days=back)).isoformat() for back in range(90)]
        given = {"feed": "show-0", "polls": 24, "failures": 1, "answers": 23, "milliseconds": 5000, "slowest": 900}
        connection.execute(delete(schema.poll_days))
        rows = [{**given, "day": day, "source": name} for day in days for name in SOURCES]
        connection.execute(insert(schema.poll_days), rows)
        for table in schema.metadata.sorted_tables:
            if "feed" not in table.c or table is schema.cache:
                continue
            rows = [dict(row) for row in connection.execute(select(table).where(table.c.feed == "show-0")).mappings()]
            for number in range(1, feeds):
                named = [{**row, "feed": f"show-{number}"} for row in rows]
                if table is schema.facts:
                    named = [{**row, "value": row["value"].replace(b"show-0", b"show-%d" % number)} for row in named]
                for row in named:
                    row.pop("number", None)
                summed = [checksums.add(table, row) for row in named] if "checksum" in table.c else named
                for some in database.batches(summed):
                    connection.execute(insert(table), some)
        checksums.write_all_sums(connection)
    for number in range(1, feeds):
        shutil.copytree(config.output.path / "show-0", config.output.path / f"show-{number}")


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve the desk on loopback, as ``aggregator serve`` does."""
    gc.set_threshold(*GC_THRESHOLDS)
    config = load(folder / "config.yaml")
    sockets = web.open_port("127.0.0.1", 0)
    routes = app.mount(Desk(config))
    server = web.make_server(config.output.path, routes=routes)
    threading.Thread(target=server.run, kwargs={"sockets": sockets}, daemon=True).start()
    yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}/desk"


def list_pages(folder: Path, number: int) -> dict[str, str]:
    """Return the address of each page, in the feed of this number."""
    feed = f"/feeds/show-{number}"
    guid = json.loads((folder / f"output/show-{number}/report.json").read_bytes())["items"][number]["guid"]
    return {
        "overview": "/",
        "feed": feed,
        "item": f"{feed}/item?guid={quote(guid, safe='')}",
        "review": f"{feed}/review",
        "source": f"{feed}/sources/host",
        "settings": f"{feed}/sources/host/settings",
        "changes": f"{feed}/changes",
        "system": "/system",
        "add": "/add",
    }


def measure(folder: Path, url: str, first: int) -> dict[str, tuple[list[float], list[float], int]]:
    """Return the milliseconds of each page, those of the processor (client and server), and its bytes."""
    found: dict[str, tuple[list[float], list[float], int]] = {}
    for turn in range(ROUNDS):
        for name, path in list_pages(folder, first + turn).items():
            begun, spent = time.perf_counter(), time.process_time()
            answer = requests.get(url + path, timeout=60)
            took, spent = 1000 * (time.perf_counter() - begun), 1000 * (time.process_time() - spent)
            assert answer.status_code == 200, (path, answer.text)
            times, costs, size = found.get(name, ([], [], 0))
            found[name] = ([*times, took], [*costs, spent], max(size, len(answer.content)))
    return found


def act(folder: Path, url: str) -> tuple[list[float], list[float], int]:
    """Return the milliseconds of acts: a field that is set, and let go again."""
    visitor = requests.Session()
    page = visitor.get(url + list_pages(folder, 30)["item"], timeout=60).text
    token = page.partition('name="token" value="')[2].partition('"')[0]
    fields = {"guid": "host-1", "field": "title", "value": "A title of ours", "token": token}
    times, costs = [], []
    for turn in range(2 * ROUNDS):
        begun, spent = time.perf_counter(), time.process_time()
        path = f"{url}/feeds/show-30/item/{'unset' if turn % 2 else 'set'}"
        answer = visitor.post(path, data=fields, timeout=60, allow_redirects=False)
        times.append(1000 * (time.perf_counter() - begun))
        costs.append(1000 * (time.process_time() - spent))
        assert answer.status_code == 303, answer.text
        time.sleep(0.2)
    return times, costs, 0


def show(title: str, found: dict[str, tuple[list[float], list[float], int]]) -> None:
    """Print a table."""
    print(f"{title:10} {'median ms':>10} {'most ms':>8} {'CPU ms':>8} {'bytes':>8}")
    for name, (times, costs, size) in found.items():
        print(
            f"{name:10} {statistics.median(times):10.0f} {max(times):8.0f} {statistics.median(costs):8.0f} {size:8}",
            flush=True,
        )


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("feeds", type=int, nargs="?", default=200)
    parser.add_argument("items", type=int, nargs="?", default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_listings(folder, given.items)
        write_config(folder, 1)
        program = [sys.executable, "-m", "aggregator.cli"]
        subprocess.run([*program, "refresh", "-q"], cwd=folder, check=True)
        write_config(folder, given.feeds)
        multiply(folder, given.feeds)
        with serve(folder) as url:
            show("quiet", {"an act": act(folder, url), **measure(folder, url, 1)})
            write_listings(folder, given.items + 200)
            command = [*program, "refresh", "-q", "--force", "--feed", "show-0", "--feed", "show-1"]
            with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as child:
                time.sleep(1)
                show("refreshing", {"an act": act(folder, url), **measure(folder, url, 20)})
                print("the refresh", "went on meanwhile" if child.poll() is None else "had ended")
                child.wait()


if __name__ == "__main__":
    main()
