"""Several processes edit one config at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

EDIT = """
import sys
from pathlib import Path
from aggregator import subscriptions
from aggregator.model.subscription import Subscription
sys.stdin.read()
made = subscriptions.add(Path("config.yaml"), [Subscription(title, url) for title, url in [sys.argv[1:]]])
print(len(made.additions))
"""


def test_ten_processes_add_a_feed_each(tmp_path: Path) -> None:
    started = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", EDIT, f"Bread {number % 3}", f"https://bread.example/{number}"],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(10)
    ]
    for each in started:
        assert each.stdin is not None
        each.stdin.close()
    for each in started:
        with each:
            assert each.stdout is not None
            assert each.stdout.read() == "1\n"
    feeds = yaml.safe_load((tmp_path / "config.yaml").read_text())["feeds"]
    urls = sorted(source["url"] for feed in feeds.values() for source in feed["sources"].values())
    assert urls == [f"https://bread.example/{number}" for number in range(10)]
