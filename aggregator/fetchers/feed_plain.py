"""The sighting of a plain item, straight from its texts: what ``feed_item`` answers where nothing is unusual.

What feedparser would do to such an item is known: no text stands for another, none is an address in disguise. Where
that is not certain the item is not plain, and goes the longer way.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from aggregator.fetchers import feed_item, feed_text, media, swift_people
from aggregator.fetchers.feed_item import EPISODE_TYPES, EXPLICIT, LONGEST_NUMBER, tagged, whole
from aggregator.fetchers.keys import titled
from aggregator.fetchers.swift_stencil import CATEGORIES, PODCASTS, Plain
from aggregator.fetchers.swift_words import told
from aggregator.model.sighting import Duration, Enclosure, EpisodeType, Moment, Sighting, Span, Tag
from aggregator.text import dates, durations, urls

ONCE = Span()
ALIKE = ("itunes_episodetype", "itunes_explicit", "itunes_image@href")


def certain(item: Plain) -> bool:
    """Whether it is certain what feedparser would tell of the item: it has a title, and nothing that moves about."""
    said = item.texts
    if not told(said["title"]).strip():
        return False
    link, guid = said.get("link", "-"), said.get("guid", "")
    return bool(link.strip()) and ":///" not in link and ":///" not in guid and not (";" in link and "&" in link)


def never(_: Plain) -> bool:
    """No, whatever the item says."""
    return False


def sighting(source: str, base: str, item: Plain, position: int) -> Sighting:
    """The sighting of a plain item of which it is ``certain`` what it says, at its place in the feed.

    ``base`` is where relative addresses begin, as ``media.base`` has it.
    """
    said = item.texts
    title = told(said["title"]).strip()
    guid = said["guid"].strip() or None if "guid" in said else None
    link, enclosure = _link(said, base), _enclosure(said, base)
    words = _words(said)
    published = _moment(said.get("pubdate"))
    length = durations.parse(told(said["itunes_duration"])) if "itunes_duration" in said else None
    tags = _tags(item) if item.runs else ()
    number = (said.get("itunes_episode", "").strip() or (tags and tagged(tags, "episode")) or "").strip()
    number = number[:LONGEST_NUMBER]
    season = said.get("itunes_season", "").strip() or (tagged(tags, "season") if tags else None)
    counted = whole(number) if number else None
    audio_id = urls.audio_id(enclosure.url) if enclosure else None
    alike = _alike(
        base, tuple([said.get(name) for name in ALIKE]), tuple([(name, said[name]) for name in item.authors])
    )
    return Sighting(
        source=source,
        key=guid or link or (urls.bare_audio(enclosure.url) if enclosure else titled(title, published)),
        title=title, genre="episode" if enclosure or length else "post", position=position, guid=guid,
        ids=(("simplecast", audio_id),) if audio_id else (), link=link, description=words.description, html=words.html,
        summary=words.summary, published=published, duration=Duration(*length) if length else None,
        enclosure=enclosure, season=whole(season) if season else None,
        episode=counted, number=number if number and counted is None else None,
        episode_type=alike.episode_type, explicit=alike.explicit, image=alike.image, author=alike.author,
        categories=_categories(item) if item.runs or "itunes_keywords" in said else (), tags=tags, span=ONCE,
    )  # fmt: skip


class _Alike(NamedTuple):
    """What most items of a feed say alike, so that it is read once."""

    episode_type: EpisodeType | None
    explicit: bool | None
    image: str | None
    author: str | None


@lru_cache(maxsize=512)
def _alike(base: str, texts: tuple[str | None, ...], authors: tuple[tuple[str, str], ...]) -> _Alike:
    kind, explicit, image = texts
    return _Alike(
        EPISODE_TYPES.get((kind or "").strip().lower()),
        EXPLICIT.get((explicit or "").strip().lower()),
        media.absolute(base, image),
        _author(authors),
    )


def _link(said: dict[str, str], base: str) -> str | None:
    """The item's own page: what FeedBurner replaced, else its link, else a guid that is one."""
    is_address = "guid" in said and said.get("guid@isPermaLink", "true") == "true"
    guid = told(said["guid"]).strip() if is_address else ""
    named = told(said.get("feedburner_origlink")).strip() or (told(said["link"]).strip() if "link" in said else guid)
    if is_address and named == guid and next(name for name in said if name in {"link", "guid"}) == "guid":
        return media.address(named)
    return media.absolute(base, named)


def _enclosure(said: dict[str, str], base: str) -> Enclosure | None:
    """The file, which most feeds give by a plain address and a type that is known."""
    if "enclosure" not in said:
        return None
    url, kind, length = said.get("enclosure@url"), said.get("enclosure@type"), said.get("enclosure@length")
    if url and kind in media.KNOWN and urls.is_plain(url):
        return Enclosure(url, kind, media.length(length))
    file = media.chosen([media.Offer(media.absolute(base, url), kind and kind.lower(), length)])
    return file[0] if file else None


def _words(said: dict[str, str]) -> feed_text.Words:
    content, long = said.get("content_encoded", "").strip(), said.get("itunes_summary", "").strip()
    description = said.get("description", "").strip() or _summary(said).strip()
    return feed_text.chosen(content, description, long, said.get("itunes_subtitle", "").strip())


def _summary(said: dict[str, str]) -> str:
    """What feedparser calls the summary: a text that comes second is content, until one is (``swift_steps``)."""
    summary: str | None = None
    has_content = False
    for name, text in said.items():
        if name == "content_encoded":
            has_content, summary = True, text if summary is None else summary
        elif name in {"description", "itunes_summary"}:
            if summary is not None and not has_content:
                has_content = True
            else:
                summary = text
    return told(summary)


def _moment(text: str | None) -> Moment | None:
    parsed = dates.parse(told(text)) if text else None
    return Moment(*parsed) if parsed else None


def _author(named: tuple[tuple[str, str], ...]) -> str | None:
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
    for field, text in item.texts.items():
        if field.startswith(f"{CATEGORIES} "):
            found += [told(each.text) for each in item.runs[field]]
        elif field == "itunes_keywords":
            found += told(text).split(",")
    return tuple(dict.fromkeys(term for each in found if (term := each.strip())))


def _tags(item: Plain) -> tuple[Tag, ...]:
    runs = (run for field, run in item.runs.items() if field.startswith(f"{PODCASTS} "))
    return tuple(
        Tag(f"{PODCASTS}:{each.name}", each.text.strip() or None, each.attributes) for run in runs for each in run
    )
