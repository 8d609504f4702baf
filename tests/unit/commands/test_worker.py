from __future__ import annotations

import calendar
import re
import time
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from aggregator.commands.log import Log
from aggregator.commands.worker import _work
from aggregator.config.load import load
from aggregator.model.results import Outcome
from aggregator.service import workers
from aggregator.service.workers import Worker
from aggregator.store import database
from aggregator.store.database import Claim

CONFIG = "feeds: {sea: {title: Sea, link: 'https://sea.example/', sources: {host: {kind: feed, path: sea.xml}}}}\n"


def test_a_job_is_printed_with_its_time_in_utc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.yaml").write_text(CONFIG, encoding="utf-8")
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    monkeypatch.setattr(workers, "refresh_sent", lambda *_: ((Outcome("sea", new=1),), 0))
    lines = Log("text")
    worker = Worker(load(tmp_path / "config.yaml"), lines.say, lines.warn)
    before = time.time()
    (tmp_path / ".aggregator").mkdir()
    with database.open_store(worker.config.state) as store:
        _work(worker, store, Claim("token", ("sea",)), None, "owner", MagicMock(), lines)
    monkeypatch.undo()
    time.tzset()
    (printed,) = re.findall(r"^(\S+ \S+)Z$", capsys.readouterr().out, re.MULTILINE)
    shown = calendar.timegm(time.strptime(printed, "%Y-%m-%d %H:%M:%S"))
    assert before - 1 <= shown <= time.time()
