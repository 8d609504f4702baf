"""The files at the root say what is so: the version, pinned actions, commands that there are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from aggregator.version import VERSION
from tests.support.paths import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml"))


def test_there_is_one_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == VERSION
    newest = re.search(r"^## \[([\d.]+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is None or newest[1] == VERSION


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_name_their_version(path: Path) -> None:
    used = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert used != []
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", each)] == []


def test_the_workflows_have_no_known_weakness() -> None:
    program = Path(sys.executable).with_name("zizmor")
    if not program.exists() and not os.environ.get("CI"):
        pytest.skip("zizmor is not installed")
    words = [str(program), "--offline", "--no-progress", ".github"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_the_tests_run_with_every_python_that_is_named() -> None:
    named = re.findall(r'Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))["jobs"]
    assert jobs["versions"]["strategy"]["matrix"]["python"] == named
    assert any("run" in step and ".ci/run" in step["run"] for step in jobs["check"]["steps"])


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_the_forms_ask_for_what_the_program_prints(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= form.keys()
    ids = [each["id"] for each in form["body"] if each["type"] != "markdown"]
    assert len(ids) == len(set(ids))
    assert all(each["attributes"]["label"] for each in form["body"] if each["type"] != "markdown")


def test_the_commands_of_the_contributing_page_are_in_the_makefile() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {word for line in re.findall(r"^make (.+)", page, re.MULTILINE) for word in line.split()}
    assert named != set()
    assert named <= targets
