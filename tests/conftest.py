"""No test hangs: a process is ended after a while, and so is a run whose test does not end by its own timeout.

pytest-timeout raises in the test, once. What then waits in a ``finally``, in ``Popen.__exit__`` or in a fixture waits
for ever: nothing counts any more, and a run on a machine that nobody looks at stands still.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.support.ports import find_port

STDERR = pytest.StashKey[int]()
MORE = 2
"""How many times its own timeout a test may take, fixtures and all, before the run is ended with all stacks."""
MEMORY = "/dev/shm"  # noqa: S108 - pytest makes a folder there that is its user's alone
ROOM = 2 << 30
"""Bytes that are free there; a run uses a tenth, as the folders of tests that pass are removed."""


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two for each processor: half of the time tests wait, for programs, servers and time-outs.

    None for a single file, which takes less time than the start of the workers.
    """
    args = config.args
    if len(args) == 1 and Path(args[0].partition("::")[0]).is_file():
        return 0
    return 2 * (os.cpu_count() or 1)


def pytest_configure(config: pytest.Config) -> None:
    # The fast suite has the same examples in each run, so that no run fails by chance; heavy tests have new ones.
    hypothesis.settings.register_profile("fast", derandomize=True, max_examples=30, deadline=None)
    hypothesis.settings.register_profile("heavy", derandomize=False, print_blob=True, deadline=None)
    is_fast = config.getoption("markexpr") == "not heavy"
    hypothesis.settings.load_profile("fast" if is_fast else "heavy")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each program that a test starts compiles all of its modules
    if is_fast:
        keep_in_memory()
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        config.stash[STDERR] = os.dup(2)


def keep_in_memory() -> None:
    """Have the folders of the tests in memory if there is room: to flush a file there takes no time.

    On a disk it takes milliseconds, some fifty times a refresh.
    """
    if "PYTEST_DEBUG_TEMPROOT" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    found = os.statvfs(MEMORY)
    if found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC:  # some tests run what they write
        os.environ["PYTEST_DEBUG_TEMPROOT"] = MEMORY


def pytest_collection_finish() -> None:
    gc.freeze()  # what is collected stays: each gc.collect of the program looked through all of it for .4 s


def pytest_unconfigure(config: pytest.Config) -> None:
    faulthandler.cancel_dump_traceback_later()
    os.close(config.stash[STDERR])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    given = item.config.getoption("timeout")
    most = float(item.config.getini("timeout") or 0) if given is None else given
    if most:
        faulthandler.dump_traceback_later(MORE * most, exit=True, file=item.config.stash[STDERR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def bounded() -> Iterator[Callable[..., subprocess.Popen[Any]]]:
    """Ends each process given to it after so many seconds, so that no read of what it says waits for ever."""
    timers: list[threading.Timer] = []
    children: list[subprocess.Popen[Any]] = []

    def bound(child: subprocess.Popen[Any], seconds: float = 300.0) -> subprocess.Popen[Any]:
        timers.append(threading.Timer(seconds, child.kill))
        children.append(child)
        timers[-1].daemon = True
        timers[-1].start()
        return child

    yield bound
    for timer in timers:
        timer.cancel()
    for child in children:
        child.kill()


@pytest.fixture
def free_port() -> int:
    """A port for a program that must be told one."""
    return find_port()


@pytest.fixture(scope="session")
def ports() -> Callable[[], int]:
    """As many such ports as are needed."""
    return find_port
