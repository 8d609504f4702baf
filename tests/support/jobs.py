"""Tasks for forks: each does the thing that its task names."""

import json
import os
import signal
import time
from collections.abc import Callable
from typing import IO


def run(task: bytes, out: IO[bytes], note: Callable[[str], None]) -> None:
    """Do the task, a list of a name and what it needs."""
    what, *given = json.loads(task)
    note(f"doing {what}")
    if what == "spin":
        while True:
            pass
    if what == "sleep":
        time.sleep(given[0])
    if what == "grow":
        out.write(bytes(given[0] * 1_048_576)[:4])
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "fail":
        raise ValueError("it fails")
    if what == "parent":
        out.write(str(os.getppid()).encode())
        return
    out.write(json.dumps([os.getpid(), what, *given]).encode())
