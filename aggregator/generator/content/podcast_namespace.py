"""The podcast namespace as one table: which element may stand where, how often, and what makes one valid.

From the namespace's documents of May 2026 (podcastindex.org/namespace/1.0). The generator passes a source's element
through only where it fits the table; the validator finds the misfits with the same table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct, field

from aggregator.generator.content import links, sanitize
from aggregator.generator.content.sanitize import clean_person
from aggregator.model.entry import Tag

Place = Literal["channel", "item"]
_ValueKind = Literal[
    "any",
    "text",
    "url",
    "guid",
    "yesno",
    "truefalse",
    "integer",
    "decimal",
    "medium",
    "media",
    "transcript",
    "chapters",
    "mail",
]


class _ElementRule(Struct, frozen=True):
    """Rules for one element: places, ``many`` or one, text, attributes (a needed one ends in "!").

    ``longest`` is the most characters of the text. ``children`` are (name, least, most) of the elements within.
    ``needs_text`` is false where the element says all in its attributes.
    """

    places: tuple[Place, ...]
    many: bool = True
    text: _ValueKind | None = None
    longest: int = sanitize.LONGEST_LINE
    attributes: Mapping[str, _ValueKind] = field(default_factory=dict)
    children: tuple[tuple[str, int, int], ...] = ()


_CHANNEL: tuple[Place, ...] = ("channel",)
_ITEM: tuple[Place, ...] = ("item",)
_BOTH: tuple[Place, ...] = ("channel", "item")
_INSIDE: tuple[Place, ...] = ()
_ANY = 1000

ELEMENTS: Mapping[str, _ElementRule] = {
    "podcast:guid": _ElementRule(_CHANNEL, many=False, text="guid"),
    "podcast:locked": _ElementRule(_CHANNEL, many=False, text="yesno", attributes={"owner": "mail"}),
    "podcast:medium": _ElementRule(_CHANNEL, many=False, text="medium"),
    "podcast:funding": _ElementRule(_BOTH, text="text", longest=128, attributes={"url!": "url"}),
    "podcast:person": _ElementRule(
        _BOTH, text="text", longest=128, attributes={"role": "text", "group": "text", "img": "url", "href": "url"}
    ),
    "podcast:location": _ElementRule(
        _BOTH, text="text", longest=128, attributes={"rel": "text", "geo": "text", "osm": "text", "country": "text"}
    ),
    "podcast:license": _ElementRule(_BOTH, many=False, text="text", longest=128, attributes={"url": "url"}),
    "podcast:txt": _ElementRule(_BOTH, text="text", longest=4000, attributes={"purpose": "text"}),
    "podcast:podroll": _ElementRule(_CHANNEL, many=False, children=(("podcast:remoteItem", 1, _ANY),)),
    "podcast:publisher": _ElementRule(_CHANNEL, many=False, children=(("podcast:remoteItem", 1, 1),)),
    "podcast:remoteItem": _ElementRule(
        _CHANNEL,
        attributes={"feedGuid!": "guid", "feedUrl": "url", "itemGuid": "text", "medium": "medium", "title": "text"},
    ),
    "podcast:updateFrequency": _ElementRule(
        _CHANNEL,
        many=False,
        text="text",
        longest=128,
        attributes={"complete": "truefalse", "dtstart": "text", "rrule": "text"},
    ),
    "podcast:podping": _ElementRule(_CHANNEL, many=False, attributes={"usesPodping!": "truefalse"}),
    "podcast:block": _ElementRule(_CHANNEL, text="yesno", attributes={"id": "text"}),
    "podcast:trailer": _ElementRule(
        _CHANNEL,
        text="text",
        longest=128,
        attributes={"url!": "url", "pubdate!": "text", "length": "integer", "type": "media", "season": "integer"},
    ),
    "podcast:image": _ElementRule(
        _BOTH,
        attributes={
            "href!": "url",
            "alt": "text",
            "aspect-ratio": "text",
            "width": "integer",
            "height": "integer",
            "type": "media",
            "purpose": "text",
        },
    ),
    "podcast:socialInteract": _ElementRule(
        _BOTH,
        attributes={"protocol!": "text", "uri": "any", "accountId": "text", "accountUrl": "url", "priority": "integer"},
    ),
    "podcast:transcript": _ElementRule(
        _ITEM, attributes={"url!": "url", "type!": "transcript", "language": "text", "rel": "text"}
    ),
    "podcast:chapters": _ElementRule(_ITEM, many=False, attributes={"url!": "url", "type!": "chapters"}),
    "podcast:season": _ElementRule(_ITEM, many=False, text="integer", attributes={"name": "text"}),
    "podcast:episode": _ElementRule(_ITEM, many=False, text="decimal", attributes={"display": "text"}),
    "podcast:soundbite": _ElementRule(
        _ITEM, text="text", attributes={"startTime!": "decimal", "duration!": "decimal"}, longest=128
    ),
    "podcast:alternateEnclosure": _ElementRule(
        _ITEM,
        attributes={
            "type!": "media",
            "length": "integer",
            "bitrate": "decimal",
            "height": "integer",
            "lang": "text",
            "title": "text",
            "rel": "text",
            "codecs": "text",
            "default": "truefalse",
        },
        children=(("podcast:source", 1, _ANY), ("podcast:integrity", 0, 1)),
    ),
    "podcast:source": _ElementRule(_INSIDE, attributes={"uri!": "any", "contentType": "media"}),
    "podcast:integrity": _ElementRule(_INSIDE, attributes={"type!": "text", "value!": "text"}),
    "podcast:contentLink": _ElementRule(_ITEM, text="text", attributes={"href!": "any"}),
    "podcast:value": _ElementRule(
        _BOTH,
        attributes={"type!": "text", "method!": "text", "suggested": "decimal"},
        children=(("podcast:valueRecipient", 1, _ANY), ("podcast:valueTimeSplit", 0, _ANY)),
    ),
    "podcast:valueRecipient": _ElementRule(
        _INSIDE,
        attributes={
            "type!": "text",
            "address!": "text",
            "split!": "integer",
            "name": "text",
            "customKey": "text",
            "customValue": "text",
            "fee": "truefalse",
        },
    ),
    "podcast:valueTimeSplit": _ElementRule(
        _INSIDE,
        attributes={
            "startTime!": "decimal",
            "duration!": "decimal",
            "remoteStartTime": "decimal",
            "remotePercentage": "decimal",
        },
        children=(("podcast:remoteItem", 0, 1), ("podcast:valueRecipient", 0, _ANY)),
    ),
}

# Elements that the namespace has, and that a feed of what is over has no use for.
LIVE = frozenset({"podcast:liveItem", "podcast:chat", "podcast:images"})
# Elements whose text is optional; every other element with a text must have one.
_TEXT_OPTIONAL = frozenset({"podcast:soundbite", "podcast:contentLink", "podcast:trailer", "podcast:funding"})
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
_SCHEMES = (
    "https?|ipfs|ipns|magnet|dat|hyper|lbry|at|nostr|matrix|activitypub|hive|lightning|bitcoin|xmpp|ircs?|rtmps?|gemini|"
    "mailto|podcast|feed"
)
_PATTERNS: Mapping[_ValueKind, re.Pattern[str]] = {
    # Of all schemes those that the namespace's documents name; none of them reads a file or runs a script.
    "any": re.compile(rf"(?i:{_SCHEMES}):\S+"),
    "text": re.compile(r"(?s).+"),
    "guid": re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "yesno": re.compile(r"yes|no"),
    "truefalse": re.compile(r"true|false"),
    "integer": re.compile(r"\d{1,15}"),
    "decimal": re.compile(r"\d{1,15}(?:\.\d{1,15})?"),
    # Media types ignore case (RFC 2045, section 5.1): "application/x-mpegURL" is how Apple writes it.
    "media": re.compile(links.MEDIA_TYPE.pattern, re.IGNORECASE),
    "chapters": re.compile(r"application/json(?:\+chapters)?"),
    "mail": re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+"),
}


Row = tuple[str, str | None, Mapping[str, str | None], Sequence["Row"]]

# For each element: the kinds of its attributes, and which of them it needs.
_ATTRIBUTE_KINDS: Mapping[str, Mapping[str, _ValueKind]] = {
    name: {key.rstrip("!"): kind for key, kind in shape.attributes.items()} for name, shape in ELEMENTS.items()
}
_NEEDED: Mapping[str, tuple[str, ...]] = {
    name: tuple(key.rstrip("!") for key in shape.attributes if key.endswith("!")) for name, shape in ELEMENTS.items()
}


def _is_valid_value(kind: _ValueKind, value: str) -> bool:
    """Return whether a value is of this kind."""
    if kind == "url":
        return links.clean_url(value) == value
    if kind == "medium":
        return value in MEDIUMS
    if kind == "transcript":
        return value in _TRANSCRIPTS
    return _PATTERNS[kind].fullmatch(value) is not None


def find_faults(tag: Tag) -> Iterator[str]:
    """Yield what is wrong with an element; nothing if it is valid."""
    shape = ELEMENTS.get(tag.name)
    if shape is None:
        yield "is not an element of the podcast namespace"
        return
    given = dict(tag.attributes)
    for name in _NEEDED[tag.name]:
        if not given.get(name, "").strip():
            yield f"lacks {name}"
    kinds = _ATTRIBUTE_KINDS[tag.name]
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


def _find_text_faults(tag: Tag, shape: _ElementRule) -> Iterator[str]:
    if shape.text is None:
        return
    text = (tag.text or "").strip()
    if not text:
        if tag.name not in _TEXT_OPTIONAL:
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
    text = None if shape.text is None or tag.text is None else sanitize.clean_name(tag.text, shape.longest)
    text = clean_person(text) if tag.name == "podcast:person" else text
    inside = {name for name, _, _ in shape.children}
    children = (_clean_tag(child) for child in tag.children if child.name in inside)
    sound = tuple(child for child in children if not any(find_faults(child)))
    return Tag(tag.name, text, tuple(attributes.items()), sound)


def _clean_value(element: str, name: str, value: str) -> str | None:
    """Return an attribute's value as it may be written; ``None`` if it is unknown, or wrong and optional."""
    kind = _ATTRIBUTE_KINDS[element].get(name)
    if kind is None or kind == "url":
        return links.clean_url(value) if kind else None
    text = sanitize.clean_name(value)
    if text and (kind == "chapters" or not _is_valid_value(kind, text)):
        text = _MEANT.get(text.lower(), text)
        return text if name in _NEEDED[element] or _is_valid_value(kind, text) else None
    return text


def _make_row(tag: Tag) -> Row:
    return (tag.name, tag.text, dict(tag.attributes), tuple(_make_row(child) for child in tag.children))
