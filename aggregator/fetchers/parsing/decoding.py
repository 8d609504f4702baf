"""The letters of a document: its bytes decoded the way browsers and feed readers agree on, and never refused."""

from __future__ import annotations

import codecs
import re

from aggregator.model.source import Document

# HTML Living Standard, 13.2.3.2: byte order mark, then the transport, then what the document declares.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
DECLARED = re.compile(rb"""(?:encoding|charset)\s*=\s*+(?:["']\s*+)?([\w.:-]{1,40})""", re.IGNORECASE)
WIDE = re.compile(
    rb"""(<\?xml[^>]{0,100}encoding\s*=\s*)(["'])(?:utf-?(?:16|32)|ucs-?[24])[\w-]{0,3}["']""", re.IGNORECASE
)
HALF = re.compile(
    rb"&#(?:[xX]0{0,8}[dD][89a-fA-F][0-9a-fA-F]{2}|0{0,8}(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));?"
)
HEAD = 4096  # bytes; browsers look at 1024 for a declaration, real pages put it behind longer scripts
WIDER = {"iso8859-1": "cp1252", "ascii": "cp1252"}  # WHATWG Encoding Standard, section 4.2: as every browser reads them
REFUSED = {"punycode", "idna", "unicode_escape", "raw-unicode-escape", "utf-7"}  # no page's, slow or unsafe
LAST_RESORT = "cp1252"  # undeclared bytes that are no UTF-8 are Windows Latin in every fixture seen


def decoded(document: Document) -> str:
    """The body as text with plain line ends: by its mark, the charset of HTTP, its declaration, UTF-8, or cp1252.

    A name that is unknown or does not fit the bytes is passed over; nothing that is answered is ever refused.
    """
    body = honest(document.body)
    for mark, encoding in MARKS:
        if body.startswith(mark):
            return _plain(body.decode(encoding, "replace"))
    declared = DECLARED.search(body[:HEAD])
    names = (document.charset, declared and declared[1].decode("ascii", "replace"), "utf-8")
    for name in names:
        if name and (text := _tried(body, name)) is not None:
            return _plain(text)
    return _plain(body.decode(LAST_RESORT, "replace"))


def honest(body: bytes) -> bytes:
    """The body without two lies that parsers trip over; most bodies come back as they are.

    A declaration of UTF-16 or UTF-32 that can be read as ASCII is one of UTF-8 (HTML Living Standard, 13.2.3.2).
    A reference to half of a surrogate pair is U+FFFD (the same, 13.2.5.80).
    """
    if WIDE.search(body[:HEAD]):
        body = WIDE.sub(rb"\1\2utf-8\2", body, count=1)
    return HALF.sub(b"&#xFFFD;", body) if b"#" in body and HALF.search(body) else body


def _tried(body: bytes, name: str) -> str | None:
    try:
        codec = codecs.lookup(name).name
        if codec in REFUSED:
            return None
        return body.decode(WIDER.get(codec, codec))
    except (LookupError, ValueError):
        return None


def _plain(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\x00", "")
