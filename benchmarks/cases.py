"""The cases: each makes its folder, and names the contenders whose costs are compared."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import corpus
import measure

HERE = Path(__file__).parent
CLOCK = "2026-01-01T{hour:02}:00:00Z"
ITEM = re.compile(rb"<item[ >]")
AGGREGATOR = Path(sys.executable).with_name("aggregator")


@dataclass(frozen=True, slots=True)
class Setting:
    """Where to work, the Python of the peers, how large the corpus is, and a folder of feeds for a first update."""

    folder: Path
    python: Path
    sources: int = 5
    items: int = 1000
    shared: float = 0.8
    feeds: Path | None = None


def written(setting: Setting, more: int = 0) -> int:
    """Write the listings of one show, with so many new items; how many items they have together."""
    entries = corpus.show(1, setting.items + more)
    lists = [
        entries[setting.items :] + corpus.shared(entries[: setting.items], place, setting.sources, setting.shared)
        for place in range(setting.sources)
    ]
    for place, listing in enumerate(lists):
        listing.sort(key=lambda entry: entry.number)
        (setting.folder / f"{place}.xml").write_bytes(corpus.feed(listing, place, "Made up"))
    return corpus.merged(entries, lists)


def configured(folder: Path, places: dict[str, list[str]], networks: str = "") -> None:
    """Write a config whose feeds have the sources that are named by file or address."""
    lines = ["state: store.db", "output: output", "base_url: http://localhost:8000", "contact: https://example.org/x"]
    lines += [f"allow_networks: [{networks}]"] if networks else []
    lines.append("feeds:")
    for name, sources in places.items():
        lines += [
            f"  {name}:",
            f"    title: {name}",
            "    link: https://example.org/",
            "    window: 0",
            "    sources:",
        ]
        for place, source in enumerate(sources):
            where = "url" if source.startswith("http") else "path"
            lines.append(f"      s{place}: {{kind: feed, {where}: '{source}'}}")
    (folder / "config.yaml").write_text("\n".join(lines) + "\n")


def refresh(setting: Setting, hour: int, *options: str) -> float:
    """Return the seconds that one refresh takes."""
    command = [str(AGGREGATOR), "refresh", "--at", CLOCK.format(hour=hour), *options]
    return measure.run(command, setting.folder).seconds


def emptied(folder: Path) -> None:
    """Let nothing be remembered or published."""
    for path in folder.iterdir():
        if path.name.startswith("store.db") or path.name == "output":
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def published(setting: Setting, feed: str = "show") -> int:
    """How many items the feed has."""
    return len(ITEM.findall((setting.folder / "output" / feed / "feed.xml").read_bytes()))


def cold(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Measure the whole pipeline with an empty store against the naive one; the outputs are checked first."""
    expected = written(setting)
    names = [f"{place}.xml" for place in range(setting.sources)]
    configured(setting.folder, {"show": names})
    works: dict[str, Callable[[int], float]] = {
        "naive": lambda _: _naive(setting, names),
        "aggregator": lambda _: (emptied(setting.folder), refresh(setting, 0))[1],
    }
    costs = measure.interleaved(works, rounds)
    found = published(setting)
    print(f"   {found} items published, {expected} are right")
    assert 0.97 * expected <= found <= 1.03 * expected
    return costs


def again(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Measure a second run on the same bytes; the naive pipeline starts anew each time."""
    written(setting)
    names = [f"{place}.xml" for place in range(setting.sources)]
    configured(setting.folder, {"show": names})
    emptied(setting.folder)
    refresh(setting, 0)
    works: dict[str, Callable[[int], float]] = {
        "aggregator": lambda turn: refresh(setting, turn + 1, "--force"),
        "naive": lambda _: _naive(setting, names),
    }
    return measure.interleaved(works, rounds)


def warm(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Measure a second run, each source with one new item; the naive pipeline starts anew each time."""
    written(setting)
    names = [f"{place}.xml" for place in range(setting.sources)]
    configured(setting.folder, {"show": names})
    emptied(setting.folder)
    refresh(setting, 0)
    before = published(setting)

    def once(turn: int) -> float:
        written(setting, turn + 1)
        seconds = refresh(setting, turn + 1, "--force")
        assert published(setting) >= before + turn + 1
        return seconds

    works: dict[str, Callable[[int], float]] = {"aggregator": once, "naive": lambda _: _naive(setting, names)}
    return measure.interleaved(works, rounds)


def _naive(setting: Setting, names: list[str]) -> float:
    command = [str(setting.python), str(HERE / "peers.py"), "naive", "naive.xml", *names]
    return measure.run(command, setting.folder).seconds


def reading(setting: Setting, rounds: int) -> dict[str, list[float]]:
    """Sound feeds from bytes: feedparser as it comes and bare, ours, and ours with everything sanitised."""
    written(setting)
    output = subprocess.run(
        [sys.executable, str(HERE / "reading.py"), str(setting.folder), str(rounds)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {line.partition("\t")[0]: list(map(float, line.split("\t")[1:])) for line in output.splitlines()}
