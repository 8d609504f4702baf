"""The parsers of npm, which are in tests/support/node."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import SUPPORT

NODE = SUPPORT / "node"
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
        missing("run `npm ci` in tests/support/node first")
    return NODE / "read.mjs"
