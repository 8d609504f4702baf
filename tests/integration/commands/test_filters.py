"""Filters of sources and feeds, as a person writes them into the config and sees what they leave out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.rss import Episode, make_rss

DAY = datetime(2024, 5, 7, tzinfo=UTC)
AT = ("--at", "2024-06-01T12:00:00Z")


def episode(number: int, title: str, seconds: int = 1800, extra: str = "") -> Episode:
    at, text = DAY + timedelta(days=number), f"What was said about {title.lower()}, at length."
    audio = f"https://cdn.example/{number}.mp3"
    return Episode(guid=f"g{number}", title=title, at=at, text=text, audio=audio, seconds=seconds, extra=extra)


def published(folder: Path) -> dict[str, str]:
    items = json.loads((folder / "output/talk/feed.json").read_bytes())["items"]
    return {item["title"]: item["id"] for item in items}


def configure(folder: Path, url: str, source: str = "", feed: str = "") -> None:
    (folder / "config.yaml").write_text(
        f"allow_networks: [127.0.0.0/8]\nfeeds:\n  talk:\n    title: Talk\n{feed}    sources:\n"
        f"      host: {{kind: feed, url: '{url}/one.xml'{source}}}\n"
    )


def test_what_a_filter_leaves_out_is_told_and_comes_back_under_its_guid(run, tmp_path: Path, origin) -> None:
    url, folder = origin
    trailer = "<itunes:episodeType>trailer</itunes:episodeType>"
    short = episode(2, "A short greeting", seconds=60)
    listed = [episode(1, "On lifts"), short, episode(3, "Soon on air", extra=trailer), episode(4, "On stairs")]
    (folder / "one.xml").write_text(make_rss(*listed, title="Talk"))
    configure(tmp_path, url)
    assert run("refresh", *AT).returncode == 0
    before = published(tmp_path)
    assert len(before) == 4
    configure(tmp_path, url, ", exclude: {type: trailer, title: '(?i)STAIRS$'}", "    only: {longer_than: 5 min}\n")
    difference = run("diff", "--exit-code", *AT)
    assert difference.returncode == 1
    assert [line.split() for line in difference.stdout.splitlines() if "removed" in line] == [
        ["removed", "“On", "stairs”,", "2024-05-11"],
        ["removed", "“Soon", "on", "air”,", "2024-05-10"],
        ["removed", "“A", "short", "greeting”,", "2024-05-09"],
    ]
    refreshed = run("refresh", *AT)
    assert "  1 item left out by only longer_than\n" in refreshed.stdout
    assert (
        "  1 entry of host left out by exclude title\n  1 entry of host left out by exclude type\n" in refreshed.stdout
    )
    assert published(tmp_path) == {"On lifts": "g1"}
    report = json.loads((tmp_path / "output/talk/report.json").read_bytes())
    assert [(one["title"], one["why"], one.get("source")) for one in report["left_out"]] == [
        ("Soon on air", "exclude type", "host"),
        ("On stairs", "exclude title", "host"),
        ("A short greeting", "only longer_than", None),
    ]
    assert run("explain", "On stairs").stdout == "“On stairs” (host/g4): left out by exclude title of source host\n"
    assert "left out by only longer_than of the feed" in run("explain", "a short greeting").stdout
    configure(tmp_path, url)
    run("refresh", *AT)
    assert published(tmp_path) == before


def test_an_item_that_was_never_let_in_has_no_guid_until_it_is(run, tmp_path: Path, origin) -> None:
    url, folder = origin
    (folder / "one.xml").write_text(make_rss(episode(1, "On lifts"), episode(2, "On stairs"), title="Talk"))
    configure(tmp_path, url, feed="    exclude: {title: [stairs, ropes]}\n")
    assert "2 entries → 1 item (1 episode, 0 posts): 0 duplicates merged, 1 new" in run("refresh", *AT).stdout
    configure(tmp_path, url)
    assert "2 items (2 episodes, 0 posts): 0 duplicates merged, 1 new" in run("refresh", *AT).stdout
    assert published(tmp_path) == {"On lifts": "g1", "On stairs": "g2"}


def test_a_filter_that_leaves_nothing_is_warned_of(run, tmp_path: Path, origin) -> None:
    url, folder = origin
    (folder / "one.xml").write_text(make_rss(episode(1, "On lifts"), title="Talk"))
    configure(tmp_path, url, ", only: {category: [Ropes, Sails]}")
    assert "talk: host: its filter leaves out all of its 1 entries" in run("refresh", *AT).stderr


def test_a_catastrophic_pattern_costs_its_feed_alone_and_is_named(run, tmp_path: Path, origin) -> None:
    url, folder = origin
    (folder / "one.xml").write_text(make_rss(episode(1, "a" * 60 + "!"), title="Talk"))
    configure(tmp_path, url)
    run("refresh", *AT)
    before = published(tmp_path)
    configure(tmp_path, url, ", only: {title: '^(a|a|a)*$'}")
    answer = run("refresh", *AT)
    assert (
        'feeds.talk.sources.host.only.title: the pattern "^(a|a|a)*$" takes more than 1 s of processor' in answer.stderr
    )
    assert answer.returncode == 1
    assert published(tmp_path) == before


def test_mistakes_in_filters_are_named(run, tmp_path: Path) -> None:
    configure(
        tmp_path,
        "https://talk.example",
        ", only: {title: '(', since: yesterday, typ: x}",
        "    exclude: {longer_than: long}\n",
    )
    answer = run("check")
    assert answer.returncode == 2
    for line in (
        'only.title: "(" is not a regular expression',
        'only.since: "yesterday" is not a date, such as "2024-05-01"',
        'only.typ: unknown key; did you mean "type"?',
        'feeds.talk.exclude.longer_than: "long" is not a length, such as "20 min" or "1:30:00"',
    ):
        assert line in answer.stderr
