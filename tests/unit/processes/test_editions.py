"""What a compose process returns is read as the work of a stranger."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import pytest

from aggregator.config.settings import Config
from aggregator.errors import PublishError
from aggregator.generator.storage.output import Output
from aggregator.model.feed import Channel, Plan
from aggregator.model.record import encode_msgpack
from aggregator.processes import editions
from aggregator.processes.editions import Edition
from aggregator.sandbox import calls, forks
from aggregator.sandbox.calls import Returned
from aggregator.sandbox.limits import Limits
from aggregator.store import cache, database
from aggregator.store.cache import CachePart

AT = datetime(2024, 5, 1, tzinfo=UTC)
PLAN = Plan("show", Channel("show", "Show", ""), ())
NOTHING = Edition()


@pytest.mark.parametrize("part", [b"", b"\xc1", b"\x07", b"\x81\xa4type\xa5Other", b"\x81\xa4type\xa9CachePart"])
def test_a_part_that_cannot_be_read_costs_its_feed_only_and_nothing_is_written(tmp_path: Path, part: bytes) -> None:
    file = TemporaryFile()  # noqa: SIM115 - closed by the program
    calls.write_part(file, encode_msgpack(CachePart("repair", {"a": b"1"})))
    calls.write_part(file, part)
    calls.answer({"compose": lambda: NOTHING}, calls.encode("compose"), file)
    file.seek(0)
    with database.open_store(str(tmp_path / "store.db")) as store:
        with (
            Returned(file, Edition, ()) as composed,
            pytest.raises(PublishError, match=r"^show: cannot be composed: .+cannot be read"),
            database.transaction(store) as tx,
        ):
            editions.write_parts(tx, Output(tmp_path / "output"), PLAN, composed)
        assert cache.read_cached(store, "show", "repair", ["a"]) == {}


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
