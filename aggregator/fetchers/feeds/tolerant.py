"""Read feeds by feedparser, the tolerant reader, and the elements that it drops from the XML.

feedparser gets bytes in a stream (text it would open as a file or an address). It does not sanitize HTML or resolve
addresses in it, which would take half of its time: both are done once, at output. It does not get the address of the
feed: it would make an address of every guid without ``isPermaLink="false"``.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any, NamedTuple
from xml.sax import SAXException

import feedparser

from aggregator.errors import ReadError
from aggregator.fetchers.feeds.podcast import FeedXml, read_feed_xml
from aggregator.fetchers.parsing.decoding import correct_declaration
from aggregator.model.source import Document
from aggregator.translation.marks import N_

_FAILURES = (  # what feedparser 6.0.14 was seen to raise on mutated feeds; all mean that it cannot go on
    SAXException, ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError, OverflowError,
)  # fmt: skip
_MILD = (feedparser.CharacterEncodingOverride, feedparser.NonXMLContentType)  # the bytes were read all the same
_LONGEST_REASON = 200  # characters of a parser's own words


class _Parsed(NamedTuple):
    """Result of feedparser: format, channel, entries, a remark on the bytes, and the elements read from the XML."""

    version: str
    channel: dict[str, Any]
    entries: tuple[dict[str, Any], ...]
    remark: str | None
    feed_xml: FeedXml | None


def parse(document: Document) -> _Parsed:
    """Return feedparser's result for the document; ReadError if it cannot go on."""
    charset = f"; charset={document.charset}" if document.charset else ""
    headers = {"content-type": f"application/xml{charset}"}
    body = correct_declaration(document.body)
    try:
        answer = feedparser.parse(
            BytesIO(body), response_headers=headers, sanitize_html=False, resolve_relative_uris=False
        )
    except _FAILURES as error:
        raise ReadError(f"{document.source.name}: the feed cannot be parsed ({type(error).__name__})") from error
    if answer.get("version") != "atom10":  # only there does the type of a title say that it is no markup
        for entry in answer.entries:
            entry.pop("title_detail", None)
    fault = answer.get("bozo_exception") if answer.get("bozo") else None
    mistake = " ".join(str(fault).removeprefix("<unknown>:").split())[:_LONGEST_REASON]
    remark = N_(f"encoding: {mistake}") if isinstance(fault, _MILD) else N_(f"not well-formed: {mistake}")
    return _Parsed(
        version=str(answer.get("version") or ""),
        channel=answer.feed,
        entries=tuple(answer.entries),
        remark=remark if fault else None,
        feed_xml=read_feed_xml(body, str(answer.get("encoding") or ""), len(answer.entries)),
    )
