"""The tutorial is true: each command runs, in order, in one folder, and prints the lines that the page shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.program import run_program

TUTORIAL = ROOT / "docs/tutorial"
BLOCK = re.compile(
    r"<!-- (?P<what>run|add|file: \S+) -->\n```\w*\n(?P<text>.*?)```(?:\n```\n(?P<shown>.*?)```)?", re.DOTALL
)


def run_block(folder: Path, commands: str, shown: str) -> None:
    """Run the commands of a block, and look for the shown lines in what they print, in order."""
    printed: list[str] = []
    for line in commands.splitlines():
        program, *words = shlex.split(line)
        assert program == "aggregator"
        answer = run_program(folder, *words)
        assert answer.returncode == 0 or words[0] == "validate", f"{line}: {answer.stderr}"
        printed += answer.stdout.splitlines()
    rest = iter(printed)
    for line in shown.splitlines():
        assert any(each.startswith(line) or line == each.rstrip() for each in rest), (
            f"{commands}: no line {line!r} in {printed}"
        )


def test_the_tutorial_can_be_followed(tmp_path: Path) -> None:
    for listing in (TUTORIAL / "listings").iterdir():
        shutil.copy(listing, tmp_path)
    blocks = 0
    for page in sorted(TUTORIAL.glob("*.md")):
        for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
            config = tmp_path / "config.yaml"
            blocks += 1
            if block["what"] == "run":
                run_block(tmp_path, block["text"], block["shown"] or "")
            elif block["what"] == "add":
                config.write_text(block["text"] + config.read_text(encoding="utf-8"), encoding="utf-8")
            else:
                text = (tmp_path / block["what"].removeprefix("file: ")).read_text(encoding="utf-8")
                assert block["text"] == re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    assert blocks > 12


def test_what_the_tutorial_quotes_is_in_the_listing() -> None:
    page = (TUTORIAL / "1-one-show.md").read_text(encoding="utf-8")
    (quoted,) = re.findall(r"```xml\n(.*?)```", page, re.DOTALL)
    listing = (TUTORIAL / "listings/shelf.xml").read_text(encoding="utf-8")
    assert [line for line in quoted.splitlines() if line not in listing] == []
