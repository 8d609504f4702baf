from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aggregator.model.source import PollState
from aggregator.store import database, polls
from tests.support.paths import ROOT


@pytest.mark.skipif(not (ROOT / "samples/pytorch").exists(), reason="samples not yet written")
def test_the_projects_own_config_is_sound(run) -> None:
    answer = run("check", "-c", str(ROOT / "config.yaml"))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert answer.stdout.endswith("config.yaml: 1 feed from 5 sources, nothing wrong\n")


def test_a_wrong_config_is_exit_2_and_one_line_each(run, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("outptu: x\nfeeds:\n  a: {title: A, sources: {s: {kind: fed, path: x}}}\n")
    answer = run("check")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.splitlines() == [
        'aggregator: config.yaml:1: outptu: unknown key; did you mean "output"?',
        'aggregator: config.yaml:3: feeds.a.sources.s.kind: "fed" is not a kind of source; did you mean "feed"?',
    ]


def test_no_config_is_exit_2(run) -> None:
    answer = run("check")
    assert answer.returncode == 2
    assert answer.stderr == (
        "aggregator: config.yaml: cannot be read: No such file or directory; use -c FILE for another config, "
        "or run aggregator init URL to make one\n"
    )


def test_a_file_that_is_not_there_is_told_by_its_key(run, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("feeds:\n  a: {title: A, sources: {s: {kind: feed, path: x.xml}}}\n")
    answer = run("check")
    assert answer.returncode == 2
    assert answer.stderr == f"aggregator: config.yaml: feeds.a.sources.s.path: no such file: {tmp_path / 'x.xml'}\n"


def test_the_schema_that_is_printed_is_the_one_committed(run) -> None:
    answer = run("check", "--schema")
    assert answer.stdout == (ROOT / "config.schema.json").read_text(encoding="utf-8")
    assert json.loads(answer.stdout)["title"] == "ConfigKeys"


def test_live_asks_every_source_and_remembers_nothing(run, shop: Path, origin) -> None:
    address, folder = origin
    (folder / "list.txt").write_bytes((shop / "numbered.txt").read_bytes())
    config = shop / "config.yaml"
    config.write_text(config.read_text() + f"      away: {{kind: listing, url: {address}/list.txt, trust: 0.9}}\n")
    answer = run("check", "--live")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert [row.split()[1:5] for row in answer.stdout.splitlines()[1:-1]] == [
        ["away", "listing", "ok", "3"],
        ["numbered", "listing", "ok", "3"],
        ["topic", "listing", "ok", "3"],
    ]
    (folder / "list.txt").unlink()
    silent = run("check", "--live")
    assert silent.returncode == 1
    assert "failed" in silent.stdout
    assert "404" in silent.stdout
    assert not (shop / ".aggregator").exists()


PAGE = "<html><head><link rel='alternate' type='application/rss+xml' href='feed.xml'></head><body>Rye</body></html>"
FEED = "<rss version='2.0'><channel><title>Rye</title><item><guid>1</guid><title>Sour</title></item></channel></rss>"


def test_live_follows_a_page_to_its_feed_as_a_refresh_does(run, shop: Path, origin) -> None:
    address, folder = origin
    (folder / "page.html").write_text(PAGE)
    (folder / "feed.xml").write_text(FEED)
    config = shop / "config.yaml"
    config.write_text(config.read_text() + f"      away: {{kind: feed, url: {address}/page.html}}\n")
    answer = run("check", "--live")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert ["away", "feed", "ok", "1"] in [row.split()[1:5] for row in answer.stdout.splitlines()]


def test_live_and_add_leave_a_host_alone_that_asked_for_it(run, shop: Path, origin) -> None:
    address, folder = origin
    (folder / "feed.xml").write_text(FEED)
    config = shop / "config.yaml"
    config.write_text(config.read_text() + f"      away: {{kind: feed, url: {address}/feed.xml}}\n")
    assert run("refresh", "--at", "2026-01-02T05:00:00Z").returncode == 0
    state = str(shop / ".aggregator" / "store.db")
    until = datetime(2026, 1, 2, 8, tzinfo=UTC)
    with database.open_store(state) as store:
        poll_state = PollState(f"{address}/feed.xml", hold_until=until)
        polls.write_poll_states(store, [("crumb-talk", "away", poll_state)])
    held = run("check", "--live", "--at", "2026-01-02T07:00:00Z")
    assert held.returncode == 1
    assert "not asked before 2026-01-02 08:00:00 UTC" in held.stdout
    added = run("add", f"{address}/feed.xml", "--at", "2026-01-02T07:00:00Z")
    assert added.returncode != 0
    assert "not asked before 2026-01-02 08:00:00 UTC" in added.stderr
    assert run("check", "--live", "--at", "2026-01-02T09:00:00Z").returncode == 0


def test_age_says_for_how_long_a_feed_is_overdue(run, shop: Path, origin) -> None:
    address, folder = origin
    (folder / "feed.xml").write_text(FEED)
    config = shop / "config.yaml"
    config.write_text(config.read_text() + f"      away: {{kind: feed, url: {address}/feed.xml}}\n")
    config.write_text(config.read_text().replace("title: Crumb Talk", "title: Crumb Talk\n    refresh: 0 6 * * *"))
    never = run("check", "--age", "9")
    assert (never.returncode, never.stdout) == (1, "never refreshed: crumb-talk\n")
    assert run("refresh", "--at", "2026-01-02T05:00:00Z").returncode == 0
    line = "crumb-talk: due since 2026-01-02 06:00 UTC, {} h ago, the oldest of all that are overdue\n"
    for hour, code, said in (
        ("05:59", 0, "no feed is overdue\n"),
        ("14:30", 0, line.format(8.5)),
        ("15:30", 1, line.format(9.5)),
    ):
        answer = run("check", "--age", "9", "--at", f"2026-01-02T{hour}:00Z")
        assert (answer.returncode, answer.stdout) == (code, said)
    for age, code in (("9.4", 1), ("9h", 1), ("10 hours", 0), ("600 min", 0), ("1d", 0), ("2 days", 0)):
        assert run("check", "--age", age, "--at", "2026-01-02T15:30:00Z").returncode == code, age
    for wrong in ("-1", "soon", "2 moons", ""):
        refused = run("check", "--age", wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "is neither hours nor a length, such as 26h" in " ".join(refused.stderr.split())
    answer = run("check", "--age", "9", "--json", "--at", "2026-01-02T15:30:00Z")
    assert answer.returncode == 1
    overdue = {"feed": "crumb-talk", "due": "2026-01-02T06:00:00+00:00", "hours": 9.5}
    assert json.loads(answer.stdout) == {"never_refreshed": [], "overdue": overdue}


def test_json_has_what_the_lines_say(run, done: Path) -> None:
    answer = run("check", "--store", "--json", "--live", "--at", "2026-01-02T05:00:00Z")
    assert answer.returncode == 0
    found = json.loads(answer.stdout)
    assert found["feeds"] == {"crumb-talk": ["numbered", "topic"]}
    assert [(each["source"], each["state"], each["entries"]) for each in found["live"]] == [
        ("numbered", "ok", 3),
        ("topic", "ok", 3),
    ]
    assert "have the same trust" in found["advice"][0]
    assert "is as it was written" in answer.stderr
    (done / "topic.txt").unlink()
    assert run("check", "--json").returncode == 2
