from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
PROGRAM = (sys.executable, "-m", "aggregator.cli")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """The real program in a child, standing in an empty folder; answers what it printed and its exit code."""

    def go(*words: str, stdin: str | None = None, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160", "TERM": "dumb"}
        return subprocess.run(
            (*PROGRAM, *words),
            cwd=cwd,
            input=stdin,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return go
