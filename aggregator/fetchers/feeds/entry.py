"""Make an Entry and a Show of the fields that the parsers give for an item and the channel of a feed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, get_args

from msgspec.structs import replace

from aggregator.fetchers.feeds.podcast import FeedXml, ItemXml
from aggregator.fetchers.parsing import enclosures
from aggregator.fetchers.parsing.entries import make_key, make_title
from aggregator.model.entry import Entry, EpisodeType, Moment, Rhythm, Show, Tag
from aggregator.model.source import Document
from aggregator.text import html
from aggregator.text.times import dates, durations
from aggregator.text.times.lines import Dating, learn_dating

_NOTHING = ItemXml({}, ())
_PLAIN = Dating()
EPISODE_TYPES: Mapping[str | None, EpisodeType] = {name: name for name in get_args(EpisodeType)}
_EXPLICIT = {"yes": True, "true": True, "explicit": True, "no": False, "false": False, "clean": False}
_LONGEST_WHOLE = 6  # digits of a season or an episode; more is a date or an id
_LONGEST_NUMBER = 40  # characters of an episode number as it is displayed


def make_entries(
    document: Document, items: Iterable[Entry | tuple[dict[str, Any], ItemXml | None]], channel: Mapping[str, Any]
) -> list[Entry | None]:
    """Return the entry of each item, ``None`` if it has no title, text, link or file; an entry that is known stays.

    Items whose dates may be in either order of day and month are made anew when all items are known, and the language
    of the channel, which may be read while the items are.
    """
    found: list[Entry | None] = []
    undecided: list[tuple[int, dict[str, Any], ItemXml | None]] = []
    texts: list[str] = []
    for at, item in enumerate(items):
        if isinstance(item, Entry):
            found.append(replace(item, position=at))
            continue
        fields, item_xml = item
        found.append(_make_entry(document, fields, item_xml, at))
        dated = (_get_text(fields, name) for name in _DATES)
        if own := [text for text in dated if text and not dates.is_standard(text)]:
            texts += own
            undecided.append((at, fields, item_xml))
    dating = learn_dating(texts, language=channel.get("language"))
    for at, fields, item_xml in undecided:
        made = _make_entry(document, fields, item_xml, at, dating)
        found[at] = made and replace(made, element=None)
    return found


_DATES = ("published", "updated", "created")


def _make_entry(
    document: Document, fields: dict[str, Any], item_xml: ItemXml | None, position: int, dating: Dating = _PLAIN
) -> Entry | None:
    texts, tags, element = item_xml or _NOTHING
    base = fields.get("base") or enclosures.find_base(document)
    file = enclosures.choose(*_list_offers(fields, base))
    markup, description, summary = _choose_texts(fields, texts)
    link = _find_link(fields, base)
    guid = texts.get("guid") or texts.get("atom:id") or _get_text(fields, "id")
    own_title = _get_text(fields, "title") or ""
    plain_title = "<" in own_title and (fields.get("title_detail") or {}).get("type") == "text/plain"
    title = _SECTION.sub(r"\1", own_title or texts.get("itunes:title") or "").strip()
    if not title:
        text = _to_plain(markup or description or "")
        title = make_title(text, file.enclosure.url if file.enclosure else None, link)
    if not title:
        return None
    duration = durations.parse(_get_text(fields, "itunes_duration") or file.duration)
    published = _find_date(fields, dating, *_DATES)
    video = _get_text(fields, "yt_videoid")
    number = (
        texts.get("itunes:episode") or _get_text(fields, "itunes_episode") or _find_tag_text(tags, "episode") or ""
    ).strip()
    season = texts.get("itunes:season") or _get_text(fields, "itunes_season") or _find_tag_text(tags, "season")
    kind = texts.get("itunes:episodeType") or _get_text(fields, "itunes_episodetype") or ""
    return Entry(
        source=document.source.name, key=guid or link or make_key(title, published, file.enclosure), title=title,
        position=position, guid=guid, link=link, enclosure=file.enclosure,
        genre="episode" if file.enclosure or duration else "post",
        ids=(*file.ids, *((("youtube", video),) if video else ())),
        plain_title=plain_title, description=description, summary=summary,
        html=markup and enclosures.resolve_markup(fields.get("base") or link or base, markup),
        published=published, updated=_find_date(fields, dating, "updated"), duration=duration,
        season=_parse_whole(season),
        episode=_parse_whole(number), number=number[:_LONGEST_NUMBER] or None if _parse_whole(number) is None else None,
        episode_type=EPISODE_TYPES.get(kind.lower()),
        explicit=_is_explicit(texts, fields),
        image=_find_image(fields, base), author=_find_author(fields, texts), language=_get_text(fields, "language"),
        categories=_list_categories(fields), tags=tags, element=element,
    )  # fmt: skip


def _get_text(fields: dict[str, Any], name: str) -> str | None:
    """Return a text of feedparser's, stripped; ``None`` if it is missing or blank. Its aliases are not followed."""
    value = dict.get(fields, name)
    return value.strip() or None if isinstance(value, str) else None


