"""The plain reading of a config is pydantic's reading of it, or none: key by key, and for whatever is made of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.config import channel, keys, load, places, plain
from aggregator.config.plan import plan
from aggregator.config.strict import check
from aggregator.errors import ConfigError

ROOT = Path(__file__).parents[2]
RECORDS = [
    (keys.ConfigKeys, plain.CONFIG),
    (channel.FeedKeys, plain.FEED),
    (places.SourceKeys, plain.SOURCE),
    (places.OnlyKeys, plain.ONLY),
]


@pytest.mark.parametrize(("model", "table"), RECORDS, ids=lambda one: getattr(one, "__name__", ""))
def test_both_know_the_same_keys_with_the_same_defaults(model, table) -> None:
    assert set(model.model_fields) == set(table)
    for name, key in table.items():
        field = model.model_fields[name]
        assert field.is_required() == (key.default is None), name
        if key.default is not None:
            assert plainly(field.get_default(call_default_factory=True)) == plainly(key.default()), name


def plainly(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else vars(value) if hasattr(value, "__dict__") else value


def test_the_config_of_the_project_is_plainly_sound() -> None:
    text = (ROOT / "config.yaml").read_text(encoding="utf-8")
    told = plain.read(load.parse(text, "config.yaml").values)
    assert told is not None
    assert plans(told) == plans(check(text, "config.yaml"))


@pytest.mark.parametrize("address", ["http://h.example", "http://127.0.0.1:44477/0.xml", "https://h.example:8443/?a=b"])
def test_usual_addresses_are_plain(address) -> None:
    assert plain.CONFIG["base_url"].check(address) == address


def plans(told) -> list[object]:
    head = [told.state, told.output, told.base_url, told.contact, told.allow_networks, told.proxy, told.obey_robots]
    return [*head, *(plan(name, feed, "http://h", Path("/x")) for name, feed in sorted(told.feeds.items()))]


words = st.sampled_from(["", " ", "a", " a ", "A b", "1", 7, 0, -1, 1.5, True, False, None, [], ["a"], {}, {"a": "b"}])
addresses = st.sampled_from(
    [
        *("https://h.example/a?b#c", "http://h.example", "http://h.example:80/", "http://[::1]/", "ftp://h.example"),
        *("https://h.example:0/", "https://h example/", "https://", "https://h.example:99999/x", "HTTPS://H.example"),
        *("http://127.0.0.1:44477/0.xml", "https://h.example:65536/", "https://h.example:60000/x"),
        *("https://u:p@h.example/", "https://h.example/ü", "https://-", "http://h_x.example/", "https://h./"),
    ]
)
special = {
    "kind": st.sampled_from(["feed", "apple", "page", "fed", "listing"]),
    "language": st.sampled_from(["en", "pt-BR", "e", "english-x"]),
    "owner_email": st.sampled_from(["a@b.example", "a b@c", "@", "ü@b"]),
    "refresh": st.sampled_from(["17 * * * *", "@hourly", "61 * * * *", "x", " @daily"]),
    "guid": st.sampled_from(["b6e6c0f4-6ad0-5a59-8bba-1e7c0f0f5d9b", "B6E6C0F46AD05A598BBA1E7C0F0F5D9B", "x"]),
    "categories": st.sampled_from([["Arts"], ["Art"], ["Arts", "Technology"], "Arts"]),
    "medium": st.sampled_from(["podcast", "musicL", "x"]),
    "type": st.sampled_from(["serial", "episodic", "x"]),
    "boilerplate": st.sampled_from(["keep", "strip", "x"]),
    "only": st.sampled_from([{}, {"show": "A"}, {"title": "^A"}, {"title": "("}, {"x": "y"}, {"category": 3}]),
    "options": st.sampled_from([{}, {"items": "article"}, {"items": 1}, {"items": "a", "day_first": True}, {"x": "y"}]),
    "allow_networks": st.sampled_from([["127.0.0.0/8"], ["10.0.0.0/8", "::1/128"], ["10.0.0.1/8"], "x"]),
    "overrides": st.sampled_from([{}, {"g": {"title": "T"}}]),
}


def mapping(table, needed: dict[str, Any]):
    choices = {name: st.one_of(special.get(name, words), addresses, words) for name in table if name not in needed}
    return st.tuples(
        st.fixed_dictionaries(needed), st.dictionaries(st.sampled_from(sorted(choices)), st.none(), max_size=3)
    ).flatmap(
        lambda two: st.fixed_dictionaries(
            {**{k: st.just(v) for k, v in two[0].items()}} | {k: choices[k] for k in two[1]}
        )
    )


sources = mapping(plain.SOURCE, {"kind": special["kind"], "url": st.one_of(addresses, st.just("https://h.example/"))})
names = st.sampled_from(["a", "a-b", "A", "_", "", "a" * 65, 7])
feeds = mapping(
    plain.FEED, {"title": st.one_of(st.just("T"), words), "sources": st.dictionaries(names, sources, max_size=2)}
)
configs = mapping(plain.CONFIG, {"feeds": st.dictionaries(names, feeds, max_size=2)})


@settings(deadline=None, max_examples=400)
@given(configs)
def test_what_is_read_plainly_is_what_pydantic_reads(values) -> None:
    told = plain.read(values)
    if told is not None:
        assert plans(told) == plans(keys.ConfigKeys.model_validate(values))


@pytest.mark.parametrize(
    "text", ["", "feeds: {}", "- a", "feeds: {a: {title: T}}", "feeds: {a: {title: T, sources: {}}}"]
)
def test_what_is_wrong_is_left_to_pydantic(text) -> None:
    assert plain.read(load.parse(text, "x").values) is None
    with pytest.raises(ConfigError):
        check(text, "x")
