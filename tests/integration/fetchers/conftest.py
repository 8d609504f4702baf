"""The origin that tests play is a module beside them."""

from collections.abc import Iterator

import pytest

from tests.support import polls


@pytest.fixture(autouse=True)
def _no_lines_left_open() -> Iterator[None]:
    """Connections kept for a next request end with the test."""
    yield
    polls.close()
