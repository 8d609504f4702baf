"""How matching does on directories made of feeds: `python benchmarks/match_made.py [--wrong] [--seeds N] [FEED ...]`.

Every feed is a show whose items are known one by one. Directories list it with the damage that real ones do: other
ids, titles under numbers and names, minutes rounded or floored, days without a time, texts cut at 200 or 300 signs.
Each line is one kind of harder damage on top, with the host among the sources and without it. `--wrong` shows what
went wrong. Without a FEED: all podcasts of the fixtures beside the project, to none of which the engine was fitted.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from directories import SCENES, Items, scene, show

from aggregator.errors import AggregatorError
from aggregator.merger.record import of_sighting
from aggregator.merger.resolve import Orders, Resolution, resolve

FIXTURES = Path(__file__).parents[2] / "shared" / "fixtures"
LEAST = 5  # items of a show


class Score(NamedTuple):
    """Pairs said, right and real, clusters of more than one item, and one line for each error."""

    said: int
    right: int
    real: int
    mixed: int
    wrong: list[str]


def scored(told: Items, found: Resolution) -> Score:
    """What the groups of some sightings are worth."""
    item = {said.id: of for said, of in told}
    titles = {said.id: said.title for said, _ in told}
    groups = [[found.frame.records[row].id for row in group] for group in found.groups]
    inside = [Counter(item[name] for name in group) for group in groups]
    wrong = [
        "one: " + " | ".join(f"{name} {titles[name][:50]!r}" for name in group)
        for group, of in zip(groups, inside, strict=True)
        if len(of) > 1
    ]
    homes: defaultdict[str, list[list[str]]] = defaultdict(list)
    for group in groups:
        for of in {item[name] for name in group}:
            homes[of].append(group)
    wrong += [
        f"two: {of}: " + " / ".join(" ".join(f"{name} {titles[name][:40]!r}" for name in group) for group in where)
        for of, where in homes.items()
        if len(where) > 1
    ]
    return Score(
        pairs(map(len, groups)),
        sum(pairs(of.values()) for of in inside),
        pairs(Counter(item.values()).values()),
        sum(len(of) > 1 for of in inside),
        wrong,
    )


def pairs(sizes: Iterable[int]) -> int:
    """How many pairs groups of these sizes hold."""
    return sum(size * (size - 1) // 2 for size in sizes)


def podcasts() -> list[Path]:
    """The podcasts of the fixtures that have enough items."""
    found = []
    for path in sorted((FIXTURES / "feeds" / "podcast").iterdir()):
        try:
            found += [path] if len(show(path)[1]) >= LEAST else []
        except AggregatorError:
            continue
    return found


def measure(feeds: Sequence[Path], seeds: int, *, wrong: bool) -> None:
    """One line for each kind of damage, with the host and without."""
    print(f"{len(feeds)} shows, {seeds} seeds")
    for name in (*SCENES, "two shows in one"):
        for host in (True, False):
            scores = []
            for seed in range(seeds):
                for at, path in enumerate(feeds):
                    told = scene(seed, name, path, feeds[at - len(feeds) // 2], host=host)
                    scores.append(scored(told, resolve([of_sighting(said) for said, _ in told], Orders())))
            said, right, real, mixed = (sum(score[at] for score in scores) for at in range(4))
            where = "host" if host else "no host"
            print(f"{name:18} {where:8} P {right / said:.4f} R {right / real:.4f} mixed {mixed} of {real} pairs")
            for line in (line for score in scores for line in score.wrong) if wrong else ():
                print("   ", line)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("feeds", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--wrong", action="store_true")
    given = parser.parse_args()
    measure(given.feeds or podcasts(), given.seeds, wrong=given.wrong)
