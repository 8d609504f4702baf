"""Run the program in a child process that is forked from one that has its modules loaded already.

Loading them takes ten times as long as most commands. The child is otherwise the one that ``python -m aggregator.cli``
starts: a process, session, working directory, environment and files of its own, and an end by ``sys.exit``.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import NoReturn

import aggregator
from aggregator import cli, refresh
from aggregator.config.load import load
from aggregator.sandbox import forks
from tests.support.config import make_feed, write_config
from tests.support.paths import ROOT

PROGRAM = (sys.executable, "-m", "aggregator.cli")
"""The program as a command, for tests that send it signals or measure it."""

PLAIN = {"NO_COLOR": "1", "COLUMNS": "200", "TERM": "dumb"}
"""The environment in which the program prints the same everywhere."""


def run_program(
    folder: Path,
    *words: str,
    stdin: str = "",
    environment: Mapping[str, str] | None = None,
    seconds: float = 300,
    full: Collection[int] = (),
) -> subprocess.CompletedProcess[str]:
    """Run the program in a folder to its end; ``returncode`` is negative if a signal ended it.

    Standard streams of the numbers in ``full`` go to a device without room. The program is killed, with all that it
    started, and ``TimeoutExpired`` is raised, when it takes longer than ``seconds``.
    """
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        Path("/dev/full").open("wb") as device,
    ):
        given.write(stdin.encode())
        given.seek(0)
        task = {"words": words, "folder": str(folder), "environment": {**os.environ, **PLAIN, **(environment or {})}}
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(_start_server())
            files = [
                device.fileno() if number in full else each.fileno() for number, each in enumerate((given, out, err))
            ]
            socket.send_fds(line, [b"!"], files)
            line.sendall(json.dumps(task).encode() + b"\n")
            code = _answer(line, words, seconds)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read().decode(), err.read().decode())


def _answer(line: socket.socket, words: tuple[str, ...], seconds: float) -> int:
    """The exit code, which the server sends after the number of the process."""
    with line.makefile("r") as reader:
        number = int(reader.readline())
        line.settimeout(seconds)
        try:
            return int(reader.readline())
        except TimeoutError:
            with suppress(ProcessLookupError):
                os.killpg(number, signal.SIGKILL)
            raise subprocess.TimeoutExpired(words, seconds) from None


def list_forked_words() -> tuple[str, ...]:
    """The program as a command that is forked, for what starts it by itself."""
    return (sys.executable, "-I", "-S", str(Path(__file__).with_name("forked_program.py")), _start_server())


@cache
def _start_server() -> str:
    """The address of the process that is forked, which ends with this one."""
    folder = tempfile.TemporaryDirectory(prefix="aggregator-program-")
    address = f"{folder.name}/socket"
    command = [sys.executable, "-m", "tests.support.program", address]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, **PLAIN, "PYTHONPATH": path}
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def end() -> None:
        server.communicate(timeout=30)
        folder.cleanup()

    atexit.register(end)
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    return address


def _serve(address: str) -> None:
    """Fork for each connection, until standard input is closed."""
    names = {module.name for module in pkgutil.walk_packages(aggregator.__path__, "aggregator.")}
    for name in sorted(names):
        importlib.import_module(name)
    _warm_up()
    forks.parsers.load()  # once for all programs, which inherit our end of its socket
    forks.composers.fork_template()
    gc.collect()
    gc.freeze()  # or each program looks through all modules for garbage when it ends
    waker, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    programs: dict[int, socket.socket] = {}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)  # noqa: T201 - the parent waits for it
        while sys.stdin not in (ready := select.select([listener, sys.stdin, waker, *programs.values()], [], [])[0]):
            for number, line in programs.items():
                if line in ready:  # the one who asked was killed
                    os.kill(number, signal.SIGKILL)
            if waker in ready:
                os.read(waker, 4096)
            _report_ended(programs)
            if listener in ready:
                line, _ = listener.accept()
                number = _start(line, (listener.fileno(), waker, wake, *(each.fileno() for each in programs.values())))
                programs[number] = line
                line.sendall(f"{number}\n".encode())


def _warm_up() -> None:
    """Refresh a feed in this process, so that the programs find compiled what is compiled at first use."""
    listings = ROOT / "samples/pytorch"
    with tempfile.TemporaryDirectory() as folder:
        sources = {name: {"kind": "listing", "path": f"{listings}/{name}.txt"} for name in ("casts", "podyssey")}
        config = write_config(Path(folder), {"pytorch": make_feed("Developers", sources)})
        os.environ["AGGREGATOR_IN_PROCESS"] = "1"
        refresh.refresh(load(config), at=datetime(2026, 1, 2, tzinfo=UTC))
        del os.environ["AGGREGATOR_IN_PROCESS"]


def _start(line: socket.socket, files_of_server: Collection[int]) -> int:
    """Start the program in a process of its own, as the task says that is sent; return its number."""
    _, files, *_ = socket.recv_fds(line, 1, 3)
    with line.makefile("r") as reader:
        task = json.loads(reader.readline())
    number = os.fork()
    if number == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (line.fileno(), *files_of_server):
            os.close(each)
        _become(task, files)
    for each in files:
        os.close(each)
    return number


def _report_ended(programs: dict[int, socket.socket]) -> None:
    """Send the exit codes of the programs that have ended."""
    for number in list(programs):
        ended, status = os.waitpid(number, os.WNOHANG)
        if ended:
            with programs.pop(number) as line, suppress(BrokenPipeError):  # the one who asked has given up
                line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _become(task: dict[str, object], files: list[int]) -> NoReturn:
    """Be the program, to its end."""
    os.setsid()
    for place, file in enumerate(files):
        os.dup2(file, place)
        os.close(file)
    os.chdir(str(task["folder"]))
    os.environ.clear()
    os.environ.update(task["environment"])  # type: ignore[call-overload]  # names and values, as they were sent
    for stream in (sys.stdout, sys.stderr) if "PYTHONUNBUFFERED" in os.environ else ():
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # nothing has replaced them
    time.tzset()
    main = sys.modules["__main__"]
    main.__spec__, main.__package__ = cli.__spec__, None  # processes that it starts load that one again
    sys.argv = ["aggregator", *task["words"]]  # type: ignore[misc]  # words, as they were sent
    _end(cli.main)


def _end(main: Callable[[], NoReturn]) -> NoReturn:
    """Run the program and end as the interpreter does, except that no memory is given back.

    For that each object is written to, and so each page copied that the processes have in common: four fifths of the
    time of a small command.
    """
    status = 1
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001 - printed, as the interpreter does
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1])
