"""What is read of a plain item: its fields, and where each stands among the texts that a stencil finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

CATEGORIES, PODCASTS = "category", "podcast"  # what stands in runs, as often as it likes
AUTHORS = {"author", "dc_creator", "itunes_author"}
ALIKE = {*AUTHORS, "itunes_episodetype", "itunes_explicit", "itunes_image@href"}  # most items of a feed say the same
NONE: frozenset[str] = frozenset()
# What is read of an item, by feedparser's name: the name in the XML's own account, the attributes that are understood.
FIELDS: Mapping[str, tuple[str | None, frozenset[str]]] = {
    "title": ("title", NONE),
    "link": ("link", NONE),
    "guid": ("guid", frozenset({"isPermaLink"})),
    "pubdate": ("pubDate", NONE),
    "description": ("description", NONE),
    "content_encoded": ("content:encoded", NONE),
    "enclosure": ("enclosure", frozenset({"url", "length", "type"})),
    "category": ("category", frozenset({"domain"})),
    "author": ("author", NONE),
    "dc_creator": (None, NONE),
    "itunes_author": ("itunes:author", NONE),
    "itunes_summary": ("itunes:summary", NONE),
    "itunes_subtitle": ("itunes:subtitle", NONE),
    "itunes_duration": ("itunes:duration", NONE),
    "itunes_season": ("itunes:season", NONE),
    "itunes_episode": ("itunes:episode", NONE),
    "itunes_episodetype": ("itunes:episodeType", NONE),
    "itunes_explicit": ("itunes:explicit", NONE),
    "itunes_image": ("itunes:image", frozenset({"href"})),
    "itunes_keywords": ("itunes:keywords", NONE),
    "feedburner_origlink": (None, NONE),
}


class Places(Struct, frozen=True):
    """Where the text of each field stands among those of an item; -1, the last, which is none, for what it has not."""

    title: int = -1
    link: int = -1
    origin: int = -1
    guid: int = -1
    permalink: int = -1
    pubdate: int = -1
    description: int = -1
    content: int = -1
    summary: int = -1
    subtitle: int = -1
    duration: int = -1
    season: int = -1
    episode: int = -1
    keywords: int = -1
    url: int = -1
    type: int = -1
    length: int = -1


PLACED = {
    "title": "title", "link": "link", "feedburner_origlink": "origin", "guid": "guid", "guid@isPermaLink": "permalink",
    "pubdate": "pubdate", "description": "description", "content_encoded": "content", "itunes_summary": "summary",
    "itunes_subtitle": "subtitle", "itunes_duration": "duration", "itunes_season": "season",
    "itunes_episode": "episode", "itunes_keywords": "keywords",
    "enclosure@url": "url", "enclosure@type": "type", "enclosure@length": "length",
}  # fmt: skip


def placed(fields: Iterable[str]) -> Places:
    """Where the fields stand that are so called and so ordered."""
    return Places(**{PLACED[field]: at for at, field in enumerate(fields) if field in PLACED})


def told_first(fields: Iterable[str]) -> int:
    """The place of what feedparser calls the summary: a text that comes second is content, until one is.

    ``swift_steps`` does the same one element after the other.
    """
    summary = -1
    has_content = False
    for at, field in enumerate(fields):
        if field == "content_encoded":
            has_content, summary = True, at if summary < 0 else summary
        elif field in {"description", "itunes_summary"}:
            if summary >= 0 and not has_content:
                has_content = True
            else:
                summary = at
    return summary
