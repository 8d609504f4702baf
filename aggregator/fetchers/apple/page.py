"""The JSON inside of Apple's show and episode pages, in its three generations (`shared/knowledge/sources.md` 2b).

Pages list the newest eight to ten episodes, and cards of other shows beside them: only what names the page's own show
is taken.
"""

from __future__ import annotations

import html
from collections.abc import Iterator

from aggregator.fetchers.apple import catalogue
from aggregator.fetchers.parsing import document_type, enclosures, json_fields, xml
from aggregator.fetchers.parsing.json_fields import Record
from aggregator.model.entry import Duration, Entry, Listing, Moment, Show
from aggregator.text import dates, durations
from aggregator.text.urls import audio_id

EMBER = "shoebox-ember-data-store"  # to 2021
MEDIA = "shoebox-media-api-cache-amp-podcasts"  # November 2021 to August 2024
SERVER = "serialized-server-data"  # since; a list until February 2026, then an object
OWN_SHELVES = {"episode", "episodeHeader"}


def read(name: str, page: str, wanted: str | None) -> Listing | None:
    """The episodes that the page's own data names, always partial; ``None`` where no generation is found."""
    root = xml.html(page)
    scripts = {script.get("id"): xml.text(script) for script in root.iter("script")} if root is not None else {}
    if SERVER in scripts:
        return _served(name, document_type.loaded(scripts[SERVER]), wanted)
    if MEDIA in scripts:
        return _cached(
            name, document_type.loaded(html.unescape(scripts[MEDIA])) or document_type.loaded(scripts[MEDIA]), wanted
        )
    if EMBER in scripts:
        return catalogue.read(name, document_type.loaded(scripts[EMBER]), wanted)
    return None


def _cached(name: str, value: object, wanted: str | None) -> Listing | None:
    """The second generation: an object whose values are JSON once more."""
    for inner in json_fields.record(value).values():
        listing = catalogue.read(name, document_type.loaded(inner) if isinstance(inner, str) else inner, wanted)
        if listing and listing.entries:
            return listing
    return None


def _served(name: str, value: object, wanted: str | None) -> Listing | None:
    """The third generation: pages with an intent, which names the show, and shelves of items."""
    pages = json_fields.records(value) or json_fields.records(value, "data")
    found: dict[str, Entry] = {}
    show = Show()
    for page in pages:
        intent = json_fields.record(page, "intent")
        own = wanted or json_fields.identifier(intent, "showAdamId", "adamId")
        for shelf, item in _items(page):
            show = _show(item, own) or show
            entry = _entry(name, item, len(found), own, trusted=shelf in OWN_SHELVES)
            if entry:
                found.setdefault(entry.key, entry)
    if not found and show.title is None:
        return None
    return Listing(tuple(found.values()), show, partial=True)


def _items(page: Record) -> Iterator[tuple[str | None, Record]]:
    """The items of a page and the kind of shelf each lies on; the share button's copy, the fullest, comes first."""
    for button in json_fields.records(page, "data", "headerButtonItems"):
        if button.get("modelType") == "EpisodeLockup":
            yield "episode", json_fields.record(button, "model")
    for shelf in json_fields.records(page, "data", "shelves"):
        for item in json_fields.records(shelf, "items"):
            yield json_fields.text(shelf, "contentType"), item


def _show(item: Record, own: str | None) -> Show | None:
    offer = json_fields.record(item, "contextAction", "podcastOffer")
    if not offer or own not in {None, json_fields.identifier(offer, "adamId"), json_fields.identifier(item, "showId")}:
        return None
    return Show(
        title=json_fields.text(offer, "title") or json_fields.text(item, "title"),
        link=f"https://podcasts.apple.com/podcast/id{own}" if own else None,
        description=json_fields.text(item, "description", "summary"),
        author=json_fields.text(item, "providerTitle", "author"),
        feed_url=enclosures.address(offer.get("feedUrl")),
    )


def _entry(name: str, item: Record, position: int, own: str | None, *, trusted: bool) -> Entry | None:
    """An episode of the page's show; ``None`` for anything else, among them cards of other shows."""
    offers = (
        json_fields.record(item, action, "episodeOffer") for action in ("contextAction", "playAction", "clickAction")
    )
    offer = next((one for one in offers if one), {})
    of_show = json_fields.identifier(json_fields.record(offer, "showOffer"), "adamId")
    if not offer or (of_show is None and not trusted) or (own and of_show not in {None, own}):
        return None
    title = json_fields.text(item, "title") or json_fields.text(offer, "title")
    track = next(
        (one for one in (json_fields.identifier(item, "adamId", "id"), json_fields.identifier(offer, "adamId")) if one),
        None,
    )
    if not title or not track or not track.isdecimal():
        return None
    moment = dates.parse(json_fields.text(item, "releaseDate") or json_fields.text(offer, "releaseDate") or "")
    length = durations.parse(json_fields.number(item, "duration") or json_fields.number(offer, "duration") or 0)
    file = enclosures.chosen([enclosures.Offer(json_fields.text(offer, "streamUrl"), "audio/*")])
    host = audio_id(file[0].url) if file else None
    return Entry(
        source=name, key=track, title=title, position=position, guid=json_fields.identifier(offer, "guid"),
        ids=(("apple", track), *((("simplecast", host),) if host else ())),
        link=f"https://podcasts.apple.com/podcast/id{of_show or own}?i={track}" if of_show or own else None,
        description=json_fields.text(item, "summary", "description"),
        published=Moment(*moment) if moment else None, duration=Duration(*length) if length else None,
        enclosure=file[0] if file else None, episode=json_fields.whole(item, "episodeNumber"),
        season=json_fields.whole(item, "seasonNumber"), show=json_fields.text(item, "showTitle"),
    )  # fmt: skip
