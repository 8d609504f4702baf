"""The drill: a store is copied while it is in use, lost, and restored; what cannot be restored changes nothing."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from aggregator.errors import LockedError, StoreError
from aggregator.model.cluster import Decision
from aggregator.model.entry import Entry, Listing, Moment
from aggregator.model.item import PublishedItem
from aggregator.model.source import PollState, Source
from aggregator.store import database, schema
from aggregator.store.backup import back_up_daily, backup, find_newest_good, restore
from aggregator.store.connection import refresh_lock
from aggregator.store.database import Store
from aggregator.store.decisions import Event, read_decisions, read_events, write_decision, write_event
from aggregator.store.entries import read_entries
from aggregator.store.facts import read_fact, write_fact, write_feed_state
from aggregator.store.guids import read_guids, write_guids
from aggregator.store.listings import write_listings
from aggregator.store.polls import read_poll_states, write_poll_states

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
WRITER = """
import sys, itertools
from aggregator.store import database, facts
with database.open_store(sys.argv[1]) as store:
    for number in itertools.count():
        with database.transaction(store) as tx:
            facts.write_fact(tx, "show", "left", b"%d" % number)
            facts.write_fact(tx, "show", "bulk", bytes(20000))
            facts.write_fact(tx, "show", "right", b"%d" % number)
        if number == 5:
            print("held", flush=True)
