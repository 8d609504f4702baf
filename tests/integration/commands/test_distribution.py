"""The wheel as it is installed elsewhere: both commands, the module, and the extras that the image names."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from aggregator.version import VERSION
from tests.support.paths import ROOT

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def installed(wheels, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    (wheel,) = wheels.glob("*.whl")
    subprocess.run([*PIP, "install", "--no-index", "--no-deps", "--target", str(folder), str(wheel)], check=True)
    return folder


@pytest.mark.parametrize("words", [("bin/aggregator",), ("bin/feedmend",), ("-P", "-m", "aggregator")])
def test_every_way_to_call_it_answers(installed, tmp_path, words) -> None:
    first = [str(installed / words[0])] if words[0].startswith("bin/") else list(words)
    env = {**os.environ, "PYTHONPATH": str(installed)}
    words = [sys.executable, *first, "--version"]
    found = subprocess.run(words, check=False, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert (found.returncode, found.stdout.strip()) == (0, VERSION), found.stderr


def test_the_image_installs_what_its_wheels_are(wheels) -> None:
    """The last pip step of the Dockerfile, with the wheel of this folder and the packages that are installed here."""
    step = re.search(r"--no-index --find-links /wheels \"(.+?)\"", (ROOT / "docs/deploy/Dockerfile").read_text("utf-8"))
    assert step is not None
    words = ["install", "--dry-run", "--no-index", "--find-links", str(wheels), step[1]]
    done = subprocess.run([*PIP, *words], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "does not provide the extra" not in done.stderr


def test_the_wheel_has_what_the_program_reads(wheels) -> None:
    (wheel,) = wheels.glob("*.whl")
    words = [sys.executable, "-m", "zipfile", "-l", str(wheel)]
    listed = subprocess.run(words, check=True, capture_output=True, text=True)
    for name in ("py.typed", "service/desk/templates/base.html.j2", "service/desk/static/desk.css", "__main__.py"):
        assert f"aggregator/{name}" in listed.stdout
    assert "/data/share/man/man1/aggregator.1" in listed.stdout
