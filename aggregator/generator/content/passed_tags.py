"""Clean the elements that are passed on from sources, and leave out those that do not fit the table.

The table is :mod:`aggregator.model.elements`; the validator finds misfits with the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from aggregator.generator.content import links, sanitize
from aggregator.generator.content.sanitize import clean_person
from aggregator.model.elements import ATTRIBUTE_KINDS, CHILDREN, ELEMENTS, NEEDED, ElementRule, Place, ValueKind
from aggregator.model.entry import Tag
from aggregator.text import media_types

MEDIUMS = frozenset(
    name + final
    for name in ("podcast", "music", "video", "film", "audiobook", "newsletter", "blog", "publisher", "course")
    for final in ("", "L")
) | {"mixed"}
_TRANSCRIPTS = frozenset({"text/vtt", "text/html", "text/plain", "application/json", "application/x-subrip"})
# Media types that sources write instead of those of the list.
_MEANT: Mapping[str, str] = {
    "application/json": "application/json+chapters",
    "application/srt": "application/x-subrip",
    "text/srt": "application/x-subrip",
    "text/webvtt": "text/vtt",
}
# Media types that the endings of files say (the namespace's documents of transcript and chapters).
_BY_ENDING: Mapping[str, Mapping[str, str]] = {
    "podcast:transcript": {
        "vtt": "text/vtt", "srt": "application/x-subrip", "json": "application/json", "html": "text/html",
        "htm": "text/html", "txt": "text/plain",
    },
    "podcast:chapters": {"json": "application/json+chapters"},
}  # fmt: skip
_SCHEMES = (
    "https?|ipfs|ipns|magnet|dat|hyper|lbry|at|nostr|matrix|activitypub|hive|lightning|bitcoin|xmpp|ircs?|rtmps?|gemini|"
    "mailto|podcast|feed"
)
_PATTERNS: Mapping[ValueKind, re.Pattern[str]] = {
    # Of all schemes those that the namespace's documents name; none of them reads a file or runs a script.
    "any": re.compile(rf"(?i:{_SCHEMES}):\S+"),
    "text": re.compile(r"(?s).+"),
    "guid": re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "yesno": re.compile(r"yes|no"),
    "truefalse": re.compile(r"true|false"),
    "integer": re.compile(r"\d{1,15}"),
    "decimal": re.compile(r"\d{1,15}(?:\.\d{1,15})?"),
    # Media types ignore case (RFC 2045, section 5.1): "application/x-mpegURL" is how Apple writes it.
    "media": re.compile(media_types.MEDIA_TYPE.pattern, re.IGNORECASE),
    "chapters": re.compile(r"application/json(?:\+chapters)?"),
    "mail": re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+"),
    "live": re.compile(r"pending|live|ended"),
    "payment": re.compile(r"payment"),
    # Normal play time (RFC 2326, section 3.6), as Podlove Simple Chapters have it.
    "time": re.compile(r"(?:(?:\d{1,3}:)?\d{1,2}:)?\d{1,6}(?:\.\d{1,9})?"),
    "instant": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?"),
}
_LONGEST_URL = 4_000  # characters
_PICTURE = re.compile(r"([^\s,](?:\S*[^\s,])?),++(?=\s|$)|([^\s,]\S*+)(?:\s++([^\s,]*+)[^,]*+)?")  # of a srcset
_SIZE = re.compile(r"\d{1,5}(?:\.\d{1,3})?[wx]")

Row = tuple[str, str | None, Mapping[str, str | None], Sequence["Row"]]


def _is_valid_value(kind: ValueKind, value: str) -> bool:
    if kind == "url":
        return len(value) <= _LONGEST_URL and links.clean_url(value) == value
    if kind == "srcset":
        return _clean_srcset(value) == value
    if kind == "medium":
        return value in MEDIUMS
    if kind == "transcript":
        return value in _TRANSCRIPTS
    return _PATTERNS[kind].fullmatch(value) is not None


def find_faults(tag: Tag) -> Iterator[str]:
    """Yield what is wrong with an element; nothing if it is valid."""
    shape = ELEMENTS.get(tag.name)
    if shape is None:
        yield "is not an element that is known here"
        return
    given = dict(tag.attributes)
    for name in NEEDED[tag.name]:
        if not given.get(name, "").strip():
            yield f"lacks {name}"
    kinds = ATTRIBUTE_KINDS[tag.name]
    for name, value in given.items():
        if name in kinds and value.strip() and not _is_valid_value(kinds[name], value):
            yield f"has {name}={value[:60]!r}"
    yield from _find_text_faults(tag, shape)
    for name, least, most in shape.children:
        count = sum(child.name == name for child in tag.children)
        if not least <= count <= most:
            yield f"has {count} {name}"
    if (
        tag.name == "podcast:socialInteract"
        and given.get("protocol") != "disabled"
        and not given.get("uri", "").strip()
    ):
        yield "lacks uri"


def _find_text_faults(tag: Tag, shape: ElementRule) -> Iterator[str]:
    if shape.text is None:
        return
    text = (tag.text or "").strip()
    if not text:
        if not shape.may_be_empty:
            yield "is empty"
    elif not _is_valid_value(shape.text, text):
        yield f"has the text {text[:60]!r}"
    elif len(text) > shape.longest:
        yield f"is longer than {shape.longest} characters"


def make_rows(tags: Sequence[Tag], place: Place) -> tuple[Row, ...]:
    """Return the elements allowed at this place, cleaned, each at most as often as allowed, in the given order."""
    kept: dict[Tag, Row] = {}
    seen: set[str] = set()
    for tag in map(_clean_tag, tags):
        shape = ELEMENTS.get(tag.name)
        if shape is None or place not in shape.places or (tag.name in seen and not shape.many) or any(find_faults(tag)):
            continue
        seen.add(tag.name)
        kept.setdefault(tag, _make_row(tag))
    return tuple(kept.values())


def make_text_rows(*texts: tuple[str, str | None]) -> tuple[Row, ...]:
    """Return an element for each name with a text."""
    return tuple((name, text, {}, ()) for name, text in texts if text)


def _clean_tag(tag: Tag) -> Tag:
    """Remove what the table does not allow: unknown attributes, wrong optional values, unknown children."""
    shape = ELEMENTS.get(tag.name)
    if shape is None:
        return tag
    attributes: dict[str, str] = {}
    for name, value in tag.attributes:
        cleaned = _clean_value(tag.name, name, value)
        if cleaned is not None:
            attributes.setdefault(name, cleaned)
    if tag.name in _BY_ENDING and (known := _find_type(tag.name, attributes)):
        attributes["type"] = known
    children = (_clean_tag(child) for child in tag.children if child.name in CHILDREN[tag.name])
    sound = tuple(child for child in children if not any(find_faults(child)))
    return Tag(tag.name, _clean_text(tag, shape), tuple(attributes.items()), sound)


def _find_type(element: str, attributes: Mapping[str, str]) -> str | None:
    """Return the media type by the ending of the file; ``None`` where a sound one is given or the ending says none."""
    if _is_valid_value(ATTRIBUTE_KINDS[element]["type"], attributes.get("type", "")):
        return None
    path = attributes.get("url", "").partition("?")[0].partition("#")[0]
    return _BY_ENDING[element].get(path.rpartition(".")[2].lower())


def _clean_text(tag: Tag, shape: ElementRule) -> str | None:
    if shape.text is None or tag.text is None:
        return None
    if shape.text == "url":
        return links.clean_url(tag.text.strip())
    text = sanitize.clean_name(sanitize.cut_logins(tag.text), shape.longest)
    return clean_person(text) if tag.name == "podcast:person" else text


def _clean_value(element: str, name: str, value: str) -> str | None:
    """Return an attribute's value as it may be written; ``None`` if it is unknown, or wrong and optional."""
    kind = ATTRIBUTE_KINDS[element].get(name)
    if kind is None:
        return None
    if kind == "url":
        return links.clean_url(value)
    if kind == "srcset":
        return _clean_srcset(value)
    text = sanitize.clean_name(sanitize.cut_logins(value))
    if text and (kind == "chapters" or not _is_valid_value(kind, text)):
        text = _MEANT.get(text.lower(), text)
        return text if name in NEEDED[element] or _is_valid_value(kind, text) else None
    return text


def _clean_srcset(value: str) -> str:
    """Return the pictures of a srcset (HTML, 4.8.4.2.1) that have a web address, in one line.

    >>> _clean_srcset("https://a.example/1.jpg 300w,javascript:x 1w, https://a.example/2.jpg")
    'https://a.example/1.jpg 300w, https://a.example/2.jpg'
    """
    kept = []
    for alone, sized, size in _PICTURE.findall(value[: 4 * _LONGEST_URL]):
        if (sound := links.clean_url(alone or sized)) and len(sound) <= _LONGEST_URL:
            kept.append(f"{sound} {size}" if _SIZE.fullmatch(size) else sound)
    return ", ".join(kept)


def _make_row(tag: Tag) -> Row:
    return (tag.name, tag.text, dict(tag.attributes), tuple(_make_row(child) for child in tag.children))
