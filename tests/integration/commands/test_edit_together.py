"""Several processes edit one config at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

EDIT = """
import os
from pathlib import Path
from aggregator import subscriptions
from aggregator.model.subscription import Subscription
shut, opened = os.pipe()
for number in range(10):
    if not os.fork():
        os.close(opened)
        os.read(shut, 1)  # until every process has been started
        feed = Subscription(f"Bread {number % 3}", f"https://bread.example/{number}")
        made = subscriptions.add(Path("config.yaml"), [feed])
        os._exit(len(made.additions))
os.close(opened)
print([os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(10)])
"""


def test_ten_processes_add_a_feed_each(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-c", EDIT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{[1] * 10}\n", "")
    feeds = yaml.safe_load((tmp_path / "config.yaml").read_text())["feeds"]
    urls = sorted(source["url"] for feed in feeds.values() for source in feed["sources"].values())
    assert urls == [f"https://bread.example/{number}" for number in range(10)]
