"""Decode a document and detect its type by its bytes, because origins are often wrong about both."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Literal

from msgspec.structs import replace

from aggregator.errors import ReadError
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
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}  # WHATWG Encoding Standard, section 4.2: as every browser reads them
_REFUSED = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "utf-7"}  # no page's, slow or unsafe


def decode(document: Document) -> str:
    """Return the body as text with plain line ends: by its mark, HTTP's charset, its declaration, UTF-8, or cp1252.

    An encoding that is unknown or does not fit the bytes is skipped; bytes that are no UTF-8 are Windows Latin in every
    fixture seen.
    """
    body = correct_declaration(document.body)
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return _clean_line_ends(body.decode(encoding, "replace"))
    declared = _DECLARED.search(body[:_DECLARATION_HEAD])
    names = (document.charset, declared and declared[1].decode("ascii", "replace"), "utf-8")
    for name in names:
        if name and (text := _try_decoding(body, name)) is not None:
            return _clean_line_ends(text)
    return _clean_line_ends(_decode_unsound(body, None))


def decode_mixed(document: Document) -> tuple[str | None, bool]:
    """Return the body as text, and whether bytes of two encodings stand in it; ``None`` if the encoding is unknown.

    In a document of UTF-8 a byte that is none is one of Windows Latin, so that all other texts stay as they are; where
    most are none, and the document declares another encoding than the transport, it is that.
    """
    body = correct_declaration(document.body)
    for mark, encoding in _MARKS:
        if body.startswith(mark) and encoding != "utf-8-sig":
            return body.decode(encoding, "replace"), mark.startswith((b"<", b"\0<"))
    declared = _DECLARED.search(body[:_DECLARATION_HEAD])
    own = declared[1].decode("ascii", "replace") if declared else None
    named = document.charset or own or "utf-8"
    text = _try_decoding(body, named)
    if text is not None:
        return text, False
    try:
        known = codecs.lookup(named).name
    except (LookupError, ValueError):
        known = "utf-8"
    if known != "utf-8" and (text := _try_decoding(body, "utf-8")) is not None:
        return text, True
    return (_decode_unsound(body, own), True) if known == "utf-8" else (None, False)


def _decode_unsound(body: bytes, declared: str | None) -> str:
    """Return bytes that are no UTF-8: each such byte as Windows Latin, or all as declared if most are, or as that."""
    text = body.decode("utf-8", _WINDOWS)
    wrong = len(body.decode("utf-8", "surrogateescape").encode("utf-8", "ignore").decode()) - len(text)
    beyond = sum(not character.isascii() for character in text)
    if beyond > 2 * -wrong:
        return text
    whole = _try_decoding(body, declared) if declared else None
    return body.decode("latin-1").translate(WINDOWS_LATIN) if whole is None else whole


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


def _try_decoding(body: bytes, name: str) -> str | None:
    try:
        codec = codecs.lookup(name).name
        if codec in _REFUSED:
            return None
        return body.decode(_WIDER.get(codec, codec))
    except (LookupError, ValueError):
        return None


def _clean_line_ends(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "")


_DocumentType = Literal["json", "feed", "html", "text"]

_TYPE_HEAD = 65536  # characters looked at; feeds behind long comments and style sheets are seen up to 9,000
_FEED = re.compile(r"<(?:\w+:)?(?:rss|feed|rdf|channel)(?:\s|>)", re.IGNORECASE)
_FEED_BYTES = re.compile(_FEED.pattern.encode(), _FEED.flags & re.IGNORECASE)  # in nearly all encodings the same bytes
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # of a pair or alone
_HTML = re.compile(
    r"<(?:!doctype\s+html|html|head|body|div|table|article|section|main|p|ul|h[1-6])(?:\s|>|/)", re.IGNORECASE
)


def detect_type(document: Document) -> _DocumentType:
    """Return the type by the first bytes: JSON that parses, a feed's root element, HTML elements, else text."""
    text = decode(document).lstrip()
    if text[:1] in {"{", "["} and load_json(text) is not None:
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
