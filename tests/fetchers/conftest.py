"""The origin that tests play is a module beside them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import polls


@pytest.fixture(autouse=True)
def _no_lines_left_open() -> Iterator[None]:
    """Connections kept for a next request end with the test."""
    yield
    polls.close()
