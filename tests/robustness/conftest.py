"""The workspace of each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.workspace import Workspace, open_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(tmp_path) as opened:
        yield opened
