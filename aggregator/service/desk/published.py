"""A published feed and its items from the store, and values as pages show them."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from aggregator.generator.content.feed_channel import make_feed_channel
from aggregator.generator.content.feed_item import FeedItem, find_media, make_feed_item
from aggregator.generator.pages import wording
from aggregator.generator.report import list_remarks
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Tag
from aggregator.model.feed import Feed, Plan
from aggregator.model.item import Item
from aggregator.service.desk.errors import MissingError
from aggregator.service.desk.filters import format_exact
from aggregator.service.desk.frame import Desk
from aggregator.store.items import FeedItems
from aggregator.text import word_diff
from aggregator.text.html import to_text
from aggregator.translation.locale import Locale

_MOST_APP_ITEMS: Final = 3
_LONGEST_DESCRIPTION: Final = 300
_LONGEST_SUMMARY: Final = 120

Pieces = tuple[tuple[word_diff.Change, str], ...]
"""A text in pieces: those that another one lacks are marked."""


def read_items(desk: Desk, plan: Plan) -> tuple[Item, ...]:
    """Return the published items of a feed without evidence, the newest first; none if there is no store yet."""
    try:
        with desk.open_store() as store:
            return FeedItems(store, plan.name).read()
    except MissingError:
        return ()


def make_remarks(feed: Feed) -> list[str]:
    """Return the remarks of the report of a feed."""
    media = [find_media(item) for item in feed.items]
    return list_remarks(feed, make_feed_channel(feed), sum(1 for each in media if each and not each.length))


class _AppItem(Struct, frozen=True):
    """An item in the list of an app."""

    title: str
    day: str
    length: str
    text: str


class AppView(Struct, frozen=True):
    """A feed as an app shows it: its head, and its newest items; only those with audio if any has.

    ``is_heard`` is whether any has audio.
    """

    title: str
    author: str
    image: str | None
    description: str
    items: tuple[_AppItem, ...]
    is_heard: bool


def make_app_view(feed: Feed, locale: Locale) -> AppView:
    """Return a published feed as an app shows it."""
    channel = make_feed_channel(feed)
    heard = [item for item in feed.items if find_media(item)]
    return AppView(
        title=channel.title,
        author=channel.author or channel.title,
        image=channel.image if channel.image and channel.image.startswith("https://") else None,
        description=_cut(channel.description, _LONGEST_DESCRIPTION),
        items=tuple(_make_app_item(make_feed_item(item), locale) for item in (heard or feed.items)[:_MOST_APP_ITEMS]),
        is_heard=bool(heard),
    )


def _make_app_item(item: FeedItem, locale: Locale) -> _AppItem:
    return _AppItem(
        title=item.title,
        day=f"{item.published:%Y-%m-%d}" if item.published else "",
        length=wording.format_length(Duration(item.duration), locale) if item.media and item.duration else "",
        text=_cut(item.short, _LONGEST_SUMMARY),
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + "…"


def format_value(value: object, locale: Locale) -> str:
    """Return a value of an entry for people.

    >>> format_value((Tag("podcast:season", "2"), Tag("podcast:episode", "4")), Locale("en"))
    'podcast:season 2, podcast:episode 4'
    """
    match value:
        case Moment() if value.precision in ("minute", "second"):
            text = format_exact(value.at, locale)
        case Moment():
            text = locale.format_day(value)
        case Duration():
            text = wording.format_length(value, locale)
        case Enclosure():
            text = value.url
        case bool():
            text = locale.gettext("yes") if value else locale.gettext("no")
        case Tag():
            text = value.to_line()
        case tuple():
            text = locale.comma.join(format_value(each, locale) for each in value)
        case _:
            text = "" if value is None else str(value)
    return text


def full_text(entry: Entry) -> str:
    """Return the description of an entry as text."""
    return to_text(entry.html) if entry.description is None and entry.html is not None else entry.description or ""


def unmark(pieces: Pieces) -> Pieces:
    """Return the pieces without the signs that mark them where there is no colour: a page has elements for that."""
    return tuple((change, text if change == "same" else text[2:-2]) for change, text in pieces)


class ListedEntry(Struct, frozen=True):
    """An entry as it was read of a document."""

    title: str
    published: str
    duration: str
    audio: str
    characters: int


class LeftOutLine(Struct, frozen=True):
    """An entry, or a subscription of an OPML list, that is not taken, and why."""

    title: str
    why: str


def make_entry(entry: Entry, locale: Locale) -> ListedEntry:
    """Return an entry as it is listed before it is stored."""
    values = (entry.published, entry.duration, entry.enclosure)
    published, duration, audio = (format_value(value, locale) for value in values)
    return ListedEntry(entry.title, published, duration, audio, len(full_text(entry)))
