"""The promises, kept by whole refreshes against a real origin; each test is named after one."""

import random
import re
from datetime import UTC, datetime, timedelta

import pytest

from aggregator import compose
from aggregator.config.load import load
from aggregator.errors import NothingToPublishError
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.source import Source
from aggregator.store import database
from aggregator.store.guids import write_guids
from aggregator.store.listings import write_listings
from tests.support.rss import Episode

START = datetime(2024, 5, 31, tzinfo=UTC)


def guids(items) -> dict[str, str]:
    return {item["title"]: item["id"] for item in items}


def test_promise_1_a_guid_outlives_changes_of_guid_title_date_and_audio(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.refresh()
    before = {item["id"]: item for item in project.items()}
    assert set(before) == {f"host-{turn}" for turn in range(5)}
    origin.serve(
        "/feed.xml",
        rss(*(episode(turn, title=f"Renamed chapter {turn} of the book", day=turn + 3) for turn in range(5))),
    )
    project.refresh()
    after = {item["id"]: item for item in project.items()}
    assert after.keys() == before.keys()
    assert {guid: item["date_published"] for guid, item in after.items()} == {
        guid: item["date_published"] for guid, item in before.items()
    }
    assert all(item["title"].startswith("Renamed") for item in after.values())


def test_promise_1_a_source_of_another_kind_publishes_nothing_twice(project, origin, episode, rss) -> None:
    """Of a kind with two documents, as `apple` has, to one with one document, which lists the items by other keys."""
    listing = Listing(tuple(make_entry(episode(turn), 8 - turn) for turn in range(8)))
    with database.open_store(str(project.folder / "store.db")) as store:
        write_listings(store, "sea", Source("host", "apple"), [listing, listing], START)
    project.sources = {"host": {"kind": "apple", "url": "https://podcasts.apple.com/us/podcast/id1"}}
    plan = load(project.config()).plans[0]
    with database.open_store(str(project.folder / "store.db")) as store:
        composed = compose.compose(store, plan, START)
        write_guids(store, "sea", composed.settlement.published_items)
    before = {item.guid for item in composed.feed.items}
    origin.serve("/feed.xml", rss(*(episode(turn) for turn in reversed(range(8)))))
    project.sources = {"host": origin.source("/feed.xml")}
    project.refresh()
    assert {item["id"] for item in project.items()} == before


def make_entry(listed: Episode, position: int) -> Entry:
    text, published = listed.text, Moment(listed.at)
    return Entry("host", f"track-{position}", listed.title, published=published, position=position, description=text)


def test_promise_2_a_moved_host_keeps_its_subscribers(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(12))))
    project.refresh()
    before = guids(project.items())
    moved = [episode(turn, guid=f"new-{turn}", audio=f"https://new.example/{turn + 700}.mp3") for turn in range(12)]
    origin.serve("/feed.xml", rss(*moved))
    project.refresh()
    project.refresh()
    assert guids(project.items()) == before


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (500, "text/plain", b"down"),
        (200, "text/html", b"<html><body><h1>Maintenance</h1></body></html>"),
        (200, "application/rss+xml", b""),
        (200, "application/rss+xml", b"\x00\xff\xfe garbage"),
        (404, "text/html", b"<html>gone</html>"),
    ],
)
def test_promise_2_a_source_that_is_down_removes_nothing(project, origin, episode, rss, status, kind, body) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.refresh()
    before = {name: text for name, text in project.published().items() if name not in ("report.json", "index.html")}
    origin.serve("/feed.xml", body, status=status, kind=kind)
    outcome = project.refresh()
    assert outcome.source_results[0].status == "cached"
    assert outcome.source_results[0].message
    assert {name: project.published()[name] for name in before} == before


def test_promise_2_an_empty_or_shrunk_listing_removes_nothing(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(9))))
    project.refresh()
    before = guids(project.items())
    for left in (1, 0):
        origin.serve("/feed.xml", rss(*map(episode, range(left))))
        assert [project.refresh().source_results[0].status for _ in range(3)] == ["held back", "held back", "ok"]
        assert guids(project.items()) == before


