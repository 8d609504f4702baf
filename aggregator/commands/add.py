"""``aggregator add``: write a URL into the config as a source."""

from __future__ import annotations

from typing import Annotated

import typer

from aggregator import adding
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, current_time
from aggregator.commands.output import format_count, shorten
from aggregator.commands.summary import warn
from aggregator.config.load import load
from aggregator.errors import FetchError
from aggregator.model.entry import Listing


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
    candidates = adding.list_candidates(url, kind)
    try:
        found = adding.find(loaded, candidates, current_time(at))
    except FetchError as error:
        if feed is None or len(candidates) > 1:
            raise
        warn(str(error))
        found = adding.Found(candidates[0])
    name = feed or adding.choose_feed(loaded, found)
    source = adding.write(config, loaded, found, name)
    typer.echo(f"{config}: feeds.{name}.sources.{source.name}: kind {source.kind}, {_count_entries(found.listing)}")


def _count_entries(listing: Listing) -> str:
    show = f" of {shorten(listing.show.title)}" if listing.show.title else ""
    return f"{format_count(len(listing.entries), 'item')} now{show}"
