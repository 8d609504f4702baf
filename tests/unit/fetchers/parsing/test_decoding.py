"""Bytes of any origin become text, and JSON of any origin values that can be stored and written again."""

import pytest

from aggregator.fetchers.parsing import decoding
from aggregator.model.source import Document, Source


@pytest.mark.parametrize("charset", ["unicode_escape", "raw_unicode_escape", "utf-7", "punycode", "idna", "hex", "?"])
def test_encodings_that_no_page_has_are_not_used(charset: str) -> None:
    document = Document(Source("a", "feed"), "https://example.org/", rb"\u0041 +AEI- c-", charset=charset)
    assert decoding.decode(document) == r"\u0041 +AEI- c-"


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


def test_references_to_both_halves_of_a_surrogate_pair_are_one_character() -> None:
    body = b"<t>&#55357;&#56960; &#xD83C;&#xDFB6; &#55357; &#56960;&#55357;</t>"
    assert decoding.correct_declaration(body) == b"<t>&#128640; &#127926; &#xFFFD; &#xFFFD;&#xFFFD;</t>"


@pytest.mark.parametrize("first", ["&#xD8é;", "&#xd8;;;", "&#55é12;"])
def test_a_reference_that_is_none_is_no_half_of_a_pair(first: str) -> None:
    body = f"<t>{first}&#xDC00;</t>".encode()
    assert decoding.correct_declaration(body) == f"<t>{first}&#xFFFD;</t>".encode()
