"""The drill: a ledger is copied while it is in use, lost, and restored; what cannot be restored changes nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aggregator.errors import LedgerError, LockedError
from aggregator.ledger import ledger, schema
from aggregator.ledger.backup import backup, restore
from aggregator.ledger.decisions import decide, decisions
from aggregator.ledger.events import Event, events, tell
from aggregator.ledger.facts import facts, keep_fact, keep_feed
from aggregator.ledger.ledger import Ledger
from aggregator.ledger.lock import lock
from aggregator.ledger.memories import keep_memory, memories
from aggregator.ledger.promises import keep_promises, promises
from aggregator.ledger.recall import sightings
from aggregator.ledger.remember import remember
from aggregator.model.cluster import Decision
from aggregator.model.item import Promise
from aggregator.model.sighting import Listing, Moment, Sighting
from aggregator.model.source import Memory, Source

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
WRITER = """
import sys, itertools
from aggregator.ledger import facts, ledger
with ledger.open(sys.argv[1]) as book:
    for number in itertools.count():
        with ledger.transaction(book) as page:
            facts.keep_fact(page, "show", "left", b"%d" % number)
            facts.keep_fact(page, "show", "bulk", bytes(20000))
            facts.keep_fact(page, "show", "right", b"%d" % number)
        if number == 5:
            print("held", flush=True)
