"""An item, prepared once for all formats, so that all have the same values."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from aggregator.generator.content import links, sanitize
from aggregator.generator.content.sanitize import clean_person
from aggregator.model.entry import EpisodeType, Tag
from aggregator.model.item import Item
from aggregator.text import html, media_types
from aggregator.text.characters import PROGRAM_WORDS, clean_guid

# A title made of a text's beginning, where no source gave a title: one line in the list of an app.
_LONGEST_FALLBACK_TITLE = 80
# Atom demands a time of every entry; settle gives every item one, so this shows only where a caller skipped it.
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class _Media(Struct, frozen=True):
    """An enclosure as it is published: ``length`` in bytes, 0 where unknown (RSS 2.0 allows it)."""

    url: str
    type: str
    length: int = 0

    @property
    def playable(self) -> bool:
        """Return whether it is audio or video, or may be."""
        return self.type.startswith(("audio/", "video/")) or self.type == media_types.UNKNOWN_TYPE


class FeedItem(Struct, frozen=True):
    """One item, cleaned and bounded; elements whose value is ``None`` or empty are left out.

    ``short`` is plain text of at most 4,000 bytes, ``html`` the whole text as safe markup. Times are in UTC and
    whole seconds, ``duration`` in seconds.
    """

    guid: str
    title: str
    link: str | None
    published: datetime | None
    updated: datetime | None
    media: _Media | None
    short: str
    html: str
    image: str | None
    duration: int | None
    season: int | None
    episode: int | None
    number: str | None
    episode_type: EpisodeType | None
    explicit: bool | None
    author: str | None
    language: str | None
    categories: tuple[str, ...]
    tags: tuple[Tag, ...]
    origin: str | None

    @property
    def changed(self) -> datetime:
        """Return when the item last changed, as far as known."""
        return self.updated or self.published or _NEVER

    @property
    def placeholder(self) -> str:
        """Return the text for an item without one, because Atom and JSON Feed demand it."""
        return self.guid if self.title in PROGRAM_WORDS else self.title

    @property
    def playable(self) -> bool:
        """Return whether the item belongs in podcast.xml."""
        return self.media is not None and self.media.playable


def make_feed_item(item: Item) -> FeedItem:
    """Prepare an item for the formats."""
    link = links.clean_url(item.link)
    text, markup = _choose_texts(item)
    cleaned = sanitize.clean_html(markup, link) if markup else ""
    guid = clean_guid(item.guid)
    return FeedItem(
        guid=guid,
        title=make_title(item) or guid,
        link=link,
        published=to_feed_time(item.published.at) if item.published else None,
        updated=to_feed_time(item.updated.at) if item.updated else None,
        media=find_media(item),
        short=sanitize.shorten(text),
        html=sanitize.text_to_html(text) if cleaned.strip() in PROGRAM_WORDS else cleaned,
        image=links.clean_url(item.image),
        duration=item.duration.seconds if item.duration and item.duration.seconds > 0 else None,
        season=item.season if item.season and item.season > 0 else None,
        episode=item.episode if item.episode and item.episode > 0 else None,
        number=sanitize.clean_name(item.number, 32),
        episode_type=item.episode_type,
        explicit=item.explicit,
        author=clean_person(item.author),
        language=sanitize.clean_language(item.language),
        categories=tuple(dict.fromkeys(filter(None, map(sanitize.clean_name, item.categories)))),
        tags=item.tags,
        origin=item.origin,
    )


def make_title(item: Item) -> str:
    """Return the title as it is published, the beginning of the text if there is none; empty if there is neither."""
    return sanitize.clean_title(item.title, plain=item.plain_title) or sanitize.clean_title(
        sanitize.clean_line(_choose_texts(item)[0], _LONGEST_FALLBACK_TITLE)
    )


def _choose_texts(item: Item) -> tuple[str, str]:
    """Return the item's text as plain text and as HTML, each empty if there is none.

    A description should be plain; if it has markup, it is treated as HTML.
    """
    description, markup = item.description or "", item.html or ""
    if sanitize.has_markup(description):
        markup = markup or description
        description = html.to_text(description)
    given = (description, "" if description else html.to_text(markup), item.summary or "")
    return next((text for text in map(sanitize.clean_prose, given) if text not in PROGRAM_WORDS), ""), markup


def find_media(item: Item) -> _Media | None:
    """Return the enclosure as it is published; ``None`` if there is none with a web URL."""
    if item.enclosure is None or (address := links.clean_url(item.enclosure.url)) is None:
        return None
    length = item.enclosure.length
    return _Media(address, media_types.find_media_type(item.enclosure), length if length and length > 0 else 0)


def to_feed_time(at: datetime) -> datetime:
    """Return the time as feeds give it: UTC, whole seconds."""
    return at.astimezone(UTC).replace(microsecond=0)
