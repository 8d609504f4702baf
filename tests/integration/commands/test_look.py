from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

AT = ("--at", "2026-01-02T03:04:05Z")


@pytest.mark.usefixtures("done")
def test_explain_tells_the_whole_account(run) -> None:
    answer = run("explain", "ovens and steam")
    assert (answer.returncode, answer.stderr) == (0, "")
    lines = answer.stdout.splitlines()
    assert lines[0] == "Ovens and steam"
    assert "Entries from 2 sources" in lines
    pair = next(line for line in lines if re.match(r"numbered/ovens-and-steam\S* and topic/ovens-and-steam\S*: ", line))
    assert re.search(r": over 99\.9 %; for title \(equal[^)]*\), ", pair)
    assert lines.index("Where each field comes from") < lines.index("Entries from 2 sources") < lines.index(pair)
    table = run("explain", "ovens and steam", "--evidence").stdout.splitlines()
    assert any(re.match(r" +\+\d+\.\d +title ", line) for line in table)
    assert any(line.split()[:1] == ["duration"] and "18 min" in line and "topic" in line for line in lines)
    assert any(line.split()[:2] == ["description", "cut"] or "cut" in line for line in lines)


@pytest.mark.usefixtures("done")
def test_explain_takes_a_guid_and_answers_machines(run) -> None:
    by_words = json.loads(run("explain", "--json", "rye").stdout)
    by_guid = json.loads(run("explain", "--json", by_words["item"]["guid"]).stdout)
    assert by_words == by_guid
    names = [one["id"] for one in by_guid["entries"]]
    assert [name.partition("@")[0] for name in names] == ["numbered/rye-without-fear", "topic/rye-without-fear"]
    assert by_guid["item"]["pairs"][0]["evidence"]


@pytest.mark.usefixtures("done")
def test_explain_shows_what_was_learned_of_each_listing(run) -> None:
    answer = run("explain", "--model")
    assert (answer.returncode, answer.stderr) == (0, "")
    first, *listings = answer.stdout.splitlines()
    assert first.startswith("crumb-talk: learned 2026-01-02 03:04 UTC from ")
    assert [line.partition(":")[0] for line in listings] == ["numbered", "topic"]
    values = json.loads(run("explain", "crumb-talk", "--model", "--json").stdout)
    assert values["weights"]["weights"]["title"]
    assert [each["source"] for each in values["listings"]] == ["numbered", "topic"]
    assert run("explain", "show-9", "--model").returncode == 2
    assert "--model" in run("explain").stderr


@pytest.mark.usefixtures("done")
def test_a_person_can_have_a_feed_learned_from_again(run) -> None:
    assert run("refresh", "--at", "2026-01-03T03:04:05Z").returncode == 0
    assert "learned 2026-01-02" in run("explain", "--model").stdout
    assert run("refresh", "--learn", "--at", "2026-01-04T03:04:05Z").returncode == 0
    assert "learned 2026-01-04" in run("explain", "--model").stdout


def test_where_nothing_is_remembered_no_store_is_made(run, shop: Path) -> None:
    for words in (("explain", "rye"), ("review", "--list")):
        answer = run(*words)
        assert answer.returncode == 3
        assert "there is no store yet" in answer.stderr
    assert not (shop / ".aggregator").exists()


def test_the_feed_of_an_item_is_found_by_what_names_it(run, shop: Path) -> None:
    config = shop / "config.yaml"
    feed = config.read_text().partition("feeds:\n")[2]
    config.write_text(config.read_text() + feed.replace("crumb-talk", "cooled").replace("topic.txt", "cooled.txt"))
    (shop / "cooled.txt").write_text((shop / "topic.txt").read_text().replace("Rye without fear", "Rye, cooled"))
    assert run("refresh", *AT).returncode == 0
    known = json.loads(run("explain", "--json", "--feed", "cooled", "rye, cooled").stdout)["item"]
    found = run("explain", "--json", known["guid"])
    assert json.loads(found.stdout)["item"] == known
    assert json.loads(run("explain", "--json", "RYE cooled").stdout)["item"] == known
    corrected = run("correct", "RYE cooled", "title=Rye with care")
    assert corrected.stdout.startswith("cooled: Rye, cooled: title is Rye with care")
    both = run("explain", "rye")
    assert (both.returncode, both.stderr) == (
        2,
        'aggregator: several feeds have "rye"; choose one with --feed: cooled, crumb-talk\n',
    )
    for words in (("explain", "barley"), ("correct", "barley", "title=Rye")):
        unknown = run(*words)
        assert unknown.returncode == 2
        assert "the config has several feeds; choose one with --feed: cooled, crumb-talk" in unknown.stderr


