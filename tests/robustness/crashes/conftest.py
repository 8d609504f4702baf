"""What the tests of one refresh under strace begin with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.rss import make_rss
from tests.support.tools import need_strace
from tests.support.workspace import NOON, Workspace, make_item


@pytest.fixture
def once(workspace: Workspace) -> Workspace:
    """A workspace after one refresh, with something new to publish."""
    need_strace()
    home = workspace.folder / "home"
    home.mkdir()
    copy = replace(workspace, folder=home)
    copy.config("host")
    copy.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))
    assert copy.refresh(NOON).returncode == 0
    copy.serve("/host", make_rss(*(make_item(number) for number in range(3, 9))))
    return copy
