"""What a compose process returns is read as the work of a stranger."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest

from aggregator.config.load import Config
from aggregator.errors import PublishError
from aggregator.generator.storage.output import Output
from aggregator.model.feed import Channel, Plan
from aggregator.processes import editions
from aggregator.sandbox import forks
from aggregator.sandbox.limits import Limits
from aggregator.store import database

AT = datetime(2024, 5, 1, tzinfo=UTC)
PLAN = Plan("show", Channel("show", "Show", ""), ())


@pytest.mark.parametrize(
    "written", [b"", b"\0", b"\0" * 7 + b"\x09no", b"\0" * 7 + b"\x01\xc1", b"\0" * 7 + b"\x01\x07"]
)
def test_what_is_no_edition_costs_its_feed_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: bytes
) -> None:
    def run(_task: bytes, _limits: Limits) -> IO[bytes]:
        file = TemporaryFile()  # noqa: SIM115 - closed by the program
        file.write(written)
        file.seek(0)
        return file

    monkeypatch.setattr(forks.composers, "run", run)
    config = Config(tmp_path / "config.yaml", "store.db", Output(tmp_path / "output"), "", None, (), (PLAN,))
    with (
        database.open_store(str(tmp_path / "store.db")) as store,
        pytest.raises(PublishError, match=r"^show: .+cannot be"),
    ):
        editions.compose(config, store, PLAN, AT)
