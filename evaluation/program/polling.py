"""Measure how often a source is asked and how late a new item is seen: `python -m evaluation.program.polling FOLDER`.

Each feed of the folder with 30 dated items is replayed: an item appears at its date, an hourly cron runs, and what was
listed until then is all that is known. Compared are a poll an hour, a poll a day, and the learned habit, in two halves:
the settings of `text/times/release_times` were chosen on the first, the second was held out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from statistics import mean, median

import feedparser

from aggregator.text.times.release_times import NEWEST, find_next_poll, learn_habit

_FEWEST, _MOST = 30, 120
_HOUR, _DAY, _SLACK = timedelta(hours=1), timedelta(days=1), timedelta(minutes=1)

Plan = Callable[[Sequence[datetime], datetime], datetime]
"""Returns when to ask next, from the dates known and the last poll."""


def _read_dates(path: Path) -> list[datetime]:
    """Return the dates of the newest items, the oldest first; none of a feed that has too few."""
    found = feedparser.parse(path.read_bytes()).entries
    dates = {datetime(*entry.published_parsed[:6], tzinfo=UTC) for entry in found if entry.get("published_parsed")}
    return sorted(dates)[-_MOST:] if len(dates) >= _FEWEST else []


def _replay(dates: Sequence[datetime], plan: Plan) -> tuple[float, list[float]]:
    """Return polls a day, and the delay of each item in hours."""
    known, rest = list(dates[:NEWEST]), list(dates[NEWEST:])
    now = (known[-1] + _HOUR).replace(minute=17, second=0)
    began, polls, due, delays = now, 0, now, []
    while rest:
        if now >= due:
            polls += 1
            while rest and rest[0] <= now:
                delays.append((now - rest[0]) / _HOUR)
                known.append(rest.pop(0))
            due = plan(known, now) - _SLACK
        now += _HOUR
    return polls / max((now - began) / _DAY, 1), delays


def _is_held_out(path: Path) -> bool:
    return sha256(path.name.encode()).digest()[0] % 2 == 1


def main(folder: str) -> None:
    """Print a row for each way to plan polls, for each half of the feeds."""
    histories = {path: dates for path in sorted(Path(folder).rglob("*.xml")) if (dates := _read_dates(path))}
    plans: dict[str, Plan] = {
        "each hour": lambda _known, now: now + _HOUR,
        "each day": lambda _known, now: now + _DAY,
        "learned": lambda known, now: find_next_poll(learn_habit([known[-NEWEST:]], now), now),
    }
    for held_out in (False, True):
        some = [dates for path, dates in histories.items() if _is_held_out(path) == held_out]
        items = sum(len(dates) - NEWEST for dates in some)
        print(f"{'held out' if held_out else 'tuning'}: {len(some)} feeds, {items} items")
        for name, plan in plans.items():
            _print_row(name, [_replay(dates, plan) for dates in some])


def _print_row(name: str, replayed: Sequence[tuple[float, list[float]]]) -> None:
    polls, delays = [each for each, _ in replayed], [hours for _, each in replayed for hours in each]
    within = sum(hours <= 1 for hours in delays) / len(delays)
    print(
        f"{name:10} polls a day: mean {mean(polls):.1f}, median {median(polls):.1f}; delay: "
        f"median {median(delays):.1f} h, mean {mean(delays):.1f} h, within an hour {within:.0%}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:2])
