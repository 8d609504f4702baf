"""Write a source into the config: the feed it goes to, its name there, and which source is the show's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from aggregator.config import edit
from aggregator.config.change import Addition
from aggregator.config.load import load
from aggregator.config.names import find_free_name, list_taken_names, make_name
from aggregator.config.settings import Config
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.fetchers.http.target import redact
from aggregator.model.entry import Entry
from aggregator.model.source import DetectedSource, Source
from aggregator.store import database, decisions
from aggregator.store import entries as stored_entries
from aggregator.subscriptions import read_polled
from aggregator.text.fold import fold
from aggregator.translation.marks import N_


class KnownSource(Struct, frozen=True):
    """A source of the config by its feed and its name, and in a line how it is what is to be added."""

    feed: str
    name: str
    why: str


class AddedSource(Struct, frozen=True):
    """A source that was written into the config: its feed, and its primary source if that was written with it.

    ``returns`` is whether it had been forgotten: its entries take part in the feed again.
    """

    feed: str
    source: Source
    primary: str | None = None
    returns: bool = False


def choose_feed(config: Config | None, found: DetectedSource) -> str:
    """Return the name of the feed with the show's title, or a new name.

    A site may give the pages of all its shows one title: a feed that already has a page of the host is another show's.
    """
    title, source = found.listing.show.title, found.source
    plans = config.plans if config else ()
    page = _find_page_host(source)
    for plan in plans:
        if (
            title
            and fold(plan.channel.title) == fold(title)
            and not (page and page in map(_find_page_host, plan.sources))
        ):
            return plan.name
    return find_free_name(make_name(title or source.name, source.name), list_taken_names(plans))


def _find_page_host(source: Source) -> str | None:
    """Return the host of a source that is a page or an API which describes no show; else ``None``."""
    return urlsplit(source.url).hostname if source.kind in ("page", "json") and source.url else None


def write(
    path: Path, found: DetectedSource, now: datetime, feed: str | None = None, listed: Sequence[Entry] = ()
) -> AddedSource:
    """Write a source into the config file, into that feed, by default the one that :func:`choose_feed` names.

    Where it is trusted as much as the feed's most trusted source, one of the two is written as the primary one: the
    source that is there, unless the other one's host serves its audio and its own does not, or a person says so.
    ``listed`` are entries of the feed that are not stored yet. A name is not used that meant another source of the
    feed; a source that was forgotten is not so any more. Raises ConfigError if the source is in the config already,
    ChangedError if the file was changed meanwhile.
    """
    file = os.path.relpath(found.source.path, path.resolve().parent) if found.source.path else None
    places = (("kind", found.source.kind), ("show", found.source.show), ("url", found.source.url), ("path", file))
    networks = list(found.source.allow_networks)
    keys = tuple((key, value) for key, value in (*places, ("allow_networks", networks)) if value)

    def plan(config: Config | None) -> tuple[Addition, ...]:
        if known_source := find_known(config, found):
            raise ConfigError(f"already in the config: {known_source.why}")
        known = {plan.name: {each.name for each in plan.sources} for plan in config.plans} if config else {}
        name = feed or choose_feed(config, found)
        others = _find_other_sources(config, name, found.listing.entries)
        source = find_free_name(found.source.name, others.union(known.get(name, ())))
        primary: str | None = source
        if not found.is_primary:
            primary = _choose_primary(config, name, replace(found.source, name=source), listed) if config else None
        return (Addition(name, source, keys, found.listing.show.title, found.source.options, primary),)

    (added,) = edit.add(path, plan)
    source = replace(found.source, name=added.source)
    return AddedSource(added.feed, source, added.primary, _restore(load(path), added.feed, added.source, now))


def _find_other_sources(config: Config | None, feed: str, entries: Sequence[Entry]) -> frozenset[str]:
    """Return the names that the feed's stored entries have of other sources than the one that lists these."""
    with database.open_existing(config.state if config else None) as store:
        return stored_entries.find_other_sources(store, feed, entries) if store else frozenset()


def _restore(config: Config, feed: str, source: str, now: datetime) -> bool:
    """Have the entries of an added source take part in the feed, and return whether they were forgotten."""
    with database.open_existing(config.state) as store:
        if store is None or source not in decisions.read_forgotten(store, feed):
            return False
        decisions.restore_source(store, feed, source, now)
        return True


def _choose_primary(config: Config, feed: str, added: Source, listed: Sequence[Entry]) -> str | None:
    """Return which of two sources trusted alike is the show's own, ``None`` if these are not two."""
    sources = next((plan.sources for plan in config.plans if plan.name == feed), ())
    best = max((each.trust for each in sources), default=0.0)
    owners = [each.name for each in sources if each.trust == best]
    if len(owners) != 1 or registry.find(added.kind).trust != best:
        return None
    with database.open_existing(config.state) as store:
        entries = [*listed, *(each.entry for each in (stored_entries.read_entries(store, feed) if store else ()))]
    audio = [each.enclosure.url for each in entries if each.source == owners[0] and each.enclosure]
    home = next(each.url for each in sources if each.name == owners[0])
    served = sum(_are_of_one_host(added.url, url) and not _are_of_one_host(home, url) for url in audio)
    return added.name if 2 * served > len(audio) else owners[0]


def _are_of_one_host(one: str | None, other: str) -> bool:
    """Return whether two addresses are of one host, or one host is under the other's.

    >>> _are_of_one_host("https://show.example/feed", "https://media.show.example/1.mp3")
    True
    """
    hosts = sorted((urlsplit(one or "").hostname or "", urlsplit(other).hostname or ""), key=len)
    return "" not in hosts and (hosts[0] == hosts[1] or ("." in hosts[0] and hosts[1].endswith(f".{hosts[0]}")))


def find_known(config: Config | None, found: DetectedSource) -> KnownSource | None:
    """Return the source of the config that this one is, or that reads the same feed; ``None`` if there is none."""
    source = found.source
    for plan in config.plans if config else ():
        for known in plan.sources:
            name = f"feeds.{plan.name}.sources.{known.name}"
            place = (known.kind, known.url, known.show, known.path)
            if place == (source.kind, source.url, source.show, source.path):
                return KnownSource(plan.name, known.name, name)
            if found.feed is not None and known.url == found.feed:
                why = N_(f"{name} is the feed that the page names: {redact(found.feed)}")
                return KnownSource(plan.name, known.name, why)
    for (feed, known_name), polled in read_polled(config).items() if source.url else ():
        if source.url in polled:
            return KnownSource(feed, known_name, N_(f"feeds.{feed}.sources.{known_name} leads to this feed"))
    return None
