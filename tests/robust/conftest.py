"""The town of each test; see harness.py."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import harness
from harness import Town


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with harness.town(tmp_path) as stage:
        yield stage
