"""Whole refreshes of a host that lists an episode anew without a mark, beside a listing that has the original."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

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
    titles = (*OTHERS, again)
    items = "".join(
        f"<item><guid isPermaLink='false'>{name}-{turn}</guid><title>{title}</title>"
        f"<pubDate>{format_datetime(START + timedelta(days=7 * turn - (days if title == again else 0)))}</pubDate>"
        f"<enclosure url='https://{name}.example/{turn}.mp3' length='9' type='audio/mpeg'/></item>"
        for turn, title in enumerate(titles)
    )
    return f"<rss version='2.0'><channel><title>Sea Room</title>{items}</channel></rss>"


@pytest.mark.parametrize("title", ["The pilot who never slept", "Der Lotse ohne Schlaf", "眠らない水先人"])
@pytest.mark.parametrize(("days", "items"), [(400, len(OTHERS) + 2), (0, len(OTHERS) + 1)], ids=["rerun", "the same"])
def test_an_unmarked_rerun_is_an_item(stage, title: str, days: int, items: int) -> None:
    (stage.folder / "host.xml").write_text(document("host", title, 0), encoding="utf-8")
    (stage.folder / "page.xml").write_text(document("page", title, days), encoding="utf-8")
    stage.sources = {name: f"kind: feed, path: {name}.xml" for name in ("host", "page")}
    for _ in range(2):
        stage.refresh(at=START + timedelta(days=100 + stage.turn))
        assert len(stage.items()) == items
