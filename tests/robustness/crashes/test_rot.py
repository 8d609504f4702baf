"""Bytes that rot in the store: no traceback, no published guid or date changed in silence, and how it is mended."""

from __future__ import annotations

import random
import shlex
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import select

from aggregator.model.item import Override
from aggregator.store import database, schema
from aggregator.store.decisions import write_override
from aggregator.store.guids import read_guids
from tests.support.rss import make_rss
from tests.support.workspace import NOON, Workspace, format_time, make_item, make_title

AGAIN = ("refresh", "--quiet", "--force", "--at", format_time(NOON + timedelta(days=9)))
UNDATED = "<item><guid isPermaLink='false'>new-{0}</guid><title>An evening without a date {0}</title></item>"


@pytest.fixture
def grown(workspace: Workspace) -> Workspace:
    """A workspace with something new to publish, and rows in every table, tombstones among them."""
    home = workspace.folder / "home"
    home.mkdir()
    workspace = replace(workspace, folder=home)
    others = {name: workspace.source(f"/{name}", trust=0.8) for name in ("directory", "other")}
    workspace.config("host", more=others, whole={"backups": 0})
    workspace.serve("/other", make_rss(*(make_item(1000 + each, source="other", day=each) for each in range(4))))
    for day in range(6):
        newest = range(12 + day, day, -1)
        workspace.serve(
            "/host", make_rss(*(make_item(each, name=make_title(each, day == 4 and each == 9)) for each in newest))
        )
        workspace.serve(
            "/directory", make_rss(*(make_item(each, source="directory") for each in newest[1:]), UNDATED.format(day))
        )
        if day == 3:
            for words in (
                ("review", "--yes", "--same", "host/host-7", "host/host-8"),
                ("review", "--different", "host/host-9", "host/host-10"),
                ("forget", "other", "--yes"),
            ):
                done = workspace.run(*words)
                assert done.returncode == 0, done.stderr
        assert workspace.refresh(NOON + timedelta(days=day)).returncode == 0
    with database.open_store(str(home / "store.db")) as store:
        write_override(store, "show", Override("host-12", "title", "A title of ours"), NOON)
        assert any(each.buried for each in read_guids(store, "show"))
        with database.reading(store) as connection:
            for table in schema.metadata.sorted_tables:
                assert table in {schema.leases, schema.hosts} or connection.execute(select(table)).first(), table
    workspace.serve("/host", make_rss(*(make_item(each) for each in range(19, 7, -1))))
    workspace.serve(
        "/directory", make_rss(*(make_item(each, source="directory") for each in range(18, 6, -1)), UNDATED.format(9))
    )
    return workspace


class Flip(NamedTuple):
    """A byte of the file, and what it is changed by."""

    table: str
    offset: int
    change: int


def choose_flips(store: Path, count: int, seed: int) -> list[Flip]:
    """Flips of random bytes of the used pages, as many in each table and each index."""
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        pages: dict[str, list[tuple[int, int]]] = {}
        for name, page, unused in connection.execute("SELECT name, pageno, unused FROM dbstat"):
            pages.setdefault(name, []).append((page, unused))
    dice = random.Random(seed)
    flips = []
    for turn in range(count):
        name = sorted(pages)[turn % len(pages)]
        page, unused = dice.choice(pages[name])
        place = dice.choice(
            [dice.randrange(0, 16), dice.randrange(max(16, unused), size)]
        )  # cells fill it from its end
        flips.append(Flip(name, (page - 1) * size + place, dice.randrange(1, 256)))
    return flips


def dates(workspace: Workspace) -> dict[object, object]:
    return {each["id"]: each["date_published"] for each in workspace.items()}


def refresh_damaged(grown: Workspace, flips: list[Flip]) -> Counter[tuple[str, int]]:
    """Refresh a copy of the workspace after each flip; how often each table was damaged, by exit code."""
    before = dates(grown)
    control = replace(grown, folder=grown.folder.parent / "control")
    shutil.copytree(grown.folder, control.folder)
    assert control.run(*AGAIN).returncode == 0
    after = dates(control)
    assert before.items() < after.items()
    ends: Counter[tuple[str, int]] = Counter()
    for number, flip in enumerate(flips):
        workspace = replace(grown, folder=grown.folder.parent / f"flip-{number}")
        shutil.copytree(grown.folder, workspace.folder)
        with (workspace.folder / "store.db").open("r+b") as file:
            file.seek(flip.offset)
            byte = file.read(1)[0]
            file.seek(flip.offset)
            file.write(bytes([byte ^ flip.change]))
        done = workspace.run(*AGAIN)
        assert "Traceback" not in done.stderr, (flip, done.stderr)
        assert done.returncode in {0, 1}, (flip, done.stderr)
        if done.returncode:
            assert len(done.stderr.splitlines()) == 1, (flip, done.stderr)
            assert dates(workspace) in (before, after), flip
        else:
            assert dates(workspace) == after, flip
        ends[flip.table, done.returncode] += 1
        shutil.rmtree(workspace.folder)
    return ends