def test_promise_5_a_trusted_archive_dated_in_the_future_takes_the_dates_that_others_have(
    project, origin, episode, rss
) -> None:
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.2)
    origin.serve("/mirror.xml", rss(*(episode(turn, guid=f"copy-{turn}") for turn in range(6))))
    origin.serve("/feed.xml", rss(*(episode(turn, day=turn + 2000) for turn in range(6))))
    project.refresh()
    dates = {item["id"]: item["date_published"] for item in project.items()}
    assert len(dates) == 6
    assert len(set(dates.values())) == 6, "none is published as seen now"
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    project.refresh()
    assert {item["id"]: item["date_published"] for item in project.items()} == dates


def test_promise_3_a_replay_part_two_and_weekly_titles_stay_apart(project, origin, episode, rss) -> None:
    titles = [
        "The long night, Part 1",
        "The long night, Part 2",
        "Listener mail",
        "Listener mail",
        "Rope work",
        "Rope work (replay)",
    ]
    listing = [episode(turn, title=title, day=turn * 7) for turn, title in enumerate(titles)]
    mirror = [episode(turn, guid=f"m-{turn}", title=title, day=turn * 7) for turn, title in enumerate(titles)]
    origin.serve("/feed.xml", rss(*listing))
    origin.serve("/mirror.xml", rss(*mirror))
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.3)
    project.refresh()
    assert sorted(item["title"] for item in project.items()) == sorted(titles)
    assert {item["id"] for item in project.items()} == {f"host-{turn}" for turn in range(6)}


def test_promise_4_every_published_word_was_said_by_a_source(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.refresh()
    said = origin.pages["/feed.xml"][2].decode()
    for item in project.items():
        text = item["content_html"].removeprefix("<p>").removesuffix("</p>")
        assert all(word in said for word in text.split())


def test_promise_5_a_hostile_source_takes_no_title_audio_link_or_date(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    project.refresh()
    before = project.items()
    hostile = [
        episode(
            turn,
            guid=f"host-{turn}",
            title=f"Win a prize {turn}",
            audio=f"https://evil.example/{turn}.mp3",
            day=turn + 40,
        )
        for turn in range(6)
    ]
    origin.serve("/evil.xml", rss(*hostile, title="Sea Room"))
    project.sources["evil"] = origin.source("/evil.xml", trust=0.2)
    project.refresh()
    after = {item["id"]: item for item in project.items()}
    for item in before:
        same = after[item["id"]]
        for field in ("title", "date_published", "attachments"):
            assert same[field] == item[field]


def test_promise_5_audio_that_moves_all_at_once_is_held_back_and_told(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    project.refresh()
    known = [item["attachments"][0]["url"] for item in project.items()]
    moved = [episode(turn, audio=f"https://other.example/{turn}.mp3") for turn in range(7)]
    origin.serve("/feed.xml", rss(*moved))
    outcome = project.refresh()
    assert "moved to another host at once" in outcome.alarms[0]
    heard = [item["attachments"][0]["url"] for item in project.items()]
    assert heard == ["https://other.example/6.mp3", *known]
    project.refresh()
    assert [item["attachments"][0]["url"] for item in project.items()] == heard
    assert project.refresh().alarms == ()
    assert all("other.example" in item["attachments"][0]["url"] for item in project.items())


@pytest.mark.parametrize("kept", [0, 4], ids=["all with other guids", "half with other guids"])
def test_promise_5_audio_that_moves_with_its_guids_is_held_back_and_told(project, origin, episode, rss, kept) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(8))))
    project.refresh()
    known = [(item["id"], item["attachments"][0]["url"]) for item in project.items()]
    moved = [
        episode(turn, guid=f"host-{turn}" if turn < kept else f"new-{turn}", audio=f"https://other.example/{turn}.mp3")
        for turn in range(9)
    ]
    origin.serve("/feed.xml", rss(*moved))
    outcome = project.refresh()
    count = 8
    assert f"the audio of {count} items moved to another host at once" in outcome.alarms[0]
    heard = [(item["id"], item["attachments"][0]["url"]) for item in project.items()]
    assert heard[0] == ("new-8", "https://other.example/8.mp3")
    assert heard[1 : 1 + count] == known[:count]
    project.refresh()
    assert [(item["id"], item["attachments"][0]["url"]) for item in project.items()] == heard
    assert project.refresh().alarms == ()
    assert all("other.example" in item["attachments"][0]["url"] for item in project.items())
    assert [item["id"] for item in project.items()][1:] == [guid for guid, _ in known]


