"""The page of the library is true: its examples run, and it names the functions and fields that there are."""

from __future__ import annotations

import doctest
import inspect
import json
import re
from pathlib import Path

import pytest
from msgspec.structs import fields

from aggregator import api
from tests.support.config import make_feed, write_config
from tests.support.origin import answer, playing
from tests.support.paths import ROOT

PAGE = ROOT / "docs/python.md"
TEXT = PAGE.read_text(encoding="utf-8")
FUNCTIONS = [name for name in api.__all__ if inspect.isfunction(getattr(api, name))]
RECORDS = [name for name in api.__all__ if name not in FUNCTIONS and name != "AggregatorError"]
RSS = b"""<rss version="2.0"><channel><title>Quay</title><item><title>Bell buoys</title><guid>b</guid></item>
</channel></rss>"""


def test_the_examples_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = re.sub(r"^```.*$", "", TEXT, flags=re.MULTILINE)
    example = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    found = doctest.DocTestRunner().run(example)
    assert (found.failed, found.attempted > 15) == (0, True)


def test_the_page_names_every_function_with_its_parameters() -> None:
    told = dict(re.findall(r"^\| `(\w+)\((.*)\) -> ", TEXT, re.MULTILINE))
    assert sorted(told) == sorted(FUNCTIONS)
    for name in FUNCTIONS:
        signature = inspect.signature(getattr(api, name))
        bare = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
        real = str(inspect.Signature(bare))[1:-1].replace("'", '"')
        assert told[name] == real


def test_the_page_names_fields_that_there_are() -> None:
    told = dict(re.findall(r"^\| `([A-Z]\w+)` \| (.+) \|$", TEXT, re.MULTILINE))
    assert sorted(told) == sorted(RECORDS)
    for name in RECORDS:
        named = set(re.findall(r"`([a-z_]+)`", told[name]))
        assert named <= {each.name for each in fields(getattr(api, name))} | {"M", "S", "i"}


def test_bytes_a_file_and_an_address_are_read_alike(tmp_path: Path) -> None:
    file = tmp_path / "feed.xml"
    file.write_bytes(RSS)
    with playing(lambda _: answer(200, RSS, ("Content-Type", "application/rss+xml"))) as origin:
        served = api.read(origin.url(), allow=("127.0.0.0/8",))
        with pytest.raises(api.AggregatorError, match="not a public address"):
            api.read(origin.url())
    titles = [[(each.key, each.title) for each in some.entries] for some in (served, api.read(RSS), api.read(file))]
    assert titles == [[("b", "Bell buoys")]] * 3
    with pytest.raises(api.AggregatorError):
        api.read(b"nothing that lists anything")
    with pytest.raises(api.AggregatorError, match="no such file"):
        api.read(tmp_path / "none.xml")


def test_a_config_is_refreshed_as_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_bytes(RSS)
    write_config(tmp_path, {"quay": make_feed("Quay", {"host": "feed.xml"})})
    (outcome,) = api.refresh(tmp_path / "config.yaml")
    assert (outcome.feed, outcome.new, outcome.failures) == ("quay", 1, ())
    (again,) = api.refresh(str(tmp_path / "config.yaml"))
    assert again.new == 0
    assert [each["title"] for each in json.loads((tmp_path / "output/quay/feed.json").read_bytes())["items"]] == [
        "Bell buoys"
    ]


def test_nothing_to_merge_is_an_error() -> None:
    with pytest.raises(api.AggregatorError, match="no listing was given"):
        api.merge({})
