"""``aggregator add``: write a URL into the config as a source."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec.structs import replace

from aggregator.commands import preview
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, current_time
from aggregator.commands.output import format_count, shorten
from aggregator.commands.summary import warn
from aggregator.config import edit
from aggregator.config.load import Config, load
from aggregator.config.messages import suggest
from aggregator.errors import ConfigError, FetchError
from aggregator.fetchers import registry
from aggregator.model.entry import Listing
from aggregator.model.source import Source
from aggregator.text.fold import fold
from aggregator.text.urls import is_web


def run(
    url: Annotated[
        str, typer.Argument(help="URL of a feed, of a show's page in a directory, or of a blog.", metavar="URL")
    ],
    config: ConfigOption = CONFIG,
    *,
    feed: Annotated[
        str | None,
        typer.Option(
            "--feed", help="Feed to add the source to; created if there is none of that name.", metavar="NAME"
        ),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", help="Kind of source, instead of detecting it.", metavar="KIND")
    ] = None,
    at: AtOption = None,
) -> None:
    """Detect what a URL is and add it to the config as a source.

    The source is added to the feed given by --feed, else to the feed whose title is the show's, else to a new feed.
    Comments and order of the config are kept. A URL that cannot be fetched is added only if --feed is given and its
    kind is known.
    """
    loaded = load(config, allow_empty=True) if config.exists() else None
    tried = _list_candidates(url, kind)
    try:
        now = current_time(at)
        with preview.open_resources(loaded, now) as resources:
            source, listing = preview.find_source(tried, resources, now)
    except FetchError as error:
        if feed is None or len(tried) > 1:
            raise
        warn(str(error))
        source, listing = tried[0], Listing(())
    name = feed or _choose_feed(loaded, listing, source)
    _refuse_twice(loaded, source)
    known = {plan.name: {each.name for each in plan.sources} for plan in loaded.plans} if loaded else {}
    source = replace(source, name=edit.find_free_name(source.name, known.get(name, ())))
    keys = tuple((key, value) for key in ("kind", "show", "url") if (value := getattr(source, key)))
    edit.add(config, [edit.Addition(name, source.name, keys, listing.show.title)])
    typer.echo(f"{config}: feeds.{name}.sources.{source.name}: kind {source.kind}, {_count_entries(listing)}")


def _list_candidates(url: str, kind: str | None) -> tuple[Source, ...]:
    """Return what the URL may be, the most likely first."""
    if not is_web(url):
        raise ConfigError(f'"{url}" is not an http or https URL')
    named = registry.recognise(url)
    if kind is not None:
        if kind not in registry.names():
            raise ConfigError(f'--kind: "{kind}" is not a kind of source; {suggest(kind, registry.names())}')
        return (named,) if named and named.kind == kind else (Source(kind, kind, url=url),)
    return (named,) if named else tuple(preview.list_candidates(url))


def _choose_feed(config: Config | None, listing: Listing, source: Source) -> str:
    """Return the name of the feed with the show's title, or a new name."""
    title = listing.show.title
    if title is None:
        raise ConfigError("no title of a show was found at this URL: name the feed with --feed NAME")
    for plan in config.plans if config else ():
        if fold(plan.channel.title) == fold(title):
            return plan.name
    taken = [plan.name for plan in config.plans] if config else []
    return edit.find_free_name(preview.make_name(title, source.name), taken)


def _refuse_twice(config: Config | None, source: Source) -> None:
    """Raise ConfigError if the config already has the source."""
    for plan in config.plans if config else ():
        for known in plan.sources:
            if (known.url, known.show) == (source.url, source.show) and known.kind == source.kind:
                raise ConfigError(f"already in the config: feeds.{plan.name}.sources.{known.name}")


def _count_entries(listing: Listing) -> str:
    show = f" of {shorten(listing.show.title)}" if listing.show.title else ""
    return f"{format_count(len(listing.entries), 'item')} now{show}"
