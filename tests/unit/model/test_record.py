"""Decoders that several threads make at once."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.paths import ROOT

PROGRAM = """
import sys, threading, types
from aggregator.model.record import make_json_decoder, make_msgpack_decoder
sys.setswitchinterval(1e-6)
lines = ["from __future__ import annotations", "from msgspec import Struct", "class T0(Struct): a: int = 0"]
for n in range(1, 60):
    lines += [f"class T{n}(Struct):", f"    a: T{n - 1} | None = None", f"    b: tuple[T{n - 1}, ...] = ()"]
module = sys.modules["made"] = types.ModuleType("made")
exec("\\n".join(lines), module.__dict__)
barrier = threading.Barrier(8)

def decode(make):
    barrier.wait()
    decoder = make(module.T59)
    if make is make_json_decoder:
        assert decoder.decode(b'{"a": {"b": [{"a": {}}]}}').a.b[0].a.b == ()

threads = [threading.Thread(target=decode, args=[make]) for make in (make_json_decoder, make_msgpack_decoder) * 4]
[each.start() for each in threads]
[each.join() for each in threads]
"""


def test_threads_that_need_a_decoder_at_once_do_not_end_the_process() -> None:
    """Seen: a worker of four threads ended by a segmentation fault in its first message."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
