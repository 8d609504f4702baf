"""Commands that the desk starts: what they run, and how long."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from aggregator.service.desk.errors import BusyError
from aggregator.service.desk.jobs import Jobs


def test_a_file_of_the_current_folder_is_not_run_in_place_of_the_program(
    refreshed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aggregator", "typer", "msgspec"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    jobs = Jobs(refreshed / "config.yaml", str)
    assert "nothing wrong" in "".join(jobs.call(("check",), seconds=60))
    job = jobs.start("check", "", ("check",), heading="")
    wait_for_end(jobs, job.number)
    assert job.code == 0
    assert not (tmp_path / "run").exists()


def test_commands_end_with_the_server(home: Path, free_port: int) -> None:
    jobs = Jobs(home / "config.yaml", str)
    with jobs:
        job = jobs.start("serve", "", ("serve", "--no-refresh", "--no-desk", "--port", str(free_port)), heading="")
        end = time.monotonic() + 180
        while not job.lines and time.monotonic() < end:
            time.sleep(0.05)
        assert job.lines
        assert job.code is None
    wait_for_end(jobs, job.number)
    assert job.code is not None
    with pytest.raises(BusyError, match="ending"):
        jobs.call(("check",), seconds=60)


def wait_for_end(jobs: Jobs, number: int) -> None:
    end = time.monotonic() + 180
    while any(each.number == number for each in jobs.running()) and time.monotonic() < end:
        time.sleep(0.02)
