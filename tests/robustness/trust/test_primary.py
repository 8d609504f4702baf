"""The primary source of a feed outranks all others, and `check` says where one is missing."""

from pathlib import Path

import pytest

from aggregator.commands import check
from aggregator.config.load import load
from aggregator.errors import ConfigError

SOURCES = """
feeds:
  ferries:
    title: Ferries
    sources:
      one: {kind: feed, url: "https://one.example/feed.xml"}
      two: {kind: feed, url: "https://two.example/feed.xml"}
      list: {kind: listing, url: "https://list.example/"}
"""


def config(folder: Path, more: str = "") -> Path:
    path = folder / "config.yaml"
    path.write_text(SOURCES + more, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["one", "two", "list"])
def test_the_primary_source_is_trusted_more_than_every_other(tmp_path: Path, name: str) -> None:
    second = "  other:\n    title: Other\n    sources: {top: {kind: feed, trust: 1, url: https://a.example/}}\n"
    more = f"    primary: {name}\n{second}"
    ferries, other = load(config(tmp_path, more)).plans
    trust = {source.name: source.trust for source in ferries.sources}
    assert ferries.keeps == {name}
    assert trust[name] == 1
    assert all(value < 1 for each, value in trust.items() if each != name)
    assert other.sources[0].trust == 1


def test_a_primary_source_that_is_none_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"primary: there is no source three; there are list, one, two"):
        load(config(tmp_path, "    primary: three\n"))


def test_check_warns_where_the_most_trusted_are_trusted_alike(tmp_path: Path, capsys) -> None:
    check.run(config(tmp_path))
    assert "one and two have the same trust (0.8)" in capsys.readouterr().out
    for without_ties in ("    primary: two\n", "    mixed: true\n"):
        check.run(config(tmp_path, without_ties))
        assert "same trust" not in capsys.readouterr().out
