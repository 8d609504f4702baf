"""Published whole or not at all: what is on the disk before, during and after, whatever goes wrong."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.errors import PublishError, StoreError
from aggregator.generator.files import Staged, place, publish, stage
from aggregator.model.files import WrittenFile

FILES = {"podcast.xml": b"<rss/>", "feed.json": b"{}"}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writes_all_and_says_so(tmp_path: Path) -> None:
    written = publish(tmp_path / "new" / "show", FILES)
    assert written == (WrittenFile("podcast.xml", changed=True), WrittenFile("feed.json", changed=True))
    assert {name: (tmp_path / "new" / "show" / name).read_bytes() for name in FILES} == FILES
    assert names(tmp_path / "new" / "show") == ["feed.json", "podcast.xml"]


def test_same_bytes_are_not_touched(tmp_path: Path) -> None:
    publish(tmp_path, FILES, compress=True)
    before = {path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in tmp_path.iterdir()}
    written = publish(tmp_path, FILES, compress=True)
    assert not any(one.changed for one in written)
    assert {path.name: (path.stat().st_mtime_ns, path.stat().st_ino) for path in tmp_path.iterdir()} == before


def test_only_what_changed_is_touched(tmp_path: Path) -> None:
    publish(tmp_path, FILES)
    inode = (tmp_path / "feed.json").stat().st_ino
    written = publish(tmp_path, FILES | {"podcast.xml": b"<rss />"})
    assert written == (WrittenFile("podcast.xml", changed=True), WrittenFile("feed.json", changed=False))
    assert (tmp_path / "feed.json").stat().st_ino == inode


def test_each_version_is_later_by_whole_seconds(tmp_path: Path) -> None:
    times = []
    for number in range(4):
        publish(tmp_path, {"feed.xml": b"%d" % number})
        times.append((tmp_path / "feed.xml").stat().st_mtime_ns)
    assert all(time % 1_000_000_000 == 0 for time in times)
    assert all(later - earlier >= 1_000_000_000 for earlier, later in pairwise(times))


def test_a_time_in_the_future_is_passed(tmp_path: Path) -> None:
    publish(tmp_path, {"feed.xml": b"old"})
    os.utime(tmp_path / "feed.xml", (4_000_000_000, 4_000_000_000))
    publish(tmp_path, {"feed.xml": b"new"})
    assert (tmp_path / "feed.xml").stat().st_mtime == 4_000_000_001


def test_siblings_are_of_the_file_and_always_the_same(tmp_path: Path) -> None:
    body = b"<rss>" + b"tide " * 1000 + b"</rss>"
    publish(tmp_path / "a", {"feed.xml": body}, compress=True)
    publish(tmp_path / "b", {"feed.xml": body}, compress=True)
    assert names(tmp_path / "a") == ["feed.xml", "feed.xml.gz"]
    assert gzip.decompress((tmp_path / "a" / "feed.xml.gz").read_bytes()) == body
    one, other = (tmp_path / folder / "feed.xml.gz" for folder in "ab")
    assert one.read_bytes() == other.read_bytes()
    assert one.stat().st_mtime == (tmp_path / "a" / "feed.xml").stat().st_mtime


def test_a_brotli_copy_of_a_former_version_goes_with_its_file(tmp_path: Path) -> None:
    publish(tmp_path, {"feed.xml": b"old", "feed.json": b"same"}, compress=True)
    for name in ("feed.xml.br", "feed.json.br"):
        (tmp_path / name).write_bytes(b"packed")
    publish(tmp_path, {"feed.xml": b"new", "feed.json": b"same"}, compress=True)
    assert names(tmp_path) == ["feed.json", "feed.json.br", "feed.json.gz", "feed.xml", "feed.xml.gz"]


def test_siblings_that_are_missing_or_old_are_made_again(tmp_path: Path) -> None:
    publish(tmp_path, {"feed.xml": b"same"}, compress=True)
    (tmp_path / "feed.xml.gz").unlink()
    assert publish(tmp_path, {"feed.xml": b"same"}, compress=True) == (WrittenFile("feed.xml", changed=False),)
    assert gzip.decompress((tmp_path / "feed.xml.gz").read_bytes()) == b"same"


def test_without_siblings_old_ones_do_not_stay(tmp_path: Path) -> None:
    publish(tmp_path, {"feed.xml": b"old"}, compress=True)
    publish(tmp_path, {"feed.xml": b"new"})
    assert names(tmp_path) == ["feed.xml"]


def test_leftovers_of_a_killed_run_are_swept(tmp_path: Path) -> None:
    (tmp_path / ".feed.xml.0123456789abcdef.part").write_bytes(b"half")
    (tmp_path / ".gitignore").write_bytes(b"*")
    (tmp_path / "notes.part").write_bytes(b"a person's")
    publish(tmp_path, FILES)
    assert names(tmp_path) == [".gitignore", "feed.json", "notes.part", "podcast.xml"]


@pytest.mark.parametrize(
    "name", ["../feed.xml", "a/b.xml", ".hidden", "", "feed", "fee\x00d.xml", "feed.xml\n", "CON:.xml"]
)
def test_names_are_our_own(tmp_path: Path, name: str) -> None:
    with pytest.raises(PublishError, match="is not a name"):
        publish(tmp_path / "show", {"good.xml": b"", name: b""})
    assert names(tmp_path / "show") == []


def test_what_is_the_same_is_not_written_even_beside(tmp_path: Path) -> None:
    body = b"<rss>" + b"tide " * 1000 + b"</rss>"
    publish(tmp_path, {"feed.xml": body}, compress=True)
    os.utime(tmp_path, (1, 1))  # the clock of files may stand still for some milliseconds
    publish(tmp_path, [("feed.xml", bytes(body))], compress=True)
    assert tmp_path.stat().st_mtime == 1
    publish(tmp_path, [("feed.xml", body[:99] + b"!" + body[99:])], compress=True)
    assert tmp_path.stat().st_mtime > 1


def test_a_defect_while_writing_leaves_the_old_and_no_part(tmp_path: Path) -> None:
    publish(tmp_path, {"feed.xml": b"old", "other.xml": b"old"})

    def broken() -> Iterator[tuple[str, bytes]]:
        yield "other.xml", b"new"
        raise OSError(28, "No space left on device")

    with pytest.raises(PublishError, match="No space left on device"):
        publish(tmp_path, broken())
    assert names(tmp_path) == ["feed.xml", "other.xml"]
    assert (tmp_path / "other.xml").read_bytes() == b"old"


SMALL = """
import resource, signal, sys
from pathlib import Path
from aggregator.errors import PublishError
from aggregator.generator.files import publish
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    publish(Path(sys.argv[1]), {"a.xml": b"new", "b.xml": b"n" * 60_000})
except PublishError as error:
    print(error)
    raise SystemExit(9)
