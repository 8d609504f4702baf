from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aggregator.config import edit
from aggregator.config.change import Addition, add_sources
from aggregator.config.load import check
from aggregator.config.parse import parse
from aggregator.config.schema import ItemField
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.merger.reconciling import overrides

KEYS = (
    *("state", "output", "base_url", "contact", "allow_networks", "feeds", "a", "b", "title", "sources", "kind", "url"),
    *(
        "path",
        "show",
        "only",
        "trust",
        "options",
        "refresh",
        "decisions",
        "same",
        "overrides",
        "hubs",
        "persons",
        "items",
    ),
)
SIGNS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]")
WORDS = st.sampled_from(
    [
        *KEYS,
        *registry.KINDS,
        "https://example.org/",
        "http://[::1",
        "http://a:99999",
        "10.0.0.0/8",
        "* * * * *",
        "(",
        "",
        "\x00",
        "\x1e",
        "a\nb",
        "\x1b[1m",
        "\x85\u2028",
        "\u202e",
    ]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(), WORDS, st.text(max_size=6))
VALUES = st.recursive(
    SCALARS,
    lambda below: st.one_of(
        st.lists(below, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.integers(0, 2), st.booleans()), below, max_size=4),
    ),
    max_leaves=12,
)
SOURCES = st.dictionaries(
    st.sampled_from(["a", "b", "x y"]),
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("kind", "url", "path", "show", "only", "trust", "options"), VALUES)
    ),
    max_size=2,
)
FEEDS = st.fixed_dictionaries({}, optional={"title": VALUES, "sources": st.one_of(VALUES, SOURCES), "refresh": VALUES})
CONFIGS = st.one_of(VALUES, st.fixed_dictionaries({"feeds": st.dictionaries(st.sampled_from(["f", "F"]), FEEDS)}))


def told(text: str) -> list[str] | None:
    try:
        check(text, "c.yaml")
    except ConfigError as error:
        return str(error).split("\n")
    return None


@given(CONFIGS)
@example({"feeds": {"f": {"refresh": "\x1e"}}})
@example({"feeds": {"f": {"title": "A", "sources": {"a\nb": {"kind": "\x85\u2028"}}}}})
@settings(max_examples=40, deadline=None)
def test_whatever_is_written_is_taken_or_told(values: object) -> None:
    lines = told(yaml.safe_dump(values, allow_unicode=True))
    assert all(line.startswith("c.yaml") and len(line) < 1500 and not SIGNS.search(line) for line in lines or ())


@given(st.text(alphabet="a:-{}[]&*!|>'\"#%@`, \n\t?<", max_size=60))
@settings(max_examples=40, deadline=None)
def test_whatever_is_no_yaml_is_told(text: str) -> None:
    lines = told(text)
    assert all(line.startswith("c.yaml") and not SIGNS.search(line) for line in lines or ())


NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)


@given(
    st.lists(
        st.tuples(NAMES, NAMES, st.text(min_size=1, max_size=20).filter(str.strip)),
        min_size=1,
        max_size=5,
        unique_by=lambda one: one[1],
    )
)
@settings(max_examples=50, deadline=None)
def test_an_edited_config_is_sound_and_keeps_every_line(rows: list[tuple[str, str, str]]) -> None:
    path = Path(__file__).parent / "data" / "kept.yaml"
    before = path.read_text(encoding="utf-8")
    additions = [
        Addition(feed, name, (("kind", "feed"), ("url", "https://e.org/")), title) for feed, name, title in rows
    ]
    after = add_sources(parse(before, "c.yaml"), additions).text
    kept = iter(after.splitlines())
    assert all(line in kept for line in before.splitlines())
    known = parse(after, "c.yaml").values["feeds"]
    assert all(known[feed]["sources"][name]["kind"] == "feed" for feed, name, _ in rows)


@pytest.mark.parametrize(
    "sources",
    [
        "&both\n      host: {kind: feed, url: https://a.example/}\n  other:\n    title: B\n    sources: *both\n",
    ],
)
def test_what_cannot_be_added_without_changing_more_is_refused(tmp_path: Path, sources: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(before := f"feeds:\n  show:\n    title: A\n    sources: {sources}", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"^feeds\.show cannot be extended here as the config is written: edit the file$"
    ):
        edit.add(path, lambda _: [Addition("show", "apple", (("kind", "apple"), ("show", "123")))])
    assert path.read_text(encoding="utf-8") == before


def test_what_may_be_overridden_is_what_can_be() -> None:
    assert set(get_args(ItemField)) == set(overrides.FIELDS)
