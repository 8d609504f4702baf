"""Programs of other people that tests run: a test without its program is skipped, in CI it fails.

.ci/packages.txt names their Debian packages.
"""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from tests.support.paths import SUPPORT

NODE = SUPPORT / "node"
IN_CI = os.environ.get("CI") == "true"


def need(program: str) -> str:
    """Return the path of a program; servers are in /usr/sbin, which is not on the path of every user."""
    found = shutil.which(program, path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    return found or miss(f"{program} is not installed (.ci/packages.txt names its Debian package)")


def need_strace() -> None:
    need("strace")
    if subprocess.run(["strace", "true"], capture_output=True, check=False).returncode:
        miss("strace is not allowed to trace")


@contextmanager
def mounted(place: Path, size: str) -> Iterator[Path]:
    """Mount a file system of that size, such as ``1m``, until the block ends."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", place]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        miss(f"no file system can be mounted: {done.stderr}")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def need_npm_parsers() -> Path:
    """Return the script that reads a feed with the three parsers of npm."""
    _need_npm("podcast-partytime")
    return NODE / "read.mjs"


def need_axe() -> str:
    """Return the script of axe-core, which finds what keeps people out of a page."""
    return (_need_npm("axe-core") / "axe.min.js").read_text("utf-8")


def need_s3rver() -> Path:
    """Return the script of a server that stores objects as S3 does."""
    return _need_npm("s3rver") / "bin" / "s3rver.js"


def _need_npm(package: str) -> Path:
    """Return the folder of a package of npm; CI installs them all once for all processes."""
    need("node")
    if IN_CI:
        with (NODE / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (NODE / "node_modules").is_dir():
                subprocess.run(["npm", "ci", "--ignore-scripts"], cwd=NODE, check=True, capture_output=True)
    if not (NODE / "node_modules" / package).is_dir():
        miss("run `npm ci` in tests/support/node first")
    return NODE / "node_modules" / package


def miss(why: str) -> NoReturn:
    """End a test whose program is not there."""
    (pytest.fail if IN_CI else pytest.skip)(why)
