"""Whole refreshes of a host and of a directory that lists its episodes in another language."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.rss import Episode, make_rss

START = datetime(2024, 1, 3, 5, 20, tzinfo=UTC)
HOST = ("The old harbour", "A light on the pier", "Nets and mending", "What the tide left", "Bread for nine", "Letters")
OTHERS = {
    "de": ("Im alten Hafen", "Licht auf der Mole", "Netze flicken", "Strandgut", "Brot für neun Leute", "Post"),
    "es": ("El puerto viejo", "Luz en el muelle", "Remendar redes", "Lo que dejó la marea", "Pan para nueve", "Cartas"),
    "ja": ("夜の古い港", "長い桟橋の灯り", "網とその直し方", "潮が残したもの", "船員のパン", "灯台への手紙"),
}


def document(name: str, titles: tuple[str, ...], seconds: int = 0) -> str:
    """Return a feed of weekly episodes, the newest first, each of its own length."""
    episodes = [
        Episode(
            f"{name}-{turn}",
            title,
            START + timedelta(weeks=turn),
            audio=f"https://{name}.example/{turn}.mp3",
            seconds=1800 + 61 * turn + seconds,
        )
        for turn, title in enumerate(titles)
    ]
    return make_rss(*reversed(episodes))


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("known", "seconds", "items"), [(6, 0, 6), (4, 0, 8), (6, 50, 12)])
def test_a_translated_listing_is_joined_or_offered(
    project, language: str, known: int, seconds: int, items: int
) -> None:
    (project.folder / "host.xml").write_text(document("host", HOST[:known]), encoding="utf-8")
    (project.folder / "page.xml").write_text(document("page", OTHERS[language][:known], seconds), encoding="utf-8")
    project.sources = {name: f"{name}.xml" for name in ("host", "page")}
    project.refresh()
    assert len(project.items()) == items
    assert len(project.report()["near_misses"]) == (4 if known == 4 else 0)
