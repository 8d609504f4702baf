"""The sighting of a plain item, straight from its texts: what ``feed_item`` answers where nothing is unusual.

What feedparser would do to such an item is known: no text stands for another, none is an address in disguise. Where
that is not certain the item is not plain, and goes the longer way.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from aggregator.fetchers import feed_item, feed_text, media, swift_people
from aggregator.fetchers.feed_item import EPISODE_TYPES, EXPLICIT, LONGEST_NUMBER, tagged, whole
from aggregator.fetchers.keys import titled
from aggregator.fetchers.swift_fields import AUTHORS, CATEGORIES, PODCASTS
from aggregator.fetchers.swift_stencil import Plain
from aggregator.fetchers.swift_words import told
from aggregator.model.sighting import Duration, Enclosure, EpisodeType, Genre, Moment, Sighting, Span, Tag
from aggregator.text import dates, durations, urls

ONCE = Span()


def certain(item: Plain) -> bool:
    """Whether it is certain what feedparser would tell of the item: it has a title, and nothing that moves about."""
    said, at = item.texts, item.stencil.at
    link, guid = said[at.link], said[at.guid]
    if not told(said[at.title]).strip() or (guid is not None and ":///" in guid):
        return False
    return link is None or not (not link.strip() or ":///" in link or (";" in link and "&" in link))


def never(_: Plain) -> bool:
    """No, whatever the item says."""
    return False


def sighting(source: str, base: str, item: Plain, position: int) -> Sighting:
    """The sighting of a plain item of which it is ``certain`` what it says, at its place in the feed.

    ``base`` is where relative addresses begin, as ``media.base`` has it.
    """
    said, at = item.texts, item.stencil.at
    title, guid = told(said[at.title]).strip(), (said[at.guid] or "").strip() or None
    link, enclosure = _link(item, base), _enclosure(item, base)
    html, description, summary = _words(item)
    published, spoken = _moment(said[at.pubdate]), said[at.duration]
    length = durations.parse(told(spoken)) if spoken else None
    tags = _tags(item) if item.runs else ()
    number = ((said[at.episode] or "").strip() or (tags and tagged(tags, "episode")) or "").strip()[:LONGEST_NUMBER]
    season = (said[at.season] or "").strip() or (tagged(tags, "season") if tags else None)
    counted = whole(number) if number else None
    audio_id = urls.audio_id(enclosure.url) if enclosure else None
    alike = _alike(base, item.stencil.named, item.stencil.alike(said))
    key = guid or link or (urls.bare_audio(enclosure.url) if enclosure else titled(title, published))
    ids = (("simplecast", audio_id),) if audio_id else ()
    genre: Genre = "episode" if enclosure or length else "post"
    is_cut, updated, duration = False, None, Duration(*length) if length else None
    return Sighting(  # most of it by place: each name costs as much as ten places
        source, key, title, genre, position, guid, ids, link, description, html, summary,
        is_cut, published, updated, duration, enclosure,
        season=whole(season) if season else None,
        episode=counted, number=number if number and counted is None else None,
        episode_type=alike.episode_type, explicit=alike.explicit, image=alike.image, author=alike.author,
        categories=_categories(item) if item.runs or said[at.keywords] else (), tags=tags, span=ONCE,
    )  # fmt: skip


class _Alike(NamedTuple):
    """What most items of a feed say alike, so that it is read once."""

    episode_type: EpisodeType | None
    explicit: bool | None
    image: str | None
    author: str | None


@lru_cache(maxsize=512)
def _alike(base: str, names: tuple[str, ...], texts: tuple[str | None, ...]) -> _Alike:
    said = {name: text or "" for name, text in zip(names, texts, strict=True)}
    return _Alike(
        EPISODE_TYPES.get(said.get("itunes_episodetype", "").strip().lower()),
        EXPLICIT.get(said.get("itunes_explicit", "").strip().lower()),
        media.absolute(base, said.get("itunes_image@href")),
        _author([(name, text) for name, text in said.items() if name in AUTHORS]),
    )


def _link(item: Plain, base: str) -> str | None:
    """The item's own page: what FeedBurner replaced, else its link, else a guid that is one."""
    said, at = item.texts, item.stencil.at
    is_address = said[at.guid] is not None and said[at.permalink] in {None, "true"}
    guid = told(said[at.guid]).strip() if is_address else ""
    named = told(said[at.origin]).strip() or (guid if at.link < 0 else told(said[at.link]).strip())
    if is_address and named == guid and (at.link < 0 or at.guid < at.link):
        return media.address(named)
    return media.absolute(base, named)


def _enclosure(item: Plain, base: str) -> Enclosure | None:
    """The file, which most feeds give by a plain address and a type that is known."""
    said, at = item.texts, item.stencil.at
    url, kind, length = said[at.url], said[at.type], said[at.length]
    if not url:
        return None
    if kind in media.KNOWN and urls.is_plain(url):
        return Enclosure(url, kind, media.length(length))
    file = media.chosen([media.Offer(media.absolute(base, url), kind and kind.lower(), length)])
    return file[0] if file else None


def _words(item: Plain) -> feed_text.Words:
    said, at = item.texts, item.stencil.at
    content, long = (said[at.content] or "").strip(), (said[at.summary] or "").strip()
    description = (said[at.description] or "").strip() or told(said[item.stencil.first]).strip()
    return feed_text.chosen(content, description, long, (said[at.subtitle] or "").strip())


def _moment(text: str | None) -> Moment | None:
    parsed = dates.parse(told(text)) if text else None
    return Moment(*parsed) if parsed else None


def _author(named: Sequence[tuple[str, str]]) -> str | None:
    """The author as feedparser makes one of all that are named, in the order of the document."""
    values: dict[str, Any] = {"authors": []}
    for _, text in named:
        values["authors"].append({})
        values["author"] = told(text)
        swift_people.agreed(values)
    keys = {name.replace("_", ":"): text.strip() for name, text in named}
    return feed_item.author(values, keys)


def _categories(item: Plain) -> tuple[str, ...]:
    """The categories and keywords in the order of the document, each once."""
    found: list[str] = []
    keywords = item.stencil.at.keywords
    for place in sorted({*item.runs, keywords}):
        if place == keywords:
            found += told(item.texts[place]).split(",")
        elif item.stencil.fields[place].startswith(f"{CATEGORIES} "):
            found += [told(each.text) for each in item.runs[place]]
    return tuple(dict.fromkeys(term for each in found if (term := each.strip())))


def _tags(item: Plain) -> tuple[Tag, ...]:
    named = item.stencil.fields
    runs = (run for place, run in item.runs.items() if named[place].startswith(f"{PODCASTS} "))
    return tuple(
        Tag(f"{PODCASTS}:{each.name}", each.text.strip() or None, each.attributes) for run in runs for each in run
    )