def test_a_flipped_byte_changes_no_guid_and_no_date_in_silence(grown: Workspace) -> None:
    refresh_damaged(grown, choose_flips(grown.folder / "store.db", 4, 0))


@pytest.mark.heavy
@pytest.mark.parametrize("seed", range(100, 110))
def test_two_thousand_flipped_bytes_change_no_guid_and_no_date_in_silence(grown: Workspace, seed: int) -> None:
    ends = refresh_damaged(grown, choose_flips(grown.folder / "store.db", 200, seed))
    print(seed, dict(sorted(ends.items())))  # noqa: T201 - for the table of heavy runs


def refresh_daily(workspace: Workspace, days: int) -> Workspace:
    """Refresh a workspace that keeps three copies of its store, twice a day."""
    workspace.config("host", whole={"backups": 3})
    for day in range(days):
        workspace.serve("/host", make_rss(*(make_item(each) for each in range(1, 4 + day))))
        for hour in (0, 1):
            done = workspace.refresh(NOON + timedelta(days=day, hours=hour))
            assert (done.returncode, done.stderr) == (0, "")
    return workspace


def damage(store: Path) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE guids SET record = replace(record, '2023', '2014')")
        connection.commit()


def names(workspace: Workspace) -> list[str]:
    return sorted(path.name for path in workspace.folder.glob("store.db.b*"))


def test_the_newest_good_copy_is_named_and_its_command_restores_it(workspace: Workspace) -> None:
    daily = refresh_daily(workspace, 5)
    kept = [f"store.db.backup-2024-05-0{day}" for day in (3, 4, 5)]
    assert names(daily) == kept
    before = dates(daily)
    damage(daily.folder / "store.db")
    damage(daily.folder / kept[-1])
    (daily.folder / "config.yaml").rename(daily.folder / "own config.yaml")
    config = ("-c", "own config.yaml")
    done = daily.refresh(NOON + timedelta(days=6), *config)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "is damaged" in line
    command = shlex.split(line.rpartition(": ")[2])
    assert command == ["aggregator", "restore", str(daily.folder / kept[1]), *config]
    assert names(daily) == kept, "a damaged store takes the place of no good copy"
    checked = daily.run("check", "--store", *config)
    assert checked.returncode == 1
    assert "row: guids show host-1" in checked.stdout
    assert checked.stderr.rpartition(": ")[2] == line.rpartition(": ")[2] + "\n"
    assert daily.run(*command[1:]).returncode == 0
    done = daily.refresh(NOON + timedelta(days=6), *config)
    assert (done.returncode, done.stderr) == (0, "")
    assert dates(daily) == before
    checked = daily.run("check", "--store", *config)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("how", ["missing", "empty", "begun"])
def test_an_empty_store_beside_its_output_is_begun_anew_only_where_that_is_asked(
    workspace: Workspace, how: str
) -> None:
    daily = refresh_daily(workspace, 1)
    before = {path: path.read_bytes() for path in daily.output.rglob("*") if path.is_file()}
    store = daily.folder / "store.db"
    for path in daily.folder.glob("store.db*"):
        path.unlink()
    if how == "empty":
        store.touch()
    elif how == "begun":
        with database.open_store(str(store)):
            pass
    done = daily.refresh(NOON + timedelta(days=6))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "refresh --new" in line
    assert how != "missing" or not store.exists()
    assert how != "empty" or store.read_bytes() == b""
    assert before == {path: path.read_bytes() for path in daily.output.rglob("*") if path.is_file()}
    assert daily.run("diff").returncode == 0
    done = daily.refresh(NOON + timedelta(days=6), "--new")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_copy_that_cannot_be_written_is_told_and_the_feed_is_published(workspace: Workspace) -> None:
    daily = refresh_daily(workspace, 1)
    (daily.folder / "store.db.backup-2024-05-08.partial").mkdir()
    daily.serve("/host", make_rss(*(make_item(each) for each in range(1, 11))))
    done = daily.refresh(NOON + timedelta(days=7))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "store.db.backup-2024-05-08: cannot be written" in line
    assert len(daily.items()) == 10
