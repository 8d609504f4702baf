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
    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(CostError, match=f"^it takes more than {why}$"), limited(limits):
        work()
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert len(bytes(200_000_000)) == 200_000_000


def test_work_that_no_timer_could_end_is_told_at_its_end() -> None:
    """One call into C takes no signal; a virtual machine without its processor gets them late."""
    with pytest.raises(CostError), limited(Limits(0, 60, 100)):
        sum(range(1000))
