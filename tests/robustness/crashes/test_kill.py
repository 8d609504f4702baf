"""kill -9 at random instants of whole refreshes whose sources change: nothing torn, nothing lost, nothing twice."""

from __future__ import annotations

import random
import time
from datetime import timedelta

import pytest

from tests.support.harness import NOON, SHOWN, Town, called, guids, item, kill, rss, stamp, tidy, whole


def change(town: Town, number: int) -> None:
    """What the sources say in that round: new items, changed titles, a source that dies and comes back."""
    dice = random.Random(number)
    newest = range(number, max(0, number - SHOWN), -1)
    town.serve("/host", rss(*(item(each, name=called(each, dice.random() < 0.2)) for each in newest)))
    town.serve("/directory", rss(*(item(each, source="directory") for each in newest[1:])))
    own = rss(*(item(1_000 + each, source="other", day=each) for each in newest if each % 3 == 0))
    town.serve("/other", own)
    if dice.random() < 0.4:
        body, status = dice.choice([("", 500), ("<html><h1>Moved</h1></html>", 200), (rss(), 200), ("", 410)])
        town.serve("/other", body, status=status)
    if dice.random() < 0.15:
        town.serve("/host", "gone for lunch", status=503)


def sources(town: Town) -> tuple[str, ...]:
    return (
        f"host: {{kind: feed, url: '{town.url('/host')}'}}",
        f"directory: {{kind: feed, url: '{town.url('/directory')}', trust: 0.3}}",
        f"other: {{kind: feed, url: '{town.url('/other')}', trust: 0.5}}",
    )


def killed(town: Town, number: int, dice: random.Random, lasts: float) -> bool:
    """A refresh that is killed at some instant, mostly after its first question; whether it had ended before."""
    town.came.clear()
    child = town.start("refresh", "--quiet", "--force", "--at", stamp(NOON + timedelta(hours=2 * number)))
    if dice.random() < 0.85:
        town.came.wait(60)
        time.sleep(dice.uniform(0, lasts))
    else:
        time.sleep(dice.uniform(0, 0.5))
    ended = child.poll() is not None
    kill(child)
    return ended


def kill_loop(town: Town, rounds: int) -> None:
    town.config(*sources(town))
    dice, held, lasts = random.Random(rounds), dict[str, str](), 1.0
    for number in range(2, rounds + 2):
        change(town, number)
        acknowledged = killed(town, number, dice, lasts)
        whole(town)
        now = guids(town)
        assert held.items() <= now.items(), "a guid changed, or an item is gone"
        held = now
        if acknowledged:
            tidy(town)
        if number % 4 == 0:
            begun = time.monotonic()
            done = town.refresh(NOON + timedelta(hours=2 * number + 1))
            lasts = min(3.0, (time.monotonic() - begun) * 0.6)
            assert done.returncode == 0, done.stderr
            whole(town)
            tidy(town)
            now = guids(town)
            assert held.items() <= now.items()
            held = now
    town.serve("/host", rss(*(item(each) for each in range(number, 0, -1))))
    town.serve("/other", "", status=500)
    assert town.refresh(NOON + timedelta(days=2000)).returncode == 0
    whole(town)
    tidy(town)
    assert held.items() <= guids(town).items()
    assert {f"https://media.example/{each}.mp3" for each in range(1, number + 1)} <= guids(town).keys()


def test_kill_9_in_a_refresh_tears_and_loses_nothing(town: Town) -> None:
    kill_loop(town, 12)


@pytest.mark.heavy
def test_kill_9_in_200_refreshes_tears_and_loses_nothing(town: Town) -> None:
    kill_loop(town, 220)
