"""Be a program that ``tests.support.program`` forks: it has the streams, folder, environment, signals and end of this.

``python -I -S forked_program.py ADDRESS WORD...`` takes a hundredth of a second where to load the program takes one. Of
the signals it hands on SIGTERM and SIGINT; when it is killed, so is the program.
"""

import json
import os
import signal
import socket
import sys


def main() -> None:
    """Ask for the program, and end as it ends."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(sys.argv[1])
        socket.send_fds(line, [b"!"], [0, 1, 2])
        task = {"words": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}  # noqa: PTH109 - few imports
        line.sendall(json.dumps(task).encode() + b"\n")
        reader = line.makefile("r")
        number = int(reader.readline())
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda name, _: os.kill(number, name))
        code = int(reader.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()
