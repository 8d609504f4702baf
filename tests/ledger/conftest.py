"""A real ledger for each test: an SQLite file, and a PostgreSQL database where its server is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from aggregator.ledger import ledger
from aggregator.ledger.ledger import Ledger


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "ledger.db")


@pytest.fixture
def book(state: str) -> Iterator[Ledger]:
    with ledger.open(state) as opened:
        yield opened
