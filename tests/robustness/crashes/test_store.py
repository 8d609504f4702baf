"""kill -9 in the middle of whole refreshes whose sources change: nothing torn, nothing lost, nothing twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree as ET

import pytest

from aggregator import refresh
from aggregator.config.load import load

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
SHOWN = 12
"""How many items a listing shows: the older ones have left it and must stay in the feed."""

WORDS = tuple(
    each.lower()
    for each in re.findall(
        "[A-Z][a-z]+",
        "HarbourLanternGlacierViolinPepperOrchardCompassThunderVelvetMarbleSaffronTunnelBeaconWalnutRibbonMeadowCopper"
        "FalconIslandMirrorCactusAnchorTimberLagoonPencilMagnetDonkeySpiralCobaltTemple",
    )
)


def title(number: int) -> str:
    dice = random.Random(number)
    return f"{dice.choice(WORDS).title()} and {dice.choice(WORDS)} number {number}"


def item(source: str, number: int) -> str:
    """One source knows guid and time, the other only its own id and the day."""
    day = NOON + timedelta(days=number)
    guid = f"host-{number}" if source == "host" else f"https://directory.example/{number * 7}"
    when = f"{day:%a, %d %b %Y %H:%M:%S} GMT" if source == "host" else f"{day:%a, %d %b %Y} 00:00:00 GMT"
    said = f"What was said of the {' '.join(random.Random(number).sample(WORDS, 12))}."
    return (
        f"<item><guid isPermaLink='false'>{guid}</guid><title>{title(number)}</title><pubDate>{when}</pubDate>"
        f"<description>{said}</description>"
        f"<enclosure url='https://media.example/{number}.mp3' type='audio/mpeg' length='1'/></item>"
    )


def change(folder: Path, number: int) -> None:
    """Write both listings of the round: the newest few, the directory one behind, each file whole."""
    for source, newest in (("host", number), ("directory", number - 1)):
        shown = "".join(item(source, each) for each in range(newest, max(0, newest - SHOWN), -1))
        text = (
            f"<rss version='2.0'><channel><title>A show</title><link>https://a.example/</link>{shown}</channel></rss>"
        )
        partial = folder / f"{source}.new"
        partial.write_text(text)
        partial.replace(folder / f"{source}.xml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.yaml").write_text(
        "state: state/store.db\noutput: output\nfeeds:\n  show:\n    title: A show\n    sources:\n"
        "      host: {kind: feed, path: host.xml}\n      directory: {kind: feed, path: directory.xml, trust: 0.3}\n"
    )
    change(tmp_path, 1)
    return tmp_path


def refreshing(folder: Path, begin: int, pipe: int) -> NoReturn:
    """In a child: round after round, each acknowledged when it is published."""
    try:
        config = load(folder / "config.yaml")
        for number in range(begin, begin + 1000):
            change(folder, number)
            refresh.refresh(config, at=NOON + timedelta(hours=number))
            os.write(pipe, b".")
    finally:
        os._exit(1)


def killed(folder: Path, begin: int, acknowledged: int, seconds: float) -> int:
    """The last round that a child acknowledged before it was killed, so long after the given count."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        refreshing(folder, begin, theirs)
    os.close(theirs)
    heard = 0
    while heard < acknowledged:
        heard += len(os.read(ours, 1))
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    os.set_blocking(ours, False)
    with suppress(BlockingIOError):
        heard += len(os.read(ours, 4096))
    os.close(ours)
    return begin - 1 + heard


def published(folder: Path) -> dict[str, str]:
    """The guid of each title in the feed; every file is whole and the formats agree."""
    output = folder / "output" / "show"
    items = json.loads((output / "feed.json").read_text())["items"]
    guids = {each["title"]: each["id"] for each in items}
    assert len(guids) == len(items), "no item twice"
    assert len(set(guids.values())) == len(items), "no guid twice"
    for name in ("podcast.xml", "feed.xml", "feed.atom"):
        ET.parse(output / name)  # noqa: S314 - written by ourselves
    return guids


def check(folder: Path, before: dict[str, str], done: int) -> dict[str, str]:
    """After one more refresh everything acknowledged is there, with the guids it had."""
    torn = folder / "output" / "show" / "feed.json"
    if torn.exists():
        assert json.loads(torn.read_text())
    connection = sqlite3.connect(folder / "state" / "store.db")
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    refresh.refresh(load(folder / "config.yaml"), at=NOON + timedelta(hours=done, minutes=30))
    after = published(folder)
    assert {title(number) for number in range(1, done + 1)} <= after.keys()
    assert before.items() <= after.items(), "no guid changed"
    leftovers = [path.name for path in (folder / "output").rglob("*") if path.suffix in {".part", ".tmp", ".partial"}]
    assert leftovers == []
    return after


def kill_loop(folder: Path, rounds: int) -> None:
    dice = random.Random(rounds)
    begin, before = 1, dict[str, str]()
    for _ in range(rounds):
        done = killed(folder, begin, dice.choice([0, 1, 1, 2]), dice.uniform(0, 0.6))
        if not (folder / "state" / "store.db").exists():
            continue
        before = check(folder, before, done)
        # What was killed before it was acknowledged may have been heard all the same: the next round goes on after it.
        begin = 1 + max(int(name.rsplit(" ", 1)[1]) for name in before)
    assert begin > rounds / 2


def test_kill_9_in_a_refresh_tears_and_loses_nothing(folder: Path) -> None:
    kill_loop(folder, 10)


@pytest.mark.heavy
def test_kill_9_in_200_refreshes_tears_and_loses_nothing(folder: Path) -> None:
    kill_loop(folder, 200)
