from __future__ import annotations

import os

import pytest

from aggregator.errors import AggregatorError
from aggregator.merger.matching.catalogue import Batch, match_in_processes
from aggregator.merger.matching.scoring import SHIPPED


class Killing:
    """Ends the process that decodes it."""

    def __reduce__(self) -> tuple[object, ...]:
        return os._exit, (9,)


def test_a_process_that_is_killed_is_one_line() -> None:
    batch = Batch([[{"id": "1", "source": "host", "title": Killing()}]], 1.0, SHIPPED)
    with pytest.raises(AggregatorError, match="was killed; the machine may lack memory"):
        list(match_in_processes([batch]))