def list_records(fields: dict[str, Any], name: str) -> Sequence[dict[str, Any]]:
    """Return what feedparser lists under a name: it is a text where the feed has an element of that very name."""
    value = fields.get(name)
    return value if isinstance(value, list) else ()


def _find_date(fields: dict[str, Any], dating: Dating, *names: str) -> Moment | None:
    """Return the first of the named dates that can be parsed.

    feedparser's own result is not used: it returns the first of the current month for "2004-foo" (6.0.14).
    """
    texts = (_get_text(fields, name) for name in names)
    parsed = (dates.parse(text, day_first=dating.day_first, language=dating.language) for text in texts)
    return next((found for found in parsed if found), None)


def _find_link(fields: dict[str, Any], base: str) -> str | None:
    """Return the item's own page: what FeedBurner replaced, else the link, which feedparser may take from a guid."""
    named = _get_text(fields, "feedburner_origlink") or _get_text(fields, "link")
    pages = {link.get("href") for link in list_records(fields, "links") if link.get("rel") == "alternate"}
    if fields.get("guidislink") and named == _get_text(fields, "id") and named not in pages:
        return enclosures.clean_url(named)
    return enclosures.resolve_url(base, named)


def _list_offers(fields: dict[str, Any], base: str) -> Iterator[enclosures.Offer]:
    """Yield the files of an item; Atom's content may be one, too (RFC 4287, 4.1.3.2)."""
    for link in list_records(fields, "links"):
        if link.get("rel") == "enclosure":
            url = enclosures.resolve_url(base, link.get("href"))
            yield enclosures.Offer(url, link.get("type"), link.get("length"), enclosed=True)
    for part in list_records(fields, "content"):
        if part.get("src"):
            yield enclosures.Offer(enclosures.resolve_url(base, part.get("src")), part.get("type"))
    media = [
        (file.get("isdefault") == "true", _make_offer(file, base)) for file in list_records(fields, "media_content")
    ]
    defaults = [offer for is_default, offer in media if is_default]  # Media RSS 1.5.1: the file of a group to be played
    yield from defaults if enclosures.choose(*defaults).enclosure else (offer for _, offer in media)


def _make_offer(file: dict[str, Any], base: str) -> enclosures.Offer:
    """Return a ``media:content`` as a file of its item."""
    kinds = {"audio": "audio/*", "video": "video/*", "image": "image/*"}
    kind = file.get("type") or kinds.get(str(file.get("medium")))
    url = enclosures.resolve_url(base, file.get("url"))
    return enclosures.Offer(url, kind, file.get("filesize"), file.get("duration"))


def _is_explicit(texts: Mapping[str, str], fields: dict[str, Any]) -> bool | None:
    if "itunes:explicit" in texts:
        return _EXPLICIT.get(texts["itunes:explicit"].lower())
    parsed = fields.get("itunes_explicit")
    return parsed if isinstance(parsed, bool) else None


def _find_tag_text(tags: Iterable[Tag], name: str) -> str | None:
    """Return the text of the first ``podcast:`` element of the name."""
    return next((tag.text for tag in tags if tag.name == f"podcast:{name}"), None)


