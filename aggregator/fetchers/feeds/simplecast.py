"""Simplecast, a host: a show's own feed, and the answers of its public API.

The episode's uuid in the path of its audio is the stable identity: guids of imported shows are those of the old host.
The key is the guid, so that feed and API agree.
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import discovery
from aggregator.fetchers.feeds import feed
from aggregator.fetchers.feeds.entry import EPISODE_TYPES
from aggregator.fetchers.parsing import decoding, enclosures
from aggregator.fetchers.parsing.json_fields import JsonObject
from aggregator.model.entry import Entry, Listing, Show
from aggregator.model.source import Document
from aggregator.text.times import dates, durations

_SHOWN = {None, "published"}

discover = discovery.find_feeds


def read(document: Document) -> Listing:
    """Return the episodes; ReadError if the document is neither the feed nor an answer of the API."""
    value = decoding.load_document(document)[0] if document.body.lstrip()[:1] == b"{" else None
    if value is None:
        listing = feed.read(document)
        return replace(listing, entries=tuple(replace(one, genre="episode") for one in listing.entries))
    return _read_answer(document, JsonObject(value))


def _read_answer(document: Document, answer: JsonObject) -> Listing:
    name = document.source.name
    is_list = isinstance(answer.get("collection"), list)
    if not is_list and not (answer.id("id") and answer.text("title")):
        raise ReadError(f"{name}: Simplecast's answer holds no episodes (it may ask to slow down)")
    items = answer.objects("collection") if is_list else (answer,)
    shown = [one for one in items if one.text("status") in _SHOWN and one.get("is_hidden") is not True]
    found = [entry for at, one in enumerate(shown) if (entry := _make_entry(name, one, at))]
    podcast = answer.inner("podcast")
    show = Show(
        title=podcast.text("title") or "",
        image=enclosures.clean_url(podcast.get("image_url")),
        total=answer.integer("count") if is_list else None,
    )
    pages = answer.inner("pages")
    next_url = enclosures.resolve_url(document.url, pages.text("next") or pages.inner("next").get("href"))
    partial = not is_list or next_url is not None or len(found) < (show.total or 0)
    return Listing(tuple(found), show, partial=partial, next_url=next_url)


def _make_entry(name: str, one: JsonObject, position: int) -> Entry | None:
    """Return one episode of a list or a detail; ``None`` without id or title."""
    episode, guid, title = one.id("id"), one.id("guid"), one.text("title")
    if not title or not (guid or episode):
        return None
    audio = one.inner("audio_file")
    url = one.text("enclosure_url", "audio_file_url") or audio.text("url")
    file = enclosures.choose(enclosures.Offer(url, "audio/*", audio.get("size")))
    markup = one.text("long_description")
    plain = one.text("description")
    return Entry(
        source=name, key=guid or episode or title, title=title, position=position, guid=guid,
        ids=(("simplecast", episode.lower()),) if episode else file.ids,
        link=enclosures.clean_url(one.get("episode_url")),
        html=markup, description=None if markup else plain, summary=plain if markup else None,
        published=dates.parse(one.text("published_at")), duration=durations.parse(one.number("duration")),
        enclosure=file.enclosure,
        season=one.inner("season").integer("number") or None,
        episode=one.integer("number") or None, episode_type=EPISODE_TYPES.get(one.text("type")),
        explicit=one.boolean("is_explicit"), image=enclosures.clean_url(one.get("image_url")),
        author=", ".join(one.inner("authors").texts("collection")) or None,
    )  # fmt: skip
