"""One mistake in one object of a JSON document leaves all others as they are, and sound JSON is read as it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.errors import ReadError
from aggregator.fetchers import parse
from aggregator.fetchers.parsing.broken_json import read_broken
from aggregator.model.entry import Entry, Listing
from aggregator.model.source import Document, Source

TEXTS = st.text(
    alphabet=st.sampled_from("ab\"'\\\n\t:,{}[]/* ü塩🚢u0dn") | st.characters(exclude_categories=["Cs"]), max_size=12
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
WHOLE = VALUES.filter(lambda value: isinstance(value, dict | list))


@given(value=WHOLE, indent=st.sampled_from([None, 0, 1, "\t"]), is_ascii=st.booleans())
def test_sound_json_is_read_as_it_is(value: Any, indent: Any, is_ascii: bool) -> None:  # noqa: FBT001
    assert read_broken(json.dumps(value, indent=indent, ensure_ascii=is_ascii)) == value


@given(text=st.text(max_size=60) | st.text(alphabet="{}[]\"':,\\/*\n ab1", max_size=60))
def test_any_text_is_read_or_not(text: str) -> None:
    found = read_broken(text)
    assert found is None or isinstance(found, dict | list)


AROUND = {
    "a byte order mark": "\ufeff{}",
    "a warning before": "<br />\n<b>Warning</b>: Undefined index in <b>/www/feed.php</b> on line <b>3</b><br />\n{}",
    "a call": "/**/ jsonp_12({});",
    "a guard": ")]}}',\n{}",
    "a comment behind": "{}\n<!-- Dynamic page generated in 0.3 seconds. -->",
    "a comment before": "// made by a template\n{}",
    "itself again": "{0}{0}",
    "a semicolon": "{};\n",
}
IN_TEXT = {
    "a line break": "Ebbe\nund Flut",
    "a tab": "Ebbe\tund Flut",
    "another control": "Ebbe\x0b und Flut",
    "quotation marks": 'Ebbe "und" Flut',
    "quotation marks before a comma": 'Ebbe "und", dann Flut',
    "a quotation mark at the end": 'Ebbe und "Flut"',
    "an escape of an apostrophe": r"Ebbe\'s Flut",
    "an escape of nothing": r"Ebbe \- Flut",
    "half of an escape": r"Ebbe \u12 Flut",
    "a path": r"C:\Ebbe\Flut",
}
IN_PLACE = {
    "a comma too many": ('"size_in_bytes": 25', '"size_in_bytes": 25,'),
    "a comma behind the list": ('"audio/mpeg"}]', '"audio/mpeg"},]'),
    "a comma lacking": ('"id": "g2",', '"id": "g2"'),
    "a value lacking": ('"size_in_bytes": 25', '"size_in_bytes": '),
    "no number": ('"size_in_bytes": 25', '"size_in_bytes": NaN'),
    "a word of JavaScript": ('"size_in_bytes": 25', '"size_in_bytes": undefined'),
    "a word of Python": ('"size_in_bytes": 25', '"size_in_bytes": None'),
    "names without quotation marks": ('"id": "g2"', 'id: "g2"'),
    "apostrophes": ('"id": "g2"', "'id': 'g2'"),
    "a comment": ('"id": "g2"', '/* second */ "id": "g2"'),
    "no end of a text": ('"summary": "Nº 2"', '"summary": "Nº 2'),
    "no end of an object": ('"audio/mpeg"}],\n  "id": "g2"', '"audio/mpeg"],\n  "id": "g2"'),
}


def write(number: int, title: str = "") -> str:
    title = title or f"Folge {number}: „Salz“ [Teil 1]"
    return f"""{{
  "attachments": [{{"url": "https://m.example/{number}.mp3", "size_in_bytes": {number}5, "mime_type": "audio/mpeg"}}],
  "id": "g{number}",
  "title": "{title}",
  "summary": "Nº {number}",
  "content_html": "<p class=\\"a\\">Zoë, {{{number}}}:</p>",
  "date_published": "2026-05-0{number}T05:00:00Z"
}}"""


def feed_of(items: list[str]) -> str:
    listed = ",\n ".join(items)
    return f'{{"version": "https://jsonfeed.org/version/1.1",\n"title": "Mole & Meer",\n"items": [\n {listed}\n]}}'


def read(text: str, kind: str = "jsonfeed") -> Listing:
    return parse.read(Document(Source("x", kind), "https://mole.example/feed.json", text.encode()))


SOUND = feed_of([write(number) for number in (1, 2, 3, 4)])


def others(entries: tuple[Entry, ...]) -> list[Entry]:
    return [entry for entry in entries if entry.guid != "g2"]


@pytest.mark.parametrize("kind", ["jsonfeed", "feed"])
@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND.keys())
def test_what_stands_around_a_feed_costs_no_item(around: str, kind: str) -> None:
    found = read(around.format(SOUND), kind)
    assert [entry.guid for entry in found.entries] == ["g1", "g2", "g3", "g4"]


@pytest.mark.parametrize("mistake", IN_TEXT.values(), ids=IN_TEXT.keys())
def test_a_mistake_in_a_text_damages_no_other(mistake: str) -> None:
    found = read(feed_of([write(1), write(2, mistake), write(3), write(4)]))
    assert others(found.entries) == others(read(SOUND).entries)
    assert {"Ebbe", "Flut"} <= set("".join(c if c.isalpha() else " " for c in found.entries[1].title).split())
    assert found.entries[1].enclosure == read(SOUND).entries[1].enclosure
    assert found.remarks[0].startswith("not well-formed: ")


@pytest.mark.parametrize("mistake", IN_PLACE.values(), ids=IN_PLACE.keys())
def test_a_mistake_between_values_damages_no_other_item(mistake: tuple[str, str]) -> None:
    broken = SOUND.replace(*mistake, 1)
    assert broken != SOUND
    found = read(broken)
    assert [entry.guid for entry in found.entries] == ["g1", "g2", "g3", "g4"]
    assert others(found.entries)[1:] == others(read(SOUND).entries)[1:]


def test_an_item_at_which_a_feed_breaks_off_is_left_out() -> None:
    sound = read(SOUND).entries
    for at in range(SOUND.index('"g2"'), len(SOUND) - 3, 7):
        found = read(SOUND[:at]).entries
        assert found == sound[: len(found)]


def test_items_that_php_numbers_are_read() -> None:
    value = json.loads(SOUND)
    value["items"] = {str(number): each for number, each in enumerate(value["items"]) if number != 1}
    assert [entry.guid for entry in read(json.dumps(value)).entries] == ["g1", "g3", "g4"]


def test_a_page_is_no_json() -> None:
    with pytest.raises(ReadError, match="an HTML page where a JSON Feed was expected"):
        read('<!DOCTYPE html><html><body><script>var a = {"b": [1]}</script></body></html>')
