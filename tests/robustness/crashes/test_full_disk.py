"""A full disk in a whole run, at any write of any file: the old feed stays, one clear line, and all is well later."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.rss import make_rss
from tests.support.tools import mounted
from tests.support.workspace import (
    NOON,
    Workspace,
    check_no_leftovers,
    check_published,
    format_time,
    make_item,
    read_guids,
)

AGAIN = ("refresh", "--quiet", "--force", "--at", format_time(NOON + timedelta(days=2)))
STEP, FEW = 16_384, 5  # bytes less each time, and how often the last note may still find room in the log
NOT_NOTED = "published, but not noted: "


def begun(workspace: Workspace, folder: Path) -> Workspace:
    """A workspace in the folder after one refresh and a backup, with something new to publish."""
    clone = replace(workspace, folder=folder)
    clone.config("host")
    clone.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    assert clone.refresh(NOON).returncode == 0
    assert clone.run("backup", "copy.db").returncode == 0
    clone.serve("/host", make_rss(*(make_item(number, text="Much more. " * 900) for number in range(3, 40))))
    return clone


def published(clone: Workspace) -> dict[str, bytes]:
    """The published files; packed siblings are taken away before their files are replaced, so they may be missing."""
    files = clone.output.rglob("*")
    return {
        str(path.relative_to(clone.output)): path.read_bytes()
        for path in files
        if path.is_file() and path.suffix != ".gz"
    }


def refused(clone: Workspace, before: tuple[str, ...] = ()) -> tuple[int, list[str]]:
    """A refresh and a backup where the disk may refuse: what each left is checked. The refresh's code, all lines."""
    old, held, copy = published(clone), read_guids(clone), (clone.folder / "copy.db").read_bytes()
    done = clone.run(*AGAIN, before=before)
    lines = done.stderr.splitlines()
    assert "Traceback" not in done.stderr, done.stderr
    assert len(lines) == (1 if done.returncode else 0), (done.returncode, lines)
    assert all(line.startswith("aggregator: ") for line in lines), lines
    check_published(clone)
    assert held.items() <= read_guids(clone).items()
    if done.returncode and NOT_NOTED not in lines[0]:
        assert published(clone) == old, "not one file of the old feed changed"
    saved = clone.run("backup", "copy.db", before=before)
    said = saved.stderr.splitlines()
    assert (saved.returncode, len(said)) in {(0, 0), (1, 1)}, (saved.returncode, said)
    assert all("copy.db: cannot be written (" in line for line in said), said
    assert saved.returncode == 0 or (clone.folder / "copy.db").read_bytes() == copy, "the older backup stands"
    assert list(clone.folder.glob("*.partial")) == []
    return done.returncode, [*lines, *said]


def recovered(clone: Workspace) -> None:
    """The next refresh, with room again: all is published."""
    done = clone.refresh(NOON + timedelta(days=4))
    assert (done.returncode, done.stderr) == (0, "")
    check_published(clone)
    check_no_leftovers(clone)
    assert len(read_guids(clone)) == 39


def limits(clone: Workspace) -> list[int]:
    """A byte less than each file is to have, and some sizes between: so that each is the one that cannot be written.

    Not below 400 kB: what the processes hand to each other in memory counts as files, too, and has the document.
    """
    trial = replace(clone, folder=clone.folder.parent / "trial")
    shutil.copytree(clone.folder, trial.folder)
    assert trial.run(*AGAIN).returncode == 0
    sizes = {path.stat().st_size for path in trial.folder.rglob("*") if path.is_file()}
    shutil.rmtree(trial.folder)
    return sorted({400_000, 440_000, 480_000} | {size - 1 for size in sizes if size > 400_000})


def limited(clone: Workspace, most: int) -> int:
    """What a refresh comes to whose files may have so many bytes; a later one is whole."""
    trial = replace(clone, folder=clone.folder.parent / f"limit-{most}")
    shutil.copytree(clone.folder, trial.folder)
    code, lines = refused(trial, ("prlimit", f"--fsize={most}", "--"))
    print(most, code, *lines, sep="\n  ")  # noqa: T201 - for whoever runs the heavy suite
    recovered(trial)
    shutil.rmtree(trial.folder)
    return code


@pytest.fixture
def home(workspace: Workspace, tmp_path: Path) -> Workspace:
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed")
    (tmp_path / "home").mkdir()
    return begun(workspace, tmp_path / "home")


def test_files_that_cannot_grow_leave_the_old_feed_and_one_line(home: Workspace) -> None:
    assert [limited(home, most) for most in (440_000,)] == [1]


@pytest.mark.heavy
def test_every_file_may_be_the_one_that_cannot_grow(home: Workspace) -> None:
    codes = [limited(home, most) for most in limits(home)]
    assert codes[:2] == [1, 1]
    assert set(codes) <= {0, 1}


def test_where_only_the_last_note_has_no_room_the_new_feed_is_whole_and_one_line_says_so(home: Workspace) -> None:
    trial = replace(home, folder=home.folder.parent / "trial")
    shutil.copytree(home.folder, trial.folder)
    assert trial.run(*AGAIN).returncode == 0
    size = (trial.folder / "store.db").stat().st_size
    tried = 0
    for most in range(size - 1, size // 2, -STEP):  # the last pages may wait in the log beside the store: all is noted
        clone = replace(home, folder=home.folder.parent / f"limit-{most}")
        shutil.copytree(home.folder, clone.folder)
        code, lines = refused(clone, ("prlimit", f"--fsize={most}", "--"))
        if code:
            break
        tried += 1
        assert published(clone) == published(trial)
        recovered(clone)
    assert tried <= FEW
    assert code == 1
    assert NOT_NOTED in lines[0]
    whole_feed = {name: body for name, body in published(trial).items() if name.startswith("show/")}
    assert whole_feed.items() <= published(clone).items(), "the feed's files are those that a run with room writes"
    recovered(clone)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, that is made as small as a test wants."""
    with mounted(tmp_path / "disk", "16m") as place:
        yield place


def filled(disk: Path, kilobytes: int) -> None:
    """Leave so much room on the disk."""
    filler = disk / "filler"
    filler.unlink(missing_ok=True)
    room = shutil.disk_usage(disk).free - kilobytes * 1_024
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, room)


@pytest.mark.parametrize("rooms", [(0, 1_020), pytest.param(range(0, 1_600, 60), marks=pytest.mark.heavy)])
def test_a_full_disk_leaves_the_old_feed_and_one_line(
    workspace: Workspace, small_disk: Path, rooms: tuple[int, ...]
) -> None:
    home = small_disk / "home"
    home.mkdir()
    clone = begun(workspace, home)
    for room in rooms:
        trial = replace(clone, folder=small_disk / "trial")
        shutil.copytree(home, trial.folder)
        filled(small_disk, room)
        code, lines = refused(trial)
        print(room, code, *lines, sep="\n  ")  # noqa: T201 - for whoever runs the heavy suite
        (small_disk / "filler").unlink()
        recovered(trial)
        shutil.rmtree(trial.folder)
