"""Apple's catalogue records (``attributes``, ``relationships``), which show pages carried until August 2024.

The same records stood in three wrappings: the catalogue's own answer, ``{"x":…,"d":[…]}`` in pages from 2021, and the
``data`` and ``included`` of the ember store before (`shared/knowledge/sources.md` 2b and 2c).
"""

from __future__ import annotations

from collections.abc import Iterator

from aggregator.fetchers import fields, media
from aggregator.fetchers.apple_json import ADVICE, plain
from aggregator.fetchers.fields import Record
from aggregator.model.sighting import Duration, EpisodeType, Listing, Moment, Show, Sighting
from aggregator.text import dates, durations
from aggregator.text.urls import audio_id

SHOWS = {"podcasts", "media/podcast"}
EPISODES = {"podcast-episodes", "media/podcast-episode"}
KINDS: dict[str | None, EpisodeType] = {"full": "full", "trailer": "trailer", "bonus": "bonus"}
MOST_WRAPPINGS = 3


def read(name: str, value: object, wanted: str | None) -> Listing | None:
    """The episodes under the show ``wanted``, or under the first show; ``None`` where there are no such records."""
    found: list[Record] = []
    about: Record = {}
    for one in _resources(value):
        kind, is_wanted = fields.text(one, "type"), wanted in {None, fields.identifier(one, "id")}
        if kind in SHOWS and is_wanted and not about:
            about = one
            found += fields.records(one, "relationships", "episodes", "data")
        elif kind in EPISODES:
            found.append(one)
    sightings = [sighting for at, one in enumerate(found) if (sighting := _sighting(name, one, at))]
    if not sightings and not about:
        return None
    show = _show(fields.record(about, "attributes"))
    return Listing(tuple(sightings), show, partial=show.total is None or len(sightings) < show.total)


def _resources(value: object, depth: int = 0) -> Iterator[Record]:
    """The records at the top of each wrapping: not those below a record, which belong to it or to other shows."""
    for wrapping in ("data", "d", "included"):
        inner = fields.record(value).get(wrapping)
        listed = fields.records(inner) or ((fields.record(inner),) if fields.record(inner) else ())
        yield from listed
    if depth < MOST_WRAPPINGS:
        for inner in fields.record(value).values():
            if isinstance(inner, dict) and ("data" in inner or "d" in inner):
                yield from _resources(inner, depth + 1)


def _sighting(name: str, one: Record, position: int) -> Sighting | None:
    said = fields.record(one, "attributes")
    track, title = fields.identifier(one, "id"), fields.text(said, "name")
    if not title or not track:
        return None
    moment = dates.parse(fields.text(said, "releaseDateTime") or "")
    length = durations.parse((fields.number(said, "durationInMilliseconds") or 0) / 1000)
    kind = "video/*" if said.get("mediaKind") == "video" else "audio/*"
    file = media.chosen([media.Offer(fields.text(said, "assetUrl"), kind)])
    host = audio_id(file[0].url) if file else None
    return Sighting(
        source=name, key=track, title=title, position=position, guid=fields.identifier(said, "guid"),
        ids=(("apple", track), *((("simplecast", host),) if host else ())), link=plain(fields.text(said, "url")),
        description=fields.text(fields.record(said, "description"), "standard", "short"),
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None, season=fields.whole(said, "seasonNumber"),
        episode=fields.whole(said, "episodeNumber"), episode_type=KINDS.get(fields.text(said, "kind")),
        explicit=ADVICE.get(fields.text(said, "contentRating") or ""), show=fields.text(said, "collectionName"),
    )  # fmt: skip


def _show(said: Record) -> Show:
    kind = said.get("kind")
    return Show(
        title=fields.text(said, "name"),
        link=plain(fields.text(said, "url")),
        description=fields.text(fields.record(said, "description"), "standard", "short"),
        author=fields.text(said, "artistName"),
        image=_artwork(fields.record(said, "artwork")),
        language=fields.text(said, "languageTag"),
        copyright=fields.text(said, "copyright"),
        explicit=ADVICE.get(fields.text(said, "contentRating") or ""),
        type="serial" if kind == "serial" else "episodic" if kind == "episodic" else None,
        complete=said.get("completed") is True,
        categories=tuple((genre,) for genre in fields.texts(said.get("genreNames")) if genre != "Podcasts"),
        feed_url=media.address(said.get("feedUrl")),
        total=fields.whole(said, "trackCount", "availableEpisodeCount"),
    )


def _artwork(said: Record) -> str | None:
    """The picture in its own size; Apple leaves the size and the format of the address open."""
    url, width, height = fields.text(said, "url"), fields.whole(said, "width"), fields.whole(said, "height")
    if not url or not width or not height:
        return None
    return media.address(url.replace("{w}", str(width)).replace("{h}", str(height)).replace("{f}", "jpg"))
