"""Apple's catalogue records (``attributes``, ``relationships``), which show pages carried until August 2024.

The same records stood in three wrappings: the catalogue's own answer, ``{"x":…,"d":[…]}`` in pages from 2021, and the
``data`` and ``included`` of the ember store before (`shared/knowledge/sources.md` 2b and 2c).
"""

from __future__ import annotations

from collections.abc import Iterator

from aggregator.fetchers.apple.lookup import ADVICE, plain
from aggregator.fetchers.parsing import enclosures, json_fields
from aggregator.fetchers.parsing.json_fields import Record
from aggregator.model.entry import Duration, Entry, EpisodeType, Listing, Moment, Show
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
        kind, is_wanted = json_fields.text(one, "type"), wanted in {None, json_fields.identifier(one, "id")}
        if kind in SHOWS and is_wanted and not about:
            about = one
            found += json_fields.records(one, "relationships", "episodes", "data")
        elif kind in EPISODES:
            found.append(one)
    entries = [entry for at, one in enumerate(found) if (entry := _entry(name, one, at))]
    if not entries and not about:
        return None
    show = _show(json_fields.record(about, "attributes"))
    return Listing(tuple(entries), show, partial=show.total is None or len(entries) < show.total)


def _resources(value: object, depth: int = 0) -> Iterator[Record]:
    """The records at the top of each wrapping: not those below a record, which belong to it or to other shows."""
    for wrapping in ("data", "d", "included"):
        inner = json_fields.record(value).get(wrapping)
        listed = json_fields.records(inner) or ((json_fields.record(inner),) if json_fields.record(inner) else ())
        yield from listed
    if depth < MOST_WRAPPINGS:
        for inner in json_fields.record(value).values():
            if isinstance(inner, dict) and ("data" in inner or "d" in inner):
                yield from _resources(inner, depth + 1)


def _entry(name: str, one: Record, position: int) -> Entry | None:
    said = json_fields.record(one, "attributes")
    track, title = json_fields.identifier(one, "id"), json_fields.text(said, "name")
    if not title or not track:
        return None
    moment = dates.parse(json_fields.text(said, "releaseDateTime") or "")
    length = durations.parse((json_fields.number(said, "durationInMilliseconds") or 0) / 1000)
    kind = "video/*" if said.get("mediaKind") == "video" else "audio/*"
    file = enclosures.chosen([enclosures.Offer(json_fields.text(said, "assetUrl"), kind)])
    host = audio_id(file[0].url) if file else None
    return Entry(
        source=name, key=track, title=title, position=position, guid=json_fields.identifier(said, "guid"),
        ids=(("apple", track), *((("simplecast", host),) if host else ())), link=plain(json_fields.text(said, "url")),
        description=json_fields.text(json_fields.record(said, "description"), "standard", "short"),
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None, season=json_fields.whole(said, "seasonNumber"),
        episode=json_fields.whole(said, "episodeNumber"), episode_type=KINDS.get(json_fields.text(said, "kind")),
        explicit=ADVICE.get(json_fields.text(said, "contentRating") or ""),
        show=json_fields.text(said, "collectionName"),
    )  # fmt: skip


def _show(said: Record) -> Show:
    kind = said.get("kind")
    return Show(
        title=json_fields.text(said, "name"),
        link=plain(json_fields.text(said, "url")),
        description=json_fields.text(json_fields.record(said, "description"), "standard", "short"),
        author=json_fields.text(said, "artistName"),
        image=_artwork(json_fields.record(said, "artwork")),
        language=json_fields.text(said, "languageTag"),
        copyright=json_fields.text(said, "copyright"),
        explicit=ADVICE.get(json_fields.text(said, "contentRating") or ""),
        type="serial" if kind == "serial" else "episodic" if kind == "episodic" else None,
        complete=said.get("completed") is True,
        categories=tuple((genre,) for genre in json_fields.texts(said.get("genreNames")) if genre != "Podcasts"),
        feed_url=enclosures.address(said.get("feedUrl")),
        total=json_fields.whole(said, "trackCount", "availableEpisodeCount"),
    )


def _artwork(said: Record) -> str | None:
    """The picture in its own size; Apple leaves the size and the format of the address open."""
    url, width, height = (
        json_fields.text(said, "url"),
        json_fields.whole(said, "width"),
        json_fields.whole(said, "height"),
    )
    if not url or not width or not height:
        return None
    return enclosures.address(url.replace("{w}", str(width)).replace("{h}", str(height)).replace("{f}", "jpg"))
