"""A full disk in a whole run, at any write of any file: the old feed stays, one clear line, and all is well later."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.harness import NOON, Town, guids, item, rss, stamp, tidy, whole
from tests.support.tools import mounted

AGAIN = ("refresh", "--quiet", "--force", "--at", stamp(NOON + timedelta(days=2)))
PACKED = (".gz", ".br")
STEP, FEW = 16_384, 5  # bytes less each time, and how often the last note may still find room in the log
NOT_NOTED = "published, but not noted: "


def begun(town: Town, folder: Path) -> Town:
    """A town in the folder after one refresh and a backup, with something new to publish."""
    stage = replace(town, folder=folder)
    stage.config(f"host: {{kind: feed, url: '{town.url('/host')}'}}")
    stage.serve("/host", rss(*(item(number) for number in range(1, 6))))
    assert stage.refresh(NOON).returncode == 0
    assert stage.run("backup", "copy.db").returncode == 0
    stage.serve("/host", rss(*(item(number, text="Much more. " * 900) for number in range(3, 40))))
    return stage


def published(stage: Town) -> dict[str, bytes]:
    """The published files; packed siblings are taken away before their files are replaced, so they may be missing."""
    files = stage.output.rglob("*")
    return {
        str(path.relative_to(stage.output)): path.read_bytes()
        for path in files
        if path.is_file() and path.suffix not in PACKED
    }


def refused(stage: Town, before: tuple[str, ...] = ()) -> tuple[int, list[str]]:
    """A refresh and a backup where the disk may refuse: what each left is checked. The refresh's code, all lines."""
    old, held, copy = published(stage), guids(stage), (stage.folder / "copy.db").read_bytes()
    done = stage.run(*AGAIN, before=before)
    lines = done.stderr.splitlines()
    assert "Traceback" not in done.stderr, done.stderr
    assert len(lines) == (1 if done.returncode else 0), (done.returncode, lines)
    assert all(line.startswith("aggregator: ") for line in lines), lines
    whole(stage)
    assert held.items() <= guids(stage).items()
    if done.returncode and NOT_NOTED not in lines[0]:
        assert published(stage) == old, "not one file of the old feed changed"
    saved = stage.run("backup", "copy.db", before=before)
    said = saved.stderr.splitlines()
    assert (saved.returncode, len(said)) in {(0, 0), (1, 1)}, (saved.returncode, said)
    assert all("copy.db: cannot be written (" in line for line in said), said
    assert saved.returncode == 0 or (stage.folder / "copy.db").read_bytes() == copy, "the older backup stands"
    assert list(stage.folder.glob("*.partial")) == []
    return done.returncode, [*lines, *said]


def recovered(stage: Town) -> None:
    """The next refresh, with room again: all is published."""
    done = stage.refresh(NOON + timedelta(days=4))
    assert (done.returncode, done.stderr) == (0, "")
    whole(stage)
    tidy(stage)
    assert len(guids(stage)) == 39


def limits(stage: Town) -> list[int]:
    """A byte less than each file is to have, and some sizes between: so that each is the one that cannot be written."""
    trial = replace(stage, folder=stage.folder.parent / "trial")
    shutil.copytree(stage.folder, trial.folder)
    assert trial.run(*AGAIN).returncode == 0
    sizes = {path.stat().st_size for path in trial.folder.rglob("*") if path.is_file()}
    shutil.rmtree(trial.folder)
    return sorted({0, 1, 4_096, 32_767, 65_536, 131_072} | {size - 1 for size in sizes if size})


def limited(stage: Town, most: int) -> int:
    """What a refresh comes to whose files may have so many bytes; a later one is whole."""
    trial = replace(stage, folder=stage.folder.parent / f"limit-{most}")
    shutil.copytree(stage.folder, trial.folder)
    code, lines = refused(trial, ("prlimit", f"--fsize={most}", "--"))
    print(most, code, *lines, sep="\n  ")  # noqa: T201 - for whoever runs the heavy suite
    recovered(trial)
    shutil.rmtree(trial.folder)
    return code


@pytest.fixture
def home(town: Town, tmp_path: Path) -> Town:
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is not installed")
    (tmp_path / "home").mkdir()
    return begun(town, tmp_path / "home")


def test_files_that_cannot_grow_leave_the_old_feed_and_one_line(home: Town) -> None:
    found = limits(home)
    assert [limited(home, most) for most in (0, found[len(found) // 2], found[-2])] == [1, 1, 1]


@pytest.mark.heavy
def test_every_file_may_be_the_one_that_cannot_grow(home: Town) -> None:
    codes = [limited(home, most) for most in limits(home)]
    assert set(codes[:-1]) == {1}


def test_where_only_the_last_note_has_no_room_the_new_feed_is_whole_and_one_line_says_so(home: Town) -> None:
    trial = replace(home, folder=home.folder.parent / "trial")
    shutil.copytree(home.folder, trial.folder)
    assert trial.run(*AGAIN).returncode == 0
    size = (trial.folder / "store.db").stat().st_size
    tried = 0
    for most in range(size - 1, size // 2, -STEP):  # the last pages may wait in the log beside the store: all is noted
        stage = replace(home, folder=home.folder.parent / f"limit-{most}")
        shutil.copytree(home.folder, stage.folder)
        code, lines = refused(stage, ("prlimit", f"--fsize={most}", "--"))
        if code:
            break
        tried += 1
        assert published(stage) == published(trial)
        recovered(stage)
    assert tried <= FEW
    assert code == 1
    assert NOT_NOTED in lines[0]
    whole_feed = {name: body for name, body in published(trial).items() if name.startswith("show/")}
    assert whole_feed.items() <= published(stage).items(), "the feed's files are those that a run with room writes"
    recovered(stage)


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


@pytest.mark.parametrize("rooms", [(0, 200, 1_020, 1_080), pytest.param(range(0, 1_600, 60), marks=pytest.mark.heavy)])
def test_a_full_disk_leaves_the_old_feed_and_one_line(town: Town, small_disk: Path, rooms: tuple[int, ...]) -> None:
    home = small_disk / "home"
    home.mkdir()
    stage = begun(town, home)
    for room in rooms:
        trial = replace(stage, folder=small_disk / "trial")
        shutil.copytree(home, trial.folder)
        filled(small_disk, room)
        code, lines = refused(trial)
        print(room, code, *lines, sep="\n  ")  # noqa: T201 - for whoever runs the heavy suite
        (small_disk / "filler").unlink()
        recovered(trial)
        shutil.rmtree(trial.folder)
