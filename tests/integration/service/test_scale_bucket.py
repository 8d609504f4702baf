"""Workers that publish to a bucket: a lease that ends during an upload leaves no file of an earlier edition."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fleet import Fleet, round_time, running_fleet
from tests.support.s3_gate import running_gate
from tests.support.servers import running_postgresql, running_redis, running_s3
from tests.support.waiting import wait_for


def read_folder(fleet: Fleet, name: str) -> dict[str, bytes]:
    """The published files, but packed copies, which a bucket has not."""
    folder = fleet.folder / f"output-{name}"
    plain = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".gz")
    return {f"my/{path.relative_to(folder)}": path.read_bytes() for path in plain}


def test_a_worker_whose_lease_ends_during_an_upload_leaves_no_earlier_edition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        running_fleet(tmp_path / "fleet") as fleet,
        running_postgresql("-F") as postgresql,
        running_redis() as redis,
        running_s3(tmp_path / "objects") as s3,
        running_gate(s3.environment["AWS_ENDPOINT_URL"]) as (gate, address),
    ):
        for name, value in s3.environment.items():
            monkeypatch.setenv(name, value)
        state = postgresql.make_database("bucket")
        shared = fleet.config("bucket", state, feeds=1, queue=redis.address, lease_seconds=6, output="s3://feeds/my")
        alone = fleet.config("alone", "alone.db", feeds=1)
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        fleet.workers(shared, 1, threads=1)
        fleet.dispatch(shared, 0)
        gate.opened.clear()
        fleet.ask("round/3")
        fleet.start("dispatch", "-c", shared.name, "--once", "--at", round_time(3))
        wait_for(gate.is_held.is_set)
        monkeypatch.setenv("AWS_ENDPOINT_URL", s3.environment["AWS_ENDPOINT_URL"])
        fleet.workers(shared, 1, threads=1)
        fleet.dispatch(shared, 6)
        for now in (0, 3, 6):
            fleet.refresh(alone, now)
        assert s3.read() == read_folder(fleet, "alone")
        gate.opened.set()
        wait_for(lambda: "show-0: took nine tenths of lease_seconds" in fleet.logs() and not gate.under_way)
        fleet.dispatch(shared, 6)
        assert s3.read() == read_folder(fleet, "alone")
        assert "Traceback" not in fleet.logs(), fleet.logs()
