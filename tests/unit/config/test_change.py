"""Keys of a source are changed in the text of a config, and no other character with them."""

from __future__ import annotations

import difflib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.config.change import change_source, read_source
from aggregator.errors import ConfigError

TEXT = """\
# words
feeds:
  talk:   # odd   spaces
    title:   "Talk"
    # about sources
    sources:
        topic:   {kind: listing, path: topic.txt} # kept
        # next
        other:
            kind: page   # a page
            url: https://a.example/
            options:
                items: "li.episode"   # each
                date: time
            only:
                title:
                - ^A   # first
                - ^B
        # end
# tail
"""


def diff(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line[:1] + line[1:].strip() for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"]


@pytest.mark.parametrize(
    ("source", "keys", "expected"),
    [
        (
            "topic",
            {"trust": 0.5, "only": {"title": ["^A", "b: c"], "since": "2024-01-01"}},
            [
                "-topic:   {kind: listing, path: topic.txt} # kept",
                (
                    '+topic:   {kind: listing, path: topic.txt, trust: 0.5, only: {title: ["^A", "b: c"], '
                    'since: "2024-01-01"}} # kept'
                ),
            ],
        ),
        ("other", {"options": {"items": "li.episode", "date": "span"}}, ["-date: time", "+date: span"]),
        ("other", {"options": {"items": "li.episode"}}, ["-date: time"]),
        ("other", {"only": {}}, ["-only:", "-title:", "-- ^A   # first", "-- ^B"]),
        ("other", {"only": {"title": "^C"}}, ["-title:", "-- ^A   # first", "-- ^B", '+title: "^C"']),
        ("other", {"only": {"title": ["^A", "^B"]}, "trust": None}, []),
        ("other", {"trust": 0.25}, ["+trust: 0.25"]),
    ],
)
def test_only_what_differs_is_written(source: str, keys: dict, expected: list[str]) -> None:
    assert diff(TEXT, change_source(TEXT, "talk", source, keys)) == expected


def test_a_change_can_be_taken_back() -> None:
    changed = change_source(TEXT, "talk", "topic", {"trust": 0.3, "only": {"type": "trailer"}})
    assert change_source(changed, "talk", "topic", {"trust": None, "only": {}}) == TEXT


def test_what_cannot_be_changed_alone_is_refused() -> None:
    shared = "feeds: {a: {sources: {one: &x {kind: feed, trust: 1.0}, two: *x}}}"
    with pytest.raises(ConfigError, match="edit the file"):
        change_source(shared, "a", "two", {"trust": 0.5})
    with pytest.raises(ConfigError, match=r"no feeds\.a\.sources\.three"):
        change_source(shared, "a", "three", {"trust": 0.5})


WORDS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=9)
KEYS = st.fixed_dictionaries(
    {},
    optional={
        "trust": st.none() | st.integers(0, 100).map(lambda number: number / 100),
        "only": st.dictionaries(st.sampled_from(["title", "since", "show"]), WORDS | st.lists(WORDS, min_size=1)),
        "options": st.dictionaries(st.sampled_from(["items", "date", "text"]), WORDS),
    },
)


@settings(max_examples=50)
@given(st.sampled_from(["topic", "other"]), KEYS, KEYS)
def test_what_is_written_is_read(source: str, first: dict, second: dict) -> None:
    text = TEXT
    for keys in (first, second):
        known = json.loads(json.dumps(read_source(text, "talk", source)))
        text = change_source(text, "talk", source, keys)
        wanted = {**known, **keys}
        assert read_source(text, "talk", source) == {k: v for k, v in wanted.items() if v not in (None, {}, [])}
    for line in ("# words", "  talk:   # odd   spaces", "        # next", "        # end", "# tail"):
        assert line in text.splitlines()
