"""Whole refreshes of a host and of a directory that lists its episodes in another language."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

START = datetime(2024, 1, 3, 5, 20, tzinfo=UTC)
HOST = ("The old harbour", "A light on the pier", "Nets and mending", "What the tide left", "Bread for nine", "Letters")
OTHERS = {
    "de": ("Im alten Hafen", "Licht auf der Mole", "Netze flicken", "Strandgut", "Brot für neun Leute", "Post"),
    "es": ("El puerto viejo", "Luz en el muelle", "Remendar redes", "Lo que dejó la marea", "Pan para nueve", "Cartas"),
    "ja": ("夜の古い港", "長い桟橋の灯り", "網とその直し方", "潮が残したもの", "船員のパン", "灯台への手紙"),
}


def document(name: str, titles: tuple[str, ...], seconds: int = 0) -> str:
    """Return a feed of weekly episodes, the newest first, each of its own length."""
    items = "".join(
        f"<item><guid isPermaLink='false'>{name}-{turn}</guid><title>{title}</title>"
        f"<pubDate>{format_datetime(START + timedelta(weeks=turn))}</pubDate>"
        f"<itunes:duration>{1800 + 61 * turn + seconds}</itunes:duration>"
        f"<enclosure url='https://{name}.example/{turn}.mp3' length='9' type='audio/mpeg'/></item>"
        for turn, title in reversed(list(enumerate(titles)))
    )
    space = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
    return f"<rss version='2.0' {space}><channel><title>Sea Room</title>{items}</channel></rss>"


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("known", "seconds", "items"), [(6, 0, 6), (4, 0, 8), (6, 50, 12)])
def test_a_translated_listing_is_joined_or_offered(stage, language: str, known: int, seconds: int, items: int) -> None:
    (stage.folder / "host.xml").write_text(document("host", HOST[:known]), encoding="utf-8")
    (stage.folder / "page.xml").write_text(document("page", OTHERS[language][:known], seconds), encoding="utf-8")
    stage.sources = {name: f"kind: feed, path: {name}.xml" for name in ("host", "page")}
    stage.refresh()
    assert len(stage.items()) == items
    assert len(stage.report()["near_misses"]) == (4 if known == 4 else 0)
