"""The parsers that judge what is published."""

from pathlib import Path

import pytest

from tests.support.tools import need, need_npm_parsers


@pytest.fixture(scope="session")
def parsers() -> Path:
    """The script that asks the three parsers of npm; xmllint is there too."""
    need("xmllint")
    return need_npm_parsers()
