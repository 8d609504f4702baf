from __future__ import annotations

import json
import re
from pathlib import Path

from tests.integration.commands.test_serve import fetched, started

FEED = "<rss version='2.0'><channel><title>Rye</title><item><guid>1</guid><title>Sour</title></item></channel></rss>"
EXPECTED = {
    "away": "failed; using earlier entries",
    "closed": "failed",
    "numbered": "ok",
    "refused": "failed",
    "topic": "ok",
}


def test_every_output_gives_the_same_status_of_each_source(run, shop: Path, origin, ports) -> None:
    address, folder = origin
    (folder / "feed.xml").write_text(FEED)
    closed, free_port = ports(), ports()
    config = shop / "config.yaml"
    addresses = {"away": f"{address}/feed.xml", "closed": f"http://127.0.0.1:{closed}/", "refused": "http://10.0.0.1/f"}
    more = "".join(f"      {name}: {{kind: feed, url: '{url}'}}\n" for name, url in addresses.items())
    config.write_text(config.read_text() + more)
    run("refresh", "--at", "2026-01-02T03:04:05Z")
    (folder / "feed.xml").unlink()
    refreshed = run("refresh", "--force", "--at", "2026-01-03T03:04:05Z")

    told = dict(re.findall(r"^aggregator: crumb-talk: (\w+): (failed.*)$", refreshed.stderr, re.MULTILINE))
    told |= dict(re.findall(r"^  (\w+) +(unchanged), \d+ entries stored$", refreshed.stdout, re.MULTILINE))
    told = {name: re.sub(r" \(.*\)", "", words) for name, words in told.items()}
    assert told | {"topic": "ok", "numbered": "ok"} == EXPECTED
    assert {told["topic"], told["numbered"]} == {"unchanged"}

    report = json.loads((shop / "output/crumb-talk/report.json").read_bytes())
    states = {source["name"]: source["state"] for source in report["sources"]}
    assert states == {name: "cached" if "earlier" in words else words for name, words in EXPECTED.items()}

    page = (shop / "output/crumb-talk/index.html").read_text()
    assert sorted(re.findall(r'<tr><th scope="row">(?:<a [^>]*>)?(\w+)<', page)) == sorted(EXPECTED)
    assert "failed" not in page, "it is for listeners"

    live = run("check", "--live", "--at", "2026-01-03T03:05:05Z")
    assert live.returncode == 1
    cells = [re.split(r" {2,}", row) for row in live.stdout.splitlines() if row.startswith("crumb-talk  ")]
    assert {row[1]: row[3] for row in cells} == EXPECTED

    with started(shop, "serve", "--metrics", "--port", str(free_port)):
        while b"silent_sources{" not in (counts := fetched(f"http://127.0.0.1:{free_port}/metrics")):
            pass
    assert b'aggregator_feed_silent_sources{feed="crumb-talk"} 3.0' in counts
