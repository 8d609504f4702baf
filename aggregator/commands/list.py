"""``aggregator list``: the feeds of the config and their sources, with their last polls and stored entries."""

from __future__ import annotations

import os
from collections.abc import Mapping

import typer

from aggregator import persist
from aggregator.commands.options import CONFIG, ConfigOption, FeedsOption, JsonOption, find_plans
from aggregator.commands.output import format_count, shorten, to_json
from aggregator.commands.tables import open_console, print_table
from aggregator.config.load import load
from aggregator.fetchers.http.target import redact
from aggregator.model.feed import SourceResult
from aggregator.model.results import Publication
from aggregator.model.source import Source
from aggregator.store import database, entries, publications

_MAX_ADDRESS = 120
"""Characters of an address that are shown."""


def run(config: ConfigOption = CONFIG, *, feed: FeedsOption = None, as_json: JsonOption = False) -> None:
    """List the feeds of the config and their sources: kind, trust, address, last poll, and stored entries.

    Nothing is fetched. Addresses are shown without logins and queries.
    """
    loaded = load(config)
    plans = find_plans(loaded, feed or ())
    results: Mapping[str, tuple[SourceResult, ...]] = {}
    published: Mapping[str, Publication] = {}
    stored: Mapping[str, Mapping[str, int]] = {}
    with database.open_existing(loaded.state) as store:
        if store is not None:
            results = persist.read_results_of_feeds(store)
            published = publications.read_publications(store)
            stored = entries.count_by_source(store, [plan.name for plan in plans])
    listed = []
    for plan in plans:
        known = {each.source.name: each for each in results.get(plan.name, ())}
        kept = published.get(plan.name)
        items = kept.items if kept else None
        counts = stored.get(plan.name, {})
        sources = [_describe(each, known.get(each.name), counts.get(each.name, 0)) for each in plan.sources]
        listed.append(
            {
                "feed": plan.name,
                "title": plan.channel.title,
                "items": items,
                "private": bool(plan.channel.token),
                "sources": sources,
            }
        )
        if not as_json:
            count = "nothing published yet" if items is None else format_count(items, "item")
            private = ", private" if plan.channel.token else ""
            typer.echo(f"{plan.name}: {shorten(plan.channel.title, _MAX_ADDRESS)}, {count}{private}")
            heads = ("", "source", "kind", "trust", "address", "last poll")
            print_table(open_console(), heads, [("", *map(_format, each.values())) for each in sources])
    if as_json:
        typer.echo(to_json(listed))


def _describe(source: Source, result: SourceResult | None, stored: int) -> dict[str, object]:
    """Return a source with what came of its last poll and how many entries are stored of it, for JSON."""
    place = redact(source.url) if source.url else os.path.relpath(source.path) if source.path else f"show {source.show}"
    last = result.standing if result else "not polled yet"
    if result or stored:
        last += f", {format_count(stored, 'entry', 'entries')}"
    return {"name": source.name, "kind": source.kind, "trust": source.trust, "address": place, "last_poll": last}


def _format(value: object) -> str:
    return shorten(str(value), _MAX_ADDRESS)
