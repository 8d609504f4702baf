"""Updates over HTTP against lemon24/reader, whole and by the feed: the first, all 304, all 200 with equal bytes.

Who updates a feed has asked for it: before a time counts, the origin says how often it was asked, and what it answered.
What one more feed costs is the difference between many feeds and few, so that nobody's start hides it.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from itertools import cycle
from pathlib import Path

import cases
import corpus
import measure
from cases import Setting
from origin import HOSTS

FEW, MANY = 5, 205  # small feeds that answer 304
LARGE = (2, 20)  # feeds of as many items as the corpus has, whose origin never answers 304
NEW = 15  # feeds made up for a first update, where no folder of feeds is given
EACH = ", each further feed"


@contextmanager
def origin(folder: Path, *options: str) -> Iterator[str]:
    """Return an origin for the files of a folder; its address."""
    command = [sys.executable, str(cases.HERE / "origin.py"), str(folder), *options]
    pid_file, write = os.pipe()
    number = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)], setsid=True
    )
    os.close(write)
    try:
        port = os.read(pid_file, 20).decode().strip()
        yield f"http://{HOSTS[0]}:{port}"
    finally:
        os.close(pid_file)
        os.kill(number, 9)
        os.waitpid(number, 0)


def not_modified(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Many small feeds whose origin says that nothing changed."""
    return _again(setting, rounds, (FEW, MANY), items=2, status=HTTPStatus.NOT_MODIFIED)


def equal(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Large feeds whose origin sends the same bytes once more."""
    return _again(setting, rounds, LARGE, items=setting.items, status=HTTPStatus.OK)


def _again(
    setting: Setting, rounds: int, sizes: tuple[int, int], *, items: int, status: HTTPStatus
) -> dict[str, list[float]]:
    """Measure an update that brings nothing new: of few feeds, of many, and of each further feed."""
    feeds = setting.folder / "served"
    feeds.mkdir()
    for number in range(max(sizes)):
        (feeds / f"{number}.xml").write_bytes(corpus.feed(corpus.show(number, items), 0, f"Show {number}"))
    forgets = [] if status is HTTPStatus.NOT_MODIFIED else ["--forget"]
    with origin(feeds, *forgets) as address:
        works: dict[str, Callable[[int], float]] = {}
        for size in sizes:
            folder = setting.folder / f"{size}"
            folder.mkdir()
            urls = _spread(address, [f"{number}.xml" for number in range(size)])
            for name, update in _contenders(replace(setting, folder=folder), urls).items():
                update(0)
                _asked(address)
                works[f"{name} {size}"] = _checked(update, address, {status.value: size})
        costs = measure.interleaved(works, rounds)
    few, many = sizes
    found: dict[str, list[float]] = {}
    for who in ("reader", "aggregator"):
        less, more = costs[f"{who} {few}"], costs[f"{who} {many}"]
        found |= {f"{who}, {few} feeds": less, f"{who}, {many} feeds": more}
        found[who + EACH] = [(most - least) / (many - few) for least, most in zip(less, more, strict=True)]
    return found


def first(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Run the first update of the feeds in a folder, or of made-up ones; return the number of items."""
    feeds = setting.feeds
    if feeds is None:
        feeds = setting.folder / "served"
        feeds.mkdir()
        for number in range(NEW):
            (feeds / f"{number}.xml").write_bytes(corpus.feed(corpus.show(number, 10), 0, f"Show {number}"))
    names = sorted(path.name for path in feeds.iterdir() if path.is_file())
    with origin(feeds) as address:
        contenders = _contenders(setting, _spread(address, names))

        def anew(update: Callable[[int], float]) -> Callable[[int], float]:
            return lambda _: (_forgotten(setting), update(0))[1]

        costs = measure.interleaved({name: anew(update) for name, update in contenders.items()}, rounds)
        print(f"   {len(names)} feeds; the origin answered {_asked(address)} in all rounds")
    return costs


def startup(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Measure --version, and a refresh with nothing due, against a Python that does nothing."""
    (setting.folder / "one.xml").write_bytes(corpus.feed(corpus.show(1, 1), 0, "One"))
    with origin(setting.folder) as address:
        cases.configured(setting.folder, {"show": [f"{address}/one.xml"]}, "127.0.0.0/8")
        cases.emptied(setting.folder)
        cases.refresh(setting, 0)
        return measure.interleaved(
            {
                "python": lambda _: measure.run([sys.executable, "-c", "pass"], setting.folder).seconds,
                "--version": lambda _: measure.run([str(cases.AGGREGATOR), "--version"], setting.folder).seconds,
                "refresh, nothing due": lambda _: cases.refresh(setting, 0),
            },
            rounds,
        )


def _contenders(setting: Setting, urls: list[str]) -> dict[str, Callable[[int], float]]:
    """One update by each, given the number of the round."""
    cases.configured(setting.folder, {f"show-{at}": [url] for at, url in enumerate(urls)}, "127.0.0.0/8")
    command = [str(setting.python), str(cases.HERE / "peers.py"), "reader", "reader.db", *urls]
    return {
        "reader": lambda _: measure.run(command, setting.folder).seconds,
        "aggregator": lambda turn: cases.refresh(setting, turn + 1, "--force"),
    }


def _spread(address: str, names: Sequence[str]) -> list[str]:
    """Return the files' addresses, each at another of the origin's hosts in turn."""
    hosts = cycle(HOSTS)
    return [f"{address.replace(HOSTS[0], next(hosts))}/{name}" for name in names]


def _forgotten(setting: Setting) -> None:
    cases.emptied(setting.folder)
    (setting.folder / "reader.db").unlink(missing_ok=True)


def _checked(update: Callable[[int], float], address: str, wanted: dict[int, int]) -> Callable[[int], float]:
    """Run the update; fail if the origin did not give the expected answers."""

    def checked(turn: int) -> float:
        seconds = update(turn + 1)
        given = _asked(address)
        assert given == wanted, f"{given} answers where {wanted} were to be given"
        return seconds

    return checked


def _asked(address: str) -> Counter[int]:
    """How often the origin gave each answer since it was last asked this."""
    with urllib.request.urlopen(f"{address}/-/answers", timeout=10) as answer:  # noqa: S310 -- ours
        return Counter({int(status): count for status, count in json.load(answer).items()})
