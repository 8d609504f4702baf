"""robots.txt in whole runs: obeyed where the config or we ourselves want it, remembered over restarts, and told."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.support.rss import make_rss
from tests.support.workspace import NOON, Workspace, format_time, make_item, read_guids

PAGE = "<html><head><title>A show</title><link rel=alternate type=application/rss+xml href={feed}></head></html>"
CLOSED = "User-agent: aggregator\nDisallow: /closed\n"


def refreshed(workspace: Workspace, **later: float) -> list[str]:
    """What a refresh says, so much later than noon."""
    done = workspace.run("refresh", "--quiet", "--at", format_time(NOON + timedelta(**later)))
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def told(workspace: Workspace) -> dict[str, tuple[str, str]]:
    """What the report says of each source."""
    report = json.loads((workspace.output / "show" / "report.json").read_bytes())
    return {each["name"]: (each["state"], each.get("message", "")) for each in report["sources"]}


@pytest.mark.parametrize("obey", [True, False])
def test_a_source_that_its_robots_txt_bars_is_told_and_not_asked(workspace: Workspace, *, obey: bool) -> None:
    workspace.serve("/robots.txt", CLOSED, kind="text/plain")
    workspace.serve("/open", make_rss(make_item(1)))
    workspace.serve("/closed", make_rss(make_item(2)))
    workspace.config("open", "closed", whole={"obey_robots": obey})
    said = refreshed(workspace)
    if not obey:
        assert (said, sorted(workspace.asked)) == ([], ["/closed", "/open"])
        return
    reason = (
        f"{workspace.url('/closed')}: not asked, {workspace.url('/robots.txt')} disallows {workspace.url('/closed')}"
    )
    assert said == [f"aggregator: show: closed: failed ({reason})"]
    assert told(workspace)["closed"] == ("failed", reason)
    assert sorted(workspace.asked) == ["/open", "/robots.txt"]


def test_a_robots_txt_is_remembered_over_restarts_for_a_day(workspace: Workspace) -> None:
    workspace.serve("/robots.txt", CLOSED, kind="text/plain")
    workspace.serve("/open", make_rss(make_item(1)))
    workspace.serve("/closed", make_rss(make_item(2)))
    workspace.config("open", "closed", whole={"obey_robots": True})
    for hour in (0, 1, 12):
        refreshed(workspace, hours=hour)
        assert told(workspace)["closed"][0] == "failed"
    later = {"later": workspace.source("/closed/too")}
    workspace.config("open", "closed", more=later, whole={"obey_robots": True})
    refreshed(workspace, hours=23)
    assert "disallows" in told(workspace)["later"][1]
    assert (workspace.asked.count("/robots.txt"), workspace.asked.count("/closed")) == (1, 0)
    workspace.serve("/robots.txt", "", status=404)
    assert not [line for line in refreshed(workspace, hours=25) if "closed:" in line]
    assert (workspace.asked.count("/robots.txt"), workspace.asked.count("/closed")) == (2, 1)
    assert len(read_guids(workspace)) == 2


def test_the_feed_that_a_page_names_is_asked_only_where_its_robots_txt_permits(workspace: Workspace) -> None:
    workspace.serve("/robots.txt", CLOSED, kind="text/plain")
    workspace.serve("/", PAGE.format(feed="/closed.xml"), kind="text/html")
    workspace.serve("/closed.xml", make_rss(make_item(1)))
    workspace.serve("/open", make_rss(make_item(2)))
    workspace.config("open", more={"blog": workspace.source("/", "blog")})
    for day in (0, 2):
        (line,) = refreshed(workspace, days=day)
        assert f"not asked, {workspace.url('/robots.txt')} disallows {workspace.url('/closed.xml')}" in line
    assert "/closed.xml" not in workspace.asked
    workspace.serve("/robots.txt", "", status=404)
    assert refreshed(workspace, days=8) == []
    assert len(read_guids(workspace)) == 2


def test_a_feed_that_falls_silent_behind_its_page_is_told_and_asked_ever_less(workspace: Workspace) -> None:
    workspace.serve("/", PAGE.format(feed="/feed.xml"), kind="text/html")
    workspace.serve("/feed.xml", make_rss(make_item(1)))
    workspace.config(more={"blog": workspace.source("/", "blog")})
    assert refreshed(workspace) == []
    workspace.serve("/feed.xml", "", status=500)
    for day in (2, 4):
        (line,) = refreshed(workspace, days=day)
        assert f"{workspace.url('/feed.xml')}: 500 Internal Server Error" in line
    listed = [path for path in workspace.asked if path != "/robots.txt"]
    assert listed == ["/", "/feed.xml", *["/feed.xml", "/"] * 2]
    workspace.asked.clear()
    for minute in (1, 55):
        assert refreshed(workspace, days=4, minutes=minute) == []
    assert workspace.asked == []
    state, message = told(workspace)["blog"]
    assert (state, message) == ("cached", f"{workspace.url('/feed.xml')}: 500 Internal Server Error")
    assert len(read_guids(workspace)) == 1


def test_a_feed_that_cannot_be_read_behind_its_page_is_not_asked_at_each_refresh(workspace: Workspace) -> None:
    workspace.serve("/", PAGE.format(feed="/feed.xml"), kind="text/html")
    workspace.serve("/feed.xml", "no feed at all", kind="text/plain")
    workspace.serve("/open", make_rss(make_item(2)))
    workspace.config("open", more={"blog": workspace.source("/", "blog")})
    (line,) = refreshed(workspace)
    assert line.startswith("aggregator: show: blog: failed (")
    for minute in (10, 40):
        assert refreshed(workspace, minutes=minute) == []
    assert (workspace.asked.count("/"), workspace.asked.count("/feed.xml")) == (1, 1)
