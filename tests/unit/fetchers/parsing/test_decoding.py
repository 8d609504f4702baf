"""Bytes of any origin become text, and JSON of any origin values that can be stored and written again."""

import pytest

from aggregator.fetchers.feeds import feed
from aggregator.fetchers.parsing import decoding
from aggregator.model.source import Document, Source


@pytest.mark.parametrize("charset", ["unicode_escape", "raw_unicode_escape", "utf-7", "punycode", "idna", "hex", "?"])
def test_encodings_that_no_page_has_are_not_used(charset: str) -> None:
    document = Document(Source("a", "feed"), "https://example.org/", rb"\u0041 +AEI- c-", charset=charset)
    assert decoding.decode(document) == r"\u0041 +AEI- c-"


SPOKEN = {
    "iso-8859-2": "Zażółć gęślą jaźń",
    "windows-1250": "Zażółć gęślą jaźń",
    "windows-1251": "Привет, мир",
    "windows-1254": "İstanbul ve ışık",
    "tis-620": "สวัสดีชาวโลก",
    "shift_jis": "日本語の番組",
    "euc-kr": "한국어 방송",
    "gb18030": "中文节目",
}


@pytest.mark.parametrize("charset", [None, "utf-8"])
@pytest.mark.parametrize("encoding", [*SPOKEN, "utf-16-le", "utf-16-be"])
def test_what_a_feed_declares_is_read_where_the_transport_is_wrong(encoding: str, charset: str | None) -> None:
    title = SPOKEN.get(encoding, "Zoë 日本")
    items = "".join(f"<item><title>{title} {n}</title><guid>g{n}</guid></item>" for n in range(3))
    head = f'<?xml version="1.0" encoding="{encoding}"?><rss version="2.0">'
    text = f"{head}<channel><title>A</title>{items}</channel></rss>"
    document = Document(Source("a", "feed"), "https://example.org/", text.encode(encoding), charset=charset)
    assert [entry.title for entry in feed.read(document).entries] == [f"{title} {n}" for n in range(3)]


def test_one_wrong_byte_in_a_feed_of_another_declaration_changes_no_other_text() -> None:
    text = '<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>Б</title><item><title>Привет, мир</title>'
    body = text.encode() + b"<guid>g</guid></item><item><title>caf\xe9 bar</title></item></channel></rss>"
    document = Document(Source("a", "feed"), "https://example.org/", body, charset="utf-8")
    assert [entry.title for entry in feed.read(document).entries] == ["Привет, мир", "café bar"]


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
