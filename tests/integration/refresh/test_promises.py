"""The promises, kept by whole refreshes against a real origin; each test is named after one."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from aggregator.errors import NothingToPublishError


def guids(items) -> dict[str, str]:
    return {item["title"]: item["id"] for item in items}


def test_promise_1_a_guid_outlives_changes_of_guid_title_date_and_audio(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    stage.refresh()
    before = {item["id"]: item for item in stage.items()}
    assert set(before) == {f"host-{turn}" for turn in range(5)}
    origin.serve(
        "/feed.xml",
        rss(*(episode(turn, title=f"Renamed chapter {turn} of the book", day=turn + 3) for turn in range(5))),
    )
    stage.refresh()
    after = {item["id"]: item for item in stage.items()}
    assert after.keys() == before.keys()
    assert {guid: item["date_published"] for guid, item in after.items()} == {
        guid: item["date_published"] for guid, item in before.items()
    }
    assert all(item["title"].startswith("Renamed") for item in after.values())


def test_promise_2_a_moved_host_keeps_its_subscribers(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(12))))
    stage.refresh()
    before = guids(stage.items())
    moved = [episode(turn, guid=f"new-{turn}", audio=f"https://new.example/{turn + 700}.mp3") for turn in range(12)]
    origin.serve("/feed.xml", rss(*moved))
    stage.refresh()
    stage.refresh()
    assert guids(stage.items()) == before


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
def test_promise_2_a_source_that_is_down_removes_nothing(stage, origin, episode, rss, status, kind, body) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    stage.refresh()
    before = {name: text for name, text in stage.published().items() if name not in ("report.json", "index.html")}
    origin.serve("/feed.xml", body, status=status, kind=kind)
    outcome = stage.refresh()
    assert outcome.source_results[0].status == "cached"
    assert outcome.source_results[0].message
    assert {name: stage.published()[name] for name in before} == before


def test_promise_2_an_empty_or_shrunk_listing_removes_nothing(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(9))))
    stage.refresh()
    before = guids(stage.items())
    for left in (1, 0):
        origin.serve("/feed.xml", rss(*map(episode, range(left))))
        assert [stage.refresh().source_results[0].status for _ in range(3)] == ["held back", "held back", "ok"]
        assert guids(stage.items()) == before


def test_promise_5_a_trusted_archive_dated_in_the_future_takes_the_dates_that_others_have(
    stage, origin, episode, rss
) -> None:
    stage.sources["mirror"] = f"kind: feed, url: '{origin.url('/mirror.xml')}', trust: 0.2"
    origin.serve("/mirror.xml", rss(*(episode(turn, guid=f"copy-{turn}") for turn in range(6))))
    origin.serve("/feed.xml", rss(*(episode(turn, day=turn + 2000) for turn in range(6))))
    stage.refresh()
    dates = {item["id"]: item["date_published"] for item in stage.items()}
    assert len(dates) == 6
    assert len(set(dates.values())) == 6, "none is published as seen now"
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    stage.refresh()
    assert {item["id"]: item["date_published"] for item in stage.items()} == dates


def test_promise_3_a_replay_part_two_and_weekly_titles_stay_apart(stage, origin, episode, rss) -> None:
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
    stage.sources["mirror"] = f"kind: feed, url: '{origin.url('/mirror.xml')}', trust: 0.3"
    stage.refresh()
    assert sorted(item["title"] for item in stage.items()) == sorted(titles)
    assert {item["id"] for item in stage.items()} == {f"host-{turn}" for turn in range(6)}


def test_promise_4_every_published_word_was_said_by_a_source(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    stage.refresh()
    said = origin.pages["/feed.xml"][2].decode()
    for item in stage.items():
        text = item["content_html"].removeprefix("<p>").removesuffix("</p>")
        assert all(word in said for word in text.split())


def test_promise_5_a_hostile_source_takes_no_title_audio_link_or_date(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    stage.refresh()
    before = stage.items()
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
    stage.sources["evil"] = f"kind: feed, url: '{origin.url('/evil.xml')}', trust: 0.2"
    stage.refresh()
    after = {item["id"]: item for item in stage.items()}
    for item in before:
        same = after[item["id"]]
        for field in ("title", "date_published", "attachments"):
            assert same[field] == item[field]


def test_promise_5_audio_that_moves_all_at_once_is_held_back_and_told(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    stage.refresh()
    known = [item["attachments"][0]["url"] for item in stage.items()]
    moved = [episode(turn, audio=f"https://other.example/{turn}.mp3") for turn in range(7)]
    origin.serve("/feed.xml", rss(*moved))
    outcome = stage.refresh()
    assert "moved to another host at once" in outcome.alarms[0]
    heard = [item["attachments"][0]["url"] for item in stage.items()]
    assert heard == ["https://other.example/6.mp3", *known]
    stage.refresh()
    assert [item["attachments"][0]["url"] for item in stage.items()] == heard
    assert stage.refresh().alarms == ()
    assert all("other.example" in item["attachments"][0]["url"] for item in stage.items())


def test_promise_6_the_same_store_gives_the_same_bytes(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    stage.refresh()
    before = stage.published()
    stage.refresh()
    assert stage.published() == before
    stage.refresh(force=False)
    assert stage.published() == before


def test_promise_6_lastbuilddate_moves_with_content_only(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    stage.refresh()
    before = stage.published()["feed.xml"].split(b"<lastBuildDate>")[1][:40]
    stage.refresh()
    assert stage.published()["feed.xml"].split(b"<lastBuildDate>")[1][:40] == before
    origin.serve("/feed.xml", rss(*map(episode, range(6))))
    stage.refresh()
    assert stage.published()["feed.xml"].split(b"<lastBuildDate>")[1][:40] != before


def test_promise_8_one_bad_source_never_spoils_the_feed(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    origin.serve("/bad.xml", b"<rss><channel>" + b"<a>" * 3000)
    for name, path in {"bad": "/bad.xml", "gone": "/nowhere.xml"}.items():
        stage.sources[name] = f"kind: feed, url: '{origin.url(path)}'"
    stage.sources["absent"] = "kind: listing, path: nowhere.txt"
    stage.sources["closed"] = "kind: feed, url: 'http://127.0.0.1:1/feed.xml'"
    outcome = stage.refresh()
    assert outcome.items == 5
    states = {source_result.source.name: source_result.status for source_result in outcome.source_results}
    assert states == {"absent": "failed", "bad": "failed", "closed": "failed", "gone": "failed", "host": "ok"}
    assert all(source_result.message for source_result in outcome.source_results if source_result.status == "failed")
    told = {source["name"]: source for source in stage.report()["sources"]}
    assert told["gone"]["state"] == "failed"


def test_promise_10_a_second_refresh_does_not_ask_sooner_than_it_may(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    first = stage.refresh(force=False)
    assert first.source_results[0].status == "ok"
    outcome = stage.refresh(force=False, at=datetime(2024, 6, 3, 12, 1, tzinfo=UTC))
    assert outcome.source_results[0].status == "not due"
    assert origin.asked == ["/feed.xml"]


def test_nothing_heard_and_nothing_remembered_is_an_error_that_says_why(stage) -> None:
    with pytest.raises(NothingToPublishError, match=r"nothing could be fetched.*\n.*host.*404"):
        stage.refresh()
    assert not (stage.folder / "output" / "sea").exists()


def test_the_order_of_the_sources_and_of_their_entries_makes_no_difference(stage, origin, episode, rss) -> None:
    episodes = [episode(turn) for turn in range(8)]
    mirror = [episode(turn, guid=f"m-{turn}") for turn in range(8)]
    stage.sources["mirror"] = f"kind: feed, url: '{origin.url('/mirror.xml')}', trust: 0.3"
    origin.serve("/feed.xml", rss(*episodes))
    origin.serve("/mirror.xml", rss(*mirror))
    stage.refresh()
    before = [(item["id"], item["title"]) for item in stage.items()]
    for path in stage.folder.glob("store.db*"):
        path.unlink()
    random.Random(5).shuffle(mirror)
    origin.serve("/mirror.xml", rss(*mirror))
    stage.sources = dict(reversed(stage.sources.items()))
    stage.refresh()
    assert [(item["id"], item["title"]) for item in stage.items()] == before


def test_promise_6_a_run_in_which_nobody_may_be_asked_changes_no_byte(stage, origin, tmp_path) -> None:
    recording = tmp_path / "casts.txt"
    meta = "Sea Room - June 01, 2024 10:00 - 20 minutes ★★★★★ - 3 ratings"
    listing = f"Sea Room artwork\n\nTide tables\n\n{meta}\nThe moon."
    recording.write_text(f"Latest Sea Episodes\n\n{listing}\n\nRelated Topics")
    stage.sources = {"casts": f"kind: listing, url: '{origin.url('/nowhere')}', snapshot: casts.txt"}
    first = stage.refresh(at=datetime(2024, 6, 3, 12, tzinfo=UTC))
    assert (first.items, first.source_results[0].status) == (1, "snapshot")
    before = stage.published()
    second = stage.refresh(at=datetime(2024, 6, 3, 12, 1, tzinfo=UTC), force=False)
    assert (second.items, second.source_results[0].status) == (1, "not due")
    assert stage.published() == before


def test_promise_10_a_run_by_hand_keeps_the_feeds_schedule_and_force_passes_it(stage, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    stage.extra = 'refresh: "17 6 * * 1"'
    monday = datetime(2024, 6, 3, 12, tzinfo=UTC)
    stage.refresh(at=monday, force=False)
    friday = stage.refresh(at=monday + timedelta(days=4), force=False)
    assert (friday.source_results[0].status, friday.items) == ("not due", 5)
    assert "not asked before 2024-06-10 06:17:00 UTC" in friday.source_results[0].message
    assert len(origin.asked) == 1
    stage.refresh(at=monday + timedelta(days=4), force=True)
    assert len(origin.asked) == 2
    stage.refresh(at=datetime(2024, 6, 10, 6, 18, tzinfo=UTC), force=False)
    assert len(origin.asked) == 3
