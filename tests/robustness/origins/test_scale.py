"""Many sources and many feeds in one process: all answered, the host's limits kept, memory flat."""

from __future__ import annotations

import json
import resource
import time
from datetime import timedelta

import pytest

from tests.support.config import make_feed, write_config
from tests.support.rss import make_rss
from tests.support.workspace import NOON, Peak, Workspace, check_published, format_time, make_item


def many(workspace: Workspace, feeds: int, sources: int) -> None:
    """A config of so many feeds, each with so many sources of its own; every source lists two items."""
    shows = {}
    for feed in range(feeds):
        listed = {}
        for source in range(sources):
            number = feed * sources + source
            workspace.serve(
                f"/{number}",
                make_rss(
                    *(make_item(2 * number + each, source=f"of{number}", day=2 * source + each) for each in (0, 1))
                ),
            )
            listed[f"of{number}"] = workspace.source(f"/{number}")
        shows[f"feed{feed}"] = make_feed(f"Feed {feed}", listed)
    write_config(workspace.folder, shows)


def measured(workspace: Workspace, at: str) -> tuple[float, float]:
    """A refresh: its wall seconds and the megabytes of its process at the highest."""
    begun, spent = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = workspace.start("refresh", "--quiet", "--at", at)
    peak = Peak(child.pid)
    _, said = child.communicate(timeout=1_800)
    assert (child.returncode, said) == (0, "")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{after.ru_utime - spent.ru_utime:.1f} s user, {after.ru_stime - spent.ru_stime:.1f} s system")  # noqa: T201
    return time.monotonic() - begun, peak.seen()


def listed(workspace: Workspace, feed: int) -> int:
    return len(json.loads((workspace.output / f"feed{feed}" / "feed.json").read_bytes())["items"])


@pytest.mark.heavy
def test_two_thousand_sources_of_one_origin(workspace: Workspace) -> None:
    many(workspace, 10, 20)
    _, small = measured(workspace, format_time(NOON))
    workspace.asked.clear()
    many(workspace, 100, 20)
    seconds, large = measured(workspace, format_time(NOON + timedelta(days=2)))
    print(f"2,000 sources in 100 feeds: {seconds:.0f} s, {large:.0f} MB; 200 sources: {small:.0f} MB")  # noqa: T201
    assert sorted(workspace.asked) == sorted(f"/{number}" for number in range(2_000)), "each once"
    assert all(listed(workspace, feed) == 40 for feed in range(100))
    assert large < small + 60
    assert seconds > 2_000 / 10 - 10, "ten a second for one host"
    check_published(workspace)


@pytest.mark.heavy
def test_two_hundred_feeds_in_one_process(workspace: Workspace) -> None:
    many(workspace, 20, 1)
    _, small = measured(workspace, format_time(NOON))
    many(workspace, 200, 1)
    seconds, large = measured(workspace, format_time(NOON + timedelta(days=2)))
    print(f"200 feeds: {seconds:.0f} s, {large:.0f} MB; 20 feeds: {small:.0f} MB")  # noqa: T201
    assert all(listed(workspace, feed) == 2 for feed in range(200))
    assert large < small + 60
    check_published(workspace)
