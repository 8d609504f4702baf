"""Data that a page's own code reads: in whatever form it is written, the same entries are proposed and read."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.fetchers import parse
from aggregator.fetchers.directories import json_proposals, proposals
from aggregator.fetchers.parsing.html_page import find_assigned, load_flight, load_script
from aggregator.model.source import Document, Source

WORDS = ("Slate", 'Chalk\'s "white"', "Marl\n& clay", "Flint: <em>hard</em>")
ROWS = [
    {"id": f"s{day}", "title": word, "publishedAt": f"2026-04-{day:02}T05:00:00Z", "audioUrl": f"/{day}.mp3", "n": None}
    for day, word in enumerate(WORDS, 1)
]
DATA = {"show": {"title": "Stone Talk", "episodes": ROWS}}


def refer(value: Any) -> list[Any]:
    """The value as devalue writes it: objects and lists name others by their place in one list."""
    written: list[Any] = []

    def write(one: Any) -> int:
        at = len(written)
        written.append(None)
        if isinstance(one, dict):
            written[at] = {name: write(each) for name, each in one.items()}
        else:
            written[at] = [write(each) for each in one] if isinstance(one, list) else one
        return at

    write(value)
    return written


def write_nuxt(value: Any) -> str:
    moved = [
        {name: at + 1 for name, at in each.items()}
        if isinstance(each, dict)
        else [at + 1 for at in each]
        if isinstance(each, list)
        else each
        for each in refer(value)
    ]
    return json.dumps([["ShallowReactive", 1], *moved])


def write_flight(value: Any) -> str:
    text = f'1:"$Sreact.fragment"\n9:["$","$La",null,{{"data":{json.dumps(value)}}}]\n'
    halves = text[: len(text) // 2], text[len(text) // 2 :]
    scripts = "".join(f"<script>self.__next_f.push({json.dumps([1, half])})</script>" for half in halves)
    return f"<script>(self.__next_f=self.__next_f||[]).push([0])</script>{scripts}"


def quote_singly(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


FORMS: dict[str, Callable[[Any], str]] = {
    "a text": lambda value: f"<script>window.__DATA__ = JSON.parse({json.dumps(json.dumps(value))});</script>",
    "single": lambda value: f"<script>var a='x';const data = JSON.parse({quote_singly(json.dumps(value))})</script>",
    "percent": lambda value: f'<script>window.__INITIAL_STATE__ = "{quote(json.dumps(value))}";</script>',
    "component": lambda value: f"<script>s.t=JSON.parse(decodeURIComponent('{quote(json.dumps(value))}'))</script>",
    "attribute": lambda value: f'<div id="app" data-page="{escape(json.dumps(value))}"></div>',
    "nuxt": lambda value: f'<script type="application/json" id="__NUXT_DATA__">{write_nuxt(value)}</script>',
    "next": write_flight,
    "svelte": lambda value: (
        '<script type="application/json" data-url="/api">'
        f"{json.dumps({'status': 200, 'body': json.dumps(value)})}</script>"
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_entries_are_read_from_data_in_any_form(form: str) -> None:
    body = FORMS[form](DATA)
    page = Document(
        Source("p", "page"), "https://s.example/", f"<!doctype html><html><p>x</p>{body}".encode(), "text/html"
    )
    listing = parse.read(replace(page, source=proposals.propose(page).sources[0]))
    found = [(each.title, each.published and each.published.at.day, each.key) for each in listing.entries]
    titles = ("Slate", WORDS[1], "Marl & clay", "Flint: hard")
    assert found == [(title, day, f"s{day}") for day, title in enumerate(titles, 1)]
    assert [each.enclosure and each.enclosure.url for each in listing.entries] == [
        f"https://s.example/{day}.mp3" for day in range(1, 5)
    ]


SIMPLE = st.none() | st.booleans() | st.integers(0, 99) | st.text(max_size=5)
VALUES = st.dictionaries(
    st.text(max_size=3), st.recursive(SIMPLE, lambda inner: st.lists(inner, max_size=3)), max_size=4
)


@given(VALUES)
def test_references_of_nuxt_are_resolved(value: dict[str, Any]) -> None:
    assert load_script(write_nuxt(value)) == value


@given(st.lists(st.integers(-3, 9) | st.text(max_size=3) | st.lists(st.integers(-3, 9), max_size=3), max_size=9))
def test_references_that_are_none_are_left_or_resolved(values: list[Any]) -> None:
    load_script(json.dumps([["ShallowReactive", 1], *values]))


def test_references_in_a_circle_and_an_explosion_of_them_end() -> None:
    circle = [["Reactive", 1], {"a": 1}]
    assert load_script(json.dumps(circle)) == circle
    doubling = [["Reactive", 1], *([at, at] for at in range(2, 60)), 1]
    assert load_script(json.dumps(doubling)) == doubling


@given(st.text(st.sampled_from("\\'\"a{}[]%\n"), max_size=30))
def test_any_string_of_a_script_is_read_or_none(text: str) -> None:
    find_assigned(f"x = '{{{text}';")
    load_flight([f"self.__next_f.push({text}", f'self.__next_f.push([1,"{text}"])'])


def propose(value: object) -> dict[str, str]:
    return dict(json_proposals.propose(value)[0])


def test_a_preview_is_not_the_audio() -> None:
    rows = [{"name": word, "date": f"2026-04-{day:02}", "audio_preview_url": f"https://p.example/{day}.mp3"}
            for day, word in enumerate(WORDS, 1)]  # fmt: skip
    assert "audio" not in propose(rows)
    assert propose([{**row, "file": row["audio_preview_url"]} for row in rows])["audio"] == "file"


@pytest.mark.parametrize(("name", "unit"), [("durationMinutes", "minutes"), ("minutes", "minutes"), ("duration", None)])
def test_the_unit_of_a_length_is_that_of_its_name(name: str, unit: str | None) -> None:
    found = propose([{**row, name: 30 + at} for at, row in enumerate(ROWS)])
    assert (found["length"], found.get("unit")) == (name, unit)


def test_seconds_beside_minutes_are_no_length() -> None:
    assert "length" not in propose([{**row, "duration": {"minutes": 30, "seconds": at}} for at, row in enumerate(ROWS)])
    assert propose([{**row, "duration": {"seconds": 1800}} for row in ROWS])["length"] == "duration.seconds"


def test_objects_by_id_may_lack_some_fields_and_lists_may_be_of_days() -> None:
    by_id = {row["id"]: row | ({"more": 1} if at else {}) for at, row in enumerate(ROWS)}
    assert propose({"episodes": by_id})["items"] == "episodes.*"
    days = {f"2026-04-{day:02}": [row] for day, row in enumerate(ROWS, 1)}
    assert propose({"days": days})["items"] == "days.* | []"
    assert propose({"latest": ROWS, "more": ROWS, "shows": ROWS})["items"] in {"latest", "more", "shows"}


@pytest.mark.parametrize(
    ("value", "title"),
    [
        (DATA, "Stone Talk"),
        ({"name": "Stone Talk", "data": {"list": ROWS}}, "Stone Talk"),
        ({"data": [{"attributes": row} for row in ROWS], "title": "Stone Talk"}, "Stone Talk"),
        ({"data": ROWS, "meta": {"title": "Page 1"}}, None),
        (ROWS, None),
    ],
)
def test_the_show_of_an_api_is_the_object_that_has_the_list(value: object, title: str | None) -> None:
    api = Document(Source("a", "json"), "https://s.example/api", json.dumps(value).encode(), "application/json")
    assert proposals.propose(api).title == title
