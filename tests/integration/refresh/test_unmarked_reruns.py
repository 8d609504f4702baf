"""Whole refreshes of a host that lists an episode anew without a mark, beside a listing that has the original."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.rss import Episode, make_rss

START = datetime(2023, 9, 4, 5, tzinfo=UTC)
OTHERS = (
    "Copper weather",
    "Nine small bridges",
    "Tide tables",
    "Rope work",
    "Sextants",
    "Lamp oil",
    "Rust",
    "Fog",
    "Salt",
)


def document(name: str, again: str, days: int) -> str:
    """Return a feed of titles and dates; the newest is dated so many days earlier."""
    episodes = [
        Episode(
            f"{name}-{turn}",
            title,
            START + timedelta(days=7 * turn - (days if title == again else 0)),
            audio=f"https://{name}.example/{turn}.mp3",
        )
        for turn, title in enumerate((*OTHERS, again))
    ]
    return make_rss(*episodes)


@pytest.mark.parametrize("title", ["The pilot who never slept", "Der Lotse ohne Schlaf", "眠らない水先人"])
@pytest.mark.parametrize(("days", "items"), [(400, len(OTHERS) + 2), (0, len(OTHERS) + 1)], ids=["rerun", "the same"])
def test_an_unmarked_rerun_is_an_item(project, title: str, days: int, items: int) -> None:
    (project.folder / "host.xml").write_text(document("host", title, 0), encoding="utf-8")
    (project.folder / "page.xml").write_text(document("page", title, days), encoding="utf-8")
    project.sources = {name: f"{name}.xml" for name in ("host", "page")}
    for _ in range(2):
        project.refresh(at=START + timedelta(days=100 + project.turn))
        assert len(project.items()) == items
