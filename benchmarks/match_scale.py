"""How long matching takes for N records, and how much memory: `python benchmarks/match_scale.py [N ...]`.

The records are invented: songs of five catalogues that misspell, misplace and leave out, words as frequent as in
natural language (Zipf). Each N runs in a process of its own; times are of the processor, memory is the peak.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from itertools import accumulate

from aggregator.merger.matching.blocking import find_candidates
from aggregator.merger.matching.features.records import parse_records
from aggregator.merger.matching.match import match_records

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "el", "or")]


def vocabulary(random_: random.Random, size: int) -> tuple[list[str], list[float]]:
    """Invented words, and how often each and all before it occur."""
    words = sorted({"".join(random_.choices(SYLLABLES, k=random_.choice((1, 2, 2, 3, 3)))) for _ in range(size)})
    random_.shuffle(words)
    return words, list(accumulate(1 / (rank + 5) for rank in range(len(words))))


def misspelt(random_: random.Random, text: str) -> str:
    """Return the text, now and then with two letters exchanged."""
    if random_.random() > 0.15 or len(text) < 4:
        return text
    at = random_.randrange(1, len(text) - 1)
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def songs(count: int, seed: int = 1) -> tuple[list[dict[str, object]], dict[str, int]]:
    """So many records of songs, and which song each is about."""
    random_ = random.Random(seed)  # noqa: S311 -- invented songs, no secret
    words, weights = vocabulary(random_, max(2000, count // 3))

    def phrase(low: int, high: int) -> str:
        return " ".join(random_.choices(words, cum_weights=weights, k=random_.randint(low, high)))

    out: list[dict[str, object]] = []
    truth: dict[str, int] = {}
    albums = [(phrase(1, 4), phrase(1, 3), random_.randint(1960, 2015)) for _ in range(max(1, count // 8))]
    entity = 0
    while len(out) < count:
        album, artist, year = random_.choice(albums)
        title, number, seconds = phrase(1, 4), random_.randint(1, 20), random_.randint(60, 400)
        for source in sorted(random_.sample(range(5), random_.choice((1, 1, 2, 2, 3, 4)))):
            name = misspelt(random_, title)
            line: dict[str, object] = {"id": f"r{len(out):07}", "source": f"s{source}", "episode": number}
            line["title"] = (name, f"{artist} - {name}", f"{name} - {album}", f"{number:03}-{name}", name)[source]
            line["show"] = None if source == 2 else misspelt(random_, album)
            line["author"] = None if source == 1 else misspelt(random_, artist)
            line["published"] = str(year) if random_.random() < 0.7 else None
            line["duration"] = (
                seconds,
                f"{seconds}",
                round(seconds / 60, 3),
                f"{seconds // 60}m {seconds % 60}sec",
                seconds * 1000,
            )[source]
            out.append(line)
            truth[str(line["id"])] = entity
        entity += 1
    return out[:count], truth


def measure(count: int) -> dict[str, float]:
    """Seconds, peak memory and scores of one run."""
    lines, truth = songs(count)
    start = time.process_time()
    found = match_records(parse_records(lines))
    seconds = time.process_time() - start
    ids = [record.id for record in found.frame.records]

    def pairs(sizes: Counter[int]) -> int:
        return sum(size * (size - 1) // 2 for size in sizes.values())

    true = sum(pairs(Counter(truth[ids[row]] for row in group)) for group in found.groups)
    said = sum(len(group) * (len(group) - 1) // 2 for group in found.groups)
    real = pairs(Counter(truth[str(line["id"])] for line in lines))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "records": count,
        "pairs": len(find_candidates(found.frame).left),
        "seconds": round(seconds, 1),
        "megabytes": round(peak),
        "precision": round(true / max(said, 1), 4),
        "recall": round(true / max(real, 1), 4),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        for size in map(int, sys.argv[1:] or (2_000, 20_000, 200_000)):
            subprocess.run([sys.executable, __file__, "--one", str(size)], check=True)