def _parse_whole(text: str | None) -> int | None:
    """Return the text as a whole number, ``None`` if it is none or longer than six digits."""
    text = text.strip() if text else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_WHOLE else None


def _find_image(fields: dict[str, Any], base: str) -> str | None:
    """Return the item's picture: artwork, a thumbnail, or a file that is a picture."""
    image = fields.get("image")
    thumbnails = fields.get("media_thumbnail") or ()
    named = [image.get("href") if isinstance(image, dict) else None, *(one.get("url") for one in thumbnails)]
    named += [offer.url for offer in _list_offers(fields, base) if enclosures.is_picture(offer)]
    return next((url for name in named if (url := enclosures.resolve_url(base, name))), None)


def _find_author(fields: dict[str, Any], texts: Mapping[str, str]) -> str | None:
    """Return the author's name, else the text in its place.

    feedparser takes at most four letters for an address's last part (6.0.14) and leaves the others in the name:
    "ann@rope.studio (Ann)" becomes "io (Ann". Then the text is kept as the source gave it.
    """
    detail = fields.get("author_detail")
    name, email = (_get_text(detail, "name"), _get_text(detail, "email")) if isinstance(detail, dict) else (None, None)
    given = texts.get("itunes:author") or texts.get("author") or ""
    if email and given.partition(email)[2][:1].isalpha():
        return given
    return name or _get_text(fields, "author")


def _list_categories(fields: dict[str, Any]) -> tuple[str, ...]:
    terms = (_get_text(tag, "label") or _get_text(tag, "term") for tag in list_records(fields, "tags"))
    return tuple(dict.fromkeys(term for term in terms if term))


_SECTION = re.compile(
    r"<!\[CDATA\[((?:(?!\]\]>|<!\[CDATA\[).)*)\]\]>", re.DOTALL
)  # its marks were escaped: they are no words
_TAG = re.compile(r"<[/!]?[A-Za-z]|<!--")
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_DECLARATION = re.compile(r"<!(?:--|\[CDATA\[|doctype)", re.IGNORECASE)
_LONGER = 1.5  # times: then itunes:summary is the text and the description its teaser
_LONGEST_PROBE = 20000  # characters of two texts compared


def _choose_texts(fields: dict[str, Any], texts: Mapping[str, str]) -> tuple[str | None, str | None, str | None]:
    """Return the main text of an item, as HTML or else as plain text, and a summary that says something else.

    The content (Atom, content:encoded) is the main text, else the description, else ``itunes:summary``; the latter
    also if it is much longer than the description. Of the others the first that differs is the summary. Plain content
    is not searched for html.
    """
    content, is_plain = _choose_content(fields, texts)
    content = _SECTION.sub(r"\1", content)
    description = _SECTION.sub(r"\1", texts.get("description") or _get_text(fields, "summary") or "")
    long, short = texts.get("itunes:summary", ""), texts.get("itunes:subtitle") or _get_text(fields, "subtitle")
    ranked = [text for text in (content, description, long) if text]
    if not content and description and len(long) > len(description) and _is_teaser(description, long):
        ranked = [long, description]
    main = ranked[0] if ranked else short or ""
    is_html = not (is_plain and main == content) and _is_marked(main)
    others = [other for other in ranked if other != main]
    if short and short != main:
        others.append(short)
    summary = _choose_other(main, others, is_html=is_html) if others else None
    return html.escape_words(main) if is_html else None, None if is_html or not main else main, summary


def _to_plain(text: str) -> str:
    return html.to_text(html.escape_words(text)) if _is_marked(text) else text.strip()


def _is_marked(text: str) -> bool:
    """Return whether the text is markup; what only looks like a tag ("the <dialog> tag") makes it plain text."""
    if "<" in text and _TAG.search(text):
        return html.has_tags(text) or _DECLARATION.search(text) is not None
    return "&" in text and _ENTITY.search(text) is not None


def _is_teaser(description: str, long: str) -> bool:
    return len(_to_plain(long)) > _LONGER * len(_to_plain(description))


def _choose_other(main: str, others: Iterable[str], *, is_html: bool) -> str | None:
    """Return the first of the other texts, without markup, that differs from the main text."""
    known = _squeeze(_to_plain(main) if is_html else main)
    texts = map(_to_plain, others)
    return next((text for text in texts if text and _squeeze(text) != known), None)


