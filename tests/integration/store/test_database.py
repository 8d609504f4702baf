"""Opening, locking and fencing: one writer, nothing foreign touched, nothing of a refresh that was overtaken."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine.interfaces import CacheStats

from aggregator.errors import DamagedError, LockedError, StoreError
from aggregator.store import backup, database, schema
from aggregator.store import connection as engine
from aggregator.store.connection import is_store_file, refresh_lock
from aggregator.store.facts import read_fact, write_fact

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOLD = """
import sys, time
from aggregator.store.connection import refresh_lock
with refresh_lock(sys.argv[1], wait=False):
    print("held", flush=True)
    time.sleep(60)
"""
FORK = """
import os, sys, time
from aggregator.store.connection import refresh_lock
with refresh_lock(sys.argv[1], wait=False):
    if os.fork() == 0:
        print("held", flush=True)
    time.sleep(60)
"""


def started(program: str, state: str) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", program, state], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    late = threading.Timer(60, child.kill)
    late.start()
    try:
        assert child.stdout.readline() == "held\n"
    finally:
        late.cancel()
    return child


def ended(child: subprocess.Popen[str]) -> None:
    child.kill()
    child.wait()
    if child.stdout is not None:
        child.stdout.close()


def test_a_store_is_made_with_its_folder_and_kept(tmp_path: Path) -> None:
    state = str(tmp_path / "a" / "b" / "store.db")
    with database.open_store(state) as store:
        write_fact(store, "show", "x", b"1")
    with database.open_store(state) as store:
        assert read_fact(store, "show", "x") == b"1"


def test_a_store_compiles_no_statement_that_another_has_compiled(tmp_path: Path) -> None:
    compiled: list[list[str]] = []
    for name in ("first.db", "second.db"):
        compiled.append([])

        def note(*given: Any, into: list[str] = compiled[-1]) -> None:
            context = given[4]
            if context.compiled is not None and context.cache_hit is not CacheStats.CACHE_HIT:
                into.append(context.statement)

        with database.open_store(str(tmp_path / name)) as store:
            event.listen(store.engine, "before_cursor_execute", note)
            write_fact(store, "show", "x", b"1")
            assert read_fact(store, "show", "x") == b"1"
    assert compiled[1] == []


def test_it_is_asked_for_what_survives_a_power_cut(state: str) -> None:
    with database.open_store(state) as store, database.reading(store) as connection:
        asked = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert asked == ["wal", 2]


def foreign_text(path: Path) -> None:
    path.write_bytes(b"feeds: {}\n" * 40)


def foreign_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url)")
    connection.commit()
    connection.close()


def short_file(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00")


def folder(path: Path) -> None:
    path.mkdir()


def store_of_before(path: Path) -> None:
    foreign_database(path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id={max(schema.APPLICATIONS_BEFORE_RELEASE)}")
    connection.close()


FOREIGN = [foreign_text, foreign_database, short_file, folder, store_of_before]


@pytest.mark.parametrize("make", FOREIGN, ids=lambda make: make.__name__)
def test_what_is_not_ours_is_told_and_left_alone(tmp_path: Path, make: object) -> None:
    path = tmp_path / "store.db"
    assert callable(make)
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=rf"^{path}: [^\n]+$"), database.open_store(str(path)):
        pass
    assert before == (path.read_bytes() if path.is_file() else None)


def test_a_store_of_before_the_first_release_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store_of_before(path)
    with pytest.raises(StoreError, match=r"before the first release.*move it away"), database.open_store(str(path)):
        pass


def test_tables_of_another_program_under_our_mark_are_told(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    foreign_database(path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id={schema.APPLICATION}")
    connection.close()
    with pytest.raises(StoreError, match=r"another program"), database.open_store(str(path)):
        pass


def test_a_file_of_no_bytes_is_a_new_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    with database.open_store(str(path)) as store:
        assert read_fact(store, "show", "x") is None


def test_a_new_store_can_be_read_by_its_owner_alone(state: str) -> None:
    before = os.umask(0o022)
    try:
        with database.open_store(state) as store:
            write_fact(store, "show", "x", b"1")
            files = list(Path(state).parent.iterdir())
            assert {each.name: oct(each.stat().st_mode & 0o777) for each in files} == dict.fromkeys(
                ("store.db", "store.db-wal", "store.db-shm", "store.db.turn"), "0o600"
            )
    finally:
        os.umask(before)


@pytest.mark.parametrize("state", ["mysql://x/y", "http://[", "nothing://"])
def test_an_address_we_do_not_know_is_told(state: str) -> None:
    with pytest.raises(StoreError, match=r"^store: [^\n]+$"), database.open_store(state):
        pass


@pytest.mark.parametrize("state", ["me:secret@127.0.0.1:1/none?", "127.0.0.1:1/none?user=me&password=secret&"])
def test_no_message_holds_a_password(state: str) -> None:
    state = f"postgresql://{state}connect_timeout=1"
    with pytest.raises(StoreError) as told, database.open_store(state):
        pass
    assert "secret" not in str(told.value)
    assert "\n" not in str(told.value)


def test_a_schema_whose_error_sqlite3_cannot_read_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with database.open_store(str(path)):
        pass
    body = path.read_bytes()
    place = body.index(b"CREATE INDEX leases_due")
    path.write_bytes(body[: place + 9] + b"\xe9" + body[place + 10 :])
    with pytest.raises(DamagedError, match=r"store\.db: is damaged"), database.open_store(str(path)):
        pass


def test_a_damaged_file_is_told_in_one_line_and_left_as_it_is(state: str) -> None:
    with database.open_store(state) as store:
        for number in range(50):
            write_fact(store, "show", f"{number}", bytes(3000))
    path = Path(state)
    damaged = bytearray(path.read_bytes())
    damaged[4096:] = os.urandom(len(damaged) - 4096)
    path.write_bytes(damaged)
    with pytest.raises(StoreError, match=rf"^{path}: is damaged [^\n]+$"), database.open_store(state) as store:
        write_fact(store, "show", "0", b"")
    assert bytes(damaged) == path.read_bytes()


def test_a_cut_file_is_told(state: str) -> None:
    with database.open_store(state) as store:
        write_fact(store, "show", "x", bytes(50_000))
    path = Path(state)
    os.truncate(path, 8192)
    with pytest.raises(StoreError, match=r"damaged"), database.open_store(state) as store:
        read_fact(store, "show", "x")


def hold(state: str) -> None:
    with refresh_lock(state, wait=False):
        pass


def test_two_cannot_hold_the_lock(any_state: str) -> None:
    child = started(HOLD, any_state)
    try:
        with pytest.raises(LockedError, match=r"another refresh( \(process \d+\))? holds the lock"):
            hold(any_state)
    finally:
        ended(child)
    with refresh_lock(any_state, wait=True):
        pass


def test_who_holds_the_lock_is_told(state: str) -> None:
    child = started(HOLD, state)
    try:
        with pytest.raises(LockedError, match=rf"process {child.pid}\)"):
            hold(state)
    finally:
        ended(child)
    hold(state)


def test_one_process_cannot_hold_it_twice(any_state: str) -> None:
    with refresh_lock(any_state, wait=False), pytest.raises(LockedError), refresh_lock(any_state, wait=False):
        pass


def test_kill_9_lets_go_even_where_a_forked_child_lives_on(state: str) -> None:
    child = started(FORK, state)
    grandchildren = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    try:
        ended(child)
        with refresh_lock(state, wait=False):
            pass
        assert all(Path(f"/proc/{pid}").exists() for pid in grandchildren)
    finally:
        for pid in grandchildren:
            os.kill(int(pid), signal.SIGKILL)


def test_who_waits_gets_it_in_the_end(any_state: str) -> None:
    def wait() -> None:
        with refresh_lock(any_state, wait=True):
            pass

    child, waiting = started(HOLD, any_state), threading.Thread(target=wait)
    waiting.start()
    waiting.join(0.5)
    assert waiting.is_alive()
    ended(child)
    waiting.join(60)
    assert not waiting.is_alive()


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreError, match=r"cannot be opened"),
        refresh_lock(str(tmp_path / "file" / "x.db"), wait=False),
    ):
        pass


def test_a_store_of_another_user_is_told(state: str) -> None:
    with database.open_store(state):
        pass
    file, user = Path(state), os.geteuid()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(shutil.move(file, folder))
        Path(folder).chmod(0o755)
        place.chmod(0)
        if user == 0:
            os.seteuid(65534)  # root may read everything
        try:
            with pytest.raises(StoreError, match=r"cannot be opened: permission denied: run as its owner"):
                is_store_file(place)
        finally:
            os.seteuid(user)


SHARED = """
import fcntl, sys
with open(sys.argv[1], "r+b") as stream:
    fcntl.lockf(stream, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # SQLite's SHARED_FIRST and SHARED_SIZE
"""


def test_a_store_opened_twice_in_one_process_keeps_its_locks(state: str, tmp_path: Path) -> None:
    def is_locked() -> bool:
        found = subprocess.run([sys.executable, "-c", SHARED, state], stderr=subprocess.DEVNULL, check=False)
        return found.returncode != 0

    with database.open_store(state) as store, database.reading(store):
        assert is_locked()
        with database.open_store(state):
            pass
        engine.is_store_file(Path(state))
        backup.backup(state, tmp_path / "copy.db")
        backup.back_up_daily(state, NOON, 1)
        assert is_locked()
    assert not is_locked()


def test_a_refresh_that_was_overtaken_commits_nothing(any_state: str) -> None:
    with database.open_store(any_state, fence=True) as old:
        write_fact(old, "show", "x", b"old")
        with database.open_store(any_state, fence=True) as new:
            with pytest.raises(LockedError, match=r"taken over"):
                write_fact(old, "show", "x", b"late")
            write_fact(new, "show", "x", b"new")
            assert read_fact(old, "show", "x") == b"new"


def test_a_fence_leaves_readers_and_the_unfenced_alone(any_state: str) -> None:
    with database.open_store(any_state) as free, database.open_store(any_state, fence=True):
        write_fact(free, "show", "x", b"1")
        assert read_fact(free, "show", "x") == b"1"


def test_a_writer_who_waits_too_long_is_told(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.1)
    with (
        database.open_store(state) as one,
        database.open_store(state) as two,
        database.transaction(one),
        pytest.raises(LockedError, match=r"another program has been writing"),
    ):
        write_fact(two, "show", "x", b"1")


def test_a_program_that_knows_no_turns_is_waited_for_and_told(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_PRAGMAS", ("PRAGMA busy_timeout=50", *engine._PRAGMAS[1:]))
    with database.open_store(state) as store:
        other = sqlite3.connect(state, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LockedError, match=r"another program has been writing"):
            write_fact(store, "show", "x", b"1")
        other.close()
        write_fact(store, "show", "x", b"1")


def test_a_reader_waits_for_nobody(state: str) -> None:
    with database.open_store(state) as one, database.open_store(state) as two:
        write_fact(one, "show", "x", b"1")
        with database.transaction(one) as tx:
            write_fact(tx, "show", "x", b"2")
            assert read_fact(two, "show", "x") == b"1"


def test_many_processes_may_begin_at_once(any_state: str) -> None:
    program = """
import os, sys
from aggregator.store import connection, database, facts
connection.load_driver(sys.argv[1])
shut, opened = os.pipe()
for number in range(4):
    if not os.fork():
        os.close(opened)
        os.read(shut, 1)  # until every process has been started
        with database.open_store(sys.argv[1]) as store:
            facts.write_fact(store, "show", str(number), b"1")
        os._exit(0)
os.close(opened)
print([os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(4)])
"""
    command = [sys.executable, "-c", program, any_state]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout, done.stderr) == ("[0, 0, 0, 0]\n", "")
    with database.open_store(any_state) as store:
        assert all(read_fact(store, "show", str(number)) == b"1" for number in range(4))
