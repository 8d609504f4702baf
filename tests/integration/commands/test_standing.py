from __future__ import annotations

import os
from pathlib import Path

import pytest

from aggregator.commands.tick import Standing
from aggregator.config.load import load


def changed(path: Path, text: str) -> None:
    before = path.stat().st_mtime_ns
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_a_changed_config_takes_effect_and_a_wrong_one_does_not(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shop / "config.yaml"
    standing = Standing(load(path))
    assert standing.latest().plans[0].channel.title == "Crumb Talk"
    sound = path.read_text(encoding="utf-8")
    changed(path, sound.replace("title: Crumb Talk", "title: Crust Talk"))
    assert standing.latest().plans[0].channel.title == "Crust Talk"
    changed(path, sound.replace("title:", "titel:"))
    for _ in range(2):
        assert standing.latest().plans[0].channel.title == "Crust Talk"
    path.unlink()
    assert standing.latest().plans[0].channel.title == "Crust Talk"
    said = capsys.readouterr()
    assert said.out == f"{path}: read again\n"
    assert said.err.count("unknown key") == 1
    assert said.err.count("the previous config stays in use") == 2
