"""Commands that the desk starts: each a process of its own, whose lines are shown while it runs.

A refresh can take minutes and must not slow down the server; a crash of it must not end the server either.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Final, Self

from msgspec import Struct, field

from aggregator.service.desk.errors import BusyError
from aggregator.translation.marks import N_

_MOST_RUNNING: Final = 2
_MOST_KEPT: Final = 50
_MOST_LINES: Final = 2000
_MOST_OUTPUT: Final = 64_000_000
_ENDING_SECONDS: Final = 10.0
_PROGRAM: Final = (sys.executable, "-P", "-m", "aggregator.cli")
"""The program itself; without ``-P`` a file of the current folder with its name would be run in its place."""


_NO_NAMES: Final[Mapping[str, str]] = {}


class Job(Struct):
    """A command that was started: its lines so far, its exit code once it has ended, and what it printed as JSON.

    ``then`` is the page that shows the outcome, if one does. ``heading`` is a message for its page, which has the
    placeholders ``feed`` and those of ``names``.
    """

    number: int
    kind: str
    feed: str
    begun: datetime
    heading: str
    names: Mapping[str, str] = {}
    lines: list[str] = field(default_factory=list)
    code: int | None = None
    ended: datetime | None = None
    output: bytes = b""
    then: str = ""

    @property
    def is_refresh(self) -> bool:
        """Return whether it refreshes a feed, or polls a source of it."""
        return self.kind == "refresh" or self.kind.startswith("poll of ")


class Jobs:
    """The commands that this desk started, the last fifty."""

    def __init__(self, config: Path, hide: Callable[[str], str]) -> None:
        """Start commands with this config file; ``hide`` removes secrets from what they print."""
        self._config = config
        self._hide = hide
        self._lock = Lock()
        self._known: dict[int, Job] = {}
        self._children: set[subprocess.Popen[bytes]] = set()
        self._last = 0
        self._ended = False

    def start(  # noqa: PLR0913 - each is an option of a job
        self,
        kind: str,
        feed: str,
        words: Sequence[str],
        *,
        heading: str,
        names: Mapping[str, str] = _NO_NAMES,
        as_json: bool = False,
        configured: bool = True,
        draft: Path | None = None,
        then: str = "",
    ) -> Job:
        """Start a command about a feed, or return the one of that kind that is under way; raise BusyError.

        It is given the config file if it is ``configured``, or a ``draft`` of it that is deleted afterwards. With
        ``as_json`` its standard output is kept as a whole, and only its messages are lines.
        """
        with self._lock:
            running = [job for job in self._known.values() if job.code is None]
            for job in running:
                if (job.kind, job.feed) == (kind, feed) and draft is None:
                    return job
            if len(running) >= _MOST_RUNNING:
                under_way = ", ".join(f"{job.kind} {job.feed}" for job in running)
                raise BusyError(N_("wait until this has ended: %(commands)s"), commands=under_way)
            self._last += 1
            begun = datetime.now(UTC).replace(microsecond=0)
            job = self._known[self._last] = Job(self._last, kind, feed, begun, heading, names, then=then)
            for number in list(self._known)[:-_MOST_KEPT]:
                if self._known[number].code is not None:
                    del self._known[number]
        words = (*words, "--config", str(draft or self._config)) if configured else words
        Thread(target=self._run, args=(job, words, as_json, draft), daemon=True).start()
        return job

    def refresh(self, feed: str, source: str = "", *, then: str = "") -> Job:
        """Start the refresh of a feed, also of sources that are not due; with a source that alone is polled.

        ``then`` is the page to which the page of the job leads.
        """
        which = ("--source", source) if source else ("--force",)
        kind = f"poll of {source}" if source else "refresh"
        heading = N_("Poll of %(source)s") if source else N_("Refresh of %(feed)s")
        words = ("refresh", "--feed", feed, *which, "--wait", "--verbose", "--json")
        return self.start(kind, feed, words, heading=heading, names={"source": source}, as_json=True, then=then)

    def call(self, words: Sequence[str], *, seconds: float) -> tuple[str, ...]:
        """Run a command with the config file to its end, and return its lines; raise BusyError if it takes too long."""
        with self._open((*words, "--config", str(self._config)), subprocess.PIPE) as child:
            try:
                out, messages = child.communicate(timeout=seconds)
            except subprocess.TimeoutExpired as error:
                child.kill()
                raise BusyError(N_("this takes too long now; try again later")) from error
        return tuple(self._hide((out or messages).decode("utf-8", "replace")).splitlines())

    def find(self, number: int) -> Job | None:
        """Return the job of that number, ``None`` if it is not known any more."""
        return self._known.get(number)

    def newest(self, kind: str, feed: str) -> Job | None:
        """Return the last job of a kind about a feed, ``None`` if there was none."""
        with self._lock:
            found = [job for job in self._known.values() if (job.kind, job.feed) == (kind, feed)]
        return found[-1] if found else None

    def running(self) -> tuple[Job, ...]:
        """Return the jobs that have not ended."""
        with self._lock:
            return tuple(job for job in self._known.values() if job.code is None)

    def __enter__(self) -> Self:
        """Run commands in the body."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the commands that run, and start no more."""
        with self._lock:
            self._ended = True
            children = tuple(self._children)
        for child in children:
            child.terminate()
        for child in children:
            try:
                child.wait(_ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()

    @contextmanager
    def _open(self, words: Sequence[str], messages: int) -> Iterator[subprocess.Popen[bytes]]:
        """Run the program in the body; raise BusyError if the server ends."""
        with self._lock:
            if self._ended:
                raise BusyError(N_("the server is ending"))
            child = subprocess.Popen(  # noqa: S603 - the program itself
                [*_PROGRAM, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=messages,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
            )
            self._children.add(child)
        try:
            with child:
                yield child
        finally:
            with self._lock:
                self._children.discard(child)

    def _run(self, job: Job, words: Sequence[str], as_json: bool, draft: Path | None) -> None:  # noqa: FBT001 - of a thread
        code = 1
        try:
            with self._open(words, subprocess.PIPE if as_json else subprocess.STDOUT) as child:
                if as_json and child.stdout is not None and child.stderr is not None:
                    reader = Thread(target=_read_lines, args=(child.stderr, job, self._hide), daemon=True)
                    reader.start()
                    job.output = self._hide(child.stdout.read(_MOST_OUTPUT).decode("utf-8", "replace")).encode()
                    reader.join()
                elif child.stdout is not None:
                    _read_lines(child.stdout, job, self._hide)
            code = child.returncode
        except OSError as error:
            job.lines.append(f"the command cannot be started: {error.strerror}")
        except BusyError as error:
            job.lines.append(str(error))
        if draft is not None:
            draft.unlink(missing_ok=True)
        job.ended = datetime.now(UTC).replace(microsecond=0)
        job.code = code


def _read_lines(stream: IO[bytes], job: Job, hide: Callable[[str], str]) -> None:
    for line in stream:
        if len(job.lines) < _MOST_LINES:
            job.lines.append(hide(line.decode("utf-8", "replace").rstrip().replace("\r", " ")))
