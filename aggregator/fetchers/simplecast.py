"""Simplecast, a host: a show's own feed, and the answers of its public API.

The episode's uuid in the path of its audio is the stable identity: guids of imported shows are those of the old host
(`shared/knowledge/sources.md` 3). The key is the guid, so that feed and API agree.
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers import feed, fields, media, shape
from aggregator.fetchers.fields import Record
from aggregator.fetchers.letters import decoded
from aggregator.model.sighting import Duration, EpisodeType, Listing, Moment, Show, Sighting
from aggregator.model.source import Document, Source
from aggregator.text import dates, durations
from aggregator.text.urls import audio_id

TYPES: dict[str | None, EpisodeType] = {"full": "full", "trailer": "trailer", "bonus": "bonus"}
SHOWN = {None, "published"}


def locate(source: Source) -> tuple[str, ...]:
    """The address of the feed, of the show's site (which names the feed), or of the API."""
    return (source.url,) if source.url else ()


def discover(document: Document) -> tuple[str, ...]:
    """The feed that the show's site names; none where the document is the feed or an answer of the API."""
    return feed.discover(document)


def read(document: Document) -> Listing:
    """The episodes; raises ``ReadError`` where the document is neither the feed nor an answer of the API."""
    value = shape.loaded(decoded(document)) if document.body.lstrip()[:1] == b"{" else None
    if value is None:
        listing = feed.read(document)
        return replace(listing, sightings=tuple(replace(one, genre="episode") for one in listing.sightings))
    return _answered(document.source.name, fields.record(value))


def _answered(name: str, answer: Record) -> Listing:
    """A list of episodes, or the detail of one."""
    is_list = isinstance(answer.get("collection"), list)
    if not is_list and not (fields.identifier(answer, "id") and fields.text(answer, "title")):
        raise ReadError(f"{name}: Simplecast's answer holds no episodes (it may ask to slow down)")
    items = fields.records(answer, "collection") if is_list else (answer,)
    shown = [one for one in items if fields.text(one, "status") in SHOWN and one.get("is_hidden") is not True]
    found = [sighting for at, one in enumerate(shown) if (sighting := _sighting(name, one, at))]
    about = fields.record(answer, "podcast")
    show = Show(
        title=fields.text(about, "title") or "",
        image=media.address(about.get("image_url")),
        total=fields.whole(answer, "count") if is_list else None,
    )
    later = fields.record(answer, "pages", "next")
    return Listing(tuple(found), show, partial=not is_list or bool(later) or len(found) < (show.total or 0))


def _sighting(name: str, one: Record, position: int) -> Sighting | None:
    """One episode of a list or a detail; ``None`` where it has neither id nor title."""
    episode, guid, title = fields.identifier(one, "id"), fields.identifier(one, "guid"), fields.text(one, "title")
    if not title or not (guid or episode):
        return None
    audio = fields.record(one, "audio_file")
    url = fields.text(one, "enclosure_url", "audio_file_url") or fields.text(audio, "url")
    file = media.chosen([media.Offer(url, "audio/*", audio.get("size"))])
    host = episode or (audio_id(file[0].url) if file else None)
    moment = dates.parse(fields.text(one, "published_at") or "")
    length = durations.parse(fields.number(one, "duration") or 0)
    markup = fields.text(one, "long_description")
    plain = fields.text(one, "description")
    return Sighting(
        source=name, key=guid or episode or title, title=title, position=position, guid=guid,
        ids=(("simplecast", host.lower()),) if host else (), link=media.address(one.get("episode_url")),
        html=markup, description=None if markup else plain, summary=plain if markup else None,
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None, season=fields.whole(fields.record(one, "season"), "number") or None,
        episode=fields.whole(one, "number") or None, episode_type=TYPES.get(fields.text(one, "type")),
        explicit=fields.flag(one, "is_explicit"), image=media.address(one.get("image_url")),
        author=", ".join(fields.texts(fields.record(one, "authors").get("collection"))) or None,
    )  # fmt: skip
