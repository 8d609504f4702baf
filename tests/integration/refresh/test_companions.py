"""Whole refreshes of episodes and companions that quote their texts under an unknown prefix."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aggregator.model.entry import Duration, Enclosure, Entry, Moment
from tests.support.daily import START as FIRST
from tests.support.daily import count_mixed, items_after
from tests.support.hard_listings import TEXTS
from tests.support.rss import Episode, make_rss

START = datetime(2024, 1, 3, 5, tzinfo=UTC)
TITLES = ("Copper weather", "Nine small bridges")
TEXT = "The clerk who counted gulls for forty years and left nine stores of them, volume {}."


def document(name: str, prefix: str, days: int, seconds: int) -> str:
    episodes = [
        Episode(
            f"{name}-{turn}",
            prefix + title,
            START + timedelta(days=21 * turn + days),
            TEXT.format(turn),
            f"https://{name}.example/{turn}.mp3",
            seconds=seconds + 300 * turn,
        )
        for turn, title in enumerate(TITLES)
    ]
    return make_rss(*episodes)


@pytest.mark.parametrize("prefix", ["Leftovers of ", "Nachlese zu: ", "余話 "])
@pytest.mark.parametrize(("days", "seconds", "items"), [(2, 1100, 4), (0, 2700, 2)], ids=["companion", "the same"])
def test_a_companion_is_an_item(project, prefix: str, days: int, seconds: int, items: int) -> None:
    (project.folder / "host.xml").write_text(document("host", "", 0, 2700), encoding="utf-8")
    (project.folder / "talk.xml").write_text(document("talk", prefix, days, seconds), encoding="utf-8")
    project.sources = {name: f"{name}.xml" for name in ("host", "talk")}
    project.refresh()
    assert len(project.items()) == items


SERIES = {
    "en": ("Leftovers: {}", ("Salt roads", "Low lamps", "Nine piers", "Gull clerks", "Tar and hemp", "The mole")),
    "de": ("{} – die Nachlese", ("Salzwege", "Kleine Lampen", "Neun Stege", "Möwenamt", "Teer und Hanf", "Die Mole")),
    "ja": ("余話: {}", ("塩の道", "低い灯", "九つの桟橋", "鴎の係", "麻と樹脂", "突堤")),
}
EVERY, DAYS, MOVE = 5, 36, 14  # days between episodes; refreshes; the one from which the host is another


def episode(source: str, turn: int, title: str, day: float, seconds: int, moved: int = 0) -> Entry:
    """An episode, or, of the source "page", what stands there under its title."""
    at = FIRST + timedelta(days=day + moved)
    name = f"{'new' if moved else 'old'}-{source}-{turn}"
    said = {"enclosure": Enclosure(f"https://{source}.example/{name}.mp3"), "guid": name}
    known = {**said, "description": TEXTS[turn // 2], "duration": Duration(seconds)}
    return Entry(source, name, title, "episode", -turn, published=Moment(at), **known)  # type: ignore[arg-type]  # by name


@pytest.mark.heavy
@pytest.mark.parametrize("companions", [True, False], ids=["companions", "the same under a frame"])
@pytest.mark.parametrize("moves", [False, True], ids=["", "a host that moves"])
@pytest.mark.parametrize(("frame", "titles"), SERIES.values(), ids=SERIES)
def test_a_series_of_companions_day_by_day(
    frame: str, titles: tuple[str, ...], tmp_path: Path, *, moves: bool, companions: bool
) -> None:
    histories = []
    for today in range(DAYS):
        moved = 700 if moves and today >= MOVE else 0
        out = [turn for turn in range(len(titles)) if EVERY * turn <= today]
        host = [
            episode("host", 2 * turn, titles[turn], EVERY * turn, 2400 + 97 * turn, moved * (EVERY * turn < MOVE))
            for turn in out
        ]
        late, seconds, number = (2, 1300, 1) if companions else (0, 2400, 0)
        page = [
            episode("page", 2 * turn + number, frame.format(titles[turn]), EVERY * turn + late, seconds + 97 * turn)
            for turn in out
            if EVERY * turn + late <= today
        ]
        histories.append((host, page))
    items = items_after(tmp_path, histories)
    assert count_mixed(items) == 0
    assert len(items) == len(titles) * (2 if companions else 1)
