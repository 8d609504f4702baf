"""A test that hangs even after its timeout ends the run, with every stack: a run that stands still tells nobody."""

import subprocess
import sys
import time
from pathlib import Path

from tests.support.paths import TESTS

HANGS = """
import time

def test_it() -> None:
    try:
        time.sleep(300)
    finally:
        time.sleep(300)
"""


def test_a_test_that_outlives_its_timeout_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_hangs.py").write_text(HANGS)
    (tmp_path / "conftest.py").write_text((TESTS / "conftest.py").read_text("utf-8"))
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--timeout", "2", str(tmp_path)]
    begun = time.monotonic()
    run = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=280)
    assert run.returncode != 0
    assert "test_hangs.py" in run.stderr
    assert "Timeout (0:00:04)!" in run.stderr
    assert time.monotonic() - begun < 250
