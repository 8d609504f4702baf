"""New items from below wait: whole refreshes of a host and a less trusted mirror on loopback."""

import pytest


@pytest.fixture
def beside(project, origin, episode, rss):
    """A host with six episodes, and a mirror of trust 0.2 that lists them too."""
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.2)
    episodes = [episode(turn) for turn in range(6)]
    origin.serve("/feed.xml", rss(*episodes))
    origin.serve("/mirror.xml", rss(*episodes))
    project.refresh()
    return project


def fake(episode, turn=90, **said):
    return episode(
        turn, guid=f"fake-{turn}", title=f"Buy hemp wholesale {turn}", audio=f"https://bad.example/{turn}.mp3", **said
    )


def serve_mirror(origin, rss, episode, *extra):
    origin.serve("/mirror.xml", rss(*extra, *[episode(turn) for turn in range(6)]))


def titles(project) -> list[str]:
    return [item["title"] for item in project.items()]


def test_a_fake_on_top_is_held_and_told_and_published_after_a_week(beside, origin, episode, rss) -> None:
    before = titles(beside)
    serve_mirror(origin, rss, episode, fake(episode))
    outcome = beside.refresh()
    assert titles(beside) == before
    assert [each["title"] for each in beside.report()["held"]] == ["Buy hemp wholesale 90"]
    assert beside.report()["counts"]["held"] == 1
    assert len(outcome.published.held) == 1
    assert outcome.published.held[0].startswith("mirror: 1 new item is held until another source lists them")
    assert outcome.alarms == outcome.published.held, "it is an alarm when it is new"
    seen = beside.published()
    again = beside.refresh()
    assert (again.published.held, again.alarms, beside.published()) == (outcome.published.held, (), seen)
    for _ in range(3):  # two days each
        beside.refresh()
    assert titles(beside) == ["Buy hemp wholesale 90", *before], "nothing new was read, only time has passed"
    assert beside.report()["held"] == []


def test_what_the_host_lists_a_day_later_is_published_under_the_host(beside, origin, episode, rss) -> None:
    serve_mirror(origin, rss, episode, episode(7, guid="mirrored-7", audio="https://bad.example/7.mp3"))
    beside.refresh()
    assert len(beside.items()) == 6
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in (7, *range(6))]))
    beside.refresh()
    newest = beside.items()[0]
    assert len(beside.items()) == 7
    assert newest["id"] == "host-7"
    assert newest["attachments"][0]["url"] == "https://cdn.host.example/show/7.mp3"


def test_an_outage_of_an_hour_lets_nothing_through_and_one_of_weeks_does(beside, origin, episode, rss) -> None:
    serve_mirror(origin, rss, episode, fake(episode))
    origin.serve("/feed.xml", "gone for lunch", status=503, kind="text/plain")
    beside.refresh()
    assert len(beside.items()) == 6
    serve_mirror(origin, rss, episode, fake(episode), fake(episode, 91))
    for _ in range(3):
        beside.refresh()
    assert len(beside.items()) == 8, "the host was last heard eight days ago: nobody can confirm"


def test_a_host_that_was_never_heard_holds_nothing(project, origin, episode, rss) -> None:
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.2)
    serve_mirror(origin, rss, episode)
    project.refresh()
    serve_mirror(origin, rss, episode, fake(episode))
    project.refresh()
    assert len(project.items()) == 7
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(6)]))
    project.refresh()
    assert len(project.items()) == 7, "what was published stays"


def test_a_recording_of_the_host_holds_nothing(project, origin, episode, rss) -> None:
    recording = project.folder / "host.xml"
    recording.write_text(rss(*[episode(turn) for turn in range(6)]), encoding="utf-8")
    project.sources["host"]["snapshot"] = "host.xml"
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.2)
    serve_mirror(origin, rss, episode, fake(episode))
    project.refresh()
    assert len(project.items()) == 7


def test_what_a_source_first_lists_itself_is_its_archive_also_after_a_snapshot(project, origin, episode, rss) -> None:
    (project.folder / "mirror.xml").write_text(rss(*[episode(turn) for turn in (3, 4, 5)]), encoding="utf-8")
    mirror = origin.source("/mirror.xml", trust=0.2, snapshot="mirror.xml")
    project.sources["mirror"] = mirror
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(2, 6)]))
    origin.serve("/mirror.xml", "moving", status=503, kind="text/plain")
    project.refresh()
    assert len(project.items()) == 4
    archive = [episode(turn, day=-turn) for turn in range(20, 80)]
    origin.serve("/mirror.xml", rss(*archive, fake(episode), *[episode(turn) for turn in (3, 4, 5)]))
    project.refresh()
    assert len(project.items()) == 64, "no older item waits, and none counts against the quota"
    assert [each["title"] for each in project.report()["held"]] == ["Buy hemp wholesale 90"]
    later = [episode(80, day=-80), *archive]
    origin.serve("/mirror.xml", rss(*later, *[episode(turn) for turn in (3, 4, 5)]))
    project.refresh()
    assert len(project.items()) == 64, "what it lists later waits"


@pytest.mark.parametrize(("adds", "items"), [("always", 7), ("confirmed", 6), ("never", 6)])
def test_the_config_decides_also_between_equals(project, origin, episode, rss, adds, items) -> None:
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.8, adds=adds)
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(6)]))
    serve_mirror(origin, rss, episode)
    project.refresh()
    serve_mirror(origin, rss, episode, fake(episode))
    project.refresh()
    assert len(project.items()) == items
    assert len(project.report()["held"]) == 7 - items
    for _ in range(4):
        project.refresh()
    assert len(project.items()) == (6 if adds == "never" else 7)


def test_a_flood_comes_a_quota_at_a_time(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(6)]))
    project.refresh()
    flood = [fake(episode, turn, day=turn / 4) for turn in range(200, 320)]
    origin.serve("/feed.xml", rss(*flood, *[episode(turn) for turn in range(6)]))
    found = [project.refresh() for _ in range(4)]
    assert [each.new for each in found] == [50, 50, 20, 0]
    assert [each.published.items for each in found] == [56, 106, 126, 126]
    assert found[0].published.held[0].startswith("host: 70 new items are held as more new items came")
    assert found[3].published.held == ()


def test_a_new_source_may_bring_its_whole_past_at_once(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(6)]))
    project.refresh()
    project.sources["archive"] = origin.source("/archive.xml", trust=0.8)
    origin.serve("/archive.xml", rss(*[fake(episode, turn, day=turn / 4) for turn in range(200, 320)]))
    assert project.refresh().published.items == 126


def test_a_new_mirror_under_names_of_its_own_publishes_no_item_twice(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(8)]))
    project.refresh()
    known = titles(project)
    project.sources["mirror"] = origin.source("/mirror.xml")
    renamed = [
        episode(turn, guid=f"m{turn}", title=f"Aus dem Archiv {turn}", audio=f"https://mirror.example/{turn}.mp3")
        for turn in (2, 5)
    ]
    origin.serve("/mirror.xml", rss(*[episode(turn) for turn in (0, 1, 3, 4, 6, 7)], *renamed))
    outcome = project.refresh()
    assert outcome.published.held[0].startswith("mirror: 2 new items are held until another source lists them")
    assert titles(project) == known
    for _ in range(4):  # two days each
        outcome = project.refresh()
    assert (outcome.published.items, outcome.published.held) == (10, ()), "they are published, if nobody decides"
