"""Work in this process ends at its limits, and they are gone afterwards."""

from __future__ import annotations

import resource
import signal

import pytest

from aggregator.sandbox.limits import CostError, Limits, limited


def spin() -> None:
    while True:
        pass


def grow() -> None:
    held = []
    while True:
        held.append(bytes(10_000_000))


@pytest.mark.parametrize(
    ("work", "limits", "why"),
    [(spin, Limits(0, 60, 100), "0 s of processor time"), (grow, Limits(60, 60, 100), "100 MB of memory")],
)
def test_work_that_costs_too_much_ends_and_the_next_is_free(work, limits, why) -> None:
    before = [resource.getrlimit(kind) for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS)]
    with pytest.raises(CostError, match=f"^it takes more than {why}$"), limited(limits):
        work()
    assert [resource.getrlimit(kind) for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS)] == before
    assert signal.getsignal(signal.SIGXCPU) is signal.SIG_DFL
    assert len(bytes(200_000_000)) == 200_000_000
