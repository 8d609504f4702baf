"""Keys of a source are changed in the text of a config, and no other character with them."""

from __future__ import annotations

import difflib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.config import change
from aggregator.config.change import Addition, add_sources
from aggregator.config.parse import parse
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


def change_source(text: str, feed: str, source: str, keys: change.Keys) -> str:
    return change.change_keys(parse(text, "config.yaml"), ("feeds", feed, "sources", source), keys).text


def read_source(text: str, feed: str, source: str) -> change.Keys:
    return change.read_keys(parse(text, "config.yaml"), ("feeds", feed, "sources", source))


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


ONE = Addition("oven", "feed", (("kind", "feed"), ("url", "https://oven.example/?a=1")), "Ovens: a show")
HERE = Addition("talk", "page", (("kind", "page"), ("url", "https://b.example/")), options=(("items", "li"),))


def add(text: str, *additions: Addition) -> list[str]:
    return diff(text, add_sources(parse(text, "config.yaml"), additions).text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# none yet",
        "output: x\n",
        "output: x",
        "feeds:\n",
        "feeds: # none yet\noutput: x\n",
        "feeds: ~  # none yet\noutput: x\n",
        "feeds: {} # none yet\n",
        "feeds:\n  talk: {title: T, sources: {a: {kind: feed, url: 'https://a.example/'}}}\noutput: x\n",
        "feeds:\n    talk:\n        title: T\n        sources: {a: {kind: listing, path: a.txt}}\n\n# tail\n",
        "  feeds:\n    talk:\n      title: T\n      sources:\n        a: {kind: listing, path: a.txt}\n  output: x",
    ],
)
def test_a_feed_is_added_and_no_line_changes(text: str) -> None:
    lines = add(text, ONE)
    assert [line for line in lines if line[:1] == "-"] in ([], ["-feeds: ~  # none yet"], ["-feeds: {} # none yet"])
    added = ["+oven:", '+title: "Ovens: a show"', "+sources:", '+feed: {kind: feed, url: "https://oven.example/?a=1"}']
    assert [line for line in lines if line in added] == added


def test_a_config_in_braces_stays_in_braces() -> None:
    text = '{"feeds": {"talk": {"title": "T", "sources": {"a": {"kind": "listing", "path": "a.txt"}}}}, "output": "x"}'
    assert add(text, ONE, HERE)[-1] == (
        '+{"feeds": {"talk": {"title": "T", "sources": {"a": {"kind": "listing", "path": "a.txt"}, page: {kind: page, '
        'url: https://b.example/, options: {items: li}}}}, oven: {title: "Ovens: a show", sources: {feed: {kind: feed, '
        'url: "https://oven.example/?a=1"}}}}, "output": "x"}'
    )
    for empty in ("{output: x}", "{output: x, feeds: }", "{output: x, feeds: {}}", "{}"):
        assert add_sources(parse(empty, "c"), [ONE]).values["feeds"]["oven"]["title"] == "Ovens: a show"


@pytest.mark.parametrize(
    "last",
    [
        "host: {kind: feed, url: 'https://a.example/'} # why",
        'host: {kind: feed, only: {title: "A\nB"}, url: https://a.example/}',
        'host:\n        kind: feed\n        path: "a\n  b"',
        "host:\n        kind: feed\n        url: https://a.example/\n        only:\n          title:\n          - ^A\n",
        "host: {kind: feed,\n        url: https://a.example/,\n      }",
    ],
)
def test_a_source_is_added_after_the_last(last: str) -> None:
    head, tail = (
        "feeds:\n  talk:\n    title: T\n    sources:\n      ",
        "\n\n  # b\n  other: {title: O, sources: {}}\n",
    )
    text = f"{head}{last}{tail}"
    added = "+page: {kind: page, url: https://b.example/, options: {items: li}}"
    assert add(text, HERE) == [added]
    assert add(text, HERE, ONE)[0] == added


@given(st.text(min_size=1, max_size=9).filter(str.strip), st.from_regex(r"[a-z0-9][a-z0-9._-]{0,5}", fullmatch=True))
def test_any_title_and_name_is_read_back(title: str, name: str) -> None:
    if any("\ud800" <= letter <= "\udfff" for letter in title):
        return
    for text in (TEXT, "feeds: {}", "{feeds: {B: {title: A, sources: {b: {kind: feed}}}}}"):
        values = add_sources(parse(text, "c"), [Addition(name, name, (("kind", "feed"),), title)]).values
        assert values["feeds"][name]["title"] == title
        assert values["feeds"][name]["sources"] == {name: {"kind": "feed"}}


def test_a_name_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^feeds\.talk cannot be extended here as the config is written: edit the"):
        add(TEXT, Addition("talk", "topic", (("kind", "feed"),)))


MORE = "  walk: {title: Walk, sources: {a: {kind: feed, url: 'https://a.example/'}, b: {kind: feed, url: 'https://b.example/'}}}\n"


def remove(text: str, feed: str, source: str | None = None) -> str:
    return change.remove(parse(text, "config.yaml"), feed, source).text


