"""The elements that a feed passes on from its sources, as one table.

It says where each may stand, what makes it valid, and which sources may supply it. The readers keep what it names, the
merger asks it for ranks, the generator and the validator for what is sound.

Sources: the documents of the podcast namespace (podcastindex.org/namespace/1.0, May 2026), Apple's requirements for
podcasts, Media RSS 1.5.1 (rssboard.org/media-rss), Podlove Simple Chapters 1.2, RSS 2.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

Place = Literal["channel", "item"]
Rank = Literal["owner", "audio", "any", "config"]
"""Who may supply an element: ``owner`` the source of the item's audio, or one that is trusted as much; ``audio`` the
same while its audio is used; ``any`` every source of the item; ``config`` none."""

ValueKind = Literal[
    "any", "text", "url", "srcset", "guid", "yesno", "truefalse", "integer", "decimal", "time", "instant", "medium",
    "media", "transcript", "chapters", "mail", "live", "payment",
]  # fmt: skip
_SHORT = 128  # characters of the text of most elements of the podcast namespace
_LINE = 255  # characters: PSP-1


class ElementRule(Struct, frozen=True):
    """Rules for one element: places, ``many`` or one, text, attributes (a needed one ends in "!").

    ``longest`` is the most characters of the text; an element with ``text`` must have one unless it ``may_be_empty``.
    ``children`` are (name, least, most) of the elements within.
    """

    places: tuple[Place, ...]
    rank: Rank = "owner"
    many: bool = True
    text: ValueKind | None = None
    longest: int = _SHORT
    may_be_empty: bool = False
    attributes: Mapping[str, ValueKind] = field(default_factory=dict)
    children: tuple[tuple[str, int, int], ...] = ()


_CHANNEL: tuple[Place, ...] = ("channel",)
_ITEM: tuple[Place, ...] = ("item",)
_BOTH: tuple[Place, ...] = ("channel", "item")
_INSIDE: tuple[Place, ...] = ()
_ANY = 1000

_PODCAST: Mapping[str, ElementRule] = {
    "podcast:guid": ElementRule(_CHANNEL, "config", many=False, text="guid"),
    "podcast:locked": ElementRule(_CHANNEL, "config", many=False, text="yesno", attributes={"owner": "mail"}),
    "podcast:medium": ElementRule(_CHANNEL, "config", many=False, text="medium"),
    "podcast:block": ElementRule(_CHANNEL, "config", text="yesno", attributes={"id": "text"}),
    "podcast:podping": ElementRule(_CHANNEL, "config", many=False, attributes={"usesPodping!": "truefalse"}),
    "podcast:person": ElementRule(
        _BOTH, "any", text="text", attributes={"role": "text", "group": "text", "img": "url", "href": "url"}
    ),
    "podcast:location": ElementRule(
        _BOTH, "any", text="text", attributes={"rel": "text", "geo": "text", "osm": "text", "country": "text"}
    ),
    "podcast:license": ElementRule(_BOTH, many=False, text="text", attributes={"url": "url"}),
    "podcast:updateFrequency": ElementRule(
        _CHANNEL,
        many=False,
        text="text",
        attributes={"complete": "truefalse", "dtstart": "text", "rrule": "text"},
    ),
    "podcast:trailer": ElementRule(
        _CHANNEL,
        text="text",
        may_be_empty=True,
        attributes={"url!": "url", "pubdate!": "text", "length": "integer", "type": "media", "season": "integer"},
    ),
    "podcast:podroll": ElementRule(_CHANNEL, many=False, children=(("podcast:remoteItem", 1, _ANY),)),
    "podcast:publisher": ElementRule(_CHANNEL, many=False, children=(("podcast:remoteItem", 1, 1),)),
    "podcast:remoteItem": ElementRule(
        _CHANNEL,
        "config",
        attributes={"feedGuid!": "guid", "feedUrl": "url", "itemGuid": "text", "medium": "medium", "title": "text"},
    ),
    "podcast:funding": ElementRule(_BOTH, text="text", may_be_empty=True, attributes={"url!": "url"}),
    "podcast:value": ElementRule(
        _BOTH,
        attributes={"type!": "text", "method!": "text", "suggested": "decimal"},
        children=(("podcast:valueRecipient", 1, _ANY), ("podcast:valueTimeSplit", 0, _ANY)),
    ),
    "podcast:valueRecipient": ElementRule(
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
    "podcast:valueTimeSplit": ElementRule(
        _INSIDE,
        attributes={
            "startTime!": "decimal",
            "duration!": "decimal",
            "remoteStartTime": "decimal",
            "remotePercentage": "decimal",
        },
        children=(("podcast:remoteItem", 0, 1), ("podcast:valueRecipient", 0, _ANY)),
    ),
    "podcast:txt": ElementRule(_BOTH, text="text", longest=4000, attributes={"purpose": "text"}),
    "podcast:chat": ElementRule(
        _BOTH, many=False, attributes={"server!": "text", "protocol!": "text", "accountId": "text", "space": "text"}
    ),
    "podcast:socialInteract": ElementRule(
        _BOTH,
        attributes={"protocol!": "text", "uri": "any", "accountId": "text", "accountUrl": "url", "priority": "integer"},
    ),
    "podcast:image": ElementRule(
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
    "podcast:images": ElementRule(_BOTH, many=False, attributes={"srcset!": "srcset"}),
    "podcast:liveItem": ElementRule(
        _CHANNEL,
        attributes={"status!": "live", "start!": "instant", "end": "instant"},
        children=(
            *(("title", 1, 1), ("guid", 1, 1), ("enclosure", 0, 1), ("link", 0, 1), ("description", 0, 1)),
            *(("itunes:image", 0, 1), ("podcast:images", 0, 1), ("podcast:image", 0, _ANY)),
            *(("podcast:alternateEnclosure", 0, _ANY), ("podcast:contentLink", 0, _ANY), ("podcast:chat", 0, 1)),
            *(("podcast:person", 0, _ANY), ("podcast:socialInteract", 0, _ANY), ("podcast:value", 0, _ANY)),
        ),
    ),
    "podcast:transcript": ElementRule(
        _ITEM, attributes={"url!": "url", "type!": "transcript", "language": "text", "rel": "text"}
    ),
    "podcast:chapters": ElementRule(_ITEM, many=False, attributes={"url!": "url", "type!": "chapters"}),
    "podcast:season": ElementRule(_ITEM, "any", many=False, text="integer", attributes={"name": "text"}),
    "podcast:episode": ElementRule(_ITEM, "any", many=False, text="decimal", attributes={"display": "text"}),
    "podcast:soundbite": ElementRule(
        _ITEM, "any", text="text", may_be_empty=True, attributes={"startTime!": "decimal", "duration!": "decimal"}
    ),
    "podcast:alternateEnclosure": ElementRule(
        _ITEM,
        "audio",
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
    "podcast:source": ElementRule(_INSIDE, attributes={"uri!": "any", "contentType": "media"}),
    "podcast:integrity": ElementRule(_INSIDE, attributes={"type!": "text", "value!": "text"}),
    "podcast:contentLink": ElementRule(
        _ITEM, text="text", longest=_LINE, may_be_empty=True, attributes={"href!": "any"}
    ),
}

_MEDIA: Mapping[str, ElementRule] = {
    "media:content": ElementRule(
        _ITEM,
        "audio",
        attributes={
            "url!": "url",
            "type": "media",
            "medium": "text",
            "fileSize": "integer",
            "duration": "decimal",
            "bitrate": "decimal",
            "width": "integer",
            "height": "integer",
            "lang": "text",
            "isDefault": "truefalse",
            "expression": "text",
        },
        children=(("media:title", 0, 1), ("media:thumbnail", 0, _ANY)),
    ),
    "media:group": ElementRule(
        _ITEM, "audio", children=(("media:content", 1, _ANY), ("media:title", 0, 1), ("media:thumbnail", 0, _ANY))
    ),
    "media:thumbnail": ElementRule(_ITEM, attributes={"url!": "url", "width": "integer", "height": "integer"}),
    "media:title": ElementRule(_INSIDE, text="text", longest=_LINE, attributes={"type": "text"}),
}

ELEMENTS: Mapping[str, ElementRule] = {
    **_PODCAST,
    **_MEDIA,
    "itunes:title": ElementRule(_ITEM, many=False, text="text", longest=_LINE),
    "itunes:subtitle": ElementRule(_ITEM, many=False, text="text", longest=_LINE),
    "itunes:keywords": ElementRule(_ITEM, many=False, text="text", longest=_LINE),
    "comments": ElementRule(_ITEM, many=False, text="url"),
    "atom:link": ElementRule(_BOTH, attributes={"rel!": "payment", "href!": "url", "type": "media", "title": "text"}),
    "psc:chapters": ElementRule(
        _ITEM, many=False, attributes={"version": "text"}, children=(("psc:chapter", 1, _ANY),)
    ),
    "psc:chapter": ElementRule(_INSIDE, attributes={"start!": "time", "title!": "text", "href": "url", "image": "url"}),
    "title": ElementRule(_INSIDE, text="text", longest=_LINE),
    "guid": ElementRule(_INSIDE, text="text", longest=_LINE, attributes={"isPermaLink": "truefalse"}),
    "link": ElementRule(_INSIDE, text="url"),
    "description": ElementRule(_INSIDE, text="text", longest=4000),
    "enclosure": ElementRule(_INSIDE, attributes={"url!": "url", "type!": "media", "length": "integer"}),
    "itunes:image": ElementRule(_INSIDE, attributes={"href!": "url"}),
}

ATTRIBUTE_KINDS: Mapping[str, Mapping[str, ValueKind]] = {
    name: {key.rstrip("!"): kind for key, kind in rule.attributes.items()} for name, rule in ELEMENTS.items()
}
"""For each element the kinds of its attributes."""

NEEDED: Mapping[str, tuple[str, ...]] = {
    name: tuple(key.rstrip("!") for key in rule.attributes if key.endswith("!")) for name, rule in ELEMENTS.items()
}
"""For each element the attributes that it needs."""

CHILDREN: Mapping[str, frozenset[str]] = {
    name: frozenset(child for child, _, _ in rule.children) for name, rule in ELEMENTS.items()
}
"""For each element the names of those that may stand within."""
