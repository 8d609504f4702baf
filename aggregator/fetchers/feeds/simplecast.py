"""Simplecast, a host: a show's own feed, and the answers of its public API.

The episode's uuid in the path of its audio is the stable identity: guids of imported shows are those of the old host
(`shared/knowledge/sources.md` 3). The key is the guid, so that feed and API agree.
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.feeds import feed
from aggregator.fetchers.parsing import document_type, enclosures, json_fields
from aggregator.fetchers.parsing.decoding import decoded
from aggregator.fetchers.parsing.json_fields import Record
from aggregator.model.entry import Duration, Entry, EpisodeType, Listing, Moment, Show
from aggregator.model.source import Document
from aggregator.text import dates, durations
from aggregator.text.urls import audio_id

TYPES: dict[str | None, EpisodeType] = {"full": "full", "trailer": "trailer", "bonus": "bonus"}
SHOWN = {None, "published"}


def discover(document: Document) -> tuple[str, ...]:
    """The feed that the show's site names; none where the document is the feed or an answer of the API."""
    return feed.discover(document)


def read(document: Document) -> Listing:
    """The episodes; raises ``ReadError`` where the document is neither the feed nor an answer of the API."""
    value = document_type.loaded(decoded(document)) if document.body.lstrip()[:1] == b"{" else None
    if value is None:
        listing = feed.read(document)
        return replace(listing, entries=tuple(replace(one, genre="episode") for one in listing.entries))
    return _answered(document.source.name, json_fields.record(value))


def _answered(name: str, answer: Record) -> Listing:
    """A list of episodes, or the detail of one."""
    is_list = isinstance(answer.get("collection"), list)
    if not is_list and not (json_fields.identifier(answer, "id") and json_fields.text(answer, "title")):
        raise ReadError(f"{name}: Simplecast's answer holds no episodes (it may ask to slow down)")
    items = json_fields.records(answer, "collection") if is_list else (answer,)
    shown = [one for one in items if json_fields.text(one, "status") in SHOWN and one.get("is_hidden") is not True]
    found = [entry for at, one in enumerate(shown) if (entry := _entry(name, one, at))]
    about = json_fields.record(answer, "podcast")
    show = Show(
        title=json_fields.text(about, "title") or "",
        image=enclosures.address(about.get("image_url")),
        total=json_fields.whole(answer, "count") if is_list else None,
    )
    later = json_fields.record(answer, "pages", "next")
    return Listing(tuple(found), show, partial=not is_list or bool(later) or len(found) < (show.total or 0))


def _entry(name: str, one: Record, position: int) -> Entry | None:
    """One episode of a list or a detail; ``None`` where it has neither id nor title."""
    episode, guid, title = (
        json_fields.identifier(one, "id"),
        json_fields.identifier(one, "guid"),
        json_fields.text(one, "title"),
    )
    if not title or not (guid or episode):
        return None
    audio = json_fields.record(one, "audio_file")
    url = json_fields.text(one, "enclosure_url", "audio_file_url") or json_fields.text(audio, "url")
    file = enclosures.chosen([enclosures.Offer(url, "audio/*", audio.get("size"))])
    host = episode or (audio_id(file[0].url) if file else None)
    moment = dates.parse(json_fields.text(one, "published_at") or "")
    length = durations.parse(json_fields.number(one, "duration") or 0)
    markup = json_fields.text(one, "long_description")
    plain = json_fields.text(one, "description")
    return Entry(
        source=name, key=guid or episode or title, title=title, position=position, guid=guid,
        ids=(("simplecast", host.lower()),) if host else (), link=enclosures.address(one.get("episode_url")),
        html=markup, description=None if markup else plain, summary=plain if markup else None,
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None,
        season=json_fields.whole(json_fields.record(one, "season"), "number") or None,
        episode=json_fields.whole(one, "number") or None, episode_type=TYPES.get(json_fields.text(one, "type")),
        explicit=json_fields.flag(one, "is_explicit"), image=enclosures.address(one.get("image_url")),
        author=", ".join(json_fields.texts(json_fields.record(one, "authors").get("collection"))) or None,
    )  # fmt: skip