"""


def fill(book: Ledger) -> None:
    said = tuple(Sighting("host", f"{number}", "\ufffd T", position=number) for number in range(1100))
    with ledger.transaction(book) as page:
        remember(page, "show", Source("host", "feed"), [Listing(said)], NOON)
        keep_promises(page, "show", [Promise("g", NOON, Moment(NOON), ("host/1",), "T")])
        keep_memory(page, "show", "host", Memory("https://a.example/"))
        decide(page, "show", Decision("same", "a", "b"), NOON)
        tell(page, "show", Event(NOON, "merge", "x"))
        keep_feed(page, "show", fingerprint="f", updated=NOON, guid="c")
        keep_fact(page, "show", "x", b"\x00\xff")


def held(book: Ledger) -> tuple[object, ...]:
    return (
        sightings(book, "show"),
        promises(book, "show"),
        memories(book, "show", "host"),
        decisions(book, "show"),
        events(book, "show"),
        facts(book, "show", "x"),
    )


def test_the_drill(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with ledger.open(state) as book:
        fill(book)
        before = held(book)
        done = backup(state, copy)
        assert (done.path, done.size) == (copy, copy.stat().st_size)
        keep_fact(book, "show", "x", b"later")
    shutil.rmtree(Path(state).parent)
    assert restore(state, copy).kept is None
    with ledger.open(state) as book:
        assert held(book) == before
        tell(book, "show", Event(NOON, "after", "restore"))
        assert events(book, "show")[-1].kind == "after"


def test_a_ledger_restored_over_is_kept_beside(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with ledger.open(state) as book:
        fill(book)
        before = held(book)
        backup(state, copy)
        keep_fact(book, "show", "x", b"later")
    done = restore(state, copy)
    with ledger.open(state) as book:
        assert held(book) == before
    assert done.kept is not None
    with ledger.open(str(done.kept)) as book:
        assert facts(book, "show", "x") == b"later"
    assert restore(state, copy).kept not in (None, done.kept)


def test_a_damaged_ledger_is_restored_over_and_kept(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with ledger.open(state) as book:
        fill(book)
        before = held(book)
    backup(state, copy)
    Path(state).write_bytes(os.urandom(9000))
    with pytest.raises(LedgerError), ledger.open(state):
        pass
    damaged = Path(state).read_bytes()
    done = restore(state, copy)
    assert done.kept is not None
    assert done.kept.read_bytes() == damaged
    with ledger.open(state) as book:
        assert held(book) == before


def test_a_backup_of_a_damaged_ledger_is_refused_and_the_older_one_stays(state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with ledger.open(state) as book:
        fill(book)
    backup(state, copy)
    before = copy.read_bytes()
    damaged = bytearray(Path(state).read_bytes())
    damaged[4096 * 20 : 4096 * 60] = os.urandom(4096 * 40)
    Path(state).write_bytes(damaged)
    with pytest.raises(LedgerError, match=r"damaged"):
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
        seen = set()
        for number in range(5):
            copy = tmp_path / f"{number}.db"
            backup(state, copy)
            with ledger.open(str(copy)) as book:
                left, right = facts(book, "show", "left"), facts(book, "show", "right")
            assert left == right
            seen.add(left)
        assert len(seen) > 1, "the other went on writing"
        assert child.poll() is None
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_nothing_is_made_up_where_there_is_no_ledger(state: str, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"no ledger"):
        backup(state, tmp_path / "x.db")
    with pytest.raises(LedgerError, match=r"no such backup"):
        restore(state, tmp_path / "x.db")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_overwrites_nothing_but_a_backup(state: str, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, " * 20)
    with ledger.open(state) as book:
        fill(book)
    with pytest.raises(LedgerError, match=r"is not a ledger"):
        backup(state, letter)
    with pytest.raises(LedgerError, match=r"the ledger itself"):
        backup(state, Path(state))
    with pytest.raises(LedgerError, match=r"cannot be written"):
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
    with ledger.open(str(path)) as book:
        fill(book)
    os.truncate(path, path.stat().st_size // 2)


def newer(path: Path) -> None:
    with ledger.open(str(path)) as book, ledger.writing(book) as connection:
        connection.execute(schema.meta.update().where(schema.meta.c.name == "version").values(value="99"))


@pytest.mark.parametrize("make", [empty, text, other, cut, newer], ids=lambda make: make.__name__)
def test_what_cannot_be_restored_changes_nothing(state: str, tmp_path: Path, make: object) -> None:
    with ledger.open(state) as book:
        fill(book)
        before = held(book)
    bad = tmp_path / "bad.db"
    assert callable(make)
    make(bad)
    content = bad.read_bytes()
    with pytest.raises(LedgerError, match=r"^[^\n]+$"):
        restore(state, bad)
    assert bad.read_bytes() == content
    with ledger.open(state) as book:
        assert held(book) == before


def test_a_running_refresh_is_not_restored_over(state: str, tmp_path: Path) -> None:
    with ledger.open(state) as book:
        fill(book)
    backup(state, tmp_path / "x.db")
    with lock(state, wait=False), pytest.raises(LockedError):
        restore(state, tmp_path / "x.db")


def test_a_writer_from_before_the_restore_commits_nothing(state: str, tmp_path: Path) -> None:
    with ledger.open(state, fence=True) as book:
        fill(book)
        backup(state, tmp_path / "x.db")
        restore(state, tmp_path / "x.db")
        with pytest.raises(LockedError, match=r"taken over"):
            keep_fact(book, "show", "x", b"late")
    with ledger.open(state) as book:
        assert facts(book, "show", "x") == b"\x00\xff"


def test_a_backup_keeps_the_permissions(state: str, tmp_path: Path) -> None:
    with ledger.open(state) as book:
        fill(book)
    Path(state).chmod(0o640)
    backup(state, tmp_path / "x.db")
    assert (tmp_path / "x.db").stat().st_mode & 0o777 == 0o640


def test_a_server_is_backed_up_into_a_file_and_restored_from_it(server_state: str, state: str, tmp_path: Path) -> None:
    copy = tmp_path / "backup.db"
    with ledger.open(server_state) as book:
        fill(book)
        before = held(book)
        backup(server_state, copy)
        keep_fact(book, "show", "x", b"later")
        keep_fact(book, "show", "y", b"later")
    assert restore(server_state, copy).kept is None
    with ledger.open(server_state) as book:
        assert held(book) == before
        assert facts(book, "show", "y") is None
        tell(book, "show", Event(NOON, "after", "restore"))
        assert events(book, "show")[-1].kind == "after"
    restore(state, copy)
    with ledger.open(state) as book:
        assert held(book) == before
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["backup.db"]


def test_a_file_moves_to_a_server(server_state: str, state: str, tmp_path: Path) -> None:
    with ledger.open(state) as book:
        fill(book)
        before = held(book)
    backup(state, tmp_path / "x.db")
    restore(server_state, tmp_path / "x.db")
    with ledger.open(server_state) as book:
        assert held(book) == before
