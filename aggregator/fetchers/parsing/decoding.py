"""Decode a document and detect its type by its bytes, because origins are often wrong about both."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Literal

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.parsing.broken_json import read_broken
from aggregator.model.record import replace_surrogates
from aggregator.model.source import Document
from aggregator.text import html
from aggregator.translation.marks import N_

# HTML Living Standard, 13.2.3.2: byte order mark, then the transport, then what the document declares.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (b"<\0?\0", "utf-16-le"),  # XML 1.0, appendix F: the beginning of a declaration
    (b"\0<\0?", "utf-16-be"),
)
_DECLARED = re.compile(rb"""(?:encoding|charset)\s*=\s*+(?:["']\s*+)?([\w.:-]{1,40})""", re.IGNORECASE)
_WIDE = re.compile(
    rb"""(<\?xml[^>]{0,100}encoding\s*=\s*)(["'])(?:utf-?(?:16|32)|ucs-?[24])[\w-]{0,3}["']""", re.IGNORECASE
)
_HALF_REFERENCE = re.compile(
    rb"&#(?:[xX]0{0,8}[dD][89a-fA-F][0-9a-fA-F]{2}|0{0,8}(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));?"
)
_PAIR_REFERENCE = re.compile(
    rb"&#(?:[xX][dD][89abAB][0-9a-fA-F]{2}|5[56]\d{3});&#(?:[xX][dD][c-fC-F][0-9a-fA-F]{2}|5[67]\d{3});"
)

_DECLARATION_HEAD = 4096  # bytes; browsers look at 1024 for a declaration, real pages put it behind longer scripts
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}  # WHATWG Encoding Standard, section 4.2: as every browser reads them
_LABELS = {
    "gb_2312": "gb2312", "gb_2312-80": "gb2312", "gb-2312": "gb2312", "csgb2312": "gb2312", "cn-big5": "big5",
    "ksc_5601": "euc_kr", "ks_c_5601-1989": "euc_kr", "cseuckr": "euc_kr", "csksc56011987": "euc_kr",
    "cseucpkdfmtjapanese": "euc_jp", "eucjp-win": "euc_jp", "windows-31j": "cp932",
    "koi": "koi8-r", "koi8": "koi8-r", "koi8-ru": "koi8-u", "koi8r": "koi8-r", "koi8u": "koi8-u", "mac": "mac_roman",
    "mac-ukrainian": "mac_cyrillic", "logical": "iso8859-8", "visual": "iso8859-8", "utf8mb4": "utf-8",
}  # fmt: skip  # the same section's labels, and one of MySQL, that Python lacks
_PAGE = re.compile(r"(?:windows|win|cp|ms|ibm|dos)[-_ ]?(\d{3,4})")  # with and without a hyphen, in real feeds
_ISO = re.compile(r"iso-?_?8859-?(\d{1,2})(?:-[ie])?")
_REFUSED = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "utf-7"}  # no page's, slow or unsafe
_HALVES = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")
_ENOUGH = 4
"""Bytes behind the first of a character that are UTF-8 by chance in no text of another encoding; two Chinese words of
GBK can be."""
_MOST_LOST = 1 / 8
"""Share of the characters beyond ASCII that may be lost to single bytes. With one or two bytes of a sentence inserted,
lost or changed it is at most .07 in nine encodings; with the label of another number of bytes a character .15 to 1."""


def decode(document: Document) -> str:
    """Return the body as text with plain line ends, as `decode_bytes`."""
    return _clean_line_ends(decode_bytes(document.body, document.charset)[0])


