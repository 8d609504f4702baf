"""Which of an item's texts is the main one, which the summary, and whether it is markup or plain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from aggregator.text import markup
from aggregator.text.fold import fold

MARKUP = re.compile(r"<(?:/?[A-Za-z]|!)|&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
LONGER = (
    1.5  # times: then itunes:summary is the text and the description its teaser; twice or half more decides nothing
)
LONGEST_PROBE = 20000  # characters of two texts compared


class Words(NamedTuple):
    """The main text, as ``html`` or as ``description``; a summary that says something else; the main text plain."""

    html: str | None
    description: str | None
    summary: str | None
    plain: str


def words(entry: Mapping[str, Any], texts: Mapping[str, str]) -> Words:
    """The texts of an item.

    ``content`` (Atom, content:encoded) is the main text, else the description, else ``itunes:summary``; the latter
    also where it is much longer than the description. Of the others the first that differs is the summary.
    """
    content, is_plain = _content(entry)
    description = texts.get("description") or _value(entry, "summary")
    long, short = texts.get("itunes:summary", ""), texts.get("itunes:subtitle") or _value(entry, "subtitle")
    ranked = [text for text in (content, description, long) if text]
    if not content and description and len(_plain(long)) > LONGER * len(_plain(description)):
        ranked = [long, description]
    main = ranked[0] if ranked else short
    plain = main if is_plain and main == content else _plain(main)
    is_html = not (is_plain and main == content) and MARKUP.search(main) is not None
    said = fold(plain[:LONGEST_PROBE])
    others = (_plain(other) for other in [*ranked[1:], short] if other != main)
    summary = next((other for other in others if other and fold(other[:LONGEST_PROBE]) not in {said, ""}), None)
    return Words(main if is_html else None, None if is_html or not main else main, summary, plain)


def _content(entry: Mapping[str, Any]) -> tuple[str, bool]:
    """Atom's content or content:encoded, HTML before plain text, and whether its type says that it is plain."""
    offered = [
        part for part in entry.get("content", ()) if isinstance(part.get("value"), str) and part["value"].strip()
    ]
    offered.sort(key=lambda part: part.get("type") == "text/plain")
    if not offered:
        return "", False
    return offered[0]["value"].strip(), offered[0].get("type") == "text/plain"


def _value(entry: Mapping[str, Any], name: str) -> str:
    value = dict.get(entry, name) if isinstance(entry, dict) else None
    return value.strip() if isinstance(value, str) else ""


def _plain(text: str) -> str:
    return markup.to_text(text) if MARKUP.search(text) else text.strip()
