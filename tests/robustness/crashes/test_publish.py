"""One feed's folder that cannot be written stops no other feed, and is written as soon as it can be."""

from __future__ import annotations

import json
import socket
from datetime import timedelta

from tests.support.config import Keys, make_feed, make_source, write_config
from tests.support.rss import make_rss
from tests.support.waiting import wait_for
from tests.support.workspace import NOON, Workspace, check_no_leftovers, check_published, format_time, make_item

FEEDS = ("early", "middle", "late")


def three(workspace: Workspace, **hanging: Keys) -> None:
    """Three feeds of one source each; in the place of the middle one's folder stands a file."""
    feeds = {name: {"host": workspace.source(f"/{name}")} for name in FEEDS}
    feeds["early"] |= hanging
    for name in FEEDS:
        workspace.serve(f"/{name}", make_rss(*(make_item(number) for number in range(1, 4))))
    write_config(workspace.folder, {name: make_feed(sources=sources) for name, sources in feeds.items()})
    workspace.output.mkdir()
    (workspace.output / "middle").write_text("in the way")


def test_a_feed_that_cannot_be_published_is_told_in_one_line_and_the_others_publish(workspace: Workspace) -> None:
    three(workspace)
    done = workspace.refresh(NOON)
    place = workspace.output / "middle"
    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        [f"aggregator: {place}: cannot publish (File exists); the old files are unchanged"],
    )
    assert [len(workspace.items(name)) for name in ("early", "late")] == [3, 3]
    assert (workspace.output / "index.html").exists()
    check_published(workspace)
    place.unlink()
    workspace.asked.clear()
    done = workspace.run("refresh", "--json", "--at", format_time(NOON + timedelta(minutes=1)))
    assert (done.returncode, done.stderr) == (0, "")
    assert [each["failures"] for each in json.loads(done.stdout)] == [[], [], []]
    assert workspace.asked == [], "what was heard is known, no origin is asked for it again"
    assert len(workspace.items("middle")) == 3
    check_published(workspace)
    check_no_leftovers(workspace)


def test_a_list_of_feeds_that_cannot_be_written_stops_no_feed(workspace: Workspace) -> None:
    three(workspace)
    (workspace.output / "middle").unlink()
    (workspace.output / "index.html").mkdir()
    done = workspace.refresh(NOON)
    assert done.returncode == 1
    assert [line.partition(" (")[0] for line in done.stderr.splitlines()] == [
        f"aggregator: {workspace.output}: cannot publish"
    ]
    assert [len(workspace.items(name)) for name in FEEDS] == [3, 3, 3]


def test_a_source_that_hangs_delays_no_other_feed(workspace: Workspace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        three(workspace, **{f"mute{number}": make_source(f"{url}/{number}", trust=0.1) for number in range(6)})
        (workspace.output / "middle").unlink()
        child = workspace.start("refresh", "--quiet", "--at", format_time(NOON))
        wait_for(
            lambda: workspace.items("middle") and workspace.items("late")
        )  # two of the six are asked at once: 90 s
        assert workspace.items("early") == []
        assert child.poll() is None, "the first feed still waits"
    _, said = child.communicate(timeout=180)
    assert child.returncode == 0
    told = [line.partition(" (")[0] for line in said.splitlines()]
    assert sorted(told) == [f"aggregator: early: mute{number}: failed" for number in range(6)]
    assert [len(workspace.items(name)) for name in FEEDS] == [3, 3, 3]
    workspace.alone()
