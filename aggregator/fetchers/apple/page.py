"""The JSON in Apple's show and episode pages, in its three generations, the last since August 2024.

Pages list the newest eight to ten episodes, and cards of other shows beside them: only what names the page's own show
is taken. The first two generations hold catalogue records (``attributes``, ``relationships``) in several wrappings: the
catalogue's own answer, ``{"x":…,"d":[…]}`` in pages from 2021, ``data`` and ``included`` of the ember store before.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from aggregator.fetchers.apple.lookup import ADVICE, clean_link
from aggregator.fetchers.parsing import decoding, enclosures, json_fields, xml
from aggregator.fetchers.parsing.json_fields import Record
from aggregator.model.entry import Duration, Entry, EpisodeType, Listing, Moment, Show
from aggregator.text import dates, durations
from aggregator.text.urls import audio_id

_EMBER = "shoebox-ember-data-store"  # to 2021
_MEDIA = "shoebox-media-api-cache-amp-podcasts"  # November 2021 to August 2024
_SERVER = "serialized-server-data"  # since; a list until February 2026, then an object
_OWN_SHELVES = {"episode", "episodeHeader"}


def read_page(name: str, page: str, wanted: str | None) -> Listing | None:
    """Return the episodes in a page's own data, always partial; ``None`` if it has none of the three generations."""
    root = xml.parse_html(page)
    scripts = {script.get("id"): xml.get_text(script) for script in root.iter("script")} if root is not None else {}
    if _SERVER in scripts:
        return _read_server(name, decoding.load_json(scripts[_SERVER]), wanted)
    if _MEDIA in scripts:
        return _read_media(
            name, decoding.load_json(html.unescape(scripts[_MEDIA])) or decoding.load_json(scripts[_MEDIA]), wanted
        )
    if _EMBER in scripts:
        return read_catalogue(name, decoding.load_json(scripts[_EMBER]), wanted)
    return None


def _read_media(name: str, value: object, wanted: str | None) -> Listing | None:
    """Read the second generation: an object whose values are JSON texts."""
    for inner in json_fields.get_record(value).values():
        listing = read_catalogue(name, decoding.load_json(inner) if isinstance(inner, str) else inner, wanted)
        if listing and listing.entries:
            return listing
    return None


def _read_server(name: str, value: object, wanted: str | None) -> Listing | None:
    """Read the third generation: pages with an intent, which names the show, and shelves of items."""
    pages = json_fields.get_records(value) or json_fields.get_records(value, "data")
    found: dict[str, Entry] = {}
    show = Show()
    for page in pages:
        intent = json_fields.get_record(page, "intent")
        own = wanted or json_fields.get_id(intent, "showAdamId", "adamId")
        for shelf, item in _items(page):
            show = _show(item, own) or show
            entry = _entry(name, item, len(found), own, trusted=shelf in _OWN_SHELVES)
            if entry:
                found.setdefault(entry.key, entry)
    if not found and show.title is None:
        return None
    return Listing(tuple(found.values()), show, partial=True)


def _items(page: Record) -> Iterator[tuple[str | None, Record]]:
    """Yield the items of a page with their kind of shelf; the share button's copy, the fullest, comes first."""
    for button in json_fields.get_records(page, "data", "headerButtonItems"):
        if button.get("modelType") == "EpisodeLockup":
            yield "episode", json_fields.get_record(button, "model")
    for shelf in json_fields.get_records(page, "data", "shelves"):
        for item in json_fields.get_records(shelf, "items"):
            yield json_fields.get_text(shelf, "contentType"), item


def _show(item: Record, own: str | None) -> Show | None:
    offer = json_fields.get_record(item, "contextAction", "podcastOffer")
    if not offer or own not in {None, json_fields.get_id(offer, "adamId"), json_fields.get_id(item, "showId")}:
        return None
    return Show(
        title=json_fields.get_text(offer, "title") or json_fields.get_text(item, "title"),
        link=f"https://podcasts.apple.com/podcast/id{own}" if own else None,
        description=json_fields.get_text(item, "description", "summary"),
        author=json_fields.get_text(item, "providerTitle", "author"),
        feed_url=enclosures.clean_url(offer.get("feedUrl")),
    )


def _entry(name: str, item: Record, position: int, own: str | None, *, trusted: bool) -> Entry | None:
    """Return an episode of the page's show; ``None`` for anything else, such as cards of other shows."""
    offers = (
        json_fields.get_record(item, action, "episodeOffer")
        for action in ("contextAction", "playAction", "clickAction")
    )
    offer = next((one for one in offers if one), {})
    of_show = json_fields.get_id(json_fields.get_record(offer, "showOffer"), "adamId")
    if not offer or (of_show is None and not trusted) or (own and of_show not in {None, own}):
        return None
    title = json_fields.get_text(item, "title") or json_fields.get_text(offer, "title")
    track = next(
        (one for one in (json_fields.get_id(item, "adamId", "id"), json_fields.get_id(offer, "adamId")) if one),
        None,
    )
    if not title or not track or not track.isdecimal():
        return None
    moment = dates.parse(json_fields.get_text(item, "releaseDate") or json_fields.get_text(offer, "releaseDate") or "")
    length = durations.parse(json_fields.get_number(item, "duration") or json_fields.get_number(offer, "duration") or 0)
    file = enclosures.choose([enclosures.Offer(json_fields.get_text(offer, "streamUrl"), "audio/*")])
    host = audio_id(file[0].url) if file else None
    return Entry(
        source=name, key=track, title=title, position=position, guid=json_fields.get_id(offer, "guid"),
        ids=(("apple", track), *((("simplecast", host),) if host else ())),
        link=f"https://podcasts.apple.com/podcast/id{of_show or own}?i={track}" if of_show or own else None,
        description=json_fields.get_text(item, "summary", "description"),
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None, episode=json_fields.get_int(item, "episodeNumber"),
        season=json_fields.get_int(item, "seasonNumber"), show=json_fields.get_text(item, "showTitle"),
    )  # fmt: skip