def decode_bytes(body: bytes, charset: str | None = None) -> tuple[str, bool]:
    """Return a body as text, and whether it is in the encoding that it names; ``charset`` is that of HTTP.

    That is its mark's, HTTP's, its declaration's, or UTF-8. What is UTF-8 is read as that whatever it names; a byte of
    it that is none is one of Windows Latin, so that all other texts stay as they are. In another encoding such a byte
    is lost; if many are, all is Windows Latin, as bytes of no known encoding are in every fixture seen.
    """
    body = correct_declaration(body)
    for mark, encoding in _MARKS:
        if body.startswith(mark) and encoding != "utf-8-sig":
            return body.decode(encoding, "replace"), not mark.startswith((b"<", b"\0<"))
    body = body.removeprefix(codecs.BOM_UTF8)
    declared = _DECLARED.search(body[:_DECLARATION_HEAD])
    labels = charset, declared[1].decode("ascii", "replace") if declared else "utf-8"
    named = [codec for label in labels if label and (codec := find_codec(label))]
    if b"\0" not in body[:_DECLARATION_HEAD]:  # HTML Living Standard, 13.2.3.2: what can be read as ASCII is no UTF-16
        named = [codec for codec in named if not codec.startswith(("utf-16", "utf-32"))]
    text = decode_utf8(body, 0 if named[:1] == ["utf-8"] else _ENOUGH)
    if text is not None:
        return text, "utf-8" in named and text.encode() == body
    for codec in (*named, "utf-8"):
        text = _try_decoding(body, codec)
        if text is not None:
            return text, codec in named
    for codec in named:
        text = body.decode(codec, "replace")
        if text.count("\ufffd") <= _MOST_LOST * _count_beyond(text):
            return text, False
    return _try_decoding(body, "cp1252") or "", False


def find_codec(label: str) -> str | None:
    """Return Python's name of the encoding that browsers read under a label; ``None`` for one that no page has.

    >>> find_codec("X-SJIS"), find_codec("gb2312"), find_codec("win-1251"), find_codec("utf-7")
    ('cp932', 'gb18030', 'cp1251', None)
    """
    label = label.strip("\"' ").lower().removeprefix("x-").removeprefix("x-")
    page, iso = _PAGE.fullmatch(label), _ISO.fullmatch(label)
    label = f"cp{page[1]}" if page else f"iso8859-{iso[1]}" if iso else _LABELS.get(label, label)
    try:
        codec = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    return None if codec.name in _REFUSED or not codec._is_text_encoding else _WIDER.get(codec.name, codec.name)  # noqa: SLF001


def decode_utf8(body: bytes, enough: int = _ENOUGH) -> str | None:
    """Return the text if most of what is beyond ASCII is UTF-8, and enough of it, whatever the body names.

    Pairs of surrogates, three bytes each, are their characters (CESU-8, Unicode Technical Report 26).
    """
    sound = body.decode("utf-8", "ignore")
    written = sound.encode()
    if len(written) - len(sound) < enough:
        return None
    if written == body:
        return sound
    body = _HALVES.sub(_join_bytes, body)
    sound = body.decode("utf-8", "ignore")
    written = sound.encode()
    return body.decode("utf-8", _WINDOWS) if len(written) - len(sound) > len(body) - len(written) else None