def _squeeze(text: str) -> str:
    return " ".join(text[:_LONGEST_PROBE].split()).casefold()


def _choose_content(entry: dict[str, Any], texts: Mapping[str, str]) -> tuple[str, bool]:
    """Return Atom's content or content:encoded, HTML before plain text, and whether its type is plain.

    In RSS feedparser takes a second description for content, too: there our own reading of the XML is used.
    """
    if "content:encoded" in texts or "description" in texts:
        return texts.get("content:encoded", ""), False
    offered = [
        part for part in list_records(entry, "content") if isinstance(part.get("value"), str) and part["value"].strip()
    ]
    offered.sort(key=lambda part: part.get("type") == "text/plain")
    if not offered:
        return "", False
    return offered[0]["value"].strip(), offered[0].get("type") == "text/plain"


_DAYS = {"monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6}
_PERIODS = {  # RSS 1.0 syndication module
    "hourly": timedelta(hours=1), "daily": timedelta(days=1), "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30), "yearly": timedelta(days=365),
}  # fmt: skip
_LONGEST_TTL = 60 * 24 * 366  # minutes; what asks for more has mistaken the unit
_HOURS = 24


def make_show(document: Document, channel: dict[str, Any], feed_xml: FeedXml) -> Show:
    """Return the show of a feed; its title is "", not ``None``, if the feed has none."""
    texts, base = feed_xml.channel, channel.get("base") or enclosures.find_base(document)
    described = (
        texts.get("description"),
        _get_text(channel, "subtitle"),
        texts.get("itunes:summary"),
        _get_text(channel, "summary"),
    )
    image = channel.get("image")
    kind = (texts.get("itunes:type") or _get_text(channel, "itunes_type") or "").lower()
    selves = (link.get("href") for link in list_records(channel, "links") if link.get("rel") == "self")
    return Show(
        title=_get_text(channel, "title") or "",
        link=enclosures.resolve_url(base, channel.get("link")),
        description=next((html.to_text(text) for text in described if text), None),
        author=texts.get("itunes:author") or _get_text(channel, "author") or _get_text(channel, "owner"),
        image=enclosures.resolve_url(base, image.get("href") or image.get("url")) if isinstance(image, dict) else None,
        language=_get_text(channel, "language"),
        copyright=_get_text(channel, "rights"),
        explicit=_is_explicit(texts, channel),
        type="serial" if kind == "serial" else "episodic" if kind == "episodic" else None,
        complete=texts.get("itunes:complete", "").lower() in {"yes", "true"},
        categories=tuple(path for path in feed_xml.categories if path),
        feed_url=next((url for href in selves if (url := enclosures.resolve_url(base, href))), None),
        new_feed_url=enclosures.clean_url(
            texts.get("itunes:new-feed-url") or _get_text(channel, "itunes_new-feed-url")
        ),
        guid=_find_tag_text(feed_xml.tags, "guid"),
        tags=tuple(feed_xml.tags),
    )


def make_rhythm(feed_xml: FeedXml) -> Rhythm:
    """Return the longer interval of ``ttl`` and ``sy:updatePeriod``, and the hours (GMT) and days to skip (RSS 2.0)."""
    minutes = _parse_whole(feed_xml.channel.get("ttl")) or 0
    period = _PERIODS.get(feed_xml.channel.get("sy:updatePeriod", "").lower())
    times = _parse_whole(feed_xml.channel.get("sy:updateFrequency", "1"))
    intervals = [timedelta(minutes=minutes)] if 0 < minutes <= _LONGEST_TTL else []
    intervals += [period / times] if period and times else []
    hours = [hour for hour in map(_parse_whole, feed_xml.skipped["hour"]) if hour is not None and hour <= _HOURS]
    return Rhythm(
        interval=max(intervals, default=None),
        skip_hours=frozenset(hour % _HOURS for hour in hours),
        skip_days=frozenset(_DAYS[day.lower()] for day in feed_xml.skipped["day"] if day.lower() in _DAYS),
    )
