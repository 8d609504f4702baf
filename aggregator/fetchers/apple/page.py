"""The JSON in Apple's show and episode pages, in its three generations, the last since August 2024.

Pages list the newest eight to ten episodes, and cards of other shows beside them: only what names the page's own show
is taken. The first two generations hold catalogue records (``attributes``, ``relationships``) in several wrappings: the
catalogue's own answer, ``{"x":…,"d":[…]}`` in pages from 2021, ``data`` and ``included`` of the ember store before.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from aggregator.fetchers.apple.lookup import ADVICE, clean_link
from aggregator.fetchers.parsing import decoding, enclosures, xml
from aggregator.fetchers.parsing.json_fields import JsonObject, list_objects
from aggregator.model.entry import Entry, EpisodeType, Listing, Show
from aggregator.text.times import dates, durations

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
    for inner in JsonObject(value).values():
        listing = read_catalogue(name, decoding.load_json(inner) if isinstance(inner, str) else inner, wanted)
        if listing and listing.entries:
            return listing
    return None


def _read_server(name: str, value: object, wanted: str | None) -> Listing | None:
    """Read the third generation: pages with an intent, which names the show, and shelves of items."""
    pages = list_objects(value) or JsonObject(value).objects("data")
    found: dict[str, Entry] = {}
    show = Show()
    for page in pages:
        intent = page.inner("intent")
        own = wanted or intent.id("showAdamId", "adamId")
        for shelf, item in _list_items(page):
            show = _make_show(item, own) or show
            entry = _make_entry(name, item, len(found), own, trusted=shelf in _OWN_SHELVES)
            if entry:
                found.setdefault(entry.key, entry)
    if not found and show.title is None:
        return None
    return Listing(tuple(found.values()), show, partial=True)


def _list_items(page: JsonObject) -> Iterator[tuple[str | None, JsonObject]]:
    """Yield the items of a page with their kind of shelf; the share button's copy, the fullest, comes first."""
    for button in page.objects("data", "headerButtonItems"):
        if button.get("modelType") == "EpisodeLockup":
            yield "episode", button.inner("model")
    for shelf in page.objects("data", "shelves"):
        for item in shelf.objects("items"):
            yield shelf.text("contentType"), item


def _make_show(item: JsonObject, own: str | None) -> Show | None:
    offer = item.inner("contextAction", "podcastOffer")
    if not offer or own not in {None, offer.id("adamId"), item.id("showId")}:
        return None
    return Show(
        title=offer.text("title") or item.text("title"),
        link=f"https://podcasts.apple.com/podcast/id{own}" if own else None,
        description=item.text("description", "summary"),
        author=item.text("providerTitle", "author"),
        feed_url=enclosures.clean_url(offer.get("feedUrl")),
    )


def _make_entry(name: str, item: JsonObject, position: int, own: str | None, *, trusted: bool) -> Entry | None:
    """Return an episode of the page's show; ``None`` for anything else, such as cards of other shows."""
    offers = (item.inner(action, "episodeOffer") for action in ("contextAction", "playAction", "clickAction"))
    offer = next(filter(None, offers), JsonObject())
    of_show = offer.inner("showOffer").id("adamId")
    if not offer or (of_show is None and not trusted) or (own and of_show not in {None, own}):
        return None
    title = item.text("title") or offer.text("title")
    track = item.id("adamId", "id") or offer.id("adamId")
    if not title or not track or not track.isdecimal():
        return None
    file = enclosures.choose(enclosures.Offer(offer.text("streamUrl"), "audio/*"))
    return Entry(
        source=name, key=track, title=title, position=position, guid=offer.id("guid"),
        ids=(("apple", track), *file.ids),
        link=f"https://podcasts.apple.com/podcast/id{of_show or own}?i={track}" if of_show or own else None,
        description=item.text("summary", "description"),
        published=dates.parse(item.text("releaseDate") or offer.text("releaseDate")),
        duration=durations.parse(item.number("duration") or offer.number("duration")),
        enclosure=file.enclosure, episode=item.integer("episodeNumber"),
        season=item.integer("seasonNumber"), show=item.text("showTitle"),
    )  # fmt: skip


