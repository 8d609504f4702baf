"""Add sources to the config: what an address is, the feed that it goes to, and the feeds of an OPML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from aggregator import preview
from aggregator.config import edit
from aggregator.config.load import Config
from aggregator.config.messages import suggest
from aggregator.errors import ConfigError
from aggregator.fetchers import registry
from aggregator.generator.opml import Outline
from aggregator.model.entry import Listing
from aggregator.model.source import Source
from aggregator.text.fold import fold
from aggregator.text.urls import is_web


class Found(Struct, frozen=True):
    """An address as a source, and what it lists now."""

    source: Source
    listing: Listing = Listing(())


def list_candidates(url: str, kind: str | None = None) -> tuple[Source, ...]:
    """Return what the URL may be, the most likely first; raise ConfigError if it is none, or the kind is unknown."""
    if not is_web(url):
        raise ConfigError(f'"{url}" is not an http or https URL')
    named = registry.recognise(url)
    if kind is not None:
        if kind not in registry.names():
            raise ConfigError(f'--kind: "{kind}" is not a kind of source; {suggest(kind, registry.names())}')
        return (named,) if named and named.kind == kind else (Source(kind, kind, url=url),)
    return (named,) if named else tuple(preview.list_candidates(url))


def find(config: Config | None, candidates: Sequence[Source], now: datetime) -> Found:
    """Return the first candidate that can be read, and what it lists; raise FetchError, ReadError."""
    with preview.open_resources(config, now) as resources:
        return Found(*preview.find_source(candidates, resources, now))


def choose_feed(config: Config | None, found: Found) -> str:
    """Return the name of the feed with the show's title, or a new name; raise ConfigError without a title."""
    title = found.listing.show.title
    if title is None:
        raise ConfigError("no title of a show was found at this URL: name the feed with --feed NAME")
    for plan in config.plans if config else ():
        if fold(plan.channel.title) == fold(title):
            return plan.name
    taken = [plan.name for plan in config.plans] if config else []
    return edit.find_free_name(preview.make_name(title, found.source.name), taken)


def write(path: Path, config: Config | None, found: Found, feed: str) -> Source:
    """Write a source into the config file, and return it under its name there; ConfigError if it is there already."""
    _refuse_twice(config, found.source)
    known = {plan.name: {each.name for each in plan.sources} for plan in config.plans} if config else {}
    source = replace(found.source, name=edit.find_free_name(found.source.name, known.get(feed, ())))
    keys = tuple((key, value) for key in ("kind", "show", "url") if (value := getattr(source, key)))
    edit.add(path, [edit.Addition(feed, source.name, keys, found.listing.show.title)])
    return source


def _refuse_twice(config: Config | None, source: Source) -> None:
    """Raise ConfigError if the config already has the source."""
    for plan in config.plans if config else ():
        for known in plan.sources:
            if (known.url, known.show) == (source.url, source.show) and known.kind == source.kind:
                raise ConfigError(f"already in the config: feeds.{plan.name}.sources.{known.name}")


def list_new(config: Config | None, outlines: Sequence[Outline]) -> tuple[edit.Addition, ...]:
    """Return a feed with one source for each outline whose URL is a web address that the config lacks."""
    plans = config.plans if config else ()
    known = {source.url for plan in plans for source in plan.sources}
    wanted = [each for each in outlines if each.xml_url not in known and is_web(each.xml_url)]
    return tuple(_make_additions(wanted, [plan.name for plan in plans]))


def _make_additions(outlines: Sequence[Outline], taken: Sequence[str]) -> Iterator[edit.Addition]:
    """Yield one feed with one source for each outline, under an unused name."""
    names = list(taken)
    for outline in outlines:
        source = registry.recognise(outline.xml_url)
        name = edit.find_free_name(preview.make_name(outline.title, "feed"), names)
        names.append(name)
        keys = (("kind", source.kind if source and source.url else "feed"), ("url", outline.xml_url))
        yield edit.Addition(name, keys[0][1], keys, outline.title)
