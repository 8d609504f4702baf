"""A config with a mistake is shown, and quoted, without its secrets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.config.load import check
from aggregator.config.masking import KEYS, mask_config
from aggregator.config.schema import json_schema
from aggregator.errors import ConfigError

SECRET = "s3cr3t-0f-the-bakery"  # noqa: S105 - made up
SOUND = "output: here\nfeeds:\n  talk:\n    title: Bread and salt\n    sources:\n      oven: {kind: feed, trust: 0.5}\n"
WAYS = [
    "token: {}",
    "token:  {}",
    '"token": {}',
    "token:\t{}",
    "token: &a {}",
    "token:\n      {}",
    "token: >\n      {}",
    "token: !x {}",
    "tokn: {}",
    "pass: {}",
    "# token: {}",
    "title: Bread # {}",
    "? {}",
    "{}",
    "{}:",
    "- {}",
    "url: https://a.example/feed?token={}",
    "url: https://me:pa/{}@a.example/",
    "url: https://a.example/feed/{}",
    "title: https://me:{}@a.example/",
    "headers: {Authorization: {}}",
    "headers:\n      name: {}",
    "headers: {}",
    "notify: [ntfys://{}@a.example]",
    "notify:\n    - {}",
    "options: {title: {}}",
    "queue: redis://:{}@host",
    "state: postgresql://me:{}@host/x",
    "desk: {password: {}}",
    "proxy: http://me:{}@host",
    "only: {title: [a, b}, token: {}",
    "title: 'no end {}",
    "token: *{}",
    "password: !{} x",
    "token: [{}",
    "hubs: [https://a.example/?key={}]",
    "link: ftp://me:{}@a.example/",
    "trust: {token: {}}",
    "explicit: {a: {}}",
    "token: {title: {}}",
    "token:\n      - name: {}",
    "password: {type: {}}",
    "header: {name: {}}",
    "feeds: {show: {}}",
    "output: s3://me:{}@bucket",
    "output: s3://bucket?key={}",
    "link: https://me:{}%40a.example/",
    "link: ftp://me:7{}/x%40a.example/",
    "link: ftp://a.example/x%3Ftoken={}",
    "link: ftp://a.example/x#{}",
    "description: 'no end\n    token: {}\n    link: ''x'",
    "'https://a.example/?key={}': {kind: feed}",
    "sources: {'https://a.example/?key={}': {kind: feed}}",
    "sources: {'me:{}@a.example': {kind: feed}}",
]


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_is_neither_shown_nor_quoted(way: str) -> None:
    for before, after in (("", ""), ("feeds:\n  talk:\n    ", ""), (f"{SOUND}    ", ""), ("\t- x\n", f"\n{SOUND}")):
        text = f"{before}{way.replace('{}', SECRET)}{after}\nwrong: 1\n"
        assert SECRET not in mask_config(text)
        with pytest.raises(ConfigError) as caught:
            check(text, "config.yaml")
        if not way.startswith(("?", "{}:")):  # a message names a key that is unknown
            assert SECRET not in str(caught.value)


def test_what_is_harmless_is_shown() -> None:
    assert mask_config(SOUND) == SOUND
    text = "feeds:\n  talk:\n    tittle: x\n    exclude: {title: [a, 'b c'], since: 2024-01-01} # why\n"
    assert mask_config(text) == text.replace("x\n", "…\n").replace("# why", "…")
    broken = f"{SOUND}    title: a\n  \ttrust: x\n    url: y # z\n"
    assert mask_config(broken).splitlines()[-3:] == ["    title: …", "  \ttrust: …", "    url: …"]


def test_a_message_quotes_an_address_without_login_and_query() -> None:
    text = f"base_url: ftp://a.example/?{SECRET}\ncontact: https:/a.example\nfeeds: {{}}\n"
    with pytest.raises(ConfigError) as caught:
        check(text, "c")
    assert str(caught.value).splitlines() == [
        'c:1: base_url: "ftp://a.example/?…" is not an http or https address',
        'c:2: contact: "https:/a.example" is not an http or https address, and not mailto: with an address behind it',
    ]


@settings(max_examples=200)
@given(st.text(alphabet="a:-{}[]&*!|>'\"#%@`, \n\t?<", max_size=40), st.integers(0, 3))
def test_lines_stay_where_they_are(text: str, places: int) -> None:
    text = f"{text[:places]}{SOUND}{text[places:]}"
    masked = mask_config(text)
    assert [len(line) - len(line.lstrip()) for line in masked.split("\n")] == [
        len(line) - len(line.lstrip()) for line in text.split("\n")
    ]


def test_every_key_is_known() -> None:
    schema = json_schema()
    parts = [schema, *schema["$defs"].values()]  # type: ignore[attr-defined]  # a JSON Schema
    assert {name for part in parts for name in part.get("properties", {})} | {"feeds"} == KEYS  # type: ignore[attr-defined]
