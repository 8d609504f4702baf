"""One item of a feed, from feedparser's entry and the XML's own account, as an entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from msgspec.structs import replace

from aggregator.fetchers.feeds import entry_text
from aggregator.fetchers.feeds.podcast import Said
from aggregator.fetchers.parsing import enclosures
from aggregator.fetchers.parsing.entry_keys import titled
from aggregator.fetchers.parsing.fallback_title import headline
from aggregator.fetchers.parsing.json_fields import flag
from aggregator.model.entry import Duration, Entry, EpisodeType, Moment, Tag
from aggregator.model.source import Document
from aggregator.text import dates, durations, urls

NOTHING = Said({}, ())
EPISODE_TYPES: dict[str, EpisodeType] = {name: name for name in get_args(EpisodeType)}
EXPLICIT = {"yes": True, "true": True, "explicit": True, "no": False, "false": False, "clean": False}
LONGEST_WHOLE = 6  # digits of a season or an episode; more is a date or an id
LONGEST_NUMBER = 40  # characters of an episode number as it is displayed


def entry(document: Document, entry: Mapping[str, Any], said: Said | None, position: int) -> Entry | None:
    """The entry; ``None`` where the item has no title, text, link or file."""
    texts, tags = said or NOTHING
    base = enclosures.base(document)
    file = enclosures.chosen(_offers(entry, base))
    words = entry_text.words(entry, texts)
    link = _link(entry, base)
    guid = texts.get("guid") or texts.get("atom:id") or of(entry, "id")
    enclosure = file[0] if file else None
    title = of(entry, "title") or texts.get("itunes:title") or ""
    if not title:
        text = entry_text.plain(words.html or words.description or "")
        title = headline(text, enclosure.url if enclosure else None, link)
    if not title:
        return None
    length = durations.parse(of(entry, "itunes_duration") or (str(file[1].duration or "") if file else ""))
    published, updated = (_moment(entry, *names) for names in (("published", "updated", "created"), ("updated",)))
    key = guid or link or (urls.bare_audio(enclosure.url) if enclosure else titled(title, published))
    number = _number(texts, entry, tags)
    kind = texts.get("itunes:episodeType") or of(entry, "itunes_episodetype") or ""
    return Entry(
        source=document.source.name, key=key, title=title, position=position, guid=guid, link=link, enclosure=enclosure,
        genre="episode" if enclosure or length else "post", ids=tuple(_ids(entry, file[0].url if file else "")),
        description=words.description, html=words.html, summary=words.summary,
        published=published, updated=updated, duration=Duration(*length) if length else None,
        season=_whole(texts.get("itunes:season") or of(entry, "itunes_season") or _tagged(tags, "season")),
        episode=_whole(number), number=number if _whole(number) is None else None,
        episode_type=EPISODE_TYPES.get(kind.lower()),
        explicit=EXPLICIT.get(texts.get("itunes:explicit", "").lower(), flag(entry, "itunes_explicit")),
        image=_image(entry, base), author=_author(entry, texts), language=of(entry, "language"),
        categories=_categories(entry), tags=tags,
    )  # fmt: skip


def unlinked(found: Entry) -> Entry:
    """The entry without its link, and under another key where the link was its key."""
    key = found.key
    if key == found.link:
        key = urls.bare_audio(found.enclosure.url) if found.enclosure else titled(found.title, found.published)
    return replace(found, link=None, key=key)


def of(entry: Mapping[str, Any], name: str) -> str | None:
    """A text of feedparser's, stripped; ``None`` where it is missing or blank. Its aliases are not followed."""
    value = dict.get(entry, name) if isinstance(entry, dict) else entry.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _moment(entry: Mapping[str, Any], *names: str) -> Moment | None:
    """The first of the named dates that can be read.

    feedparser's own reading is not taken: it answers the first of the current month for "2004-foo" (6.0.14).
    """
    texts = (of(entry, name) for name in names)
    parsed = next((found for text in texts if text and (found := dates.parse(text))), None)
    return Moment(*parsed) if parsed else None


def _link(entry: Mapping[str, Any], base: str) -> str | None:
    """The item's own page: what FeedBurner replaced, else the link, which feedparser fills from a guid that is one."""
    named = of(entry, "feedburner_origlink") or of(entry, "link")
    if entry.get("guidislink") and named == of(entry, "id"):
        return enclosures.address(named)
    return enclosures.absolute(base, named)


def _offers(entry: Mapping[str, Any], base: str) -> Iterator[enclosures.Offer]:
    for link in entry.get("links", ()):
        if link.get("rel") == "enclosure":
            yield enclosures.Offer(enclosures.absolute(base, link.get("href")), link.get("type"), link.get("length"))
    for file in entry.get("media_content", ()):
        kind = file.get("type") or {"audio": "audio/*", "video": "video/*"}.get(str(file.get("medium")))
        yield enclosures.Offer(
            enclosures.absolute(base, file.get("url")), kind, file.get("filesize"), file.get("duration")
        )


def _ids(entry: Mapping[str, Any], audio: str) -> Iterator[tuple[str, str]]:
    if found := urls.audio_id(audio):
        yield "simplecast", found
    if video := of(entry, "yt_videoid"):
        yield "youtube", video


def _number(texts: Mapping[str, str], entry: Mapping[str, Any], tags: tuple[Tag, ...]) -> str | None:
    """The episode's number as it is displayed."""
    said = texts.get("itunes:episode") or of(entry, "itunes_episode") or _tagged(tags, "episode")
    return said.strip()[:LONGEST_NUMBER] or None if said else None


def _tagged(tags: tuple[Tag, ...], name: str) -> str | None:
    """The text of the first ``podcast:`` element of the name."""
    return next((tag.text for tag in tags if tag.name == f"podcast:{name}"), None)


def _whole(text: str | None) -> int | None:
    """The whole number that the text is, ``None`` where it is none or longer than six digits."""
    text = text.strip() if text else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_WHOLE else None


def _image(entry: Mapping[str, Any], base: str) -> str | None:
    image = entry.get("image")
    thumbnails = entry.get("media_thumbnail") or ()
    named = [image.get("href") if isinstance(image, dict) else None, *(one.get("url") for one in thumbnails)]
    return next((url for name in named if (url := enclosures.absolute(base, name))), None)


def _author(entry: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    """The author's name, else what stands in its place.

    feedparser takes at most four letters for an address's last part (6.0.14) and leaves the others in the name:
    "ann@rope.studio (Ann)" becomes "io (Ann". Then the text is told as the source gave it.
    """
    detail = entry.get("author_detail")
    told, email = (of(detail, "name"), of(detail, "email")) if isinstance(detail, dict) else (None, None)
    given = texts.get("itunes:author") or texts.get("author") or ""
    if email and given.partition(email)[2][:1].isalpha():
        return given
    return told or of(entry, "author")


def _categories(entry: Mapping[str, Any]) -> tuple[str, ...]:
    terms = (of(tag, "label") or of(tag, "term") for tag in entry.get("tags", ()))
    return tuple(dict.fromkeys(term for term in terms if term))
