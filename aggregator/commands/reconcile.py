"""The command ``reconcile``: copies of texts in, one reading of each out, as lines of JSON."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TextIO

from aggregator.merger.blending import reconcile_jsonl
from aggregator.merger.blending.source_model import EMPTY_MODEL


def run(source: TextIO, sink: TextIO, errors: TextIO, *, learn: bool) -> int:
    """Answers each line of ``source`` on ``sink``, in order; the exit code: 0, or 1 where a line was malformed.

    Malformed lines are told on ``errors`` by number and passed over. With ``learn`` the input is read twice: what
    cannot be read again (a pipe) is kept in a temporary file meanwhile.
    """
    faults = 0
    with _rereadable(source) if learn else nullcontext(source) as copy:
        lore = EMPTY_MODEL
        if learn:
            lore = reconcile_jsonl.learn_lines(reconcile_jsonl.parse_lines(reconcile_jsonl.read_lines(copy)))
            copy.seek(0)
        for answer in reconcile_jsonl.answer_lines(reconcile_jsonl.parse_lines(reconcile_jsonl.read_lines(copy)), lore):
            if isinstance(answer, reconcile_jsonl.LineFault):
                faults += 1
                errors.write(f"line {answer.line}: {answer.reason}\n")
            else:
                sink.write(reconcile_jsonl.format_answer(*answer) + "\n")
    return 1 if faults else 0


@contextmanager
def _rereadable(source: TextIO) -> Iterator[TextIO]:
    """The source in a temporary file, so that its lines can be read twice."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="surrogatepass", newline="") as copy:
        shutil.copyfileobj(source, copy)
        copy.seek(0)
        yield copy
