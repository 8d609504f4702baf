"""Whole refreshes of an episode and a companion that quotes its text under an unknown prefix."""

from datetime import UTC, datetime, timedelta

import pytest

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
    project.sources = {name: f"kind: feed, path: {name}.xml" for name in ("host", "talk")}
    project.refresh()
    assert len(project.items()) == items
