"""Failing system calls in a whole refresh, by strace: old or new files, a sound store, one clear line."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

import pytest

from tests.support.workspace import (
    NOON,
    Workspace,
    check_no_leftovers,
    check_published,
    format_time,
    read_guids,
)

AGAIN = ("refresh", "--quiet", "--force", "--at", format_time(NOON + timedelta(days=2)))
CALL = re.compile(r"(\d+) +(\w+)\((.*)")
FILE = re.compile(r'[<"](/[^>"]*)[>"]')
RANDOM = re.compile(r"[0-9a-f]{16}")
MOST = 14
"""Places of each call at which it is made to fail in the heavy suite; the first and the last are among them."""

ERRORS = {
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO",),
    "pwrite64": ("ENOSPC", "EIO", "EROFS"),
    "write": ("ENOSPC", "EIO", "EROFS"),
    "rename": ("ENOSPC", "EACCES", "EROFS"),
    "openat": ("ENOSPC", "EMFILE", "EROFS"),
    "unlink": ("EIO", "EROFS"),
    "utimensat": ("EPERM",),
    "mkdir": ("ENOSPC", "EROFS"),
    "ftruncate": ("EIO", "EROFS"),
}
"""Each call that changes a disk, and how it may fail: fsync(2) and the others name these."""


class Case(NamedTuple):
    """The n-th call of that name of each thread and process fails so, once or (``ever``) from then on."""

    call: str
    error: str
    when: int
    ever: bool = False


def places(once: Workspace) -> dict[str, list[tuple[int, str]]]:
    """Which calls of each name concern the folder: their number among those of their thread, and the file.

    Files that differ only by what is random in their names are one file here.
    """
    copy = copied(once, "dry")
    names = ",".join(ERRORS)
    trace = copy.folder / "trace"
    done = copy.run(*AGAIN, before=("strace", "-f", "-y", "-s", "0", "-o", str(trace), "-e", f"trace={names}"))
    assert done.returncode == 0, done.stderr
    found: dict[str, list[tuple[int, str]]] = {}
    count: dict[tuple[str, str], int] = {}
    for line in trace.read_text("utf-8", "replace").splitlines():
        met = CALL.match(line)
        if met is None:
            continue
        task, name = met[1], met[2]
        count[task, name] = count.get((task, name), 0) + 1
        reads = name == "openat" and "O_RDONLY" in met[3] and ".part" not in met[3]
        if (str(copy.folder) in met[3] or "store.db" in met[3]) and not reads:
            file = FILE.findall(met[3].replace(str(copy.folder), ""))
            found.setdefault(name, []).append((count[task, name], RANDOM.sub("", " ".join(file))))
    return found


def copied(once: Workspace, name: str) -> Workspace:
    folder = once.folder.parent / name
    shutil.copytree(once.folder, folder)
    return replace(once, folder=folder)


def fail(once: Workspace, case: Case) -> int:
    """A refresh with that fault, and one without: what each left is checked. The exit code of the first."""
    copy = copied(once, f"{case.call}-{case.error}-{case.when}-{case.ever}")
    before, held = files(copy), read_guids(copy)
    rule = f"inject={case.call}:error={case.error}:when={case.when}{'+' if case.ever else ''}"
    done = copy.run(*AGAIN, before=("strace", "-f", "-o", "/dev/null", "-e", f"trace={case.call}", "-e", rule))
    if case.call == "openat" and "_bootstrap" in done.stderr:  # it met Python, which had not yet begun our program
        shutil.rmtree(copy.folder)
        return done.returncode
    assert "Traceback" not in done.stderr, (case, done.stderr)
    lines = done.stderr.splitlines()
    assert all(line.startswith("aggregator: ") for line in lines), (case, lines)
    assert len(lines) <= 3, (case, lines)  # of the source, the feed and the list of feeds
    silent = bool(lines) and all(": failed" in line for line in lines)
    mute = case.call == "write" and case.ever  # then stderr cannot be written either, and the exit code alone tells
    assert silent or mute or bool(lines) == bool(done.returncode), (case, done.returncode, lines)
    assert done.returncode or not mute, case
    check_published(copy)
    between = files(copy)
    again = copy.refresh(NOON + timedelta(days=4))
    assert (again.returncode, again.stderr) == (0, ""), (case, again.stderr)
    check_published(copy)
    check_no_leftovers(copy)
    after = files(copy)
    assert len(read_guids(copy)) == 8, case
    assert held.items() <= read_guids(copy).items(), case
    plain = {name for name in before if not name.endswith(".gz")}
    torn = [name for name in plain - TELLING if between[name] not in (before[name], after.get(name))]
    assert not torn or silent, (case, torn)  # what a page says of a silent source is of one run only
    shutil.rmtree(copy.folder)
    return done.returncode


TELLING = {"report.json", "changes.html", "changes.atom"}
"""Files that tell of each run, so that a third run may say it otherwise than the second would have."""


def files(copy: Workspace) -> dict[str, bytes]:
    folder = copy.output / "show"
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def spread(found: list[tuple[int, str]], most: int) -> list[int]:
    """So many of the calls: the first and the last for each file before others, evenly from the first to the last."""
    ends = {file: number for number, file in reversed(found)} | {f"{file} last": number for number, file in found}
    numbers = sorted(set(ends.values()))
    if len(numbers) <= most:
        return numbers
    return [numbers[round(place * (len(numbers) - 1) / (most - 1))] for place in range(most)]


def test_a_failing_system_call_leaves_the_old_or_the_new_and_says_so(once: Workspace) -> None:
    found = {name: [number for number, _ in calls] for name, calls in places(once).items()}
    assert {"fsync", "rename", "openat", "write", "pwrite64"} <= found.keys()
    cases = [
        Case("rename", "EACCES", found["rename"][len(found["rename"]) // 2]),
        Case("pwrite64", "ENOSPC", found["pwrite64"][len(found["pwrite64"]) // 2]),
    ]
    codes = [fail(once, case) for case in cases]
    assert all(codes), codes


@pytest.mark.heavy
@pytest.mark.parametrize("name", ERRORS)
def test_every_system_call_may_fail(once: Workspace, name: str) -> None:
    """One place after the other, each with the next of the errors; and each error from the first place on for good."""
    found = places(once).get(name, [])
    errors = ERRORS[name]
    cases = [Case(name, errors[turn % len(errors)], when) for turn, when in enumerate(spread(found, MOST))]
    cases += [Case(name, error, found[0][0], ever=True) for error in errors if found]
    codes = [fail(once, case) for case in cases]
    print(name, len(found), "places", dict(zip(cases, codes, strict=True)))  # noqa: T201 - for whoever runs the heavy suite
    assert all(code in {0, 1, 2, 3, 4, 5} for code in codes)


def kill_at(once: Workspace, call: str, when: int) -> None:
    """A refresh that is killed at that call, and one that is not: nothing is torn, lost or left over."""
    copy = copied(once, f"kill-{call}-{when}")
    held = read_guids(copy)
    rule = f"inject={call}:signal=KILL:when={when}"
    done = copy.run(*AGAIN, before=("strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", rule))
    assert done.returncode, (call, when)
    check_published(copy)
    assert held.items() <= read_guids(copy).items(), (call, when)
    again = copy.refresh(NOON + timedelta(days=4))
    assert (again.returncode, again.stderr) == (0, ""), (call, when, again.stderr)
    check_published(copy)
    check_no_leftovers(copy)
    assert len(read_guids(copy)) == 8, (call, when)
    assert held.items() <= read_guids(copy).items(), (call, when)
    checked = copy.run("check", "--store")
    assert checked.returncode == 0, (call, when, checked.stdout)
    shutil.rmtree(copy.folder)


def test_a_kill_at_a_write_site_tears_and_loses_nothing(once: Workspace) -> None:
    found = places(once)
    for call in ("pwrite64", "rename"):
        numbers = [number for number, _ in found[call]]
        kill_at(once, call, numbers[len(numbers) // 2])


@pytest.mark.heavy
@pytest.mark.parametrize("call", ERRORS)
def test_a_kill_at_every_write_site_tears_and_loses_nothing(once: Workspace, call: str) -> None:
    sites = places(once).get(call, [])
    for number, _ in sites:
        kill_at(once, call, number)
    print(call, len(sites), "kills")  # noqa: T201 - for the table of runs
