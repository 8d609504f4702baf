"""Whole refreshes of a host beside a feed without media: its channel at a video site, or a blog."""

from dataclasses import replace
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
        ({"kind": "feed"}, 6),
        ({"kind": "blog"}, 6),
        ({"kind": "feed", "options": {"genre": "episode"}}, 6),
        ({"kind": "feed", "options": {"genre": "post"}}, 11),
        ({"kind": "blog", "options": {"genre": "post"}}, 11),
    ],
)
def test_a_feed_without_media_lists_episodes_unless_the_config_says_posts(project, source: str, items: int) -> None:
    (project.folder / "host.xml").write_text(make_rss(*map(host, range(6))), encoding="utf-8")
    (project.folder / "videos.xml").write_text(make_rss(*map(video, range(5))), encoding="utf-8")
    project.sources = {"host": "host.xml", "videos": {**source, "path": "videos.xml"}}
    project.refresh()
    assert len(project.items()) == items


def test_videos_under_titles_that_are_hard_to_recognise_double_nothing(project) -> None:
    episodes = [replace(host(turn), title=f"{TITLES[turn]}: ein Abend mit Gästen") for turn in range(6)]
    videos = [replace(video(turn), title=" ".join(each.title.split()[:3])) for turn, each in enumerate(episodes)]
    videos[2] = replace(videos[2], title="Noch ein Video")
    (project.folder / "host.xml").write_text(make_rss(*episodes), encoding="utf-8")
    (project.folder / "videos.xml").write_text(make_rss(*videos), encoding="utf-8")
    project.sources = {"host": "host.xml", "videos": "videos.xml"}
    project.refresh()
    assert sorted(str(item["id"]) for item in project.items()) == [f"host-{turn}" for turn in range(6)]
    assert "Noch ein Video" in {each["title"] for each in project.report()["held"]}


def test_a_blog_of_the_same_days_is_published(project) -> None:
    news = ("Wir sind umgezogen", "Danke an alle", "Zu Ostern zu", "Ein neues Mikrofon", "Mützen", "Wer kommt mit?")
    posts = [replace(video(turn), title=title) for turn, title in enumerate(news)]
    (project.folder / "host.xml").write_text(make_rss(*map(host, range(6))), encoding="utf-8")
    (project.folder / "blog.xml").write_text(make_rss(*posts), encoding="utf-8")
    project.sources = {"host": "host.xml", "blog": "blog.xml"}
    project.refresh()
    assert len(project.items()) == 12


def test_posts_that_turn_out_to_be_episodes_join_them(project) -> None:
    (project.folder / "host.xml").write_text(make_rss(*map(host, range(6))), encoding="utf-8")
    (project.folder / "videos.xml").write_text(make_rss(*map(video, range(2))), encoding="utf-8")
    project.sources = {"host": "host.xml", "videos": "videos.xml"}
    project.refresh()
    assert len(project.items()) == 8
    (project.folder / "videos.xml").write_text(make_rss(*map(video, range(4))), encoding="utf-8")
    project.refresh()
    assert sorted(str(item["id"]) for item in project.items()) == [f"host-{turn}" for turn in range(6)]