"""


def test_a_file_that_does_not_fit_leaves_every_old_one(tmp_path: Path) -> None:
    publish(tmp_path, {"a.xml": b"old", "b.xml": b"old"})
    run = subprocess.run([sys.executable, "-c", SMALL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (9, "")
    assert "the old files are unchanged" in run.stdout
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.xml": b"old", "b.xml": b"old"}


FOR_EVER = """
import sys
from pathlib import Path
from aggregator.generator.files import publish
number = 0
while True:
    number += 1
    body = b"%08d" % number * 20_000
    publish(Path(sys.argv[1]), {"a.xml": body, "b.xml": body}, compress=False)
    print(number, flush=True)
"""


def test_kill_at_any_instant_leaves_whole_files(
    tmp_path: Path, bounded: Callable[..., subprocess.Popen[bytes]]
) -> None:
    for round_ in range(6):
        run = bounded(subprocess.Popen([sys.executable, "-c", FOR_EVER, str(tmp_path)], stdout=subprocess.PIPE))
        assert run.stdout is not None
        for _ in range(round_ * 3 + 1):
            run.stdout.readline()
        run.kill()
        run.wait()
        run.stdout.close()
        for name in ("a.xml", "b.xml"):
            body = (tmp_path / name).read_bytes()
            assert body == body[:8] * 20_000
    publish(tmp_path, FILES)
    assert not [name for name in names(tmp_path) if name.endswith(".part")]


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    bodies = [letter * 200_000 for letter in (b"a", b"b")]
    publish(tmp_path, {"feed.xml": bodies[0]})
    seen: set[bytes] = set()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            seen.add((tmp_path / "feed.xml").read_bytes())

    reader = threading.Thread(target=look)
    reader.start()
    for number in range(60):
        publish(tmp_path, {"feed.xml": bodies[number % 2]})
    done.set()
    reader.join()
    assert seen <= set(bodies)


def test_a_packed_form_that_cannot_be_taken_away_leaves_every_old_file(tmp_path: Path) -> None:
    """A new file beside an old packed form would be served as both."""
    publish(tmp_path, FILES, compress=True)
    (tmp_path / "podcast.xml.gz").unlink()
    (tmp_path / "podcast.xml.gz" / "a folder in its place").mkdir(parents=True)
    with pytest.raises(PublishError):
        publish(tmp_path, {name: body + b" " for name, body in FILES.items()}, compress=True)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == FILES
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]


def test_a_new_version_has_packed_forms_of_its_own(tmp_path: Path) -> None:
    for body in (b"high tide", b"low tide"):
        publish(tmp_path, {"feed.xml": body}, compress=True)
        assert gzip.decompress((tmp_path / "feed.xml.gz").read_bytes()) == body
        assert len({int(path.stat().st_mtime) for path in tmp_path.iterdir()}) == 1


def test_content_that_cannot_be_made_leaves_nothing_beside_the_old_files(tmp_path: Path) -> None:
    publish(tmp_path, {"feed.xml": b"old", "feed.json": b"old"}, compress=True)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def broken() -> Iterator[tuple[str, bytes]]:
        yield "feed.xml", b"new"
        raise StoreError("store: cannot be written")

    with pytest.raises(StoreError):
        publish(tmp_path, broken(), compress=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_files_of_other_folders_are_neither_written_nor_removed(tmp_path: Path) -> None:
    folder, other = tmp_path / "show", tmp_path / "other.xml"
    staged = stage(folder, FILES)
    ((part, name), *_) = staged.renames
    for path in (other, tmp_path / "other.xml.gz"):
        path.write_bytes(b"1")
    for hostile in (
        replace(staged, outdated=("../other.xml",)),
        replace(staged, written=(WrittenFile("../other.xml", changed=True),)),
        replace(staged, renames=((part, "../other.xml"),)),
        replace(staged, renames=(("../other.xml", name),)),
    ):
        with pytest.raises(PublishError, match="not a name"):
            place(folder, hostile)
    assert names(tmp_path) == ["other.xml", "other.xml.gz", "show"]
    assert place(folder, Staged(outdated=("podcast-archive-1.xml",))) == ()
