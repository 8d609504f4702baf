"""Simplecast, a host: a show's own feed, and the answers of its public API.

The episode's uuid in the path of its audio is the stable identity: guids of imported shows are those of the old host.
The key is the guid, so that feed and API agree.
"""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.feeds import feed
from aggregator.fetchers.parsing import decoding, enclosures, json_fields
from aggregator.fetchers.parsing.decoding import decode
from aggregator.fetchers.parsing.json_fields import Record
from aggregator.model.entry import Duration, Entry, EpisodeType, Listing, Moment, Show
from aggregator.model.source import Document
from aggregator.text import dates, durations
from aggregator.text.urls import audio_id

_TYPES: dict[str | None, EpisodeType] = {"full": "full", "trailer": "trailer", "bonus": "bonus"}
_SHOWN = {None, "published"}


def discover(document: Document) -> tuple[str, ...]:
    """Return the feed that the show's site names; none if the document is the feed or an answer of the API."""
    return feed.discover(document)


def read(document: Document) -> Listing:
    """Return the episodes; ReadError if the document is neither the feed nor an answer of the API."""
    value = decoding.load_json(decode(document)) if document.body.lstrip()[:1] == b"{" else None
    if value is None:
        listing = feed.read(document)
        return replace(listing, entries=tuple(replace(one, genre="episode") for one in listing.entries))
    return _read_answer(document.source.name, json_fields.get_record(value))


def _read_answer(name: str, answer: Record) -> Listing:
    """Read a list of episodes, or the detail of one."""
    is_list = isinstance(answer.get("collection"), list)
    if not is_list and not (json_fields.get_id(answer, "id") and json_fields.get_text(answer, "title")):
        raise ReadError(f"{name}: Simplecast's answer holds no episodes (it may ask to slow down)")
    items = json_fields.get_records(answer, "collection") if is_list else (answer,)
    shown = [one for one in items if json_fields.get_text(one, "status") in _SHOWN and one.get("is_hidden") is not True]
    found = [entry for at, one in enumerate(shown) if (entry := _entry(name, one, at))]
    about = json_fields.get_record(answer, "podcast")
    show = Show(
        title=json_fields.get_text(about, "title") or "",
        image=enclosures.clean_url(about.get("image_url")),
        total=json_fields.get_int(answer, "count") if is_list else None,
    )
    later = json_fields.get_record(answer, "pages", "next")
    return Listing(tuple(found), show, partial=not is_list or bool(later) or len(found) < (show.total or 0))


def _entry(name: str, one: Record, position: int) -> Entry | None:
    """Return one episode of a list or a detail; ``None`` without id or title."""
    episode, guid, title = (
        json_fields.get_id(one, "id"),
        json_fields.get_id(one, "guid"),
        json_fields.get_text(one, "title"),
    )
    if not title or not (guid or episode):
        return None
    audio = json_fields.get_record(one, "audio_file")
    url = json_fields.get_text(one, "enclosure_url", "audio_file_url") or json_fields.get_text(audio, "url")
    file = enclosures.choose([enclosures.Offer(url, "audio/*", audio.get("size"))])
    host = episode or (audio_id(file[0].url) if file else None)
    moment = dates.parse(json_fields.get_text(one, "published_at") or "")
    length = durations.parse(json_fields.get_number(one, "duration") or 0)
    markup = json_fields.get_text(one, "long_description")
    plain = json_fields.get_text(one, "description")
    return Entry(
        source=name, key=guid or episode or title, title=title, position=position, guid=guid,
        ids=(("simplecast", host.lower()),) if host else (), link=enclosures.clean_url(one.get("episode_url")),
        html=markup, description=None if markup else plain, summary=plain if markup else None,
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None,
        season=json_fields.get_int(json_fields.get_record(one, "season"), "number") or None,
        episode=json_fields.get_int(one, "number") or None, episode_type=_TYPES.get(json_fields.get_text(one, "type")),
        explicit=json_fields.get_bool(one, "is_explicit"), image=enclosures.clean_url(one.get("image_url")),
        author=", ".join(json_fields.get_texts(json_fields.get_record(one, "authors").get("collection"))) or None,
    )  # fmt: skip
