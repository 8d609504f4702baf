"""Forks of a template: what they give back, and what becomes of one that costs too much."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from aggregator.sandbox.forks import ForkError, Forks
from aggregator.sandbox.limits import Limits
from tests.support.paths import ROOT

JOBS = "tests.support.jobs"
LIMITS = Limits(cpu_seconds=60, wall_seconds=120, megabytes=400)


@pytest.fixture(scope="module")
def forks() -> Forks:
    return Forks(JOBS)


def do(forks: Forks, *task: object, limits: Limits = LIMITS) -> list[object]:
    with forks.run(json.dumps(task).encode(), limits) as file:
        return list(json.loads(file.read()))


def why(forks: Forks, *task: object, limits: Limits = LIMITS) -> tuple[str, str]:
    with pytest.raises(ForkError) as caught:
        do(forks, *task, limits=limits)
    return str(caught.value), caught.value.at


def test_each_task_is_done_in_a_process_of_its_own(forks: Forks) -> None:
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda turn: do(forks, "say", turn), range(12)))
    assert [words for _, *words in found] == [["say", turn] for turn in range(12)]
    assert len({number for number, *_ in found} - {os.getpid()}) == 12


def test_a_large_task_and_a_large_answer_go_through(forks: Forks) -> None:
    equal = do(forks, "say", "x" * 20_000_000)[2] == "x" * 20_000_000
    assert equal


@pytest.mark.parametrize(
    ("task", "limits", "said"),
    [
        (("spin",), Limits(1, 120, 400), "it takes more than 1 s of processor time"),
        (("sleep", 300), Limits(60, 1.5, 400), "it takes longer than 1.5 s"),
        (("grow", 300), Limits(60, 120, 200), "it takes more than 200 MB of memory"),
        (("crash",), LIMITS, "its process crashed (SIGSEGV)"),
        (("fail",), LIMITS, "its process ended with status 1"),
    ],
)
def test_a_task_that_costs_too_much_fails_and_the_next_is_done(forks, task, limits, said) -> None:
    assert why(forks, *task, limits=limits) == (said, f"doing {task[0]}")
    assert do(forks, "say", "on")[1:] == ["say", "on"]


def test_a_template_that_ended_is_started_again(forks: Forks) -> None:
    do(forks, "say")
    assert forks._line is not None
    forks._line.shutdown(2)
    time.sleep(0.2)
    assert do(forks, "say", "again")[1:] == ["say", "again"]


CROWDED = """
import os
fork, failures = os.fork, [1, 2]
def fork_later():
    if failures:
        raise BlockingIOError(failures.pop(), "Resource temporarily unavailable")
    return fork()
os.fork = fork_later
def run(task, out, note):
    out.write(b'["done"]')
"""


def test_a_fork_that_the_machine_refuses_costs_its_task_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crowded.py").write_text(CROWDED)
    monkeypatch.syspath_prepend(tmp_path)
    forks = Forks("crowded")
    assert {why(forks) for _ in range(2)} == {("its process ended with status 2", "")}
    assert do(forks) == ["done"]


PARENT = """
import sys
from aggregator.sandbox.forks import Forks
from aggregator.sandbox.limits import Limits
forks = Forks("tests.support.jobs")
if "fork" in sys.argv:
    forks.fork_template()
    forks.load()
print(forks.run(b'["say"]', Limits(9, 99, 400)).read().decode(), flush=True)
if "wait" in sys.argv:
    sys.stdin.readline()
forks.run(b'["sleep", 99]', Limits(9, 99, 400))
"""

OWNER = """
import os, sys
from aggregator.sandbox.forks import Forks
from aggregator.sandbox.limits import Limits
forks = Forks("tests.support.jobs")
forks.load()
number = os.fork()
if number == 0:
    sys.exit()
os.waitpid(number, 0)
print(*open(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read().split())
print(forks.run(b'["parent"]', Limits(9, 99, 400)).read().decode())
"""

ENVIRONMENT = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}


@pytest.mark.parametrize("template", ["fork", "new"])
def test_what_a_killed_process_has_started_ends_with_it(template: str) -> None:
    command = [sys.executable, "-c", PARENT, template]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=ENVIRONMENT) as parent:
        assert parent.stdout is not None
        json.loads(parent.stdout.readline())
        (number,) = _children(parent.pid)
        forked = _wait(lambda: _children(number))
        open_files = {each.name for each in Path(f"/proc/{number}/fd").iterdir()}
        parent.kill()
    assert len(open_files) < 9, "the standard streams, its socket, a pipe, and the socket of one fork"
    assert _wait(lambda: not any(Path(f"/proc/{each}").exists() for each in (number, *forked)))


@pytest.mark.parametrize("template", ["fork", "new"])
def test_a_task_that_a_killed_process_has_left_ends_as_soon_as_it_begins(template: str) -> None:
    """Seen: a template with its task unread when the process was killed, and the fork then wrote over the next run."""
    command = [sys.executable, "-c", PARENT, template, "wait"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, **pipes) as parent:
        assert parent.stdin
        assert parent.stdout
        json.loads(parent.stdout.readline())
        (number,) = _children(parent.pid)
        os.kill(number, signal.SIGSTOP)
        parent.stdin.write(b"\n")
        parent.stdin.flush()
        time.sleep(0.5)
        parent.kill()
    os.kill(number, signal.SIGCONT)
    assert _wait(lambda: not _list_session(number)), "a process is left"


def test_a_fork_of_the_process_that_owns_the_template_leaves_it_running() -> None:
    found = subprocess.run([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, cwd=ROOT, env=ENVIRONMENT, check=True)
    template, parent = found.stdout.split()
    assert template == parent


def _children(number: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


def _list_session(number: int) -> list[str]:
    """The processes of a session: a template begins one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[3]) == number and fields[0] != "Z":
                found.append(path.parent.name)
    return found


def _wait(reached, seconds: float = 180):
    end = time.monotonic() + seconds
    while not (found := reached()) and time.monotonic() < end:
        time.sleep(0.05)
    return found
