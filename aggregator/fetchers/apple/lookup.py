"""Apple's lookup and search answers, and copies of them that a proxy has wrapped.

Seen in November 2026 (`tests/unit/fetchers/data/read/apple`): ``trackTimeMillis`` is milliseconds on an episode and
seconds on a show; ``releaseDate`` is UTC; ``limit`` is at most 200 and there is no offset, so that most listings are
partial. Records are told apart by ``wrapperType`` or by ``episodeGuid``: ``kind`` is sometimes missing.
"""

from __future__ import annotations

import re

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures, json_fields
from aggregator.fetchers.parsing.json_fields import Record
from aggregator.model.entry import Duration, Entry, Listing, Moment, Show
from aggregator.text import dates, durations
from aggregator.text.urls import audio_id

ADVICE = {"explicit": True, "clean": False, "cleaned": False, "notExplicit": False}
_VISITOR = re.compile(r"([?&])uo=\d+(?:&|$)")  # "?uo=4" says which program asked


def read(name: str, value: object, wanted: str | None) -> Listing | None:
    """Return the episodes of the show ``wanted``, of all shows if that is ``None``; ``None`` if this is no such answer.

    Raises ReadError if Apple answers that it found nothing or refuses.
    """
    answer = json_fields.get_record(value)
    if isinstance(wrapped := answer.get("contents"), str):
        answer = json_fields.get_record(decoding.load_json(wrapped))
    if message := json_fields.get_text(answer, "errorMessage"):
        raise ReadError(f"{name}: Apple answers: {message[:200]}")
    if not isinstance(answer.get("results"), list):
        return None
    results = [one for one in json_fields.get_records(answer, "results") if _is_of(one, wanted)]
    if not results:
        raise ReadError(f"{name}: Apple's answer names no show and no episode that was asked for")
    about = next((one for one in results if not _is_episode(one)), None)
    show = _show(about) if about else Show()
    art = _picture(about) if about else None
    episodes = [one for one in results if _is_episode(one)]
    found = [entry for at, one in enumerate(episodes) if (entry := _entry(name, one, at, art))]
    remarks = () if episodes else ("the answer names the show and none of its episodes",)
    if about is None and show.title is None:
        show = Show(title=next((one.show for one in found), None))
    return Listing(tuple(found), show, partial=show.total is None or len(found) < show.total, remarks=remarks)


def _is_episode(one: Record) -> bool:
    return one.get("wrapperType") == "podcastEpisode" or "episodeGuid" in one


def _is_of(one: Record, wanted: str | None) -> bool:
    return wanted is None or json_fields.get_id(one, "collectionId", "trackId") == wanted


def _entry(name: str, one: Record, position: int, art: str | None) -> Entry | None:
    """Return one episode; ``None`` without an id or a title."""
    track, title = json_fields.get_id(one, "trackId"), json_fields.get_text(one, "trackName", "trackCensoredName")
    guid = json_fields.get_id(one, "episodeGuid")
    if not title or not (track or guid):
        return None
    moment = dates.parse(json_fields.get_text(one, "releaseDate") or "")
    length = durations.parse((json_fields.get_number(one, "trackTimeMillis") or 0) / 1000)
    ending = (json_fields.get_text(one, "episodeFileExtension") or "").lower()
    kind = enclosures.TYPES.get(ending, f"{json_fields.get_text(one, 'episodeContentType') or 'audio'}/*")
    file = enclosures.choose([enclosures.Offer(json_fields.get_text(one, "episodeUrl", "previewUrl"), kind)])
    description, short = json_fields.get_text(one, "description"), json_fields.get_text(one, "shortDescription")
    host = audio_id(file[0].url) if file else None
    picture, advice = _picture(one), json_fields.get_text(one, "contentAdvisoryRating") or ""
    return Entry(
        source=name, key=track or guid or title, title=title, position=position, guid=guid,
        ids=(*((("apple", track),) if track else ()), *((("simplecast", host),) if host else ())),
        link=clean_link(json_fields.get_text(one, "trackViewUrl")), description=description or short,
        summary=short if description and short != description else None,
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None, explicit=ADVICE.get(advice.lower()),
        image=picture if picture and _remove_size(picture) != _remove_size(art) else None,
        show=json_fields.get_text(one, "collectionName"), categories=_genres(one),
    )  # fmt: skip


def _show(one: Record) -> Show:
    return Show(
        title=json_fields.get_text(one, "collectionName", "trackName"),
        link=clean_link(json_fields.get_text(one, "collectionViewUrl", "trackViewUrl")),
        author=json_fields.get_text(one, "artistName"),
        image=_picture(one),
        explicit=ADVICE.get(json_fields.get_text(one, "collectionExplicitness", "trackExplicitness") or ""),
        categories=tuple((genre,) for genre in _genres(one)),
        feed_url=enclosures.clean_url(one.get("feedUrl")),
        total=json_fields.get_int(one, "trackCount"),
    )


def clean_link(url: str | None) -> str | None:
    """Return the address without Apple's parameter for who asked; ``None`` if it is no web address."""
    return enclosures.clean_url(_VISITOR.sub(r"\1", url).rstrip("?&")) if url else None


def _genres(one: Record) -> tuple[str, ...]:
    return tuple(genre for genre in json_fields.get_texts(one.get("genres")) if genre != "Podcasts")


def _picture(one: Record) -> str | None:
    return enclosures.clean_url(json_fields.get_text(one, "artworkUrl600", "artworkUrl160", "artworkUrl100"))


def _remove_size(url: str | None) -> str:
    """Return the address of a picture without its size, the last part of the path."""
    return url.rpartition("/")[0] if url else ""
