"""Add sources to the config: what an address is, the feed that it goes to, and the feeds of an OPML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from aggregator import preview
from aggregator.config import edit
from aggregator.config.load import Config
from aggregator.config.messages import suggest
from aggregator.config.scalars import RESERVED_NAME
from aggregator.errors import ConfigError, ReadError
from aggregator.fetchers import addresses, registry
from aggregator.generator.opml import Outline
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.preview import Found
from aggregator.text.fold import fold
from aggregator.text.urls import is_web


def list_candidates(
    text: str, kind: str | None = None, options: Mapping[str, str] | None = None, *, files: bool = False
) -> tuple[Source, ...]:
    """Return what a pasted text may be, the most likely first; raise ConfigError if nothing, or the kind is unknown.

    ``options`` are those of the kind, if it is named. ``files`` is whether a file of this machine may be meant.
    """
    if kind is not None and kind not in registry.names():
        raise ConfigError(f'--kind: "{kind}" is not a kind of source; {suggest(kind, registry.names())}')
    given = tuple(sorted((options or {}).items())) if kind else ()
    if files and (file := Path(text).expanduser()).is_file():
        kinds = (kind,) if kind else registry.guesses()
        return tuple(Source(each, each, path=str(file.resolve()), options=given) for each in kinds)
    url = addresses.normalize(text)
    named = registry.recognise(url)
    if kind is not None:
        return (replace(named if named and named.kind == kind else Source(kind, kind, url=url), options=given),)
    return (named,) if named else tuple(preview.list_candidates(url))


def find(config: Config | None, candidates: Sequence[Source], now: datetime) -> Found:
    """Return the best way to read what the candidates name; raise FetchError, ReadError."""
    return find_ways(config, candidates, now)[0]


def find_ways(
    config: Config | None, candidates: Sequence[Source], now: datetime, options: Mapping[str, str] | None = None
) -> list[Found]:
    """Return the ways to read what the candidates name, the best first; with ``options`` that one, changed by them.

    Raises FetchError, ReadError, and ConfigError for an option that the kind does not have.
    """
    with preview.open_resources(config, now) as resources:
        try:
            ways = preview.find_sources(candidates, resources, now)
        except ReadError:
            if "items" not in (options or ()):
                raise
            ways = [Found(candidates[0])]
        return [preview.read_changed(ways[0], options, resources, now)] if options else ways


def choose_feed(config: Config | None, found: Found) -> str:
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
    return edit.find_free_name(preview.make_name(title or source.name, source.name), _list_taken_names(plans))


def _list_taken_names(plans: Iterable[Plan]) -> list[str]:
    """Return the names that a new feed cannot have."""
    return [RESERVED_NAME, *(plan.name for plan in plans)]


def _find_page_host(source: Source) -> str | None:
    """Return the host of a source that is a page or an API which describes no show; else ``None``."""
    return urlsplit(source.url).hostname if source.kind in ("page", "json") and source.url else None


def write(path: Path, config: Config | None, found: Found, feed: str) -> Source:
    """Write a source into the config file, and return it under its name there; ConfigError if it is there already."""
    _refuse_twice(config, found.source)
    known = {plan.name: {each.name for each in plan.sources} for plan in config.plans} if config else {}
    source = replace(found.source, name=edit.find_free_name(found.source.name, known.get(feed, ())))
    file = os.path.relpath(source.path, path.resolve().parent) if source.path else None
    places = (("kind", source.kind), ("show", source.show), ("url", source.url), ("path", file))
    keys = tuple((key, value) for key, value in places if value)
    edit.add(path, [edit.Addition(feed, source.name, keys, found.listing.show.title, source.options)])
    return source


def _refuse_twice(config: Config | None, source: Source) -> None:
    """Raise ConfigError if the config already has the source."""
    for plan in config.plans if config else ():
        for known in plan.sources:
            place = (known.kind, known.url, known.show, known.path)
            if place == (source.kind, source.url, source.show, source.path):
                raise ConfigError(f"already in the config: feeds.{plan.name}.sources.{known.name}")


def list_new(config: Config | None, outlines: Sequence[Outline]) -> tuple[edit.Addition, ...]:
    """Return a feed with one source for each outline whose URL is a web address that the config lacks."""
    plans = config.plans if config else ()
    known = {source.url for plan in plans for source in plan.sources}
    wanted = [each for each in outlines if each.xml_url not in known and is_web(each.xml_url)]
    return tuple(_make_additions(wanted, _list_taken_names(plans)))


def _make_additions(outlines: Sequence[Outline], taken: Sequence[str]) -> Iterator[edit.Addition]:
    """Yield one feed with one source for each outline, under an unused name."""
    names = list(taken)
    for outline in outlines:
        source = registry.recognise(outline.xml_url)
        name = edit.find_free_name(preview.make_name(outline.title, "feed"), names)
        names.append(name)
        keys = (("kind", source.kind if source and source.url else "feed"), ("url", outline.xml_url))
        yield edit.Addition(name, keys[0][1], keys, outline.title)
