"""One feed's folder that cannot be written stops no other feed, and is written as soon as it can be."""

from __future__ import annotations

import json
import socket
import time
from datetime import timedelta

from tests.support.harness import NOON, Town, item, rss, stamp, tidy, whole

FEEDS = ("early", "middle", "late")


def three(town: Town) -> None:
    """Three feeds of one source each; in the place of the middle one's folder stands a file."""
    lines = ["state: store.db", "output: output", "allow_networks: [127.0.0.0/8]", "feeds:"]
    for name in FEEDS:
        town.serve(f"/{name}", rss(*(item(number) for number in range(1, 4))))
        lines += [f"  {name}:", "    title: A show", "    sources:"]
        lines += [f"      host: {{kind: feed, url: '{town.url(f'/{name}')}'}}"]
    (town.folder / "config.yaml").write_text("\n".join(lines) + "\n")
    town.output.mkdir()
    (town.output / "middle").write_text("in the way")


def test_a_feed_that_cannot_be_published_is_told_in_one_line_and_the_others_publish(town: Town) -> None:
    three(town)
    done = town.refresh(NOON)
    place = town.output / "middle"
    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        [f"aggregator: {place}: cannot publish (File exists); the old files are unchanged"],
    )
    assert [len(town.items(name)) for name in ("early", "late")] == [3, 3]
    assert (town.output / "index.html").exists()
    whole(town)
    place.unlink()
    town.asked.clear()
    done = town.run("refresh", "--json", "--at", stamp(NOON + timedelta(minutes=1)))
    assert (done.returncode, done.stderr) == (0, "")
    assert [each["failures"] for each in json.loads(done.stdout)] == [[], [], []]
    assert town.asked == [], "what was heard is known, no origin is asked for it again"
    assert len(town.items("middle")) == 3
    whole(town)
    tidy(town)


def test_a_list_of_feeds_that_cannot_be_written_stops_no_feed(town: Town) -> None:
    three(town)
    (town.output / "middle").unlink()
    (town.output / "index.html").mkdir()
    done = town.refresh(NOON)
    assert done.returncode == 1
    assert [line.partition(" (")[0] for line in done.stderr.splitlines()] == [
        f"aggregator: {town.output}: cannot publish"
    ]
    assert [len(town.items(name)) for name in FEEDS] == [3, 3, 3]


def test_a_source_that_hangs_delays_no_other_feed(town: Town) -> None:
    three(town)
    (town.output / "middle").unlink()
    path = town.folder / "config.yaml"
    with socket.create_server(("127.0.0.1", 0)) as mute:
        hanging = f"      mute: {{kind: feed, url: 'http://127.0.0.1:{mute.getsockname()[1]}/', trust: 0.1}}"
        path.write_text(path.read_text().replace("    sources:\n", f"    sources:\n{hanging}\n", 1))
        child = town.start("refresh", "--quiet", "--at", stamp(NOON))
        until = time.monotonic() + 25
        while not (town.items("middle") and town.items("late")):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert town.items("early") == []
        assert child.poll() is None, "the first feed still waits"
    _, said = child.communicate(timeout=60)
    assert child.returncode == 0
    assert said.startswith("aggregator: early: mute: failed (")
    assert len(said.splitlines()) == 1
    assert [len(town.items(name)) for name in FEEDS] == [3, 3, 3]
    town.alone()
