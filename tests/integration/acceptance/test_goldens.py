"""What whole refreshes publish is, byte for byte, what they published before."""

import subprocess
import sys

from tests.support.paths import ROOT


def test_whole_refreshes_publish_the_same_bytes_as_before() -> None:
    command = [sys.executable, "-m", "evaluation.program.goldens"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 files differ\n"), done.stdout + done.stderr
