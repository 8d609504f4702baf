"""JSON of any origin becomes values that can be stored and written again."""

import pytest

from aggregator.fetchers.parsing import decoding


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d a"', "\ufffd a"),
        (r'["\ude00", {"\ud83dkey": 1}]', ["\ufffd", {"\ufffdkey": 1}]),
        (r'"the escape \\ud83d is half of one"', r"the escape \ud83d is half of one"),
        ("NaN", None),
        ("[" * 100_000, None),
    ],
)
def test_halves_of_surrogate_pairs_become_replacement_characters(text: str, value: object) -> None:
    assert decoding.load_json(text) == value
