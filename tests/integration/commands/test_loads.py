"""Which packages a command loads: none of the engines where nothing is to be composed, none at all for --version."""

import json
import subprocess
import sys

ENGINES = {"numpy", "ftfy", "wordfreq", "nh3", "feedgen", "feedparser", "jinja2", "segno", "ruamel"}
SERVERS = {"starlette", "uvicorn", "apscheduler", "prometheus_client"}
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
from aggregator import cli
try:
    cli.main()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def loaded(folder, *arguments) -> set[str]:
    command = [sys.executable, "-c", PROBE, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_a_version_loads_nothing_but_the_command_line(tmp_path) -> None:
    names = loaded(tmp_path, "--version")
    assert not names & (ENGINES | SERVERS | {"pydantic", "yaml", "sqlalchemy", "requests", "lxml"})
    ours = {name for name in names if name.startswith("aggregator.")}
    assert ours <= {"aggregator.cli", "aggregator.errors", "aggregator.version"}


def test_a_refresh_with_nothing_due_loads_no_merger_and_no_generator(tmp_path, origin) -> None:
    address, served = origin
    (served / "feed.xml").write_text(FEED, encoding="utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG.format(address=address), encoding="utf-8")
    first = loaded(tmp_path, "refresh", "--at", "2026-01-02T05:00:00Z")
    assert {"requests", "feedgen", "aggregator.compose", "aggregator.publish"} <= first
    idle = loaded(tmp_path, "refresh", "--at", "2026-01-02T05:00:01Z")
    assert not idle & (ENGINES | SERVERS | {"aggregator.compose", "aggregator.learning", "aggregator.publish"})
