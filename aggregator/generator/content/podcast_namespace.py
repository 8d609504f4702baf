"""The podcast namespace as one table: which element may stand where, how often, and what makes one valid.

From the namespace's documents of May 2026 (podcastindex.org/namespace/1.0). The generator passes a source's element
through only where it fits the table; the validator finds the misfits with the same table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from aggregator.generator.content import links, plain_text

Place = Literal["channel", "item"]
Kind = Literal[
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


class Shape(Struct, frozen=True):
    """What one element may be: its places, ``many`` or one, its text, its attributes (a needed one ends in "!").

    ``longest`` is the most characters of the text. ``children`` are (name, least, most) of the elements within.
    ``needs_text`` is false where the element says all in its attributes.
    """

    places: tuple[Place, ...]
    many: bool = True
    text: Kind | None = None
    longest: int = plain_text.LINE
    attributes: Mapping[str, Kind] = field(default_factory=dict)
    children: tuple[tuple[str, int, int], ...] = ()


CH: tuple[Place, ...] = ("channel",)
IT: tuple[Place, ...] = ("item",)
BOTH: tuple[Place, ...] = ("channel", "item")
INSIDE: tuple[Place, ...] = ()
ANY = 1000

TABLE: Mapping[str, Shape] = {
    "podcast:guid": Shape(CH, many=False, text="guid"),
    "podcast:locked": Shape(CH, many=False, text="yesno", attributes={"owner": "mail"}),
    "podcast:medium": Shape(CH, many=False, text="medium"),
    "podcast:funding": Shape(BOTH, text="text", longest=128, attributes={"url!": "url"}),
    "podcast:person": Shape(
        BOTH, text="text", longest=128, attributes={"role": "text", "group": "text", "img": "url", "href": "url"}
    ),
    "podcast:location": Shape(
        BOTH, text="text", longest=128, attributes={"rel": "text", "geo": "text", "osm": "text", "country": "text"}
    ),
    "podcast:license": Shape(BOTH, many=False, text="text", longest=128, attributes={"url": "url"}),
    "podcast:txt": Shape(BOTH, text="text", longest=4000, attributes={"purpose": "text"}),
    "podcast:podroll": Shape(CH, many=False, children=(("podcast:remoteItem", 1, ANY),)),
    "podcast:publisher": Shape(CH, many=False, children=(("podcast:remoteItem", 1, 1),)),
    "podcast:remoteItem": Shape(
        CH, attributes={"feedGuid!": "guid", "feedUrl": "url", "itemGuid": "text", "medium": "medium", "title": "text"}
    ),
    "podcast:updateFrequency": Shape(
        CH,
        many=False,
        text="text",
        longest=128,
        attributes={"complete": "truefalse", "dtstart": "text", "rrule": "text"},
    ),
    "podcast:podping": Shape(CH, many=False, attributes={"usesPodping!": "truefalse"}),
    "podcast:block": Shape(CH, text="yesno", attributes={"id": "text"}),
    "podcast:trailer": Shape(
        CH,
        text="text",
        longest=128,
        attributes={"url!": "url", "pubdate!": "text", "length": "integer", "type": "media", "season": "integer"},
    ),
    "podcast:image": Shape(
        BOTH,
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
    "podcast:socialInteract": Shape(
        BOTH,
        attributes={"protocol!": "text", "uri": "any", "accountId": "text", "accountUrl": "url", "priority": "integer"},
    ),
    "podcast:transcript": Shape(
        IT, attributes={"url!": "url", "type!": "transcript", "language": "text", "rel": "text"}
    ),
    "podcast:chapters": Shape(IT, many=False, attributes={"url!": "url", "type!": "chapters"}),
    "podcast:season": Shape(IT, many=False, text="integer", attributes={"name": "text"}),
    "podcast:episode": Shape(IT, many=False, text="decimal", attributes={"display": "text"}),
    "podcast:soundbite": Shape(
        IT, text="text", attributes={"startTime!": "decimal", "duration!": "decimal"}, longest=128
    ),
    "podcast:alternateEnclosure": Shape(
        IT,
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
        children=(("podcast:source", 1, ANY), ("podcast:integrity", 0, 1)),
    ),
    "podcast:source": Shape(INSIDE, attributes={"uri!": "any", "contentType": "media"}),
    "podcast:integrity": Shape(INSIDE, attributes={"type!": "text", "value!": "text"}),
    "podcast:contentLink": Shape(IT, text="text", attributes={"href!": "any"}),
    "podcast:value": Shape(
        BOTH,
        attributes={"type!": "text", "method!": "text", "suggested": "decimal"},
        children=(("podcast:valueRecipient", 1, ANY), ("podcast:valueTimeSplit", 0, ANY)),
    ),
    "podcast:valueRecipient": Shape(
        INSIDE,
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
    "podcast:valueTimeSplit": Shape(
        INSIDE,
        attributes={
            "startTime!": "decimal",
            "duration!": "decimal",
            "remoteStartTime": "decimal",
            "remotePercentage": "decimal",
        },
        children=(("podcast:remoteItem", 0, 1), ("podcast:valueRecipient", 0, ANY)),
    ),
}

# Elements that the namespace has, and that a feed of what is over has no use for.
LIVE = frozenset({"podcast:liveItem", "podcast:chat", "podcast:images"})
# Elements whose text is optional; every other element with a text must have one.
SILENT = frozenset({"podcast:soundbite", "podcast:contentLink", "podcast:trailer", "podcast:funding"})
MEDIUMS = frozenset(
    name + final
    for name in ("podcast", "music", "video", "film", "audiobook", "newsletter", "blog", "publisher", "course")
    for final in ("", "L")
) | {"mixed"}
TRANSCRIPTS = frozenset({"text/vtt", "text/html", "text/plain", "application/json", "application/x-subrip"})
# Media types that sources write for those of the list; what they mean is beyond doubt.
MEANT: Mapping[str, str] = {
    "application/json": "application/json+chapters",
    "application/srt": "application/x-subrip",
    "text/srt": "application/x-subrip",
    "text/webvtt": "text/vtt",
}
PATTERNS: Mapping[Kind, re.Pattern[str]] = {
    "any": re.compile(r"(?!(?i:javascript|data|vbscript):)[A-Za-z][A-Za-z0-9+.-]*:\S+"),
    "text": re.compile(r"(?s).+"),
    "guid": re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "yesno": re.compile(r"yes|no"),
    "truefalse": re.compile(r"true|false"),
    "integer": re.compile(r"\d{1,15}"),
    "decimal": re.compile(r"\d{1,15}(?:\.\d{1,15})?"),
    # Case means nothing in a media type (RFC 2045, section 5.1): "application/x-mpegURL" is how Apple writes it.
    "media": re.compile(links.MEDIA.pattern, re.IGNORECASE),
    "chapters": re.compile(r"application/json(?:\+chapters)?"),
    "mail": re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+"),
}
