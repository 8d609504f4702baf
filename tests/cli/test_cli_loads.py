"""What a command loads, by structure: which packages and modules it must not, and whatever it costs today."""

import json
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

from aggregator import late
from aggregator.fetchers import roster
from aggregator.model.source import Source

HEAVY = {
    *("numpy", "lxml", "ftfy", "wordfreq", "rapidfuzz", "nh3", "feedgen", "feedparser", "jinja2", "segno"),
    *("requests", "urllib3", "rich", "ruamel", "starlette", "uvicorn", "apscheduler", "prometheus_client"),
}
CONFIG = """\
allow_networks: [127.0.0.0/8]
feeds:
  crumbs:
    title: Crumbs
    link: https://crumb.example/
    sources:
      host: {{kind: feed, url: "{address}/feed.xml"}}
"""
FEED = """<rss version="2.0"><channel><title>Crumbs</title><link>https://crumb.example/</link>
<item><title>Rye</title><guid isPermaLink="false">rye</guid><description>Of bread.</description></item>
</channel></rss>"""
PROBE = """
import json, sys
from aggregator import cli, late
try:
    cli.main()
finally:
    names = [name for name, module in sys.modules.items() if not late.waiting(module)]
    print(json.dumps(sorted(names)), file=sys.stderr)
"""


def loaded(folder, *arguments) -> set[str]:
    command = [sys.executable, "-c", PROBE, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return set(json.loads(done.stderr.splitlines()[-1]))


def spared(names: set[str]) -> None:
    assert names & HEAVY == set()
    rooms = ("aggregator.merger.", "aggregator.generator.")
    assert {name for name in names if name.startswith(rooms)} <= {
        f"aggregator.generator.{each}" for each in ("files", "pages", "changes")
    }
    texts = {"align", "dates", "markup", "mend", "mojibake", "titles", "tokens", "words"}
    assert not names & {f"aggregator.text.{each}" for each in texts}
    stages = {"learning", "making", "stages", "printing", "publish", "kept"}
    assert not names & {f"aggregator.{stage}" for stage in stages}
    assert not names & {
        "aggregator.fetchers.http.client",
        "aggregator.fetchers.rss_atom",
        "aggregator.fetchers.sandbox",
    }


def test_a_version_loads_no_room(tmp_path) -> None:
    names = loaded(tmp_path, "--version")
    assert not names & (HEAVY | {"pydantic", "yaml", "sqlalchemy"})
    ours = {name for name in names if name.startswith("aggregator.")}
    assert ours <= {"aggregator.cli", "aggregator.errors", "aggregator.late", "aggregator.version"}


def test_a_refresh_of_unchanged_files_loads_only_what_compares_them(shop) -> None:
    first = loaded(shop, "refresh", "--at", "2026-01-02T05:00:00Z")
    assert "aggregator.publish" in first
    assert not {"requests", "aggregator.fetchers.http.client"} & first
    spared(loaded(shop, "refresh", "--at", "2026-01-03T05:00:00Z"))


def test_a_refresh_with_nothing_due_loads_no_merger_generator_reader_or_network(tmp_path, origin) -> None:
    address, served = origin
    (served / "feed.xml").write_text(FEED, encoding="utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG.format(address=address), encoding="utf-8")
    first = loaded(tmp_path, "refresh", "--at", "2026-01-02T05:00:00Z")
    assert {"requests", "lxml", "feedgen", "aggregator.making", "aggregator.publish"} <= first
    assert not {"protego", "aggregator.fetchers.http.robots", *late.FOREIGN - {"importlib.metadata"}} & first
    spared(loaded(tmp_path, "refresh", "--at", "2026-01-02T05:00:01Z"))


def test_a_source_that_speaks_alone_loads_nothing_that_compares(tmp_path) -> None:
    (tmp_path / "feed.xml").write_text(FEED, encoding="utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG.format(address="").replace("url: ", "path: ").replace("/feed", "feed"))
    first = loaded(tmp_path, "refresh", "--at", "2026-01-02T05:00:00Z")
    (tmp_path / "feed.xml").write_text(FEED.replace("Rye", "Rye and spelt"), encoding="utf-8")
    for names in (first, loaded(tmp_path, "refresh", "--at", "2026-01-02T06:00:00Z")):
        assert "aggregator.publish" in names
        assert not {"numpy", "aggregator.merger.resolve", "aggregator.merger.match"} & names


def test_what_waits_runs_once_for_many_threads() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
from aggregator import late
from aggregator.fetchers import roster
from aggregator.model.source import Source
late.install()
from aggregator import learning, making
from aggregator.fetchers.http import client
assert all(map(late.waiting, (learning, making, client)))
with ThreadPoolExecutor(16) as threads:
    found = set(threads.map(lambda _: (client.Client, making.Brief, client.Permit), range(64)))
assert len(found) == 1
assert not late.waiting(client) and not late.waiting(making) and late.waiting(learning)
import aggregator.fetchers.http.client
assert aggregator.fetchers.http.client is client
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_the_roster_says_of_addresses_is_what_the_kinds_say() -> None:
    for kind, module in roster.MODULES.items():
        for url in (None, "https://crumb.example/feed.xml", "https://podcasts.apple.com/us/podcast/id1234567"):
            source = Source("one", kind, url=url)
            assert roster.locate(source) == import_module(module).locate(source)


def test_the_table_names_modules_that_are_there() -> None:
    assert {name for name in late.LATE if find_spec(name) is None} == set()
