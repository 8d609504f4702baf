"""The desk over feeds that are published to a bucket."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.integration.service.desk.conftest import opened
from tests.integration.service.desk.test_pages import list_another, wait
from tests.support.program import run_program
from tests.support.servers import running_s3


def test_changes_are_shown_and_published_and_every_page_answers(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_s3(tmp_path / "objects") as s3:
        for name, value in s3.environment.items():
            monkeypatch.setitem(os.environ, name, value)
        config = home / "config.yaml"
        config.write_text("output: s3://feeds/my\n" + config.read_text())
        done = run_program(home, "refresh", "--at", "2026-01-02T04:04:05Z", environment=s3.environment)
        assert done.returncode == 0, done.stderr
        before = s3.read()
        list_another(home)
        with opened(home) as visitor:
            guid = quote(visitor.json("/feeds/crumb-talk.json")["items"][0]["guid"])
            feed = "/feeds/crumb-talk"
            below = ("", f"/item?guid={guid}", "/sources/topic", "/sources/topic/settings", "/review", "/changes")
            for page in ("/", "/system", *(f"{feed}{path}" for path in below)):
                assert visitor.get(page).status_code == 200, page
            visitor.get(f"{feed}/changes")
            visitor.press("Compare")
            wait(visitor, "/jobs/1.json")
            assert visitor.json(f"{feed}/changes.json")["feeds"]
            assert s3.read() == before
            visitor.get(f"{feed}/changes")
            visitor.press("Publish Crumb Talk")
            wait(visitor, "/jobs/2.json")
            assert b"Salt" in s3.read()["my/crumb-talk/feed.json"]
