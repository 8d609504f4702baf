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


LABELS = {
    "gb2312": ("gb18030", "朱镕基与“互联网”的新闻"),
    "x-gbk": ("gb18030", "与“互联网”的新闻"),
    "gb_2312-80": ("gb2312", "与互联网的新闻"),
    "big5": ("big5hkscs", "粵語嘅新聞，啲節目"),
    "cn-big5": ("big5", "今日的新聞節目"),
    "Shift_JIS": ("cp932", "①髙橋さんの番組～"),
    "x-sjis": ("cp932", "㈱髙橋の番組"),
    "windows-31j": ("cp932", "①日本語の番組"),
    "x-euc-jp": ("euc_jp", "日本語の番組"),
    "euc-kr": ("cp949", "똠방각하 한국어 방송"),
    "ks_c_5601-1989": ("cp949", "뷁 한국어 방송"),
    "windows-949": ("cp949", "뷁 한국어 방송"),
    "tis-620": ("cp874", "“สวัสดีชาวโลก”"),
    "windows-874": ("cp874", "“สวัสดีชาวโลก”"),
    "iso-8859-9": ("cp1254", "“Işık” – ve şarkı"),
    "iso-8859-1": ("cp1252", "“Zoë” – déjà vu"),
    "us-ascii": ("cp1252", "“Zoë” – déjà vu"),
    "win-1251": ("cp1251", "Привет, мир"),
    "windows1251": ("cp1251", "Привет, мир"),
    "x-cp1251": ("cp1251", "Привет, мир"),
    "koi8r": ("koi8-r", "Привет, мир"),
    "koi8-ru": ("koi8-u", "Привіт, світе"),
    "x-mac-cyrillic": ("mac_cyrillic", "Привет, мир"),
    "x-mac-roman": ("mac_roman", "“Zoë” – déjà vu"),
    "iso-8859-8-i": ("iso8859-8", "שלום עולם"),
    "dos-862": ("cp862", "שלום עולם"),
    "iso88592": ("iso8859-2", "Zażółć gęślą jaźń"),
}


def feed_of(titles: list[bytes], label: str, more: bytes = b"") -> bytes:
    items = b"".join(b"<item><title>%b</title><guid>g%d</guid>%b</item>" % (t, n, more) for n, t in enumerate(titles))
    head = f'<?xml version="1.0" encoding="{label}"?><rss version="2.0"><channel><title>A</title>'.encode()
    return head + items + b"</channel></rss>"


def read_titles(body: bytes, charset: str | None = None) -> list[str]:
    document = Document(Source("a", "feed"), "https://a.example/", body, charset=charset)
    return [entry.title for entry in feed.read(document).entries]


@pytest.mark.parametrize("label", LABELS)
def test_a_label_means_what_browsers_read_under_it(label: str) -> None:
    encoding, text = LABELS[label]
    title = text.encode(encoding)
    assert read_titles(feed_of([title, title], label)) == [text, text]
    assert read_titles(feed_of([title, title], "utf-8"), label) == [text, text]
    page = f'<html><meta charset="{label}"><p>'.encode() + title
    assert decoding.decode(Document(Source("a", "page"), "https://a.example/", page)).endswith(text)


@pytest.mark.parametrize("bad", [b"\xff", b"\x80", b"\xfe\xff", b"\xa0", b"\x00"])
@pytest.mark.parametrize("label", LABELS)
def test_a_wrong_byte_in_one_title_changes_no_other(label: str, bad: bytes) -> None:
    encoding, text = LABELS[label]
    title = text.encode(encoding)
    found = read_titles(feed_of([title, title + bad + b" Salz", title, title], label))
    assert found[:1] + found[2:] == [text] * 3
    assert found[1].startswith(text[:-1])
    assert found[1].endswith("Salz")


@pytest.mark.parametrize(
    "label", ["iso-8859-1", "windows-1251", "gbk", "shift_jis", "euc-kr", "big5", "us-ascii", "x-none"]
)
@pytest.mark.parametrize("text", ["Zoë – “déjà vu”", "Привет, мир", "日本語の番組です", "今天的新闻节目"])
def test_what_is_utf_8_is_read_as_that_whatever_it_names(text: str, label: str) -> None:
    titles = [text.encode(), text.encode()]
    assert read_titles(feed_of(titles, label)) == [text, text]
    assert read_titles(feed_of(titles, "utf-8"), label) == [text, text]
    assert read_titles(feed_of([*titles, b"caf\xe9"], label)) == [text, text, "café"]


def test_an_address_in_a_feed_of_shift_jis_keeps_its_tilde() -> None:
    """GNU libiconv reads the byte of "~" in Shift_JIS as U+203E, browsers as "~" (Encoding Standard, section 12.3)."""
    body = feed_of(["番組".encode("cp932")], "shift_jis", b"<link>https://a.example/~jun/1</link>")
    (entry,) = feed.read(Document(Source("a", "feed"), "https://a.example/", body)).entries
    assert entry.link == "https://a.example/~jun/1"


def test_surrogates_of_three_bytes_each_are_one_character() -> None:
    titles = [b"Schiff \xed\xa0\xbd\xed\xba\xa2 ahoi", "Küste".encode()]
    assert read_titles(feed_of(titles, "utf-8")) == ["Schiff 🚢 ahoi", "Küste"]


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
