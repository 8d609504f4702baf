"""Whole refreshes of a host beside a feed without media: its channel at a video site, or a blog."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.rss import Episode, make_rss

START = datetime(2025, 10, 6, 4, 30, tzinfo=UTC)
TITLES = ("Die letzte Fähre", "Suppe für sechzig", "Eine Uhr im Turm", "Wolle und Regen", "Karten falten", "Im Winter")


def host(turn: int) -> Episode:
    at, audio = START + timedelta(weeks=turn), f"https://host.example/{turn}.mp3"
    return Episode(f"host-{turn}", TITLES[turn], at, f"Folge über {TITLES[turn]}.", audio, seconds=1800 + 61 * turn)


def video(turn: int) -> Episode:
    link = f"https://video.example/watch/{turn}"
    return Episode(f"v:{turn}", TITLES[turn], START + timedelta(weeks=turn, hours=5), link=link)


@pytest.mark.parametrize(
    ("source", "items"),
    [
        ("kind: feed", 6),
        ("kind: blog", 6),
        ("kind: feed, options: {genre: episode}", 6),
        ("kind: feed, options: {genre: post}", 11),
        ("kind: blog, options: {genre: post}", 11),
    ],
)
def test_a_feed_without_media_lists_episodes_unless_the_config_says_posts(project, source: str, items: int) -> None:
    (project.folder / "host.xml").write_text(make_rss(*map(host, range(6))), encoding="utf-8")
    (project.folder / "videos.xml").write_text(make_rss(*map(video, range(5))), encoding="utf-8")
    project.sources = {"host": "kind: feed, path: host.xml", "videos": f"{source}, path: videos.xml"}
    project.refresh()
    assert len(project.items()) == items


def test_posts_that_turn_out_to_be_episodes_join_them(project) -> None:
    (project.folder / "host.xml").write_text(make_rss(*map(host, range(6))), encoding="utf-8")
    (project.folder / "videos.xml").write_text(make_rss(*map(video, range(2))), encoding="utf-8")
    project.sources = {"host": "kind: feed, path: host.xml", "videos": "kind: feed, path: videos.xml"}
    project.refresh()
    assert len(project.items()) == 8
    (project.folder / "videos.xml").write_text(make_rss(*map(video, range(4))), encoding="utf-8")
    project.refresh()
    assert sorted(str(item["id"]) for item in project.items()) == [f"host-{turn}" for turn in range(6)]