def heard_hosts(project) -> list[str]:
    return [item["attachments"][0]["url"].split("/")[2] for item in project.items() if "attachments" in item]


@pytest.mark.parametrize("is_rekeyed", [False, True], ids=["same guids", "other guids"])
def test_promise_5_audio_that_moves_in_two_parts_is_held_back(project, origin, episode, rss, is_rekeyed) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(10))))
    project.refresh()
    evil = [
        episode(turn, guid=f"{'new' if is_rekeyed else 'host'}-{turn}", audio=f"https://other.example/{turn}.mp3")
        for turn in range(10)
    ]
    origin.serve("/feed.xml", rss(*evil[:4], *(episode(turn) for turn in range(4, 10))))
    assert project.refresh().alarms == ()
    origin.serve("/feed.xml", rss(*evil[:8], *(episode(turn) for turn in range(8, 10))))
    outcome = project.refresh()
    assert "the audio of 8 items moved to another host at once" in outcome.alarms[0]
    assert "other.example" not in heard_hosts(project)


def test_promise_5_audio_that_went_and_comes_back_from_another_host_is_held_back(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(8))))
    project.refresh()
    origin.serve("/feed.xml", rss(*(episode(turn, audio="") for turn in range(8))))
    for _ in range(4):
        project.refresh()
    origin.serve("/feed.xml", rss(*(episode(turn, audio=f"https://other.example/{turn}.mp3") for turn in range(8))))
    assert "the audio of 8 items moved to another host at once" in project.refresh().alarms[0]
    assert "other.example" not in heard_hosts(project)


def make_version(host: str) -> str:
    """Return another version of an item's audio."""
    version = f'<podcast:source uri="https://{host}/1.opus"/>'
    return f'<podcast:alternateEnclosure type="audio/opus">{version}</podcast:alternateEnclosure>'


def find_versions(project) -> list[str]:
    return sorted(set(re.findall(rb"https://([a-z.]+)/1\.opus", project.published()["podcast.xml"])))


@pytest.mark.parametrize("is_rekeyed", [False, True], ids=["same guids", "other guids"])
def test_promise_5_versions_on_another_host_are_held_back(project, origin, episode, rss, is_rekeyed) -> None:
    origin.serve("/feed.xml", rss(*(episode(turn, extra=make_version("media.example")) for turn in range(8))))
    project.refresh()
    assert find_versions(project) == [b"media.example"]
    guid, version = "new" if is_rekeyed else "host", make_version("x.example")
    origin.serve("/feed.xml", rss(*(episode(turn, guid=f"{guid}-{turn}", extra=version) for turn in range(8))))
    for _ in range(2):
        (told,) = project.refresh().alarms
        assert "the audio of 8 items moved to another host at once, or has other versions there" in told
        assert b"x.example" not in find_versions(project)
    assert project.refresh().alarms == ()
    assert find_versions(project) == [b"x.example"]


def test_promise_5_pictures_and_versions_of_few_items_are_not_held_back(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(8))))
    project.refresh()
    url, namespace = "https://pictures.example/1.jpg", "http://search.yahoo.com/mrss/"
    picture, version = (
        f'<media:content xmlns:media="{namespace}" url="{url}" medium="image"/>',
        make_version("x.example"),
    )
    items = (episode(turn, extra=picture + version * (turn < 3)) for turn in range(8))
    origin.serve("/feed.xml", rss(*items))
    assert project.refresh().alarms == ()
    assert find_versions(project) == [b"x.example"]


