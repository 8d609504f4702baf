"""``aggregator add``: an address becomes a source in the config, under the feed it belongs to."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

import typer
from msgspec.structs import replace

from aggregator.commands import recognise, try_source
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, clock
from aggregator.commands.wording import count, line
from aggregator.config import edit, kinds
from aggregator.config.load import Config, load
from aggregator.config.nearest_word import hint
from aggregator.errors import ConfigError, FetchError, one_line
from aggregator.model.entry import Listing
from aggregator.model.source import Source
from aggregator.text.fold import fold


def run(
    url: Annotated[str, typer.Argument(help="The address of a feed, a show's page, a directory or a blog.")],
    config: ConfigOption = CONFIG,
    *,
    feed: Annotated[
        str | None, typer.Option("--feed", help="The feed it belongs to; made where there is none.", metavar="NAME")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="What it is, where you know better.")] = None,
    at: AtOption = None,
) -> None:
    """Find out what an address is, and write it into the config as a source.

    It joins the feed of --feed, else the feed with the show's title, else a new one. The config keeps its comments
    and its order. Where the address is silent, it is written all the same if --feed is given and its kind is known.
    """
    loaded = load(config, begun=True) if config.exists() else None
    tried = _candidates(url, kind)
    try:
        now = clock(at)
        with try_source.resources(loaded, now) as resources:
            source, listing = recognise.listen(tried, resources, now)
    except FetchError as error:
        if feed is None or len(tried) > 1:
            raise
        typer.echo(f"aggregator: {one_line(str(error))}", err=True)
        source, listing = tried[0], Listing(())
    name = feed or _feed(loaded, listing, source)
    _refuse_twice(loaded, source)
    known = {plan.name: {each.name for each in plan.sources} for plan in loaded.plans} if loaded else {}
    source = replace(source, name=edit.free(source.name, known.get(name, ())))
    keys = tuple((key, value) for key in ("kind", "show", "url") if (value := getattr(source, key)))
    edit.add(config, [edit.Addition(name, source.name, keys, listing.show.title)])
    typer.echo(
        f"{config}: feeds.{name}.sources.{source.name}: kind {source.kind},"
        f" {count(len(listing.entries), 'item')} now{f' of {line(listing.show.title)}' if listing.show.title else ''}"
    )


def _candidates(url: str, kind: str | None) -> tuple[Source, ...]:
    """What the address may be, the likeliest first."""
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ConfigError(f'"{url}" is not an http or https address')
    named = recognise.by_address(url)
    if kind is not None:
        if kind not in kinds.known():
            raise ConfigError(f'--kind: "{kind}" is not a kind of source; {hint(kind, kinds.known())}')
        return (named,) if named and named.kind == kind else (Source(kind, kind, url=url),)
    return (named,) if named else tuple(recognise.candidates(url))


def _feed(config: Config | None, listing: Listing, source: Source) -> str:
    """The name of the feed that the show belongs to: the one of its title, else a new one."""
    title = listing.show.title
    if title is None:
        raise ConfigError("the address does not say which show it is about: name its feed with --feed")
    for plan in config.plans if config else ():
        if fold(plan.channel.title) == fold(title):
            return plan.name
    taken = [plan.name for plan in config.plans] if config else []
    return edit.free(recognise.slug(title, source.name), taken)


def _refuse_twice(config: Config | None, source: Source) -> None:
    """ConfigError where the config has the source already."""
    for plan in config.plans if config else ():
        for known in plan.sources:
            if (known.url, known.show) == (source.url, source.show) and known.kind == source.kind:
                raise ConfigError(f"feeds.{plan.name}.sources.{known.name} is this address already")
