"""The helpers of this folder are modules beside the tests, and the parsers of npm live in tests/node."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

NODE = Path(__file__).parents[1] / "node"
CI = os.environ.get("CI") == "true"


def missing(why: str) -> None:
    """In CI every tool must be there; elsewhere the test says what to install."""
    (pytest.fail if CI else pytest.skip)(why)


@pytest.fixture(scope="session")
def parsers() -> Path:
    """The program that asks the three parsers of npm; xmllint is there too."""
    if shutil.which("xmllint") is None:
        missing("install libxml2-utils")
    if shutil.which("node") is None:
        missing("node is not installed")
    if CI and not (NODE / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=NODE, check=True, capture_output=True)
    if not (NODE / "node_modules" / "podcast-partytime").is_dir():
        missing("run `npm ci` in tests/node first")
    return NODE / "read.mjs"
