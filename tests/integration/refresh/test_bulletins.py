"""Bulletins of one title, or a few, of which a listing has only the newest: promise 3, two are never made one."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from aggregator.model.entry import Duration, Enclosure, Entry, Moment
from tests.support.daily import START, items_after

HOUR = timedelta(hours=1)
TITLES = "Havneradioen", "Meldinger kl. {at:%H:%M}", "Havneradioen #{number}"


def bulletin(hours: int, title: str, name: str) -> Entry:
    """A bulletin of always the same length and text, some hours after the first one."""
    at = START + hours * HOUR
    return Entry(
        "host",
        name,
        title.format(at=at, number=1000 + hours),
        "episode",
        guid=name,
        published=Moment(at),
        description="Vind, sikt og sjø langs kysten.",
        duration=Duration(300),
        enclosure=Enclosure(f"https://havn.example/{name}.mp3"),
    )


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize(("every", "kept", "polled"), [(24, 1, 24), (6, 3, 6), (6, 4, 24), (1, 5, 6)])
def test_none_is_joined_with_one_that_is_no_longer_listed(
    title: str, every: int, kept: int, polled: int, tmp_path: Path
) -> None:
    known: set[int] = set()
    histories: list[tuple[list[Entry], list[Entry]]] = []
    for now in range(0, 5 * polled, polled):
        listed = list(range(0, now + 1, every))[: -kept - 1 : -1]
        known.update(listed)
        histories.append(([bulletin(hour, title, f"{hour}") for hour in listed], []))
    items = items_after(tmp_path, histories, polled * HOUR)
    assert sorted(items) == sorted((f"host/{hour}",) for hour in known)


def test_an_item_that_is_posted_again_stays_one(tmp_path: Path) -> None:
    """The host takes the newest item away and posts it anew a day later; the older ones stay where they are."""
    titles = ["Tåke i havna", "Den siste ferja", "Sild på kaia", "Et nytt fyr"]
    before = [bulletin(100 * turn, title, f"{turn}") for turn, title in enumerate(titles)]
    again = bulletin(325, titles[-1], "again")
    histories: list[tuple[list[Entry], list[Entry]]] = [(before[::-1], []), (before[2::-1], [])]
    histories.append(([again, *before[2::-1]], []))
    items = items_after(tmp_path, histories, 340 * HOUR)
    assert ("host/3", "host/again") in {tuple(sorted(item)) for item in items}
    assert len(items) == len(titles)
