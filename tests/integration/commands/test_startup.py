"""What a start costs: cron starts the program often, mostly with nothing to do."""

import os
import subprocess
from pathlib import Path

from tests.support.program import PLAIN, PROGRAM, run_program

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
TRIES = 5


def spent(folder: Path, *words: str, most: float) -> float:
    """Return the processor seconds of the program and its children: of the first try below a limit, or of the best."""
    best = float("inf")
    for _ in range(TRIES):
        command = [*PROGRAM, *words]
        child = subprocess.Popen(command, cwd=folder, env={**os.environ, **PLAIN}, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0
        best = min(best, used.ru_utime + used.ru_stime)
        if best < most:
            break
    return best


def test_the_version_takes_little_time(tmp_path: Path) -> None:
    assert spent(tmp_path, "--version", most=0.4) < 0.4, "measured 0.1 s; the promise is 0.2 s on a quiet machine"


def test_a_refresh_with_nothing_due_takes_little_time(tmp_path: Path, origin) -> None:
    address, served = origin
    (served / "feed.xml").write_text(FEED, encoding="utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG.format(address=address), encoding="utf-8")
    assert run_program(tmp_path, "refresh", "--at", "2026-01-02T05:00:00Z").returncode == 0
    idle = spent(tmp_path, "refresh", "--at", "2026-01-02T05:00:01Z", most=1.6)
    assert idle < 1.6, "the promise is 0.8 s on a quiet machine"
