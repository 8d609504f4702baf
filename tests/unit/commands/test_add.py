from __future__ import annotations

from pathlib import Path

import pytest

from aggregator import detection
from aggregator.commands import add
from aggregator.errors import FetchError
from aggregator.model.source import DetectedSource

URL = "https://podcasts.apple.com/us/podcast/crumb-talk/id1234567"


def test_options_of_an_address_that_cannot_be_fetched_are_not_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> list[DetectedSource]:
        raise FetchError("no answer")

    monkeypatch.setattr(detection, "find_ways", fail)
    config = tmp_path / "config.yaml"
    with pytest.raises(FetchError, match="no answer"):
        add.run(URL, config=config, feed="talk", changes=["items=li"])
    assert not config.exists()
    add.run(URL, config=config, feed="talk")
    assert "apple" in config.read_text(encoding="utf-8")
