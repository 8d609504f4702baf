"""FeedItem: one item as every machine-readable format carries it, so that all formats say the same."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from aggregator.generator.content import ids, links, plain_text, sanitize
from aggregator.generator.content.people import person
from aggregator.generator.podcast import moment
from aggregator.model.entry import EpisodeType, Tag
from aggregator.model.item import Item

# A title made of a text's beginning, where no source gave a title: one line in the list of an app.
GLIMPSE = 80
# Atom demands a time of every entry; settle gives every item one, so this shows only where a caller skipped it.
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


class Media(Struct, frozen=True):
    """An enclosure as it is published: ``length`` in bytes, 0 where unknown (RSS 2.0 allows it)."""

    url: str
    type: str
    length: int = 0


class FeedItem(Struct, frozen=True):
    """One item, clean and bounded; ``None`` and empty mean that the format leaves the element out.

    ``short`` is plain text of at most 4,000 bytes, ``html`` the whole text as safe markup. Times are in UTC and
    whole seconds, ``duration`` in seconds.
    """

    guid: str
    title: str
    link: str | None
    published: datetime | None
    updated: datetime | None
    media: Media | None
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
        """When the item last changed, as far as a source or the store knows."""
        return self.updated or self.published or NEVER

    @property
    def placeholder(self) -> str:
        """The text of an item that has none: Atom and JSON Feed demand some."""
        return self.guid if self.title in plain_text.NOTHING else self.title

    @property
    def playable(self) -> bool:
        """Whether the item belongs into podcast.xml."""
        return self.media is not None and links.playable(self.media.type)


def of(item: Item) -> FeedItem:
    """Return the item as the formats carry it."""
    link = links.web(item.link)
    said, markup = _texts(item)
    washed = sanitize.markup(markup, link) if markup else ""
    guid = plain_text.line(item.guid, plain_text.SHORT) or ids.stand_in(item.guid)
    return FeedItem(
        guid=guid,
        title=plain_text.title(item.title) or plain_text.title(plain_text.line(said, GLIMPSE)) or guid,
        link=link,
        published=moment(item.published.at) if item.published else None,
        updated=moment(item.updated.at) if item.updated else None,
        media=media(item),
        short=plain_text.short(said),
        html=sanitize.paragraphs(said) if washed.strip() in plain_text.NOTHING else washed,
        image=links.web(item.image),
        duration=item.duration.seconds if item.duration and item.duration.seconds > 0 else None,
        season=item.season if item.season and item.season > 0 else None,
        episode=item.episode if item.episode and item.episode > 0 else None,
        number=plain_text.name(item.number, 32),
        episode_type=item.episode_type,
        explicit=item.explicit,
        author=person(item.author),
        language=plain_text.language(item.language),
        categories=tuple(dict.fromkeys(filter(None, map(plain_text.name, item.categories)))),
        tags=item.tags,
        origin=item.origin,
    )


def _texts(item: Item) -> tuple[str, str]:
    """The item's text as plain prose and as markup, each empty where nobody gave it.

    A description is plain by contract; one that holds markup all the same is taken for what it is.
    """
    description, markup = item.description or "", item.html or ""
    if plain_text.marked(description):
        markup = markup or description
        description = sanitize.plain(description)
    given = (description, "" if description else sanitize.plain(markup), item.summary or "")
    return next((text for text in map(plain_text.prose, given) if text not in plain_text.NOTHING), ""), markup


def media(item: Item) -> Media | None:
    """The enclosure as it is published, ``None`` where there is none on the web."""
    if item.enclosure is None or (address := links.web(item.enclosure.url)) is None:
        return None
    length = item.enclosure.length
    return Media(address, links.media_type(item.enclosure), length if length and length > 0 else 0)


def playable(item: Item) -> bool:
    """Return whether the item belongs into podcast.xml, without making it ready."""
    found = media(item)
    return found is not None and links.playable(found.type)
