"""Audio follows the living: a source that fails, or lists an item no more, gives way; one that lists it never does."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.integration.refresh.conftest import START, Project, make_episode
from tests.support.origin import Site
from tests.support.rss import make_rss

TRUSTS = {"a": 0.9, "b": 0.5}

ALL = range(6)


def listing(name: str, turns=ALL, *, host: str | None = None) -> str:
    audio = host or name
    return make_rss(
        *(make_episode(turn, guid=f"{name}-{turn}", audio=f"https://{audio}.example/{turn}.mp3") for turn in turns)
    )


@pytest.fixture
def moved(project: Project, origin: Site) -> Project:
    """A show that host A and directory B list, each with audio of its own, after a refresh."""
    project.sources = {name: origin.source(f"/{name}.xml", trust=trust) for name, trust in TRUSTS.items()}
    origin.serve("/a.xml", listing("a"))
    origin.serve("/b.xml", listing("b", (1, 2, 3, 4, 5)))
    project.refresh(at=START)
    return project


def audio(project: Project) -> list[str]:
    """The host of each item's audio, oldest first."""
    found = [item["attachments"][0]["url"] for item in project.items()]
    return [url.split("//")[1].split(".")[0] for url in reversed(found)]


def after(days: float):
    return START + timedelta(days=days)


def test_a_source_that_fails_gives_way_after_the_grace_time(moved: Project, origin: Site) -> None:
    first = {item["id"]: item["date_published"] for item in moved.items()}
    origin.serve("/a.xml", "gone", status=404)
    moved.refresh(at=after(6))
    assert audio(moved) == ["a"] * 6
    moved.refresh(at=after(8))
    assert audio(moved) == ["a", *["b"] * 5], "what nobody else lists stays"
    assert {item["id"]: item["date_published"] for item in moved.items()} == first
    page = (moved.folder / "output/sea/changes.html").read_text(encoding="utf-8")
    assert "The audio of 5 items moved from a.example to b.example." in page
    assert "the audio" not in page
    origin.serve("/a.xml", listing("a"))
    moved.refresh(at=after(9))
    assert audio(moved) == ["a"] * 6, "it answers again"


def test_time_alone_is_enough(moved: Project, origin: Site) -> None:
    origin.serve("/a.xml", "gone", status=404)
    moved.refresh(at=after(1))
    assert audio(moved) == ["a"] * 6
    moved.refresh(at=after(1) + timedelta(days=8), force=False)
    assert audio(moved) == ["a", *["b"] * 5]


def test_a_source_that_left_the_config_gives_way(moved: Project) -> None:
    del moved.sources["a"]
    moved.refresh(at=after(1))
    assert audio(moved) == ["a"] * 6
    moved.refresh(at=after(8))
    assert audio(moved) == ["a", *["b"] * 5]


def test_the_grace_time_is_the_configs(moved: Project, origin: Site) -> None:
    moved.keys["audio_grace"] = 30
    origin.serve("/a.xml", "gone", status=404)
    moved.refresh(at=after(29))
    assert audio(moved) == ["a"] * 6
    moved.refresh(at=after(31))
    assert audio(moved) == ["a", *["b"] * 5]


def test_a_listing_that_shrank_gives_way_for_what_it_lacks(moved: Project, origin: Site) -> None:
    origin.serve("/a.xml", listing("a", (0, 1, 3, 4, 5)))
    moved.refresh(at=after(1))
    moved.refresh(at=after(5))
    assert audio(moved) == ["a"] * 6
    moved.refresh(at=after(8))
    assert audio(moved) == ["a", "a", "b", "a", "a", "a"]


def test_a_window_that_moves_on_removes_nothing(moved: Project, origin: Site) -> None:
    """A directory that lists everything takes no audio of a host that shows its newest items only."""
    for turn in range(6, 12):
        origin.serve("/a.xml", listing("a", range(turn - 5, turn + 1)))
        origin.serve("/b.xml", listing("b", range(turn)))
        moved.refresh(at=after(10 * turn))
    assert set(audio(moved)) == {"a"}


def test_a_less_trusted_source_never_takes_audio_from_one_that_lists_it(moved: Project, origin: Site) -> None:
    for day in (10, 20, 30):
        origin.serve("/b.xml", listing("b", host=f"evil{day}"))
        moved.refresh(at=after(day))
        assert audio(moved) == ["a"] * 6


def test_an_override_sets_audio(moved: Project) -> None:
    guid = moved.items()[0]["id"]
    moved.keys["overrides"] = {guid: {"enclosure": "https://own.example/5.mp3"}}
    moved.refresh()
    assert audio(moved) == ["a"] * 5 + ["own"]


def test_audio_that_is_gone_twice_gives_way_until_it_is_back(project: Project, origin: Site) -> None:
    project.keys, project.sources = {"probe_gone": 3}, {}
    for name, trust in TRUSTS.items():
        project.sources[name] = origin.source(f"/{name}.xml", trust=trust)
        episodes = (make_episode(1, guid=f"{name}-1", audio=origin.url(f"/{name}.mp3")),)
        origin.serve(f"/{name}.xml", make_rss(*episodes))
        origin.serve(f"/{name}.mp3", "sound", kind="audio/mpeg")

    def published(day: float) -> str:
        project.refresh(at=after(day), force=False)
        (item,) = project.items()
        return item["attachments"][0]["url"].rpartition("/")[2]

    assert published(0) == "a.mp3"
    first = project.items()[0]
    origin.serve("/a.mp3", "gone", status=404)
    assert [published(day) for day in (2, 3, 5)] == ["a.mp3"] * 3, "gone once, on the third day"
    origin.asked.clear()
    assert published(6) == "b.mp3"
    assert origin.asked.count("/a.mp3") == 1
    later = project.items()[0]
    assert (later["id"], later["date_published"]) == (first["id"], first["date_published"])
    page = (project.folder / "output/sea/changes.html").read_text(encoding="utf-8")
    assert page.count("the audio has another address") == 1
    origin.serve("/a.mp3", "sound", kind="audio/mpeg")
    assert [published(day) for day in (8, 9)] == ["b.mp3", "a.mp3"]
    origin.serve("/a.mp3", "busy", status=503)
    assert [published(day) for day in (12, 15, 18)] == ["a.mp3"] * 3, "a failure that may pass"


def test_a_feed_that_was_taken_over_and_given_back_is_as_before(project, origin, episode, rss) -> None:
    """For one refresh each item stood there under another guid, with other audio and another link."""
    own = [episode(turn, link=f"https://host.example/e/{turn}") for turn in range(11, -1, -1)]
    taken = [
        replace(
            one, guid=f"x-{one.guid}", audio=f"https://evil.example/{turn}.mp3", link=f"https://evil.example/{turn}"
        )
        for turn, one in enumerate(own)
    ]
    origin.serve("/feed.xml", rss(*own))
    project.refresh()
    before = [(item["id"], item["title"], item["url"], item["attachments"]) for item in project.items()]
    for listed in (taken, own, own, own, own):
        origin.serve("/feed.xml", rss(*listed))
        project.refresh()
        assert [item["id"] for item in project.items()] == [guid for guid, *_ in before]
    assert [(item["id"], item["title"], item["url"], item["attachments"]) for item in project.items()] == before
