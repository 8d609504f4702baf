"""Directories of the fixtures' podcasts, one kind of harder damage at a time, with the host among the sources or not.

Every feed is a show whose items are known one by one. Directories list it with the damage that real ones do: other
ids, titles under numbers and names, minutes rounded or floored, days without a time, texts cut at 200 or 300 signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aggregator.errors import AggregatorError
from aggregator.merger.matching.features.records import make_record
from aggregator.merger.matching.match import match_records
from evaluation.matching.directories import FIXTURES, SCENES, scene, show
from evaluation.matching.scoring import errors, group_ids, pooled, score

LEAST = 5  # items of a show


def podcasts() -> list[Path]:
    """Return the podcasts of the fixtures that have enough items."""
    found = []
    for path in sorted((FIXTURES / "podcast").iterdir()):
        try:
            found += [path] if len(show(path)[1]) >= LEAST else []
        except AggregatorError:
            continue
    return found


def measure(feeds: Sequence[Path], seeds: int, *, wrong: bool) -> None:
    """Print one line for each kind of damage, with the host and without; with ``wrong`` each error, too."""
    print(f"{len(feeds)} shows, {seeds} seeds")
    for name in (*SCENES, "two shows in one"):
        for host in (True, False):
            scores, lines = [], []
            for seed in range(seeds):
                for at, path in enumerate(feeds):
                    told = scene(seed, name, path, feeds[at - len(feeds) // 2], host=host)
                    groups = group_ids(match_records([make_record(said) for said, _ in told]))
                    truth = {said.id: item for said, item in told}
                    scores.append(score(groups, truth))
                    lines += errors(groups, truth, {said.id: said.title for said, _ in told}) if wrong else []
            print(f"{name:18} {'host' if host else 'no host':8} {pooled(scores)}")
            for line in lines:
                print("   ", line)
