"""Apple's lookup and search answers, and copies of them that a proxy has wrapped.

Seen in November 2026 (`tests/unit/fetchers/data/read/apple`): ``trackTimeMillis`` is milliseconds on an episode and
seconds on a show; ``releaseDate`` is UTC; ``limit`` is at most 200 and there is no offset, so that most listings are
partial. Episodes have a ``wrapperType`` or an ``episodeGuid``: ``kind`` is sometimes missing.
"""

from __future__ import annotations

import re

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures
from aggregator.fetchers.parsing.json_fields import JsonObject
from aggregator.model.entry import Entry, Listing, Show
from aggregator.text.times import dates, durations
from aggregator.translation.marks import N_

ADVICE = {"explicit": True, "clean": False, "cleaned": False, "notExplicit": False}
_VISITOR = re.compile(r"([?&])uo=\d+(?:&|$)")  # "?uo=4" is the kind of client


def read(name: str, value: object, wanted: str | None) -> Listing | None:
    """Return the episodes of the show ``wanted``, of all shows if that is ``None``; ``None`` if this is no such answer.

    Raises ReadError if Apple answers that it found nothing or refuses.
    """
    answer = JsonObject(value)
    if isinstance(wrapped := answer.get("contents"), str):
        answer = JsonObject(decoding.load_json(wrapped))
    if message := answer.text("errorMessage"):
        raise ReadError(f"{name}: Apple answers: {' '.join(message.split())[:200]}")
    if not isinstance(answer.get("results"), list):
        return None
    results = [
        one for one in answer.objects("results") if wanted is None or one.id("collectionId", "trackId") == wanted
    ]
    if not results:
        raise ReadError(f"{name}: Apple's answer names no show and no episode that was asked for")
    about = next((one for one in results if not _is_episode(one)), None)
    show = _make_show(about) if about else Show()
    art = _find_picture(about) if about else None
    episodes = [one for one in results if _is_episode(one)]
    found = [entry for at, one in enumerate(episodes) if (entry := _make_entry(name, one, at, art))]
    remarks = () if episodes else (N_("the answer names the show and none of its episodes"),)
    if about is None and show.title is None:
        show = Show(title=next((one.show for one in found), None))
    return Listing(tuple(found), show, partial=show.total is None or len(found) < show.total, remarks=remarks)


def _is_episode(one: JsonObject) -> bool:
    return one.get("wrapperType") == "podcastEpisode" or one.get("episodeGuid") is not None


def _make_entry(name: str, one: JsonObject, position: int, art: str | None) -> Entry | None:
    """Return one episode; ``None`` without an id or a title."""
    track, title = one.id("trackId"), one.text("trackName", "trackCensoredName")
    guid = one.id("episodeGuid")
    if not title or not (track or guid):
        return None
    ending = (one.text("episodeFileExtension") or "").lower()
    kind = enclosures.TYPES.get(ending, f"{one.text('episodeContentType') or 'audio'}/*")
    file = enclosures.choose(enclosures.Offer(one.text("episodeUrl", "previewUrl"), kind))
    description, short = one.text("description"), one.text("shortDescription")
    picture, advice = _find_picture(one), one.text("contentAdvisoryRating") or ""
    return Entry(
        source=name, key=track or guid or title, title=title, position=position, guid=guid,
        ids=(*((("apple", track),) if track else ()), *file.ids),
        link=clean_link(one.text("trackViewUrl")), description=description or short,
        summary=short if description and short != description else None,
        published=dates.parse(one.text("releaseDate")),
        duration=durations.parse((one.number("trackTimeMillis") or 0) / 1000),
        enclosure=file.enclosure, explicit=ADVICE.get(advice.lower()),
        image=picture if picture and _remove_size(picture) != _remove_size(art) else None,
        show=one.text("collectionName"), categories=_list_genres(one),
    )  # fmt: skip


def _make_show(one: JsonObject) -> Show:
    return Show(
        title=one.text("collectionName", "trackName"),
        link=clean_link(one.text("collectionViewUrl", "trackViewUrl")),
        author=one.text("artistName"),
        image=_find_picture(one),
        explicit=ADVICE.get(one.text("collectionExplicitness", "trackExplicitness") or ""),
        categories=tuple((genre,) for genre in _list_genres(one)),
        feed_url=enclosures.clean_url(one.get("feedUrl")),
        total=one.integer("trackCount"),
    )


def clean_link(url: str | None) -> str | None:
    """Return the address without Apple's parameter for who asked; ``None`` if it is no web address."""
    return enclosures.clean_url(_VISITOR.sub(r"\1", url).rstrip("?&")) if url else None


def _list_genres(one: JsonObject) -> tuple[str, ...]:
    return tuple(genre for genre in one.texts("genres") if genre != "Podcasts")


def _find_picture(one: JsonObject) -> str | None:
    return enclosures.clean_url(one.text("artworkUrl600", "artworkUrl160", "artworkUrl100"))


def _remove_size(url: str | None) -> str:
    """Return the address of a picture without its size, the last part of the path."""
    return url.rpartition("/")[0] if url else ""
