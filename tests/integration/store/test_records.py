"""Records come back as they were, in the same bytes each time, from newer and older programs too."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.errors import StoreError
from aggregator.model.cluster import Cluster, Decision, Evidence, Matching, Pair
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Note, Rhythm, Show, Span, Tag
from aggregator.model.feed import Channel
from aggregator.model.item import Dissent, Item, Override, Provenance, PublishedItem
from aggregator.model.source import Conditions, Filter, PollState, Source, Validators
from aggregator.store import records

AT = datetime(2024, 5, 1, 12, 30, 1, 5, tzinfo=UTC)
TREE = Tag("podcast:person", "A", (("role", "host"),), (Tag("podcast:x", None, (), (Tag("podcast:y"),)),))
PAIR = Pair("a/1", "b/1", 3.5, (Evidence("title", "same", "T", "T", 2.0),), "parts differ")
FULL = Entry(
    "host", "k", "T", "post", 3, "g", (("apple", "1"),), "https://l", True, "d", "<p>h", "s", True,
    Moment(AT, "minute", zoned=False), Moment(AT), Duration(60, 60), Enclosure("https://e", "audio/mpeg", 1), 1, 2,
    "2a", "bonus", False, "https://i", "A", "en", "S", ("c",), (TREE,), (Note("f", "c", "b", "a"),), Span(2, 5),
)  # fmt: skip
EACH = (
    FULL,
    Show(title="S", categories=(("A", "B"),), total=3),
    Rhythm(timedelta(hours=1), frozenset({3, 1})),
    PollState("https://u", Validators('"e"', "Mon"), "d", AT, AT, 2, AT, None, "https://m", 3, True, "x", 1, 9),
    Source("n", "feed", filter=Filter(exclude=Conditions(show=("S",))), options=(("a", "b"),)),
    PublishedItem("g", AT, Moment(AT, "day"), ("a/1", "b/2"), "T", "post", 2, "other", "why"),
    Item("T", ("a/1",), provenance=(Provenance("title", "a", ("b",), (Dissent("c", "v"),), 0.5),), pairs=(PAIR,)),
    Matching((Cluster((FULL,), (PAIR,)),), (PAIR,), "v1", ("capped",)),
    Decision("same", "a", "b"),
    Override("g", "title", "T"),
    Channel("n", "T", "https://b", categories=(("A", "B"), ("C",)), hubs=("h",)),
)


@pytest.mark.parametrize("record", EACH, ids=lambda record: type(record).__name__)
def test_a_record_comes_back_as_it_was(record: Any) -> None:
    text = records.encode(record)
    assert record == records.decode(type(record), text)
    assert text == records.encode(records.decode(type(record), text))
    assert (record, record) == records.decode_all(type(record), records.encode_all((record, record)))


def test_defaults_are_left_out() -> None:
    assert records.encode(Entry("s", "k", "t")) == '{"key":"k","source":"s","title":"t"}'


def test_named_fields_are_left_out_and_given_back() -> None:
    text = records.encode(FULL, without=frozenset({"position", "span"}))
    assert "span" not in text
    assert records.decode(Entry, text, position=3, span=Span(2, 5)) == FULL


def test_what_a_newer_program_wrote_is_read() -> None:
    newer = json.dumps({**json.loads(records.encode(FULL)), "colour": {"deep": [1]}, "x": None})
    assert records.decode(Entry, newer) == FULL


def test_what_an_older_program_left_out_has_its_default() -> None:
    assert Entry("s", "k", "t") == records.decode(Entry, '{"source":"s","key":"k","title":"t"}')


def test_half_a_surrogate_pair_is_written_as_the_replacement_character() -> None:
    assert records.encode(Entry("s", "k", "half a letter \ud83d")) == (
        '{"key":"k","source":"s","title":"half a letter \N{REPLACEMENT CHARACTER}"}'
    )
    assert records.encode(Entry("s", "k", "\ud83c\udf5e")) == '{"key":"k","source":"s","title":"\N{BREAD}"}'


@pytest.mark.parametrize("text", ["", "[]", "3", '{"source":"s"}', '{"published":3}', "{", "null"])
def test_what_is_no_record_is_told_in_one_line(text: str) -> None:
    with pytest.raises(StoreError, match=r"^store: a record \(Entry\) cannot be read back: [^\n]+$"):
        records.decode(Entry, text)


def test_another_process_writes_the_same_bytes() -> None:
    record = Rhythm(skip_hours=frozenset(range(24)), skip_days=frozenset({6, 0, 3}))
    program = (
        "import sys, aggregator.store.records as r; from aggregator.model.entry import Rhythm;"
        "sys.stdout.write(r.encode(r.decode(Rhythm, sys.stdin.read())))"
    )
    text = records.encode(record)
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program], input=text, capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed},
        )  # fmt: skip
        assert text == done.stdout


words = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))


@given(
    key=st.text(max_size=20),
    title=st.text(max_size=20),
    link=words,
    at=st.one_of(st.none(), st.datetimes(timezones=st.just(UTC)).map(Moment)),
    episode=st.one_of(st.none(), st.integers()),
    explicit=st.one_of(st.none(), st.booleans()),
    ids=st.lists(st.tuples(st.text(), st.text())).map(tuple),
)
def test_any_entry_comes_back(**given_fields: Any) -> None:
    at = given_fields.pop("at")
    entry = Entry(source="s", published=at, **given_fields)
    assert entry == records.decode(Entry, records.encode(entry))
