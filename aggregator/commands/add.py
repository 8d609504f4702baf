"""``aggregator add``: write a URL into the config as a source."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import typer
from msgspec.structs import replace

from aggregator import adding, belonging, catalogues, corrections, detection
from aggregator.commands.options import CONFIG, AllowOption, AtOption, ConfigOption, JsonOption, current_time
from aggregator.commands.output import format_count, format_value, shorten, to_json
from aggregator.commands.summary import warn
from aggregator.commands.tables import open_console, print_table
from aggregator.config.load import load
from aggregator.config.settings import Config
from aggregator.errors import ConfigError, FetchError
from aggregator.fetchers.http.target import redact
from aggregator.model.belonging import Belonging, Comparison
from aggregator.model.entry import Entry
from aggregator.model.source import DetectedSource, Source
from aggregator.store import database

_SHOWN = 3
"""Entries that are shown of a listing: enough to see whether titles, dates and audio are right."""


def run(  # noqa: PLR0913 - each is an option of the command line
    url: Annotated[
        str,
        typer.Argument(
            help="URL of a feed, of a show's page, of a site; a file; or the name of a show.", metavar="URL|NAME"
        ),
    ],
    more: Annotated[
        list[str] | None, typer.Argument(help="More options of the source, after --set.", metavar="[KEY=VALUE]...")
    ] = None,
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
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="Change an option of what is proposed, such as items=li.episode.", metavar="KEY=VALUE"
        ),
    ] = None,
    allow: AllowOption = None,
    dry: Annotated[bool, typer.Option("--preview", help="Show what each way to read yields; write nothing.")] = False,
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish its new items with the next refresh, whatever they may repeat.")
    ] = False,
    hold: Annotated[bool, typer.Option("--hold", help="Hold its new items until you release them in review.")] = False,
    primary: Annotated[bool, typer.Option("--primary", help="Make it the primary source: the show's own.")] = False,
    at: AtOption = None,
    as_json: JsonOption = False,
) -> None:
    """Detect what a URL is, show its first entries, and add it to the config as a source.

    The source is added to the feed given by --feed, else to the feed whose items it lists, else to the feed whose title
    is the show's, else to a new feed. Comments and order of the config are kept. For a page that is no feed and names
    none, selectors are proposed. A URL that cannot be fetched is added only if --feed is given and its kind is known.
    """
    if publish and hold:
        raise ConfigError("--publish and --hold exclude each other")
    new: Literal["publish", "hold"] | None = "publish" if publish else "hold" if hold else None
    url = _find_address(url, config, at, is_quiet=as_json)
    add(
        url,
        config,
        feed=feed,
        kind=kind,
        changes=[*(changes or ()), *(more or ())],
        allow=allow or (),
        dry=dry,
        new=new,
        primary=primary,
        at=at,
        as_json=as_json,
    )


def _find_address(text: str, config: Path, at: datetime | None, *, is_quiet: bool) -> str:
    """Return the address that is meant, and say it if the name of a show was given."""
    url = catalogues.find_address(load(config) if config.exists() else None, text, current_time(at))
    if url != text and not is_quiet:
        typer.echo(f"{text}: {url}")
    return url


def add(  # noqa: PLR0913 - the options of the command
    url: str,
    config: Path,
    *,
    feed: str | None = None,
    kind: str | None = None,
    changes: Sequence[str] = (),
    allow: Sequence[str] = (),
    dry: bool = False,
    new: Literal["publish", "hold"] | None = None,
    primary: bool = False,
    at: datetime | None = None,
    as_json: bool = False,
    listed: dict[str, list[Entry]] | None = None,
) -> None:
    """Add a source as the command does; ``listed`` are entries of added sources that are not stored yet, by feed."""
    loaded, now = load(config) if config.exists() else None, current_time(at)
    options = _parse_options(changes)
    candidates = detection.list_candidates(url, kind, options, allow=allow, files=True)
    is_known = feed is not None and len(candidates) == 1 and (kind is not None or not options)
    ways = _find_ways(loaded, candidates, now, {} if kind else options, is_known=is_known)
    shown = ways if dry else ways[:1]
    if not as_json:
        for way in shown:
            _show(way)
    found = replace(ways[0], is_primary=primary)
    compared = _compare(loaded, found, now, feed, listed or {}) if loaded else ()
    if not (dry or feed):
        feed, found = _choose_feed(loaded, found, compared, is_quiet=as_json)
    written = None if dry else adding.write(config, found, now, feed, (listed or {}).get(feed or "", ()))
    name, source = (written.feed, written.source) if written else (feed or "", None)
    best = next((each for each in compared if each.feed == name or (dry and each.is_sure)), None)
    if best is None and loaded and name in {plan.name for plan in loaded.plans}:  # by its title: it lists no item of it
        best = next(iter(_compare(loaded, found, now, name, listed or {})), None)
    own = [replace(each, source=source.name) for each in found.listing.entries] if source else []
    if listed is not None:
        listed.setdefault(name, []).extend(own)
    if new and own:
        ids = [each.id for each in own if best is None or each.key not in best.known]
        changed = load(config)
        with database.open_store(changed.state) as store:
            context = corrections.CorrectionContext(store, changed.plan(name), now)
            corrections.decide_new(context, ids, publish=new == "publish")
    if as_json:
        values = {
            "config": str(config),
            "added": {"feed": name, "source": source.name, "primary": written.primary} if written and source else None,
            "compared": _compare_to_values(best) if best else None,
            "ways": [_to_values(way) for way in (shown if dry else [found])],
        }
        typer.echo(to_json(values))
        return
    if written:
        _print_written(config, written, found)
    if best:
        _print_effect(best, new)


def _print_written(config: Path, written: adding.AddedSource, found: DetectedSource) -> None:
    feed, source, listing = f"{config}: feeds.{written.feed}", written.source, found.listing
    show = f" of {shorten(listing.show.title)}" if listing.show.title else ""
    counted = f"{format_count(len(listing.entries), 'item')} now{show}"
    typer.echo(f"{feed}.sources.{source.name}: kind {source.kind}, {counted}")
    if written.returns:
        typer.echo(f"{feed}.sources.{source.name}: forgotten before, its entries count again")
    if written.primary:
        why = "" if found.is_primary else "of two sources trusted alike "
        typer.echo(f"{feed}.primary: {written.primary}: {why}the show's own")


def _find_ways(
    config: Config | None, candidates: Sequence[Source], now: datetime, options: Mapping[str, str], *, is_known: bool
) -> list[DetectedSource]:
    """Return the ways to read what the candidates name; if it ``is_known`` how, an address need not answer."""
    try:
        return detection.find_ways(config, candidates, now, options)
    except FetchError as error:
        if not is_known:
            raise
        warn(str(error))
        return [DetectedSource(candidates[0])]


def _compare(
    config: Config, found: DetectedSource, now: datetime, feed: str | None, listed: Mapping[str, Sequence[Entry]]
) -> tuple[Belonging, ...]:
    return belonging.compare_with_feeds(
        Comparison(config.state, config.plans, found.source, found.listing, now, feed, listed)
    )


def _choose_feed(
    config: Config | None, found: DetectedSource, compared: Sequence[Belonging], *, is_quiet: bool
) -> tuple[str | None, DetectedSource]:
    """Return the feed whose items a listing has, and say so; ``None`` if its title decides."""
    if not compared:
        return None, found
    best = compared[0]
    are = "entry is an item" if best.of == 1 else f"entries {'is an item' if best.matched == 1 else 'are items'}"
    fact = f"{best.matched} of {best.of} {are} of {best.feed}"
    if best.is_sure:
        listing = detection.list_episodes(found)
        kind = listing.source.kind
        as_kind = "" if kind == found.source.kind else f", as kind {kind}"
        typer.echo(f"{fact}: added there{as_kind}", err=is_quiet)
        return best.feed, listing
    if adding.choose_feed(config, found) == best.feed:
        return best.feed, found
    if sys.stdin.isatty() and not is_quiet:
        return (best.feed if typer.confirm(f"{fact}. Add it there?", default=False) else None), found
    typer.echo(f"{fact}; if it is the same show, add it with --feed {best.feed} instead", err=is_quiet)
    return None, found


def _print_effect(found: Belonging, new: Literal["publish", "hold"] | None) -> None:
    count = len(found.doubtful) + len(found.new)
    merged = f"{found.feed}: {format_count(found.matched + count, 'entry', 'entries')}: {found.matched} merge"
    typer.echo(f"{merged}, {len(found.doubtful)} doubtful, {len(found.new)} would be new")
    for label, some in (("doubtful", found.doubtful), ("new", found.new)):
        for each in some[:_SHOWN]:
            typer.echo(
                f"  {label}: {shorten(each.title)}{f', {format_value(each.published)}' if each.published else ''}"
            )
        if len(some) > _SHOWN:
            typer.echo(f"  {label}: {len(some) - _SHOWN} more")
    if count and new == "publish":
        typer.echo(f"  the next refresh publishes {'it' if count == 1 else 'them'}")
    elif count and new == "hold":
        typer.echo(f"  held until you release {'it' if count == 1 else 'them'}: aggregator review --feed {found.feed}")
    elif found.held:
        until = max((each.until for each in found.held if each.until), default=None)
        last = f", at the latest on {until:%Y-%m-%d}" if until else ""
        them = "it" if len(found.held) == 1 else "them"
        typer.echo(f"  {len(found.held)} of {count} held until another source lists {them}{last}")
        typer.echo("  --publish does not wait, --hold waits for you")


def _compare_to_values(found: Belonging) -> dict[str, object]:
    """Return what the next refresh would make of the entries in the feed, for JSON."""
    return {
        "feed": found.feed,
        "merged": found.matched,
        "doubtful": [each.title for each in found.doubtful],
        "new": [each.title for each in found.new],
        "held": [{"title": each.title, "until": each.until} for each in found.held],
    }


def _parse_options(given: Sequence[str]) -> dict[str, str]:
    """Return the options given as KEY=VALUE."""
    pairs = [each.partition("=") for each in given]
    for key, sign, _ in pairs:
        if not sign or not key:
            raise ConfigError(f'--set: "{key}" is not KEY=VALUE, such as items=li.episode')
    return {key.strip(): value.strip() for key, _, value in pairs}


def _show(way: DetectedSource) -> None:
    """Print how an address is read, and the first entries that this gives."""
    source, entries = way.source, way.listing.entries
    label = f" ({way.label})" if way.label else ""
    typer.echo(f"kind {source.kind}{label}: {format_count(len(entries), 'entry', 'entries')}")
    for key, value in source.options:
        typer.echo(f"  {key}: {shorten(value, 200)}")
    rows = (
        (
            "",
            format_value(each.title, 60),
            format_value(each.published) or "no date",
            format_value(each.duration) or "no length",
            format_value(each.enclosure, 100) or "no audio",
        )
        for each in entries[:_SHOWN]
    )
    print_table(open_console(), ("", "title", "date", "length", "audio"), rows)


def _to_values(way: DetectedSource) -> dict[str, object]:
    """Return how an address is read, and the first entries that this gives, for JSON."""
    source, entries = way.source, way.listing.entries
    return {
        "kind": source.kind,
        "label": way.label,
        "address": redact(source.url) if source.url else source.show or source.path,
        "options": dict(source.options),
        "show": way.listing.show.title,
        "entries": len(entries),
        "first": [
            {
                "title": each.title,
                "published": each.published.at if each.published else None,
                "seconds": each.duration.seconds if each.duration else None,
                "audio": each.enclosure.url if each.enclosure else None,
            }
            for each in entries[:_SHOWN]
        ],
    }
