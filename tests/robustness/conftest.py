"""The town of each test; see harness.py."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import harness
from tests.support.harness import Town


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with harness.town(tmp_path) as stage:
        yield stage