@pytest.mark.usefixtures("done")
def test_explain_lists_several_and_offers_the_nearest(run) -> None:
    several = run("explain", "alive")
    assert several.returncode == 2
    assert several.stderr.splitlines()[0] == 'aggregator: "alive" is in the title of 2 items; name one:'
    nobody = run("explain", "ovens and steem")
    assert nobody.returncode == 2
    assert 'did you mean "Ovens and steam"?' in nobody.stderr


def test_what_a_source_says_cannot_command_the_terminal(run, shop: Path) -> None:
    topic = shop / "topic.txt"
    topic.write_text(topic.read_text(encoding="utf-8").replace("Rye sticks", "\x1b]0;owned\x07Rye sticks"))
    run("refresh", *AT)
    assert "\x1b" not in run("explain", "rye").stdout


@pytest.mark.usefixtures("done")
def test_review_lists_takes_and_forgets_a_decision(run) -> None:
    listed = run("review", "--list").stdout.splitlines()
    assert listed[-1] == "1 near miss"
    likely, left, right = listed[0].split("  ")
    assert 0 < int(likely.removesuffix("%")) < 100
    assert listed[1].count("“") == 2
    told = json.loads(run("review", "--json").stdout)
    assert (told["pairs"][0]["left"], told["pairs"][0]["right"], told["held"]) == (left, right, [])
    assert told["pairs"][0]["left_title"] in listed[1]
    same = run("review", "--same", left, right, "--yes", *AT)
    assert (same.returncode, same.stdout) == (
        0,
        f"crumb-talk: {left} and {right} are one item from the next refresh on\n",
    )
    assert run("review", "--list").stdout == "0 near misses\n"
    assert "3 items" in run("refresh", *AT).stdout
    assert run("review", "--undo", left, right, *AT).returncode == 0
    again = run("review", "--undo", left, right, *AT)
    assert again.returncode == 2
    assert "no decision is stored" in again.stderr


@pytest.mark.usefixtures("done")
def test_events_tell_what_was_decided_and_undone_the_newest_last(run) -> None:
    none = run("events")
    assert (none.returncode, none.stdout) == (0, "crumb-talk: no events yet.\n")
    left, right = run("review", "--list").stdout.splitlines()[0].split("  ")[1:3]
    run("review", "--same", left, right, "--yes", *AT)
    run("review", "--undo", left, right, *AT)
    shown = run("events").stdout.splitlines()
    assert [row.split()[:3] for row in shown[1:]] == [["2026-01-02", "03:04Z", kind] for kind in ("decided", "undone")]
    told = json.loads(run("events", "--json", "--newest", "1").stdout)
    assert [(each["feed"], each["kind"]) for each in told] == [("crumb-talk", "undone")]
    assert left in told[0]["text"]
    assert [run("events", "--newest", newest).returncode for newest in ("0", "9" * 20)] == [2, 2]


@pytest.mark.usefixtures("done")
def test_review_asks_about_each_pair(run) -> None:
    answer = run("review", *AT, stdin="d\n")
    assert answer.returncode == 0
    assert "1 of 1" in answer.stdout
    assert " are two items from the next refresh on" in answer.stdout
    assert run("review", "--list").stdout == "0 near misses\n"


@pytest.mark.usefixtures("done")
def test_a_decision_about_nobody_is_refused(run) -> None:
    known = json.loads(run("explain", "--json", "ovens").stdout)["entries"][0]["id"]
    answer = run("review", "--same", known.replace("steam", "steem"), known, *AT)
    assert answer.returncode == 2
    assert f'did you mean "{known}"?' in answer.stderr


