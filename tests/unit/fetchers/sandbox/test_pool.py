import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers.sandbox import seccomp
from aggregator.fetchers.sandbox.limits import Limits
from aggregator.fetchers.sandbox.pool import Pool
from aggregator.model.source import Document, Source

LIMITS = Limits(cpu_seconds=1, wall_seconds=2.5, megabytes=64, items=500)


@pytest.fixture(scope="module")
def children() -> Iterator[Pool]:
    sys.path.insert(0, str(Path(__file__).parent / "data" / "rogue"))
    try:
        with Pool(LIMITS, 2) as pool:
            yield pool
    finally:
        sys.path.pop(0)


def told(body: str) -> Document:
    return Document(Source("rogue", "rogue"), "https://example.org/feed?token=secret", body.encode())


def refused(children: Pool, body: str) -> str:
    with pytest.raises(ReadError) as caught:
        children.read(told(body))
    message = str(caught.value)
    assert message.isprintable()
    assert "secret" not in message
    assert "https://example.org/feed?…" in message or body == "refuse"
    children.read(told("fine"))  # one document was lost, nothing else
    return message


def child_of(children: Pool) -> int:
    return int(children.read(told("fine")).entries[0].key)


def test_a_listing_comes_back_as_it_was_read(children: Pool) -> None:
    listing = children.read(told("fine"))
    assert listing.entries[0].title == "\ufffd lone"
    assert listing.entries[0].source == "rogue"


def test_a_child_is_used_again_and_is_not_this_process(children: Pool) -> None:
    first = child_of(children)
    assert [first] * 5 == [child_of(children) for _ in range(5)]
    assert first != os.getpid()


@pytest.mark.parametrize(
    ("body", "words", "most"),
    [
        ("spin", " to parse", 5.0),
        ("sleep", "it takes longer than 2.5 s to parse", 4.0),
        ("deaf", "it takes longer than 2.5 s to parse", 4.0),
        ("eat 100", "it takes more than 64 MB of memory to parse", 1.0),
        ("deep", "nested too deep", 1.0),
        ("crash", "it crashed the parser process", 1.0),
        ("leave", "the parser process ended with status 3", 1.0),
        ("fail", "a bug in the aggregator: KeyError: 'no such \\x1b[31mthing\\n' at rogue_kind.py:", 1.0),
        ("refuse", "rogue: this is not for us", 1.0),
        ("many 501", "lists more than 500 items", 1.0),
        ("write", "No usable temporary directory", 1.0),
        ("feign", "the parser process was killed", 1.0),
        ("half", "the parser process was killed", 1.0),
        ("pickle", "the parser process sent what is no listing", 1.0),
        ("flood", "the parser process sent what is no listing: too many entries", 1.0),
        ("begin", "it takes longer than 2.5 s to parse", 4.0),
        ("fork", "a bug in the aggregator: PermissionError", 1.0),
    ],
)
def test_what_goes_too_far_costs_one_document(children: Pool, body: str, words: str, most: float) -> None:
    children.read(told("fine"))
    begun = time.monotonic()
    assert words in refused(children, body)
    assert time.monotonic() - begun < most + 5.0


ROGUE = Path("/tmp/aggregator-rogue")  # noqa: S108  # the name that the hostile parser knows
READ_ONLY = {"environment": "{}", "read": "5"}
DENIED = (
    "inet socket", "inet6 datagram", "unix socket", "netlink", "write", "append", "read and write", "create",
    "truncate", "remove", "rename", "link", "symbolic link", "folder", "mode", "owner", "times", "fifo", "fork",
    "program", "signal to the parent", "limit of the parent",
)  # fmt: skip


def attempt(children: Pool, misdeed: str) -> str:
    return children.read(told(f"attempt {misdeed}")).entries[0].title


@pytest.mark.usefixtures("children")  # so that the kind of the test is found
def test_a_parser_has_no_environment_and_may_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGGREGATOR_SECRET", "secret")
    ROGUE.write_text("words", "ascii")
    with Pool(LIMITS, 1) as fresh:
        assert {name: attempt(fresh, name) for name in READ_ONLY} == READ_ONLY
        given = Path(f"/proc/{child_of(fresh)}/environ").read_bytes()
    assert {line.partition(b"=")[0] for line in given.split(b"\0") if line} <= {b"PYTHONPATH", b"LD_LIBRARY_PATH"}