_SHOWS = {"podcasts", "media/podcast"}
_EPISODES = {"podcast-episodes", "media/podcast-episode"}
_EPISODE_TYPES: dict[str | None, EpisodeType] = {"full": "full", "trailer": "trailer", "bonus": "bonus"}
_MOST_WRAPPINGS = 3


def read_catalogue(name: str, value: object, wanted: str | None) -> Listing | None:
    """Return the episodes of the show ``wanted``, else of the first show; ``None`` if there are no such records."""
    found: list[Record] = []
    about: Record = {}
    for one in _find_records(value):
        kind, is_wanted = json_fields.get_text(one, "type"), wanted in {None, json_fields.get_id(one, "id")}
        if kind in _SHOWS and is_wanted and not about:
            about = one
            found += json_fields.get_records(one, "relationships", "episodes", "data")
        elif kind in _EPISODES:
            found.append(one)
    entries = [entry for at, one in enumerate(found) if (entry := _catalogue_entry(name, one, at))]
    if not entries and not about:
        return None
    show = _catalogue_show(json_fields.get_record(about, "attributes"))
    return Listing(tuple(entries), show, partial=show.total is None or len(entries) < show.total)


def _find_records(value: object, depth: int = 0) -> Iterator[Record]:
    """Yield the records at the top of each wrapping; those below a record belong to it or to other shows."""
    for wrapping in ("data", "d", "included"):
        inner = json_fields.get_record(value).get(wrapping)
        listed = json_fields.get_records(inner) or (
            (json_fields.get_record(inner),) if json_fields.get_record(inner) else ()
        )
        yield from listed
    if depth < _MOST_WRAPPINGS:
        for inner in json_fields.get_record(value).values():
            if isinstance(inner, dict) and ("data" in inner or "d" in inner):
                yield from _find_records(inner, depth + 1)


def _catalogue_entry(name: str, one: Record, position: int) -> Entry | None:
    said = json_fields.get_record(one, "attributes")
    track, title = json_fields.get_id(one, "id"), json_fields.get_text(said, "name")
    if not title or not track:
        return None
    moment = dates.parse(json_fields.get_text(said, "releaseDateTime") or "")
    length = durations.parse((json_fields.get_number(said, "durationInMilliseconds") or 0) / 1000)
    kind = "video/*" if said.get("mediaKind") == "video" else "audio/*"
    file = enclosures.choose([enclosures.Offer(json_fields.get_text(said, "assetUrl"), kind)])
    host = audio_id(file[0].url) if file else None
    return Entry(
        source=name, key=track, title=title, position=position, guid=json_fields.get_id(said, "guid"),
        ids=(("apple", track), *((("simplecast", host),) if host else ())),
        link=clean_link(json_fields.get_text(said, "url")),
        description=json_fields.get_text(json_fields.get_record(said, "description"), "standard", "short"),
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None, season=json_fields.get_int(said, "seasonNumber"),
        episode=json_fields.get_int(said, "episodeNumber"),
        episode_type=_EPISODE_TYPES.get(json_fields.get_text(said, "kind")),
        explicit=ADVICE.get(json_fields.get_text(said, "contentRating") or ""),
        show=json_fields.get_text(said, "collectionName"),
    )  # fmt: skip


def _catalogue_show(said: Record) -> Show:
    kind = said.get("kind")
    return Show(
        title=json_fields.get_text(said, "name"),
        link=clean_link(json_fields.get_text(said, "url")),
        description=json_fields.get_text(json_fields.get_record(said, "description"), "standard", "short"),
        author=json_fields.get_text(said, "artistName"),
        image=_artwork(json_fields.get_record(said, "artwork")),
        language=json_fields.get_text(said, "languageTag"),
        copyright=json_fields.get_text(said, "copyright"),
        explicit=ADVICE.get(json_fields.get_text(said, "contentRating") or ""),
        type="serial" if kind == "serial" else "episodic" if kind == "episodic" else None,
        complete=said.get("completed") is True,
        categories=tuple((genre,) for genre in json_fields.get_texts(said.get("genreNames")) if genre != "Podcasts"),
        feed_url=enclosures.clean_url(said.get("feedUrl")),
        total=json_fields.get_int(said, "trackCount", "availableEpisodeCount"),
    )


def _artwork(said: Record) -> str | None:
    """Return the picture in its own size, for which Apple's address has placeholders."""
    url, width, height = (
        json_fields.get_text(said, "url"),
        json_fields.get_int(said, "width"),
        json_fields.get_int(said, "height"),
    )
    if not url or not width or not height:
        return None
    return enclosures.clean_url(url.replace("{w}", str(width)).replace("{h}", str(height)).replace("{f}", "jpg"))
