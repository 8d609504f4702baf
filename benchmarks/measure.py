"""What a program costs: processor time of it and of every process it leaves behind, in a fresh process each time."""

from __future__ import annotations

import ctypes
import os
import platform
import statistics
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # Linux, prctl(2): orphaned readers come to us to be counted


@dataclass(frozen=True, slots=True)
class Cost:
    """User and system seconds, the peak of memory in MB, and what was printed."""

    seconds: float
    megabytes: float
    said: str


def run(command: Sequence[str], folder: Path, **environment: str) -> Cost:
    """Return the cost of a command; raise ``RuntimeError`` with its output if it fails.

    Bytecode is kept beside the source, as an installed program has it: else every start compiles it anew.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with (folder / "said.txt").open("w+") as said:
        before = _children()
        process = subprocess.Popen(command, cwd=folder, stdout=said, stderr=said, env=compiled | environment)
        _, code, usage = os.wait4(process.pid, 0)
        process.returncode = status = os.waitstatus_to_exitcode(code)
        seconds, most = usage.ru_utime + usage.ru_stime, usage.ru_maxrss
        while orphans := _children() - before:
            for orphan in orphans:
                _, _, usage = os.wait4(orphan, 0)
                seconds += usage.ru_utime + usage.ru_stime
        said.seek(0)
        text = said.read()
    if status:
        raise RuntimeError(f"{' '.join(command)}: {status}\n{text[-2000:]}")
    return Cost(seconds, most / 1024, text)


def _children() -> set[int]:
    """Return the processes that are now ours to wait for."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def interleaved(works: Mapping[str, Callable[[int], float]], rounds: int) -> dict[str, list[float]]:
    """Return the costs of each work, one of each a round, so that a slow minute of the machine meets all alike."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds):
        for name, work in works.items():
            found[name].append(work(turn))
    return found


def medians(costs: Mapping[str, list[float]]) -> dict[str, float]:
    """Return the median of each."""
    return {name: statistics.median(seconds) for name, seconds in costs.items()}


def machine() -> str:
    """One line on what it was measured with."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    versions = ", ".join(
        f"{name} {metadata.version(name)}" for name in ("lxml", "feedparser", "feedgen", "requests", "SQLAlchemy")
    )
    processor = names[0] if names else platform.processor()
    return f"{processor}, {os.cpu_count()} cores; Python {platform.python_version()}; {versions}"