def test_an_item_is_corrected_and_the_correction_is_undone(run, shop: Path) -> None:
    run("refresh", "--at", "2026-01-02T03:04:05Z")
    guid = next(each["id"] for each in read_items(shop) if each["title"] == "Rye without fear")
    assert run("correct", guid, "--set", "title=Rye with fear").returncode == 0
    assert run("correct", guid, "length=9").returncode == 2
    assert '"Rye" is not FIELD=VALUE; a title of several words' in run("correct", "rye without", "Rye").stderr
    assert 'no item has "x" as its guid' in run("correct", "x", "--take-back").stderr
    told = json.loads(run("correct", "rye without", "link=https://crumb.example/rye", "--json").stdout)
    assert (told["guid"], told["set"]) == (guid, {"title": "Rye with fear", "link": "https://crumb.example/rye"})
    run("refresh", "--at", "2026-01-03T03:04:05Z")
    assert "Rye with fear" in {each["title"] for each in read_items(shop)}
    assert run("correct", guid, "--unset", "title", "--take-out", "not ours").returncode == 0
    run("refresh", "--at", "2026-01-04T03:04:05Z")
    assert guid not in {each["id"] for each in read_items(shop)}
    assert run("correct", guid, "--take-back").returncode == 0
    run("refresh", "--at", "2026-01-05T03:04:05Z")
    assert "Rye without fear" in {each["title"] for each in read_items(shop) if each["id"] == guid}


def test_a_correction_says_what_it_does_and_is_published_on_demand(run, shop: Path) -> None:
    run("refresh", "--at", "2026-01-02T03:04:05Z")
    later = run("correct", "rye without", "--set", "title=Rye with fear", *AT).stdout
    assert later.endswith(
        ": Rye without fear: title is Rye with fear, from the next refresh on (--now refreshes at once)\n"
    )
    assert "Rye with fear" not in {each["title"] for each in read_items(shop)}
    at_once = run("correct", "rye without", "--unset", "title", "--set", "author=Ada", "--now", *AT).stdout
    assert ": author is Ada; title is what the sources say, now\n" in at_once
    assert "0 new, 1 changed" in at_once
    (item,) = [each for each in read_items(shop) if each["title"] == "Rye without fear"]
    assert item["authors"] == [{"name": "Ada"}]


@pytest.mark.usefixtures("done")
def test_an_entry_is_parted_and_joined_only_where_it_belongs(run) -> None:
    item = json.loads(run("explain", "--json", "ovens").stdout)["item"]
    guid, (first, *others) = item["guid"], item["entries"]
    assert f'did you mean "{others[0]}"?' in run("correct", guid, "--part", f"{others[0]}x", *AT).stderr
    assert "was not parted from this item by hand" in run("correct", guid, "--join", first, *AT).stderr
    assert json.loads(run("events", "--json").stdout) == []
    assert run("correct", guid, "--part", first, *AT).returncode == 0
    assert run("correct", guid, "--join", first, *AT).returncode == 0
    assert run("correct", guid, "--join", first, *AT).returncode == 2
    alone = run("review", "--list").stdout.split("  ")[1]
    assert "is the only entry of this item" in run("correct", alone, "--part", alone, *AT).stderr


def read_items(shop: Path) -> list[dict]:
    return json.loads((shop / "output/crumb-talk/feed.json").read_bytes())["items"]


def test_list_shows_feeds_and_sources_with_their_last_polls(run, shop: Path) -> None:
    before = run("list")
    assert (before.returncode, before.stderr) == (0, "")
    assert before.stdout.splitlines()[0] == "crumb-talk: Crumb Talk, nothing published yet"
    assert not (shop / ".aggregator").exists()
    config = shop / "config.yaml"
    config.write_text(
        config.read_text() + "      away: {kind: feed, url: 'https://me:word@10.0.0.1/feed?key=secret'}\n"
    )
    assert run("refresh", *AT).returncode == 0
    lines = run("list").stdout.splitlines()
    assert lines[0] == "crumb-talk: Crumb Talk, 4 items"
    rows = {line.split()[0]: re.split(r"\s{2,}", line.strip()) for line in lines[2:]}
    assert rows["topic"][1:] == ["listing", "0.4", "topic.txt", "ok, 3 entries"]
    assert rows["away"][-2:] == ["https://10.0.0.1/feed?…", "failed, 0 entries"]
    assert "word" not in "".join(lines)
    (listed,) = json.loads(run("list", "--feed", "crumb-talk", "--json").stdout)
    assert (listed["feed"], listed["items"], listed["private"]) == ("crumb-talk", 4, False)
    assert [each["name"] for each in listed["sources"]] == ["away", "numbered", "topic"]
    assert run("list", "--feed", "nobody").returncode == 2