@pytest.mark.parametrize("is_rekeyed", [False, True], ids=["same guids", "other guids"])
def test_promise_5_each_part_of_what_moves_is_held_back_as_long(project, origin, episode, rss, is_rekeyed) -> None:
    """Of the first part the hold begins with the second where that makes them enough."""
    origin.serve("/feed.xml", rss(*map(episode, range(10))))
    project.refresh()
    guid, parts = ("new", (4, 8, 8)) if is_rekeyed else ("host", (6, 10, 10))
    heard = []
    for moved in (*parts, parts[-1]):
        evil = [episode(turn, guid=f"{guid}-{turn}", audio=f"https://x.example/{turn}.mp3") for turn in range(moved)]
        origin.serve("/feed.xml", rss(*evil, *(episode(turn) for turn in range(moved, 10))))
        project.refresh()
        heard.append(heard_hosts(project).count("x.example"))
    assert heard == ([4, 0, 0, 8] if is_rekeyed else [0, 0, 6, 10])


def test_promise_5_held_audio_waits_for_answers_of_its_source(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(8))))
    project.refresh()
    moved = rss(*(episode(turn, audio=f"https://other.example/{turn}.mp3") for turn in range(8)))
    origin.serve("/feed.xml", moved)
    project.refresh()
    origin.pages["/feed.xml"] = (500, "text/plain", b"gone")
    for _ in range(4):
        project.refresh()
        assert "other.example" not in heard_hosts(project)
    origin.serve("/mirror.xml", rss(*map(episode, range(8))))
    project.sources = {"mirror": origin.source("/mirror.xml", trust=0.2)}  # a person reacts
    for _ in range(4):
        project.refresh()
        assert "other.example" not in heard_hosts(project)


def test_promise_5_other_versions_of_audio_are_held_back_with_it(project, origin, episode, rss) -> None:
    other = (
        '<podcast:alternateEnclosure type="audio/mpeg" length="5"><podcast:source uri="https://other.example/a.mp3"/>'
        "</podcast:alternateEnclosure>"
    )
    origin.serve("/feed.xml", rss(*map(episode, range(8))))
    project.refresh()
    moved = (episode(turn, audio=f"https://other.example/{turn}.mp3", extra=other) for turn in range(8))
    origin.serve("/feed.xml", rss(*moved))
    project.refresh()
    feed = project.folder / "output" / "sea" / "podcast.xml"
    assert "other.example" not in feed.read_text("utf-8")
    project.refresh()
    project.refresh()
    assert "other.example/a.mp3" in feed.read_text("utf-8")


def test_promise_5_new_guids_at_the_same_host_and_many_new_items_are_not_held(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(8))))
    project.refresh()
    known = [item["id"] for item in project.items()]
    rekeyed = [episode(turn, guid=f"new-{turn}") for turn in range(8)]
    other = [episode(turn, audio=f"https://other.example/{turn}.mp3") for turn in range(8, 16)]
    origin.serve("/feed.xml", rss(*rekeyed, *other))
    assert project.refresh().alarms == ()
    assert [item["id"] for item in project.items()][8:] == known
    assert sum("other.example" in item["attachments"][0]["url"] for item in project.items()) == 8


