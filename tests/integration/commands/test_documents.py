from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from aggregator.cli import COMMANDS
from aggregator.config.schema import ItemField
from aggregator.fetchers import registry
from tests.support.config import make_feed, write_config
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
HEAD, *PARTS = (ROOT / "docs/commands.md").read_text(encoding="utf-8").split("\n## ")
SECTIONS = {part.partition("\n")[0].strip(): part for part in PARTS}
WRITTEN = [name for name, (module, _) in COMMANDS.items() if (ROOT / f"aggregator/commands/{module}.py").exists()]


def test_every_command_is_in_the_table() -> None:
    named = re.findall(r"^\| `aggregator ([\w-]+)", HEAD, re.MULTILINE)
    assert sorted(named) == sorted(COMMANDS)


@pytest.mark.parametrize("name", WRITTEN)
def test_every_option_is_documented_and_no_other(name: str, helped) -> None:
    shown = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", helped(name), re.MULTILINE))
    told = set(re.findall(r"^\|[^|]*`(--[a-z-]+)", SECTIONS[name], re.MULTILINE))
    assert shown - {"--help"} == told


@pytest.mark.parametrize("name", WRITTEN)
def test_the_documented_defaults_of_options_are_the_real_ones(name: str, helped) -> None:
    options = re.split(r"\n +(?:-\w, )?(?=--)", helped(name).partition("Options:")[2])
    shown = {each.split()[0].rstrip(","): re.search(r"\[default:\s+([^];]+)", each) for each in options[1:]}
    real = {option: found[1].strip() for option, found in shown.items() if found and option != "--config"}
    told = re.findall(r"^\|[^|]*`(--[a-z-]+).*\(default: `([^`]+)`", SECTIONS[name], re.MULTILINE)
    assert dict(told) == real


def test_no_command_is_documented_that_is_none() -> None:
    assert SECTIONS.keys() == COMMANDS.keys()


def test_the_commands_of_the_readme_are_the_agreed_ones() -> None:
    said = dict(re.findall(r"<!-- command: (\S+) -->\s*```sh\n(.+?)\n```", README))
    assert said == {
        "run": "pip install . && aggregator refresh",
        "test": "pip install -e '.[test]' && pytest",
        "uv-run": "uv run aggregator refresh",
        "uv-test": "uv run --extra test pytest",
        "venv-run": "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/aggregator refresh",
        "venv-test": "python3 -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest",
    }


def test_every_key_of_the_config_is_documented() -> None:
    schema = json.loads((ROOT / "config.schema.json").read_text(encoding="utf-8"))
    models = [schema, *(model for name, model in schema["$defs"].items())]
    keys = {key for model in models for key in model["properties"]}
    text = (ROOT / "docs/config.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`([a-z0-9_]+)`", text)) | set(re.findall(r"\{([a-z]+):", text))
    assert keys - told == set()
    assert {*registry.KINDS, *get_args(ItemField)} <= told


def read_table(page: str, section: str) -> dict[str, tuple[str, str]]:
    """Return meaning and default of each key of the table that a section of a page begins with."""
    table = (ROOT / page).read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n#")[0]
    rows = [line.strip("|").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {key: (told, default.strip()) for keys, told, default in rows for key in re.findall(r"`(\w+)`", keys)}


def find_choices(key: Mapping[str, Any]) -> list[str]:
    """Return the words that a key takes, none if others are allowed, too."""
    return next((each["enum"] for each in (key, key.get("items", {}), *key.get("anyOf", ())) if "enum" in each), [])


@pytest.mark.parametrize(
    ("section", "model"), [("Top level", None), ("A feed", "FeedKeys"), ("A source", "SourceKeys")]
)
def test_keys_defaults_and_choices_of_the_config_are_those_of_the_schema(section: str, model: str | None) -> None:
    schema = json.loads((ROOT / "config.schema.json").read_text(encoding="utf-8"))
    keys = (schema["$defs"][model] if model else schema)["properties"]
    required = (schema["$defs"][model] if model else schema).get("required", [])
    told = read_table("docs/config.md", section)
    assert told.keys() == keys.keys()
    wrong = []
    for name, key in keys.items():
        meaning, default = told[name]
        known = key.get("default")
        if name in required:
            right = default == "required"
        elif isinstance(known, bool | int | str):
            right = default == f"`{known if isinstance(known, str) else json.dumps(known)}`"
        else:  # what happens without the key is told in words
            right = default != "required" and not re.fullmatch("`[^`]*`", default)
        choices = find_choices(key)
        if not right or (len(choices) <= 6 and any(f"`{word}`" not in f"{meaning} {default}" for word in choices)):
            wrong.append((name, default, known, choices))
    assert wrong == []


def test_the_documented_trusts_are_the_real_ones() -> None:
    text = (ROOT / "docs/config.md").read_text(encoding="utf-8")
    told = {kind: float(trust) for kind, trust in re.findall(r"^\| `(\w+)` .*\| ([\d.]+) \|$", text, re.MULTILINE)}
    assert told == {name: kind.trust for name, kind in registry.KINDS.items()}


def test_the_config_of_the_readme_is_sound(run, tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.+?)```", README, re.DOTALL)
    (tmp_path / "config.yaml").write_text(block, encoding="utf-8")
    answer = run("check")
    assert (answer.returncode, answer.stderr) == (0, "")


def test_what_the_readme_and_the_index_show_is_what_the_program_says(run, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    kinds = {"apple-page": "apple", "casts": "listing", "podyssey": "listing", "blog": "blog"}
    sources = {file: {"kind": kind, "path": f"samples/pytorch/{file}.txt"} for file, kind in kinds.items()}
    write_config(tmp_path, {"show": make_feed("Show", {file.split("-")[0]: each for file, each in sources.items()})})
    answer = run("refresh", "-v", "--at", "2026-01-01T00:00:00Z")
    assert "54 entries → 37 items (31 episodes, 6 posts): 17 duplicates merged" in answer.stdout
    names = re.findall(r"[\w-]+\.\w+(?=,|$)", answer.stdout.partition("written: ")[2])
    assert {"podcast.xml", "feeds.opml"} <= set(names)
    files = (ROOT / "docs/output.md").read_text(encoding="utf-8")
    assert [name for name in names if not re.search(f"`(?:../)?{name}`", files)] == []
    told = run("explain", "tlparse").stdout.splitlines()
    samples = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "samples/pytorch").iterdir())
    for page in (README, (ROOT / "docs/index.md").read_text(encoding="utf-8")):
        assert "54 entries of four listings become 37 items: 31 episodes and 6 posts" in page
        before, after = page.partition("(`aggregator explain tlparse`):")[::2]
        fetched = re.split(r"\s*\[…\]\s*|\n\s*", before.split("```")[-2].strip())
        assert [part for part in fetched if part not in samples] == []
        for row in after.split("```")[1].splitlines()[2:]:
            field, value, *witnesses = re.split(r"\s{2,}", row.strip())
            said = next(line for line in told if line.startswith(f"{field} "))
            assert said.split()[1:3] == value.split()[:2] or value.startswith("https://podcasts.apple.com/…")
            assert all(witness in said for witness in witnesses)


def test_the_changelog_has_the_form_of_keep_a_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in text
    heads = set(re.findall(r"^### (\w+)", text, re.MULTILINE))
    assert heads <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_every_link_of_the_documents_leads_somewhere() -> None:
    for page in (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "docs/commands.md", ROOT / "docs/config.md"):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"
