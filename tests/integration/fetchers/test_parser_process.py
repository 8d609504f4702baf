"""A process of its own reads each document: what it may not do, and what becomes of one that goes too far."""

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers import parser_process
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Source
from aggregator.sandbox import forks, seccomp
from aggregator.sandbox.forks import Forks
from aggregator.sandbox.limits import Limits
from tests.support.rss import make_rss

LIMITS = Limits(cpu_seconds=1, wall_seconds=120, megabytes=64)
ROOMY = Limits(cpu_seconds=30, wall_seconds=120, megabytes=64)
SHORT = Limits(cpu_seconds=1, wall_seconds=1.5, megabytes=64)


@pytest.fixture(scope="module", autouse=True)
def rogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The kind of the test, known to processes that are started here, in a folder of its own."""
    before = forks.parsers
    sys.path.insert(0, str(Path(__file__).parent / "data" / "rogue"))
    forks.parsers = Forks("aggregator.fetchers.parse", (ReadError,), is_confined=True)
    with chdir(tmp_path_factory.mktemp("rogue")):
        yield
    forks.parsers = before
    sys.path.pop(0)


def listing(body: str, limits: Limits = LIMITS) -> Listing:
    document = Document(Source("rogue", "rogue"), "https://example.org/feed?token=secret", body.encode())
    return parser_process.read(document, limits, 500)


def refused(body: str, limits: Limits = LIMITS) -> str:
    with pytest.raises(ReadError) as caught:
        listing(body, limits)
    message = str(caught.value)
    assert message.isprintable()
    assert "secret" not in message
    assert "https://example.org/feed?…" in message or body == "refuse"
    listing("fine")  # one document was lost, nothing else
    return message


def process() -> int:
    return int(listing("fine").entries[0].key)


def test_a_listing_comes_back_as_it_was_read() -> None:
    assert listing("fine").entries[0].title == "\ufffd lone"
    assert listing("fine").entries[0].source == "rogue"


def test_each_document_has_a_process_of_its_own() -> None:
    assert len({os.getpid(), *(process() for _ in range(5))}) == 6


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("spin", "it cannot be parsed: it takes more than 1 s of processor time"),
        ("eat 100", "it cannot be parsed: it takes more than 64 MB of memory"),
        ("deep", "nested too deep"),
        ("crash", "its process crashed (SIGSEGV)"),
        ("leave", "its process ended with status 4"),
        ("fail", "a bug in the aggregator: KeyError: 'no such \\x1b[31mthing\\n' at rogue_kind.py:"),
        ("refuse", "rogue: this is not for us"),
        ("many 501", "lists more than 500 items"),
        ("write", "No usable temporary directory"),
        ("half", "its process was killed"),
        ("pickle", "it cannot be parsed: what its process wrote cannot be read"),
        ("begin", "what its process wrote cannot be read (it ends in the middle of a message)"),
        ("empty", "what its process wrote cannot be read (it wrote nothing)"),
        ("fork", "a bug in the aggregator: PermissionError"),
    ],
)
def test_what_goes_too_far_costs_one_document(body: str, words: str) -> None:
    assert words in refused(body)


def test_more_entries_than_a_listing_may_have_are_refused() -> None:
    assert "the parser process wrote what is no listing: too many entries" in refused("more", ROOMY)
    assert "what its process wrote cannot be read" in refused("flood", ROOMY)


@pytest.mark.parametrize("body", ["sleep", "deaf", "feign"])
def test_what_never_ends_costs_one_document(body: str) -> None:
    assert "it cannot be parsed: it takes longer than 1.5 s" in refused(body, SHORT)


ROGUE = Path("rogue")  # the name that the hostile parser knows
READ_ONLY = {"environment": "{}", "read": "5"}
DENIED = (
    "inet socket", "inet6 datagram", "unix socket", "netlink", "write", "append", "read and write", "create",
    "truncate", "remove", "rename", "link", "symbolic link", "folder", "mode", "owner", "times", "fifo", "fork",
    "program", "signal to the parent", "owner of a file", "signal of a file", "shared memory",
    "message queue", "memory file", "pair of sockets", "priority of the parent", "limit of the parent",
    "pipe", "lock", "lock of a part", "lock of an open file", "lease", "notice of changes", "flags of a file",
    "attribute", "attribute, newer", "attributes of a file", "key",
)  # fmt: skip


def attempt(misdeed: str) -> str:
    return listing(f"attempt {misdeed}").entries[0].title


def test_a_parser_has_no_environment_and_may_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGGREGATOR_SECRET", "secret")
    monkeypatch.setattr(forks, "parsers", Forks("aggregator.fetchers.parse", (ReadError,), is_confined=True))
    ROGUE.write_text("words", "ascii")
    assert {name: attempt(name) for name in READ_ONLY} == READ_ONLY
    names = attempt("environment at the start").split()
    assert set(names) <= {"PYTHONPATH", "LD_LIBRARY_PATH", "OPENBLAS_NUM_THREADS"}


def test_a_parser_has_no_file_but_that_of_its_answer(tmp_path: Path) -> None:
    with (tmp_path / "ours").open("wb"):
        assert attempt("files").split() == ["/dev/null", "/dev/null", "/dev/null", "/memfd:aggregator"]


@pytest.mark.skipif(bool(seccomp.explain_lack()), reason=seccomp.explain_lack())
def test_a_parser_has_no_network_writes_nothing_and_reaches_no_process() -> None:
    ROGUE.write_text("words", "ascii")
    before = ROGUE.stat()
    assert {name: attempt(name) for name in DENIED} == dict.fromkeys(DENIED, "PermissionError")
    assert attempt("every call") == ""
    assert attempt("name") in {"gaierror", "PermissionError"}
    assert refused("attempt more memory").count("ValueError") == refused("attempt more time").count("ValueError") == 1
    assert attempt("more files") == "OSError"
    assert ctypes.CDLL(None).prctl(3) == 0  # PR_GET_DUMPABLE of the parent: others of its account cannot read it
    assert ROGUE.stat() == before
    assert not list(ROGUE.parent.glob("rogue-*"))


def test_an_honest_document_at_the_limits_is_read() -> None:
    listing("eat 32")
    assert len(listing("many 500").entries) == 500


def test_what_is_known_of_a_document_takes_no_memory_of_its_own() -> None:
    known = {f"{number:032x}": "x" * 1_000_000 for number in range(80)}
    document = Document(Source("a", "feed"), "https://example.org/feed", make_rss("").encode(), known=known)
    assert parser_process.read(document, ROOMY).entries == ()


def test_no_process_is_started_before_there_is_a_document() -> None:
    assert Forks("aggregator.fetchers.parse", (ReadError,), is_confined=True)._line is None


ALONE = """
import sys, time
from pathlib import Path
from aggregator.errors import ReadError
from aggregator.fetchers import parser_process
from aggregator.model.source import Document, Source
try:
    parser_process.read(Document(Source("a", "listing"), "https://example.org/", b"nothing here"))
except ReadError:
    print(Path("/proc/self/task", str(__import__("os").getpid()), "children").read_text("ascii"), flush=True)
if sys.argv[1] == "stay":
    time.sleep(60)
"""


@pytest.mark.parametrize("end", ["stay", "leave"])
def test_no_process_outlives_its_parent(end: str, bounded: Callable[..., subprocess.Popen[str]]) -> None:
    with bounded(subprocess.Popen([sys.executable, "-c", ALONE, end], stdout=subprocess.PIPE, text=True)) as parent:
        assert parent.stdout is not None
        numbers = parent.stdout.readline().split()
        if end == "stay":
            parent.kill()
    assert len(numbers) == 1
    deadline = time.monotonic() + 180
    while any(Path(f"/proc/{number}").exists() for number in numbers) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [number for number in numbers if Path(f"/proc/{number}").exists()] == []