@pytest.mark.parametrize(
    ("text", "feed", "source", "expected"),
    [
        (TEXT, "talk", "topic", ["-topic:   {kind: listing, path: topic.txt} # kept"]),
        (
            TEXT.replace("# tail\n", MORE),
            "walk",
            "a",
            [f"-{MORE.strip()}", f"+{MORE.strip().replace(chr(123) + 'a: ', chr(123), 1)}"],
        ),
        (TEXT.replace("# tail\n", MORE), "walk", None, [f"-{MORE.strip()}"]),
        ("feeds:\n  walk:\n    title: W\n    sources: {a: {kind: feed, url: x}}\nstate: here\n", "walk", None, None),
        ("feeds: {walk: {title: W, sources: {a: {kind: feed, url: x}}}}\n", "walk", None, None),
    ],
)
def test_a_source_or_a_feed_is_removed_and_no_other_line_changes(
    text: str, feed: str, source: str | None, expected: list[str] | None
) -> None:
    after = remove(text, feed, source)
    found = diff(text, after)
    if expected is None:
        assert parse(after, "config.yaml").values["feeds"] in (None, {})
        assert "state: here" in after or "state" not in text
    elif source == "a":
        assert [line[:1] for line in found] == ["-", "+"]
        assert set(parse(after, "config.yaml").values["feeds"]["walk"]["sources"]) == {"b"}
    else:
        assert found == expected


def test_what_cannot_be_removed_is_told_and_left() -> None:
    with pytest.raises(ConfigError, match=r"^the config has no feeds\.talk\.sources\.nobody$"):
        remove(TEXT, "talk", "nobody")
    with pytest.raises(ConfigError, match=r"^the config has no feeds\.nobody$"):
        remove(TEXT, "nobody")
    alone = remove(TEXT, "talk", "other")
    with pytest.raises(ConfigError, match=r"is its only source; remove the feed: --feed talk$"):
        remove(alone, "talk", "topic")
    sources = "    sources: &s\n      x: {kind: feed, url: x}\n      y: {kind: feed, url: y}\n"
    shared = f"feeds:\n  a:\n{sources}  b: {{sources: *s}}\n"
    with pytest.raises(ConfigError, match="cannot be removed here as the config is written: edit the file"):
        remove(shared, "a", "x")


TWO = """\
feeds:
  talk:
    title: Talk
    sources:
      host: {kind: feed, url: https://a.example/} # its own
      shelf: # a directory
        kind: page
        url: https://b.example/
        # as seen in May
        options:
          items: |
            li
             .x
  walk: # another
    title: Walk
    sources:
        host: {kind: feed, url: https://c.example/}
# tail
"""


@pytest.mark.parametrize("to", ["walk", "talk"])
def test_a_source_is_moved_with_its_comments_and_no_other_line_changes(to: str) -> None:
    text = TWO if to == "walk" else TWO.replace("walk", "w").replace("talk", "walk").replace("w:", "talk:", 1)
    feed = "walk" if to == "talk" else "talk"
    after = change.move(parse(text, "c"), feed, "shelf", to, "shelf")
    before = parse(text, "c").values["feeds"]
    assert after.values["feeds"][to]["sources"]["shelf"] == before[feed]["sources"]["shelf"]
    assert list(after.values["feeds"][feed]["sources"]) == ["host"]
    lines = [line.strip() for line in text.splitlines()]
    assert sorted(line.strip() for line in after.text.splitlines()) == sorted(
        "shelf:" + line.removeprefix("shelf:") if line.startswith("shelf:") else line for line in lines
    )
    assert "# as seen in May" in after.text
    back = change.move(after, to, "shelf", feed, "shelf")
    assert back.text == text


def test_a_feed_leaves_with_its_last_source_which_takes_a_free_name() -> None:
    after = change.move(parse(TWO, "c"), "walk", "host", "talk", "host-2")
    assert list(after.values["feeds"]) == ["talk"]
    assert list(after.values["feeds"]["talk"]["sources"]) == ["host", "shelf", "host-2"]
    assert after.text.endswith("        host-2: {kind: feed, url: https://c.example/}\n# tail\n".removeprefix("  "))


@pytest.mark.parametrize("flow", ["talk", "walk", "both"])
def test_a_source_is_moved_between_braces_and_lines(flow: str) -> None:
    one = "{host: {kind: feed, url: x}, shelf: {kind: page, url: 'y'}}"
    block = "\n      host: {kind: feed, url: x}\n      shelf:\n        kind: page\n        url: 'y'"
    first, second = (one if flow in (name, "both") else block for name in ("talk", "walk"))
    text = f"feeds:\n  talk:\n    title: T\n    sources: {first}\n  walk:\n    title: W\n    sources: {second}\n"
    after = change.move(parse(text, "c"), "talk", "shelf", "walk", "shelf-2")
    assert after.values["feeds"]["walk"]["sources"]["shelf-2"] == {"kind": "page", "url": "y"}
    assert list(after.values["feeds"]["talk"]["sources"]) == ["host"]


def test_a_source_that_another_feed_repeats_cannot_be_moved() -> None:
    first = "  a:\n    sources:\n      x: &x {kind: feed, url: x}\n      z: {kind: feed, url: z}\n"
    text = f"feeds:\n{first}  b:\n    sources:\n      y: *x\n"
    with pytest.raises(ConfigError, match=r"^feeds\.a\.sources\.x cannot be moved here as the config is written: edit"):
        change.move(parse(text, "c"), "a", "x", "b", "x")
    with pytest.raises(ConfigError, match=r"^the config has no feeds\.c\.sources$"):
        change.move(parse(text, "c"), "a", "z", "c", "z")
