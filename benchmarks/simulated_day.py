"""A day of a million feeds, simulated event by event with measured costs: cores needed, polls of a host, lag.

    python benchmarks/simulated_day.py [feeds]

Each feed has one source and is due once an hour at a random moment. Hosts have a share of the feeds as in a Zipf
distribution (20,000 hosts, exponent 1) and are polled 10 times a second at most. A poll takes 0.2 s; a feed costs
``UNCHANGED`` of a core, or ``CHANGED`` once a day. A host with more feeds than it may be polled in an hour stays behind
whatever the workers do, and is left out of the last two columns.
"""

from __future__ import annotations

import heapq
import random
import sys
from array import array
from collections import Counter

import numpy as np

UNCHANGED, CHANGED = 0.02, 0.32
"""Seconds of processor time a feed (benchmarks/scale.py)."""

HOSTS, RATE, HOURS = 20_000, 10.0, 24


def main(feeds: int) -> None:
    """Print the figures."""
    dice = random.Random(19)  # noqa: S311
    weights = [1 / (rank + 1) for rank in range(HOSTS)]
    host_of = dice.choices(range(HOSTS), weights, k=feeds)
    due = [dice.uniform(0, 3600) for _ in range(feeds)]
    sizes = Counter(host_of)
    crowded = {host for host, size in sizes.items() if size > RATE * 3600 * 0.9}
    need = feeds / 3600 * (UNCHANGED * 23 / 24 + CHANGED / 24)
    print(f"{feeds} feeds, {feeds / 3600:.0f} a second; {need:.1f} cores' work")
    print(f"feeds of the largest hosts {[size for _, size in sizes.most_common(5)]}; over their rate: {len(crowded)}")
    print("cores  busy %  lag s: median  90 %  99 %  most   without hosts over their rate: 99 %  most", flush=True)
    for cores in sorted({max(1, round(need * each)) for each in (1.1, 1.5)}):
        lags, busy = simulate(host_of, due, cores, dice)
        is_free = np.tile(np.isin(np.array(host_of)[np.argsort(due, kind="stable")], list(crowded), invert=True), HOURS)
        shares = [*np.percentile(lags, (50, 90, 99, 100)), *np.percentile(lags[is_free], (99, 100))]
        print(f"{cores:5} {100 * busy:7.0f}", *(f"{each:8.1f}" for each in shares), flush=True)


def simulate(host_of: list[int], due: list[float], cores: int, dice: random.Random) -> tuple[np.ndarray, float]:
    """Return the lag of each refresh of a day, in the order of due times, and the share of the cores that was busy."""
    order = [int(each) for each in np.argsort(due, kind="stable")]
    free, work = [0.0] * cores, 0.0
    next_at, lags = [0.0] * HOSTS, array("f")
    for hour in range(HOURS):
        for feed in order:
            host, at = host_of[feed], due[feed] + 3600 * hour
            asked = max(at, next_at[host])
            next_at[host] = asked + 1 / RATE
            cost = CHANGED if dice.random() < 1 / 24 else UNCHANGED
            if asked - at > 60:  # put off: its core does other feeds meanwhile
                begun = asked + 0.2
            else:
                begun = max(asked + 0.2, heapq.heappop(free))
                heapq.heappush(free, begun + cost)
            work += cost
            lags.append(begun + cost - at)
    return np.frombuffer(lags, dtype=np.float32), work / (cores * 3600 * HOURS)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