def _count_beyond(text: str) -> int:
    """Return how many characters are beyond ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))


def _join_bytes(pair: re.Match[bytes]) -> bytes:
    return pair[0].decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16").encode()


def _decode_windows(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1").translate(WINDOWS_LATIN), error.end


# Windows Latin; its five undefined bytes are the controls of Latin-1 (WHATWG Encoding Standard, index windows-1252)
WINDOWS_LATIN = {code: bytes((code,)).decode("cp1252", "ignore") or chr(code) for code in range(0x80, 0xA0)}
_WINDOWS = "aggregator.windows"
codecs.register_error(_WINDOWS, _decode_windows)


def correct_declaration(body: bytes) -> bytes:
    """Return the body with two mistakes corrected that stop parsers.

    A declaration of UTF-16 or UTF-32 that can be read as ASCII is one of UTF-8 (HTML Living Standard, 13.2.3.2).
    References to both halves of a surrogate pair are one to its character; one to a half is U+FFFD (13.2.5.80).
    """
    if _WIDE.search(body[:_DECLARATION_HEAD]):
        body = _WIDE.sub(rb"\1\2utf-8\2", body, count=1)
    if b"#" not in body or not _HALF_REFERENCE.search(body):
        return body
    return _HALF_REFERENCE.sub(b"&#xFFFD;", _PAIR_REFERENCE.sub(_join_halves, body))


def _join_halves(pair: re.Match[bytes]) -> bytes:
    """Return one reference for two to halves of a surrogate pair, which some writers escape one by one."""
    joined = html.unescape(pair[0].decode("ascii"))
    return b"&#%d;" % ord(joined) if len(joined) == 1 else pair[0]


def _try_decoding(body: bytes, codec: str) -> str | None:
    if codec == "cp1252":
        return body.decode("latin-1").translate(WINDOWS_LATIN)
    try:
        return body.decode(codec)
    except ValueError:
        return None


def _clean_line_ends(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "")


_DocumentType = Literal["json", "feed", "html", "text"]

_TYPE_HEAD = 65536  # characters looked at; feeds behind long comments and style sheets are seen up to 9,000
_OBJECT = re.compile(r"""\{\s*+["'}]|\[\s*+\{""")
_FEED = re.compile(r"<(?:\w+:)?(?:rss|feed|rdf|channel)(?:\s|>)", re.IGNORECASE)
_FEED_BYTES = re.compile(_FEED.pattern.encode(), _FEED.flags & re.IGNORECASE)  # in nearly all encodings the same bytes
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # of a pair or alone
_HTML = re.compile(
    r"<(?:!doctype\s+html|html|head|body|div|table|article|section|main|p|ul|h[1-6])(?:\s|>|/)", re.IGNORECASE
)


def detect_type(document: Document) -> _DocumentType:
    """Return the type by the first bytes: JSON that parses, a feed's root element, HTML elements, else text."""
    text = decode(document).lstrip()
    if text[:1] in {"{", "["} and (load_json(text) is not None or (_OBJECT.match(text) and read_broken(text))):
        return "json"
    head = text[:_TYPE_HEAD]
    feed, html = _FEED.search(head), _HTML.search(head)
    if feed and (html is None or feed.start() < html.start()):
        return "feed"
    return "html" if html else "text"


def is_only_html(document: Document) -> bool:
    """Return whether the document begins as an HTML page and no feed's element follows: fast, before a slow parser."""
    if _FEED_BYTES.search(document.body, 0, _TYPE_HEAD):
        return False
    head = decode(replace(document, body=document.body[: _TYPE_HEAD * 4]))[:_TYPE_HEAD]
    return _FEED.search(head) is None and _HTML.search(head) is not None


def load_json(text: str) -> Any | None:
    """Return the JSON value of the text; ``None`` if it is none, or nested deeper than Python's limit.

    Halves of surrogate pairs become U+FFFD: they are no characters and could not be encoded again.
    """
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        return replace_surrogates(value) if _SURROGATE.search(text) else value
    except (ValueError, RecursionError):
        return None


def load_document(document: Document) -> tuple[Any | None, str]:
    """Return the JSON value of a document, and its first mistake, "" if it is sound; ``None`` if it holds none."""
    text = decode(document)
    value = load_json(text)
    if value is not None:
        return value, ""
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return read_broken(text), str(error)
    return read_broken(text), "NaN or Infinity"


def unexpected_type(document: Document, wanted: str) -> ReadError:
    """Return the error for a document of another type than expected, or that only begins as that type."""
    found = {"json": "JSON", "feed": N_("a feed"), "html": N_("an HTML page"), "text": N_("text")}[
        detect_type(document)
    ]
    what = N_(f"begins as {wanted}, but cannot be read")
    if found != wanted:
        what = N_(f"{found} where {wanted} was expected")
    return ReadError(f"{document.source.name}: {what} ({document.url})")


def _refuse_constant(name: str) -> float:
    raise ValueError(name)
