"""Which of an item's texts is the main one, which the summary, and whether it is markup or plain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from aggregator.text import html as markup

TAG = re.compile(r"<[/!]?[A-Za-z]|<!--")
ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
DECLARATION = re.compile(r"<!(?:--|\[CDATA\[|doctype)", re.IGNORECASE)
LONGER = (
    1.5  # times: then itunes:summary is the text and the description its teaser; twice or half more decides nothing
)
LONGEST_PROBE = 20000  # characters of two texts compared
# Tags that add nothing to a text, or a blank, and hide nothing: for the ends of a text without reading it as HTML.
ATTRIBUTES = r"""(?:\s+[\w:-]+="[^"<>]*")*\s*/?>"""
INLINE = re.compile(rf"</?(?:a|b|i|u|em|strong|span){ATTRIBUTES}", re.IGNORECASE)
BLOCK = re.compile(rf"</?(?:p|div|h[1-6]|[uo]l|li|br){ATTRIBUTES}", re.IGNORECASE)
SIGNS = "<>&;\0\1\2\3\4\5\6\7\x08"  # behind which it is not certain what a text says
UNSURE = re.compile(f"[{SIGNS}]")
ENDS = 300  # characters looked at for the first and for the last words
TAIL = 100  # characters that the last tags of a text and its last letter stand in
LAST = {  # tags that a text may end in, and that add nothing to it
    *(f"</{name}>" for name in ("a", "b", "i", "u", "em", "strong", "span", "p", "div", "li", "ul", "ol")),
    "<br>", "<br/>", "<br />",
}  # fmt: skip


class Words(NamedTuple):
    """The main text, as ``html`` or as ``description``, and a summary that says something else."""

    html: str | None
    description: str | None
    summary: str | None


def words(entry: Mapping[str, Any], texts: Mapping[str, str]) -> Words:
    """The texts of an item, from feedparser's entry and the XML's own account."""
    content, is_plain = _content(entry, texts)
    description = texts.get("description") or _value(entry, "summary")
    long, short = texts.get("itunes:summary", ""), texts.get("itunes:subtitle") or _value(entry, "subtitle")
    return _chosen(content, description, long, short, is_plain=is_plain)


def _chosen(content: str, description: str, long: str, short: str, *, is_plain: bool = False) -> Words:
    """Which of four texts is what, each "" where it is not there.

    ``content`` (Atom, content:encoded) is the main text, else the description, else ``itunes:summary``; the latter
    also where it is much longer than the description. Of the others the first that differs is the summary. Content
    that ``is_plain`` is not looked into for markup.
    """
    ranked = [text for text in (content, description, long) if text]
    if not content and description and len(long) > len(description) and _is_teaser(description, long):
        ranked = [long, description]
    main = ranked[0] if ranked else short
    is_html = not (is_plain and main == content) and _is_marked(main)
    others = [other for other in ranked if other != main]
    if short and short != main:
        others.append(short)
    summary = _other(main, others, is_html=is_html) if others else None
    return Words(main if is_html else None, None if is_html or not main else main, summary)


def plain(text: str) -> str:
    """The text without markup, where it has any."""
    return markup.to_text(text) if _is_marked(text) else text.strip()


def _is_marked(text: str) -> bool:
    """Return whether the text is markup; what only looks like a tag ("the <dialog> tag") makes it plain text."""
    if "<" in text and TAG.search(text):
        return markup.has_tags(text) or DECLARATION.search(text) is not None
    return "&" in text and ENTITY.search(text) is not None


def _is_teaser(description: str, long: str) -> bool:
    return len(plain(long)) > LONGER * len(plain(description))


def _other(main: str, others: Iterable[str], *, is_html: bool) -> str | None:
    """The first of the others, without markup, that is not the main text in other letters."""
    said: str | None = None
    end = _end(main, is_html=is_html)
    for other in others:
        found = plain(other)
        other_end = _end(found)
        if found and ((end and other_end and end != other_end) or _unlike(main, found)):
            return found
        said = said if said is not None else _squeezed(plain(main) if is_html else main)
        if found and _squeezed(found) != said:
            return found
    return None


def _end(text: str, *, is_html: bool = False) -> str:
    """The last letter of the text in lower case; "" where it is not certain, or the text is not compared to its end.

    Most texts of an item end in different letters, which is seen 20 times faster than the rest.
    """
    if len(text) > LONGEST_PROBE:
        return ""
    tail = text[-TAIL:].rstrip()
    while is_html and tail.endswith(">"):
        start = tail.rfind("<")
        if tail[start:] not in LAST:
            return ""
        tail = tail[:start].rstrip()
    last = tail[-1:]
    return "" if is_html and last in SIGNS else last.casefold()[-1:]


def _unlike(main: str, other: str) -> bool:
    """Whether the first or the last words of the texts are certainly others, which is seen 50 times faster."""
    if len(main) > LONGEST_PROBE or len(other) > LONGEST_PROBE:
        return False
    first, second = [_words(text[:ENDS])[0].split()[:-1] for text in (main, other)]
    count = min(len(first), len(second))
    if first[:count] != second[:count]:
        return True
    first, second = [_words(text[-ENDS:])[-1].split()[:0:-1] for text in (main, other)]
    count = min(len(first), len(second))
    return first[:count] != second[:count]


def _words(piece: str) -> list[str]:
    """A piece of a text without simple tags, divided where it is not certain what it says."""
    return UNSURE.split(BLOCK.sub(" ", INLINE.sub("", piece)).casefold())


def _squeezed(text: str) -> str:
    """The text as it is compared: folding it properly took half of the time of a whole feed."""
    return " ".join(text[:LONGEST_PROBE].split()).casefold()


def _content(entry: Mapping[str, Any], texts: Mapping[str, str]) -> tuple[str, bool]:
    """Atom's content or content:encoded, HTML before plain text, and whether its type says that it is plain.

    In RSS feedparser also calls a second description content: there the XML's own account is believed.
    """
    if "content:encoded" in texts or "description" in texts:
        return texts.get("content:encoded", ""), False
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