_SHOWS = {"podcasts", "media/podcast"}
_EPISODES = {"podcast-episodes", "media/podcast-episode"}
_EPISODE_TYPES: dict[str | None, EpisodeType] = {"full": "full", "trailer": "trailer", "bonus": "bonus"}
_MOST_WRAPPINGS = 3


def read_catalogue(name: str, value: object, wanted: str | None) -> Listing | None:
    """Return the episodes of the show ``wanted``, else of the first show; ``None`` if there are no such records."""
    found: list[JsonObject] = []
    about = JsonObject()
    for one in _find_records(value):
        kind, is_wanted = one.text("type"), wanted in {None, one.id("id")}
        if kind in _SHOWS and is_wanted and not about:
            about = one
            found += one.objects("relationships", "episodes", "data")
        elif kind in _EPISODES:
            found.append(one)
    entries = [entry for at, one in enumerate(found) if (entry := _make_catalogue_entry(name, one, at))]
    if not entries and not about:
        return None
    show = _make_catalogue_show(about.inner("attributes"))
    return Listing(tuple(entries), show, partial=show.total is None or len(entries) < show.total)


def _find_records(value: object, depth: int = 0) -> Iterator[JsonObject]:
    """Yield the records at the top of each wrapping; those below a record belong to it or to other shows."""
    for wrapping in ("data", "d", "included"):
        inner = JsonObject(value).get(wrapping)
        yield from list_objects(inner) or filter(None, (JsonObject(inner),))
    if depth < _MOST_WRAPPINGS:
        for inner in JsonObject(value).values():
            if isinstance(inner, dict) and ("data" in inner or "d" in inner):
                yield from _find_records(inner, depth + 1)


def _make_catalogue_entry(name: str, one: JsonObject, position: int) -> Entry | None:
    fields = one.inner("attributes")
    track, title = one.id("id"), fields.text("name")
    if not title or not track:
        return None
    kind = "video/*" if fields.get("mediaKind") == "video" else "audio/*"
    file = enclosures.choose(enclosures.Offer(fields.text("assetUrl"), kind))
    return Entry(
        source=name, key=track, title=title, position=position, guid=fields.id("guid"),
        ids=(("apple", track), *file.ids),
        link=clean_link(fields.text("url")),
        description=fields.inner("description").text("standard", "short"),
        published=dates.parse(fields.text("releaseDateTime")),
        duration=durations.parse((fields.number("durationInMilliseconds") or 0) / 1000),
        enclosure=file.enclosure, season=fields.integer("seasonNumber"),
        episode=fields.integer("episodeNumber"),
        episode_type=_EPISODE_TYPES.get(fields.text("kind")),
        explicit=ADVICE.get(fields.text("contentRating") or ""),
        show=fields.text("collectionName"),
    )  # fmt: skip


def _make_catalogue_show(fields: JsonObject) -> Show:
    kind = fields.get("kind")
    return Show(
        title=fields.text("name"),
        link=clean_link(fields.text("url")),
        description=fields.inner("description").text("standard", "short"),
        author=fields.text("artistName"),
        image=_find_artwork(fields.inner("artwork")),
        language=fields.text("languageTag"),
        copyright=fields.text("copyright"),
        explicit=ADVICE.get(fields.text("contentRating") or ""),
        type="serial" if kind == "serial" else "episodic" if kind == "episodic" else None,
        complete=fields.get("completed") is True,
        categories=tuple((genre,) for genre in fields.texts("genreNames") if genre != "Podcasts"),
        feed_url=enclosures.clean_url(fields.get("feedUrl")),
        total=fields.integer("trackCount", "availableEpisodeCount"),
    )


def _find_artwork(fields: JsonObject) -> str | None:
    """Return the picture in its own size, for which Apple's address has placeholders."""
    url, width, height = fields.text("url"), fields.integer("width"), fields.integer("height")
    if not url or not width or not height:
        return None
    return enclosures.clean_url(url.replace("{w}", str(width)).replace("{h}", str(height)).replace("{f}", "jpg"))
