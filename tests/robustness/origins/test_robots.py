"""robots.txt in whole runs: obeyed where the config or we ourselves want it, remembered over restarts, and told."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.support.harness import NOON, Town, guids, item, rss, stamp

PAGE = "<html><head><title>A show</title><link rel=alternate type=application/rss+xml href={feed}></head></html>"
CLOSED = "User-agent: aggregator\nDisallow: /closed\n"


def refreshed(town: Town, **later: float) -> list[str]:
    """What a refresh says, so much later than noon."""
    done = town.run("refresh", "--quiet", "--at", stamp(NOON + timedelta(**later)))
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def told(town: Town) -> dict[str, tuple[str, str]]:
    """What the report says of each source."""
    report = json.loads((town.output / "show" / "report.json").read_bytes())
    return {each["name"]: (each["state"], each.get("message", "")) for each in report["sources"]}


@pytest.mark.parametrize("obey", [True, False])
def test_a_source_that_its_robots_txt_bars_is_told_and_not_asked(town: Town, *, obey: bool) -> None:
    town.serve("/robots.txt", CLOSED, kind="text/plain")
    town.serve("/open", rss(item(1)))
    town.serve("/closed", rss(item(2)))
    sources = (f"{name}: {{kind: feed, url: '{town.url(f'/{name}')}'}}" for name in ("open", "closed"))
    town.config(*sources, extra=f"obey_robots: {str(obey).lower()}")
    said = refreshed(town)
    if not obey:
        assert (said, sorted(town.asked)) == ([], ["/closed", "/open"])
        return
    reason = f"{town.url('/closed')}: not asked, {town.url('/robots.txt')} disallows {town.url('/closed')}"
    assert said == [f"aggregator: show: closed: failed ({reason})"]
    assert told(town)["closed"] == ("failed", reason)
    assert sorted(town.asked) == ["/open", "/robots.txt"]


def test_a_robots_txt_is_remembered_over_restarts_for_a_day(town: Town) -> None:
    town.serve("/robots.txt", CLOSED, kind="text/plain")
    town.serve("/open", rss(item(1)))
    town.serve("/closed", rss(item(2)))
    sources = [f"{name}: {{kind: feed, url: '{town.url(f'/{name}')}'}}" for name in ("open", "closed")]
    town.config(*sources, extra="obey_robots: true")
    for hour in (0, 1, 12):
        refreshed(town, hours=hour)
        assert told(town)["closed"][0] == "failed"
    town.config(*sources, f"later: {{kind: feed, url: '{town.url('/closed/too')}'}}", extra="obey_robots: true")
    refreshed(town, hours=23)
    assert "disallows" in told(town)["later"][1]
    assert (town.asked.count("/robots.txt"), town.asked.count("/closed")) == (1, 0)
    town.serve("/robots.txt", "", status=404)
    assert not [line for line in refreshed(town, hours=25) if "closed:" in line]
    assert (town.asked.count("/robots.txt"), town.asked.count("/closed")) == (2, 1)
    assert len(guids(town)) == 2


def test_the_feed_that_a_page_names_is_asked_only_where_its_robots_txt_permits(town: Town) -> None:
    town.serve("/robots.txt", CLOSED, kind="text/plain")
    town.serve("/", PAGE.format(feed="/closed.xml"), kind="text/html")
    town.serve("/closed.xml", rss(item(1)))
    town.serve("/open", rss(item(2)))
    town.config(f"blog: {{kind: blog, url: '{town.url('/')}'}}", f"open: {{kind: feed, url: '{town.url('/open')}'}}")
    for day in (0, 2):
        (line,) = refreshed(town, days=day)
        assert f"not asked, {town.url('/robots.txt')} disallows {town.url('/closed.xml')}" in line
    assert "/closed.xml" not in town.asked
    town.serve("/robots.txt", "", status=404)
    assert refreshed(town, days=8) == []
    assert len(guids(town)) == 2


def test_a_feed_that_falls_silent_behind_its_page_is_told_and_asked_ever_less(town: Town) -> None:
    town.serve("/", PAGE.format(feed="/feed.xml"), kind="text/html")
    town.serve("/feed.xml", rss(item(1)))
    town.config(f"blog: {{kind: blog, url: '{town.url('/')}'}}")
    assert refreshed(town) == []
    town.serve("/feed.xml", "", status=500)
    for day in (2, 4):
        (line,) = refreshed(town, days=day)
        assert f"{town.url('/feed.xml')}: 500 Internal Server Error" in line
    listed = [path for path in town.asked if path != "/robots.txt"]
    assert listed == ["/", "/feed.xml", *["/feed.xml", "/"] * 2]
    town.asked.clear()
    for minute in (1, 55):
        assert refreshed(town, days=4, minutes=minute) == []
    assert town.asked == []
    state, message = told(town)["blog"]
    assert (state, message) == ("cached", f"{town.url('/feed.xml')}: 500 Internal Server Error")
    assert len(guids(town)) == 1


def test_a_feed_that_cannot_be_read_behind_its_page_is_not_asked_at_each_refresh(town: Town) -> None:
    town.serve("/", PAGE.format(feed="/feed.xml"), kind="text/html")
    town.serve("/feed.xml", "no feed at all", kind="text/plain")
    town.serve("/open", rss(item(2)))
    town.config(f"blog: {{kind: blog, url: '{town.url('/')}'}}", f"open: {{kind: feed, url: '{town.url('/open')}'}}")
    (line,) = refreshed(town)
    assert line.startswith("aggregator: show: blog: failed (")
    for minute in (10, 40):
        assert refreshed(town, minutes=minute) == []
    assert (town.asked.count("/"), town.asked.count("/feed.xml")) == (1, 1)
