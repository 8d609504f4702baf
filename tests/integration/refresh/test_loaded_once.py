"""What the process of one feed needs is loaded by the process that is forked for each feed, once for all."""

import json
import subprocess
import sys

from tests.support.paths import ROOT

COMPOSED = """
import io, json, sys
from datetime import datetime
from pathlib import Path
from aggregator.config.load import load
from aggregator.processes import composer
from aggregator.processes.editions import Task
from aggregator.sandbox import calls
from aggregator.store import connection

config = load(Path(sys.argv[1]))
task = Task(config.state, datetime.fromisoformat(sys.argv[2]), config.plans[0], sys.argv[3], packed=True)
before, statements, out = set(sys.modules), len(connection._COMPILED), io.BytesIO()
composer.run(calls.encode("compose", task), out, lambda _: None)
compiled = len(connection._COMPILED) - statements
print(json.dumps([len(out.getvalue()), sorted(set(sys.modules) - before), statements, compiled]))
"""


def test_composing_imports_nothing_more_and_compiles_little(tmp_path, origin, project, episode, rss) -> None:
    project.sources["directory"] = origin.source("/directory.xml")
    for name in ("feed", "directory"):
        every = (episode(turn, guid=f"{name}-{turn}", audio=f"https://{name}.example/{turn}.mp3") for turn in range(12))
        origin.serve(f"/{name}.xml", rss(*every))
    assert project.refresh().failures == ()
    words = [str(project.config()), "2024-07-01T12:00:00+00:00", str(tmp_path / "staged")]
    command = [sys.executable, "-P", "-c", COMPOSED, *words]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0, done.stderr
    size, late, statements, compiled = json.loads(done.stdout)
    assert size > 1000
    assert late == []
    assert compiled < statements / 3