"""


def fill(store: Store) -> None:
    said = tuple(Entry("host", f"{number}", "\ufffd T", position=number) for number in range(1100))
    with database.transaction(store) as tx:
        write_listings(tx, "show", Source("host", "feed"), [Listing(said)], NOON)
        write_guids(tx, "show", [PublishedItem("g", NOON, Moment(NOON), ("host/1",), "T")])
        write_poll_states(tx, [("show", "host", PollState("https://a.example/"))])
        write_decision(tx, "show", Decision("same", "a", "b"), NOON)
        write_event(tx, "show", Event(NOON, "merge", "x"))
        write_feed_state(tx, "show", fingerprint="f", updated=NOON, guid="c")
        write_fact(tx, "show", "x", b"\x00\xff")


def held(store: Store) -> tuple[object, ...]:
    return (
        read_entries(store, "show"),
        read_guids(store, "show"),
        read_poll_states(store, ["show"]),
        read_decisions(store, "show"),
        read_events(store, "show"),
        read_fact(store, "show", "x"),
    )


def test_the_drill(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with database.open_store(state) as store:
        fill(store)
        before = held(store)
        assert backup(state, copy) == copy.stat().st_size
        write_fact(store, "show", "x", b"later")
    shutil.rmtree(Path(state).parent)
    assert restore(state, copy) is None
    with database.open_store(state) as store:
        assert held(store) == before
        write_event(store, "show", Event(NOON, "after", "restore"))
        assert read_events(store, "show")[-1].kind == "after"


def test_a_store_restored_over_is_kept_beside(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with database.open_store(state) as store:
        fill(store)
        before = held(store)
        backup(state, copy)
        write_fact(store, "show", "x", b"later")
    replaced = restore(state, copy)
    with database.open_store(state) as store:
        assert held(store) == before
    assert replaced is not None
    with database.open_store(str(replaced)) as store:
        assert read_fact(store, "show", "x") == b"later"
    assert restore(state, copy) not in (None, replaced)


def test_a_damaged_store_is_restored_over_and_kept(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with database.open_store(state) as store:
        fill(store)
        before = held(store)
    backup(state, copy)
    Path(state).write_bytes(os.urandom(9000))
    with pytest.raises(StoreError), database.open_store(state):
        pass
    damaged = Path(state).read_bytes()
    replaced = restore(state, copy)
    assert replaced is not None
    assert replaced.read_bytes() == damaged
    with database.open_store(state) as store:
        assert held(store) == before


def test_a_backup_of_a_damaged_store_is_refused_and_the_older_one_stays(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with database.open_store(state) as store:
        fill(store)
    backup(state, copy)
    before = copy.read_bytes()
    damaged = bytearray(Path(state).read_bytes())
    damaged[4096 * 20 : 4096 * 60] = os.urandom(4096 * 40)
    Path(state).write_bytes(damaged)
    with pytest.raises(StoreError, match=r"damaged"):
        backup(state, copy)
    assert copy.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir() if "partial" in each.name] == []


def test_a_backup_while_another_process_writes_is_one_moment(
    state: str, tmp_path: Path, bounded: Callable[..., subprocess.Popen[str]]
) -> None:
    child = bounded(subprocess.Popen([sys.executable, "-c", WRITER, state], stdout=subprocess.PIPE, text=True), 300)
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "held\n"
        seen, end = set(), time.monotonic() + 120
        for number in itertools.count():
            if number >= 5 and (len(seen) > 1 or time.monotonic() > end):
                break
            copy = tmp_path / f"{number}.db"
            backup(state, copy)
            with database.open_store(str(copy)) as store:
                left, right = read_fact(store, "show", "left"), read_fact(store, "show", "right")
            assert left == right
            seen.add(left)
        assert len(seen) > 1, "the other went on writing"
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_nothing_is_made_up_where_there_is_no_store(state: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"no store"):
        backup(state, tmp_path / "x.db")
    with pytest.raises(StoreError, match=r"no such backup"):
        restore(state, tmp_path / "x.db")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_overwrites_nothing_but_a_backup(state: str, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, " * 20)
    with database.open_store(state) as store:
        fill(store)
    with pytest.raises(StoreError, match=r"is not a store"):
        backup(state, letter)
    with pytest.raises(StoreError, match=r"the store itself"):
        backup(state, Path(state))
    with pytest.raises(StoreError, match=r"cannot be written"):
        backup(state, tmp_path / "none" / "x.db")
    assert letter.read_text().startswith("Dear")
    backup(state, tmp_path / "x.db")
    backup(state, tmp_path / "x.db")


def empty(path: Path) -> None:
    path.touch()


def text(path: Path) -> None:
    path.write_text("no" * 200)


def other(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE x (y)")
    connection.close()


def cut(path: Path) -> None:
    with database.open_store(str(path)) as store:
        fill(store)
    os.truncate(path, path.stat().st_size // 2)


def newer(path: Path) -> None:
    with database.open_store(str(path)) as store, database.writing(store) as connection:
        connection.execute(schema.meta.update().where(schema.meta.c.name == "schema").values(value="99"))


@pytest.mark.parametrize("make", [empty, text, other, cut, newer], ids=lambda make: make.__name__)
def test_what_cannot_be_restored_changes_nothing(state: str, tmp_path: Path, make: object) -> None:
    with database.open_store(state) as store:
        fill(store)
        before = held(store)
    bad = tmp_path / "bad.db"
    assert callable(make)
    make(bad)
    content = bad.read_bytes()
    with pytest.raises(StoreError, match=r"^[^\n]+$"):
        restore(state, bad)
    assert bad.read_bytes() == content
    with database.open_store(state) as store:
        assert held(store) == before


def test_a_running_refresh_is_not_restored_over(state: str, tmp_path: Path) -> None:
    with database.open_store(state) as store:
        fill(store)
    backup(state, tmp_path / "x.db")
    with refresh_lock(state, wait=False), pytest.raises(LockedError):
        restore(state, tmp_path / "x.db")


def test_a_writer_from_before_the_restore_commits_nothing(state: str, tmp_path: Path) -> None:
    with database.open_store(state, fence=True) as store:
        fill(store)
        backup(state, tmp_path / "x.db")
        restore(state, tmp_path / "x.db")
        with pytest.raises(LockedError, match=r"taken over"):
            write_fact(store, "show", "x", b"late")
    with database.open_store(state) as store:
        assert read_fact(store, "show", "x") == b"\x00\xff"


def test_a_backup_keeps_the_permissions(state: str, tmp_path: Path) -> None:
    with database.open_store(state) as store:
        fill(store)
    Path(state).chmod(0o640)
    backup(state, tmp_path / "x.db")
    assert (tmp_path / "x.db").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(("before", "after"), [(None, 0o600), (0o660, 0o660)], ids=["no store", "a store"])
def test_a_restored_store_has_the_permissions_of_the_one_before(
    state: str, tmp_path: Path, before: int | None, after: int
) -> None:
    with database.open_store(state) as store:
        fill(store)
    backup(state, copy := tmp_path / "x.db")
    copy.chmod(0o644)
    if before is None:
        Path(state).unlink()
    else:
        Path(state).chmod(before)
    restore(state, copy)
    assert Path(state).stat().st_mode & 0o777 == after


def test_a_restore_that_has_no_room_leaves_the_store_one_name(state: str, tmp_path: Path) -> None:
    with database.open_store(state) as store:
        fill(store)
        before = held(store)
    backup(state, copy := tmp_path / "x.db")
    code = (
        "import resource, sys; from aggregator.store import backup, migrations; copy_file = migrations.copy_file\n"
        "def copy_and_fill(*words, **named):\n"
        "    if str(words[1]).startswith(sys.argv[1]): resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000))\n"
        "    copy_file(*words, **named)\n"
        "migrations.copy_file = copy_and_fill\n"
        "backup.restore(sys.argv[1], backup.Path(sys.argv[2]))"
    )
    done = subprocess.run([sys.executable, "-c", code, state, str(copy)], capture_output=True, text=True, check=False)
    assert re.search(r"StoreError: \S*store.db.restored: cannot be written", done.stderr), done.stderr
    assert not [each.name for each in Path(state).parent.iterdir() if "re" in each.name.removeprefix("store.db")]
    with database.open_store(state) as store:
        assert held(store) == before


def test_without_room_for_temporary_files_it_is_told(
    state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.open_store(state) as store:
        fill(store)
    backup(state, copy := tmp_path / "x.db")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(StoreError, match=r"no folder for temporary files can be written .*TMPDIR"):
        restore(state, copy)


def test_a_server_is_backed_up_into_a_file_and_restored_from_it(server_state: str, state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with database.open_store(server_state) as store:
        fill(store)
        before = held(store)
        backup(server_state, copy)
        write_fact(store, "show", "x", b"later")
        write_fact(store, "show", "y", b"later")
    assert restore(server_state, copy) is None
    with database.open_store(server_state) as store:
        assert held(store) == before
        assert read_fact(store, "show", "y") is None
        write_event(store, "show", Event(NOON, "after", "restore"))
        assert read_events(store, "show")[-1].kind == "after"
    restore(state, copy)
    with database.open_store(state) as store:
        assert held(store) == before
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["backup.db"]


def test_a_file_moves_to_a_server(server_state: str, state: str, tmp_path: Path) -> None:
    with database.open_store(state) as store:
        fill(store)
        before = held(store)
    backup(state, tmp_path / "x.db")
    restore(server_state, tmp_path / "x.db")
    with database.open_store(server_state) as store:
        assert held(store) == before


def test_the_daily_copies_of_a_store_are_found_whatever_its_name(tmp_path: Path) -> None:
    state = tmp_path / "store [1].db"
    with database.open_store(str(state)):
        pass
    for day in range(4):
        back_up_daily(str(state), NOON + timedelta(days=day), 2)
    assert find_newest_good(str(state)) == tmp_path / "store [1].db.backup-2024-05-04"
    assert len(list(tmp_path.glob("*.backup-*"))) == 2
