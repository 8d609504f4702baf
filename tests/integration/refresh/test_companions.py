"""Whole refreshes of an episode and a companion that quotes its text under an unknown prefix."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

START = datetime(2024, 1, 3, 5, tzinfo=UTC)
TITLES = ("Copper weather", "Nine small bridges")
TEXT = "The clerk who counted gulls for forty years and left nine stores of them, volume {}."


def document(name: str, prefix: str, days: int, seconds: int) -> str:
    items = "".join(
        f"<item><guid isPermaLink='false'>{name}-{turn}</guid><title>{prefix}{title}</title>"
        f"<pubDate>{format_datetime(START + timedelta(days=21 * turn + days))}</pubDate>"
        f"<description>{TEXT.format(turn)}</description><itunes:duration>{seconds + 300 * turn}</itunes:duration>"
        f"<enclosure url='https://{name}.example/{turn}.mp3' length='9' type='audio/mpeg'/></item>"
        for turn, title in enumerate(TITLES)
    )
    space = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
    return f"<rss version='2.0' {space}><channel><title>Sea Room</title>{items}</channel></rss>"


@pytest.mark.parametrize("prefix", ["Leftovers of ", "Nachlese zu: ", "余話 "])
@pytest.mark.parametrize(("days", "seconds", "items"), [(2, 1100, 4), (0, 2700, 2)], ids=["companion", "the same"])
def test_a_companion_is_an_item(stage, prefix: str, days: int, seconds: int, items: int) -> None:
    (stage.folder / "host.xml").write_text(document("host", "", 0, 2700), encoding="utf-8")
    (stage.folder / "talk.xml").write_text(document("talk", prefix, days, seconds), encoding="utf-8")
    stage.sources = {name: f"kind: feed, path: {name}.xml" for name in ("host", "talk")}
    stage.refresh()
    assert len(stage.items()) == items
