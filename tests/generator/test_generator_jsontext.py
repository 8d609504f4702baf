"""JSON as a person reads it: the bytes of the standard library's own writer, whatever is written."""

import json

from hypothesis import given
from hypothesis import strategies as st

from aggregator.generator.jsontext import block, kept

numbers = st.floats(allow_nan=False, allow_infinity=False)
plain = numbers.filter(lambda number: number == 0 or 1e-4 <= abs(number) < 1e16)
leaves = st.none() | st.booleans() | st.integers() | plain | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


@given(st.dictionaries(st.text(), values), st.integers(0, 8))
def test_the_bytes_are_those_of_the_standard_library(said: dict, indent: int) -> None:
    lines = json.dumps(said, ensure_ascii=False, indent=2).split("\n")
    assert block(said, indent) == "\n".join(" " * indent + line for line in lines).encode()


@given(st.lists(numbers))
def test_every_number_is_read_as_it_was(said: list[float]) -> None:
    assert json.loads(block({"said": said}, 2)) == {"said": said}


def test_what_says_nothing_is_left_out() -> None:
    assert kept({"a": None, "b": "", "c": [], "d": 0, "e": False, "f": "x"}) == {"d": 0, "e": False, "f": "x"}
