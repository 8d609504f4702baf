"""kill -9 at random instants of whole refreshes whose sources change: nothing torn, nothing lost, nothing twice."""

from __future__ import annotations

import random
import time
from datetime import timedelta

import pytest

from tests.support.rss import make_rss
from tests.support.workspace import (
    LISTED,
    NOON,
    Workspace,
    check_no_leftovers,
    check_published,
    format_time,
    kill,
    make_item,
    make_title,
    read_guids,
)


def change(workspace: Workspace, number: int) -> None:
    """What the sources say in that round: new items, changed titles, a source that dies and comes back."""
    dice = random.Random(number)
    newest = range(number, max(0, number - LISTED), -1)
    workspace.serve(
        "/host", make_rss(*(make_item(each, name=make_title(each, dice.random() < 0.2)) for each in newest))
    )
    workspace.serve("/directory", make_rss(*(make_item(each, source="directory") for each in newest[1:])))
    own = make_rss(*(make_item(1_000 + each, source="other", day=each) for each in newest if each % 3 == 0))
    workspace.serve("/other", own)
    if dice.random() < 0.4:
        body, status = dice.choice([("", 500), ("<html><h1>Moved</h1></html>", 200), (make_rss(), 200), ("", 410)])
        workspace.serve("/other", body, status=status)
    if dice.random() < 0.15:
        workspace.serve("/host", "gone for lunch", status=503)


def killed(workspace: Workspace, number: int, dice: random.Random, lasts: float) -> bool:
    """A refresh that is killed at some instant, mostly after its first question; whether it had ended before."""
    workspace.came.clear()
    child = workspace.start("refresh", "--quiet", "--force", "--at", format_time(NOON + timedelta(hours=2 * number)))
    if dice.random() < 0.85:
        workspace.came.wait(180)
        time.sleep(dice.uniform(0, lasts))
    else:
        time.sleep(dice.uniform(0, 0.5))
    ended = child.poll() is not None
    kill(child)
    return ended


def kill_loop(workspace: Workspace, rounds: int, seed: int) -> None:
    trusts = {"directory": 0.3, "other": 0.5}
    others = {name: workspace.source(f"/{name}", trust=trust) for name, trust in trusts.items()}
    workspace.config("host", more=others)
    dice, held, lasts = random.Random(seed), dict[str, str](), 1.0
    for number in range(2, rounds + 2):
        change(workspace, number)
        acknowledged = killed(workspace, number, dice, lasts)
        check_published(workspace)
        now = read_guids(workspace)
        assert held.items() <= now.items(), "a guid changed, or an item is gone"
        held = now
        if acknowledged:
            check_no_leftovers(workspace)
        if number % 4 == 0:
            begun = time.monotonic()
            done = workspace.refresh(NOON + timedelta(hours=2 * number + 1))
            lasts = min(3.0, (time.monotonic() - begun) * 0.6)
            assert done.returncode == 0, done.stderr
            check_published(workspace)
            check_no_leftovers(workspace)
            now = read_guids(workspace)
            assert held.items() <= now.items()
            held = now
    workspace.serve("/host", make_rss(*(make_item(each) for each in range(number, 0, -1))))
    workspace.serve("/other", "", status=500)
    assert workspace.refresh(NOON + timedelta(days=2000)).returncode == 0
    check_published(workspace)
    check_no_leftovers(workspace)
    assert held.items() <= read_guids(workspace).items()
    assert {f"https://media.example/{each}.mp3" for each in range(1, number + 1)} <= read_guids(workspace).keys()


def test_kill_9_in_a_refresh_tears_and_loses_nothing(workspace: Workspace) -> None:
    kill_loop(workspace, 4, 12)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(20))
def test_kill_9_in_2000_refreshes_tears_and_loses_nothing(workspace: Workspace, seed: int) -> None:
    kill_loop(workspace, 100, seed)
