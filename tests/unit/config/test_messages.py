from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from aggregator.config.load import load
from aggregator.errors import ConfigError

CASES = yaml.safe_load((Path(__file__).parent / "data" / "wrong.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["label"])
def test_a_wrong_config_is_told_line_by_line(
    case: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(str(case["config"]), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(Path("config.yaml"))
    assert case["says"] == str(caught.value).splitlines()


def test_a_missing_file_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file or directory; use -c FILE for another config"):
        load(tmp_path / "config.yaml")


def test_bytes_that_are_not_utf8_are_told(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"output: \xff")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 8"):
        load(path)


def test_a_bomb_of_aliases_ends(tmp_path: Path) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 30)]
    path = tmp_path / "config.yaml"
    path.write_text("\n".join(rows), encoding="utf-8")
    with pytest.raises(ConfigError, match="a0: unknown key"):
        load(path)
