"""``aggregator export-opml``: write the sources of the config as OPML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aggregator.commands.options import CONFIG, ConfigOption, FeedsOption, find_plan
from aggregator.commands.output import format_count
from aggregator.commands.summary import warn
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import PublishError
from aggregator.generator import opml
from aggregator.generator.content.links import clean_public_url
from aggregator.model.feed import Plan
from aggregator.model.source import Source
from aggregator.model.subscription import Subscription
from aggregator.store import database, polls

_FEED_KINDS = frozenset({"simplecast", "feed", "jsonfeed", "blog"})
"""Kinds whose URL is a feed that a reader can subscribe to."""


def run(
    config: ConfigOption = CONFIG,
    *,
    feed: FeedsOption = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write, instead of standard output.", metavar="FILE")
    ] = None,
) -> None:
    """Write the sources of the config that are feeds as OPML 2.0, a folder for each feed; nothing is fetched.

    A page that leads to a feed is written as the feed that the last refresh found. Files, other pages and sources with
    a login or a secret in their URL are left out, and named on stderr. For the feeds that the aggregator publishes, see
    feeds.opml in the output folder.
    """
    loaded = load(config)
    plans = [find_plan(loaded, name) for name in feed] if feed else loaded.plans
    found = _read_found(loaded)
    addresses = {
        (plan.name, source.name): _find_address(found, plan, source) for plan in plans for source in plan.sources
    }
    outlines = [
        Subscription(f"{plan.channel.title} ({source.name})", url, plan.channel.link, plan.channel.title)
        for plan in plans
        for source in plan.sources
        if (url := addresses[plan.name, source.name])
    ]
    if left_out := [f"{feed}.{source}" for (feed, source), url in addresses.items() if not url]:
        count = format_count(len(left_out), "source")
        warn(f"{count} left out, a file, a page or an address with a secret: {', '.join(left_out)}")
    written = opml.write("Sources", outlines)
    if output is None:
        typer.echo(written.decode(), nl=False)
        return
    try:
        output.write_bytes(written)
    except OSError as error:
        raise PublishError(f"{output}: cannot be written: {error.strerror}") from error


def _find_address(found: dict[tuple[str, str, str], str], plan: Plan, source: Source) -> str | None:
    """Return the address at which a reader can subscribe to a source; ``None`` if there is none without a secret."""
    if source.kind not in _FEED_KINDS or not source.url or not clean_public_url(source.url):
        return None
    return clean_public_url(found.get((plan.name, source.name, source.url), source.url))


def _read_found(config: Config) -> dict[tuple[str, str, str], str]:
    """Return the address of the feed that a source's page leads to, by feed, source and address of the page."""
    with database.open_existing(config.state) as store:
        known = polls.read_poll_states(store, [plan.name for plan in config.plans]) if store else {}
    return {(*of, each.url): each.leads_to for of, states in known.items() for each in states if each.leads_to}