@pytest.mark.skipif(bool(seccomp.explain_lack()), reason=seccomp.explain_lack())
def test_a_parser_has_no_network_writes_nothing_and_reaches_no_process(children: Pool) -> None:
    ROGUE.write_text("words", "ascii")
    before = ROGUE.stat()
    assert {name: attempt(children, name) for name in DENIED} == dict.fromkeys(DENIED, "PermissionError")
    assert attempt(children, "name") in {"gaierror", "PermissionError"}
    assert refused(children, "attempt more memory").count("ValueError") == 1
    assert ROGUE.stat() == before
    assert not list(ROGUE.parent.glob("aggregator-rogue-*"))


def test_an_honest_document_at_the_limits_is_read(children: Pool) -> None:
    children.read(told("eat 32"))
    assert len(children.read(told("many 500")).entries) == 500


def test_several_threads_share_the_children(children: Pool) -> None:
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(child_of(children))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(seen) == 16
    assert len(set(seen)) <= 2


def test_a_child_that_sends_something_unasked_is_not_used_again(children: Pool) -> None:
    children.read(told("unasked"))
    assert child_of(children) == child_of(children)


def test_no_child_is_started_before_there_is_a_document() -> None:
    with Pool(LIMITS) as pool:
        assert pool._children == []


def test_a_pool_ends_its_children_and_can_begin_anew(children: Pool) -> None:
    assert child_of(children)  # so that the kind of the test is found
    with Pool(LIMITS, 1) as pool:
        child = child_of(pool)
        assert Path(f"/proc/{child}").exists()
        pool.close()
        assert not Path(f"/proc/{child}").exists()
        assert child_of(pool) != child


def test_a_pool_closed_while_it_reads_costs_that_document(children: Pool) -> None:
    assert child_of(children)  # so that the kind of the test is found
    with Pool(LIMITS, 1) as pool:
        ends: list[str] = []

        def read() -> None:
            try:
                pool.read(told("sleep"))
            except ReadError as error:
                ends.append(str(error))

        reader = threading.Thread(target=read)
        reader.start()
        until(lambda: bool(pool._children))
        time.sleep(0.3)
        pool.close()
        reader.join(30)
        assert ends == ["rogue: the parser process was killed (https://example.org/feed?…)"]
        assert pool._children == []


def until(reached: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def killed(number: int) -> None:
    """kill -9, and wait until it has closed what it held: what is left is an entry that its parent must read."""
    os.kill(number, signal.SIGKILL)
    stat = Path(f"/proc/{number}/stat")
    until(lambda: not stat.exists() or stat.read_text("ascii", "replace").rpartition(")")[2].split()[0] in "ZX")


def test_a_child_whose_task_was_interrupted_answers_no_other(children: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    first = child_of(children)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("aggregator.fetchers.sandbox.pool._Child._receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            children.read(told("many 3"))
    assert child_of(children) != first


def test_a_killed_child_is_replaced(children: Pool) -> None:
    first = child_of(children)
    killed(first)
    assert child_of(children) != first


ALONE = """
import sys, time
from aggregator.errors import ReadError
from aggregator.fetchers.sandbox.pool import Pool
from aggregator.model.source import Document, Source
pool = Pool()
try:
    pool.read(Document(Source("a", "listing"), "https://example.org/", b"nothing here"))
except ReadError:
    print(pool._children[0]._process.pid, flush=True)
if sys.argv[1] == "stay":
    time.sleep(60)
"""


@pytest.mark.parametrize("end", ["stay", "leave"])
def test_no_child_outlives_its_parent(end: str, bounded: Callable[..., subprocess.Popen[str]]) -> None:
    with bounded(subprocess.Popen([sys.executable, "-c", ALONE, end], stdout=subprocess.PIPE, text=True)) as parent:
        assert parent.stdout is not None
        numbers = parent.stdout.readline().split()
        if end == "stay":
            parent.kill()
    assert len(numbers) == 1
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{number}").exists() for number in numbers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [number for number in numbers if Path(f"/proc/{number}").exists()] == []


def test_a_child_keeps_no_descriptor_of_its_parent(children: Pool, tmp_path: Path) -> None:
    with (tmp_path / "ours").open("wb"):
        child = child_of(children)
        names = {str(link.readlink()) for link in Path(f"/proc/{child}/fd").iterdir()}
        assert not any("ours" in name for name in names)
        assert len(names) <= 6
