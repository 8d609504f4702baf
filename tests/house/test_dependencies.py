"""The pinned packages are those that the program needs, in versions that it takes."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.support.paths import ROOT


def read_needed() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = ("postgresql", "notify", "scale", "catalogue", "fulltext")
    lines = (*project["dependencies"], *(line for each in wanted for line in extras[each]))
    return [Requirement(line) for line in lines]


def read_pinned() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(name): Version(version) for name, version in pairs}


def is_pinned_version(name: str) -> bool:
    """Whether the pinned version is the installed one: only then it is known what it needs."""
    return Version(metadata.version(name)) == read_pinned().get(canonicalize_name(name))


def list_needs(needed: list[Requirement]) -> list[Requirement]:
    """What is needed, and what that needs, as far as the pinned version is installed here."""
    found: dict[str, Requirement] = {}
    while needed:
        one = needed.pop()
        if str(one) in found or (one.marker and not applies(one, {""})):
            continue
        found[str(one)] = one
        if not is_pinned_version(one.name):
            continue
        for line in metadata.requires(one.name) or ():
            below = Requirement(line)
            if applies(below, {"", *one.extras}):
                below.marker = None
                needed.append(below)
    return list(found.values())


def applies(one: Requirement, extras: set[str]) -> bool:
    return one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras)


def test_every_package_that_the_program_needs_is_pinned_in_a_version_that_it_takes() -> None:
    pinned = read_pinned()
    wrong = [
        str(one)
        for one in list_needs(read_needed())
        if (version := pinned.get(canonicalize_name(one.name))) is None or not one.specifier.contains(version)
    ]
    assert wrong == []


def test_deployments_install_what_is_pinned_by_version_and_hash() -> None:
    """The lists that ``make hashes`` writes are complete, and no pip of docs/deploy takes anything else."""
    deploy, pinned = ROOT / "docs" / "deploy", read_pinned()
    known: dict[str, Version] = {}
    problems = []
    for name in ("requirements.txt", "build-requirements.txt"):
        for line in (deploy / name).read_text("utf-8").replace("\\\n", " ").splitlines():
            found = re.fullmatch(r"([a-z0-9.-]+)==(\S+)(?: ; [^-]*?)?(?: +--hash=sha256:[0-9a-f]{64})+ *", line)
            if found is None:
                problems.append(f"{name}: {line[:60]} has no version or no hash")
            elif name == "requirements.txt":
                known[canonicalize_name(found[1])] = Version(found[2])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = (project["optional-dependencies"][each] for each in ("postgresql", "notify", "scale", "s3"))
    needed = [Requirement(line) for lines in (project["dependencies"], *extras) for line in lines]
    for one in list_needs(needed):
        version = canonicalize_name(one.name)
        if known.get(version) != pinned.get(version):
            problems.append(f"{one.name}: {known.get(version)} in requirements.txt, {pinned.get(version)} pinned")
    for path in (deploy / "README.md", deploy / "Dockerfile"):
        commands = path.read_text("utf-8").replace("\\\n", " ").replace("&&", "\n").splitlines()
        installs = [line for line in commands if re.search(r"\bpip (?:install|wheel)\b", line)]
        if not installs:
            problems.append(f"{path.name} installs nothing")
        safe = ("--require-hashes", "--no-deps", "--no-index")
        problems += [line for line in installs if not any(word in line for word in safe)]
    assert problems == []
