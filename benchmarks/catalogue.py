"""Cost of `aggregator match --by-show`: `python benchmarks/catalogue.py [RECORDS ...]`.

The records are episodes of invented shows of 50 episodes, each listed by three directories with framed titles and
rounded lengths. Seconds are of the clock, on all processors; memory is the peak of all processes together.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from match_scale import vocabulary

EPISODES = 50
STATUS = "VmRSS:"


def write_catalogue(path: Path, count: int, seed: int = 1) -> int:
    """Write so many records, those of a show far from each other, and return how many episodes they are of."""
    chance = random.Random(seed)  # noqa: S311 -- invented shows, no secret
    words, weights = vocabulary(chance, 5_000)
    episodes = count // 3
    shows = max(1, episodes // EPISODES)
    with path.open("w", encoding="utf-8") as file:
        for number in range(episodes):
            of, place = number % shows, number // shows
            show = f"{words[of % 997]} {words[of % 101]} {of}"
            title = " ".join(chance.choices(words, cum_weights=weights, k=5))
            day, seconds = (
                f"{2000 + number % 24}-{number % 12 + 1:02}-{number % 28 + 1:02}",
                chance.randrange(600, 5000),
            )
            for source, name, length in (
                ("host", title, seconds),
                ("app", f"{place}. {title}", None),
                ("site", f"{show}: {title}", seconds // 60 * 60),
            ):
                line = {"id": f"{source}{number}", "source": source, "title": name, "published": day, "show": show}
                file.write(json.dumps(line | ({"duration": length} if length else {})) + "\n")
    return episodes


def measure(path: Path, episodes: int) -> None:
    """Print what matching a catalogue costs, and how many clusters it has."""
    command = [sys.executable, "-m", "aggregator.cli", "match", str(path), "--by-show", "-o", f"{path}.out"]
    started = time.monotonic()
    with subprocess.Popen(command) as process:
        peak, ended = [0], threading.Event()
        watch = threading.Thread(target=_watch, args=(process.pid, peak, ended))
        watch.start()
        process.wait()
        ended.set()
        watch.join()
    seconds = time.monotonic() - started
    with Path(f"{path}.out").open(encoding="utf-8") as answers:
        clusters = {json.loads(line)["cluster"] for line in answers}
    print(
        f"{3 * episodes:,} records, {episodes:,} episodes: {len(clusters):,} clusters, {seconds:.0f} s on "
        f"{os.cpu_count()} processors, {peak[0] / 1024:.0f} MB",
        flush=True,
    )


def _watch(root: int, peak: list[int], ended: threading.Event) -> None:
    """Note the most memory of a process and its children together, in kB."""
    while not ended.wait(0.2):
        peak[0] = max(peak[0], sum(map(_resident, [root, *_children(root)])))


def _children(root: int) -> list[int]:
    try:
        found = Path(f"/proc/{root}/task/{root}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, found) for each in (child, *_children(child))]


def _resident(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(STATUS)), 0)


def main() -> None:
    """Measure each size."""
    with tempfile.TemporaryDirectory() as folder:
        for count in [int(each) for each in sys.argv[1:]] or [30_000, 300_000]:
            path = Path(folder) / f"{count}.jsonl"
            measure(path, write_catalogue(path, count))


if __name__ == "__main__":
    main()