def test_promise_6_the_same_store_gives_the_same_bytes(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.refresh()
    before = project.published()
    project.refresh()
    assert project.published() == before
    project.refresh(force=False)
    assert project.published() == before


def test_promise_6_lastbuilddate_moves_with_content_only(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.refresh()
    before = project.published()["feed.xml"].split(b"<lastBuildDate>")[1][:40]
    project.refresh()
    assert project.published()["feed.xml"].split(b"<lastBuildDate>")[1][:40] == before
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    project.refresh()
    assert project.published()["feed.xml"].split(b"<lastBuildDate>")[1][:40] != before


def test_promise_8_one_bad_source_never_spoils_the_feed(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    origin.serve("/bad.xml", b"<rss><channel>" + b"<a>" * 3000)
    for name, path in {"bad": "/bad.xml", "gone": "/nowhere.xml"}.items():
        project.sources[name] = origin.source(path)
    project.sources["absent"] = {"kind": "listing", "path": "nowhere.txt"}
    project.sources["closed"] = "http://127.0.0.1:1/feed.xml"
    outcome = project.refresh()
    assert outcome.published.items == 5
    states = {source_result.source.name: source_result.status for source_result in outcome.source_results}
    assert states == {"absent": "failed", "bad": "failed", "closed": "failed", "gone": "failed", "host": "ok"}
    assert all(source_result.message for source_result in outcome.source_results if source_result.status == "failed")
    told = {source["name"]: source for source in project.report()["sources"]}
    assert told["gone"]["state"] == "failed"


def test_promise_10_a_second_refresh_does_not_ask_sooner_than_it_may(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    first = project.refresh(force=False)
    assert first.source_results[0].status == "ok"
    outcome = project.refresh(force=False, at=datetime(2024, 6, 3, 12, 1, tzinfo=UTC))
    assert outcome.source_results[0].status == "not due"
    assert origin.asked == ["/feed.xml"]


def test_nothing_heard_and_nothing_remembered_is_an_error_that_says_why(project) -> None:
    with pytest.raises(NothingToPublishError, match=r"nothing could be fetched.*\n.*host.*404"):
        project.refresh()
    assert not (project.folder / "output" / "sea").exists()


def test_the_order_of_the_sources_and_of_their_entries_makes_no_difference(project, origin, episode, rss) -> None:
    episodes = [episode(turn) for turn in range(8)]
    mirror = [episode(turn, guid=f"m-{turn}") for turn in range(8)]
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.3)
    origin.serve("/feed.xml", rss(*episodes))
    origin.serve("/mirror.xml", rss(*mirror))
    project.refresh()
    before = [(item["id"], item["title"]) for item in project.items()]
    for path in project.folder.glob("store.db*"):
        path.unlink()
    random.Random(5).shuffle(mirror)
    origin.serve("/mirror.xml", rss(*mirror))
    project.sources = dict(reversed(project.sources.items()))
    project.refresh(new=True)
    assert [(item["id"], item["title"]) for item in project.items()] == before


def test_promise_6_a_run_in_which_nobody_may_be_asked_changes_no_byte(project, origin, tmp_path) -> None:
    recording = tmp_path / "casts.txt"
    meta = "Sea Room - June 01, 2024 10:00 - 20 minutes ★★★★★ - 3 ratings"
    listing = f"Sea Room artwork\n\nTide tables\n\n{meta}\nThe moon."
    recording.write_text(f"Latest Sea Episodes\n\n{listing}\n\nRelated Topics")
    project.sources = {"casts": origin.source("/nowhere", "listing", snapshot="casts.txt")}
    first = project.refresh(at=datetime(2024, 6, 3, 12, tzinfo=UTC))
    assert (first.published.items, first.source_results[0].status) == (1, "snapshot")
    before = project.published()
    second = project.refresh(at=datetime(2024, 6, 3, 12, 1, tzinfo=UTC), force=False)
    assert (second.published.items, second.source_results[0].status) == (1, "not due")
    assert project.published() == before


def test_promise_10_a_run_by_hand_keeps_the_feeds_schedule_and_force_passes_it(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.keys["refresh"] = "17 6 * * 1"
    monday = datetime(2024, 6, 3, 12, tzinfo=UTC)
    project.refresh(at=monday, force=False)
    friday = project.refresh(at=monday + timedelta(days=4), force=False)
    assert (friday.source_results[0].status, friday.published.items) == ("not due", 5)
    assert "not asked before 2024-06-10 06:17:00 UTC" in friday.source_results[0].message
    assert len(origin.asked) == 1
    project.refresh(at=monday + timedelta(days=4), force=True)
    assert len(origin.asked) == 2
    project.refresh(at=datetime(2024, 6, 10, 6, 18, tzinfo=UTC), force=False)
    assert len(origin.asked) == 3
