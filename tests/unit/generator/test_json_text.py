"""JSON as a person reads it: the bytes of the standard library's own writer, whatever is written."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.generator.json_text import to_json, without_empty

numbers = st.floats(allow_nan=False, allow_infinity=False)
plain = st.just(0.0) | st.floats(1e-4, 1e16, exclude_max=True) | st.floats(-1e16, -1e-4, exclude_min=True)
leaves = st.none() | st.booleans() | st.integers() | plain | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.text(), values))
def test_the_bytes_are_those_of_the_standard_library(document: dict) -> None:
    assert to_json(document) == f"{json.dumps(document, ensure_ascii=False, indent=2)}\n".encode()


@given(st.lists(numbers))
def test_every_number_is_read_as_it_was(members: list[float]) -> None:
    assert json.loads(to_json({"members": members})) == {"members": members}


def test_members_without_a_value_are_left_out() -> None:
    assert without_empty({"a": None, "b": "", "c": [], "d": 0, "e": False, "f": "x"}) == {"d": 0, "e": False, "f": "x"}
