"""``aggregator check``: check the config, and with ``--live`` try every source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from aggregator import folders, full_texts, notify, persist, preview
from aggregator.commands.options import CONFIG, AtOption, ConfigOption, JsonOption, current_time, require_store
from aggregator.commands.output import format_count, format_value, shorten, to_json
from aggregator.commands.summary import format_next_poll, warn
from aggregator.commands.tables import open_console, print_table
from aggregator.config.load import load
from aggregator.config.schema import json_schema_text
from aggregator.config.settings import Config
from aggregator.errors import ConfigError, DamagedError, FetchError
from aggregator.fetchers import credentials
from aggregator.merger import other_shows
from aggregator.model.feed import Plan
from aggregator.model.results import NextPoll
from aggregator.sandbox import seccomp
from aggregator.store import connection, database, examine, publications
from aggregator.text.fold import fold
from aggregator.text.times import durations
from aggregator.text.urls import is_web

_MOST_DAMAGE = 50
"""Lines printed about a damaged store."""

_MAX_WARNING = 600
"""Characters of a warning: what to add to the config stands at its end, so it must not be cut."""

_Answers = Sequence[tuple[Plan, preview.SourcePreview]]
_NextPolls = Mapping[str, Mapping[str, NextPoll]]


_DAYS = re.compile(r"(\d{1,4})\s*d(?:ays?)?")
_HOURS = re.compile(r"\d{1,6}(?:\.\d+)?")


def _parse_age(text: str) -> timedelta:
    """Parse a number of hours, a number of days, or a length as in the config; raise BadParameter for another text.

    >>> _parse_age("9") == _parse_age("9h") == _parse_age("9:00:00"), _parse_age("2d").days
    (True, 2)
    """
    text = text.strip()
    if _HOURS.fullmatch(text):
        return timedelta(hours=float(text))
    if days := _DAYS.fullmatch(text):
        return timedelta(days=int(days[1]))
    if length := durations.parse(text):
        return timedelta(seconds=length.seconds)
    raise typer.BadParameter(f'"{text}" is neither hours nor a length, such as 26h, "90 min" or 2d')


def run(  # noqa: PLR0913 - each is an option of the command line
    config: ConfigOption = CONFIG,
    *,
    live: Annotated[bool, typer.Option("--live", help="Also fetch every source once; nothing is stored.")] = False,
    store: Annotated[
        bool, typer.Option("--store", help="Also read all of the store, and say what of it is damaged.")
    ] = False,
    age: Annotated[
        timedelta | None,
        typer.Option(
            "--age",
            parser=_parse_age,
            help="Only say for how long a feed has been overdue; exit with 1 if that is more: hours, 26h, 2d.",
            metavar="AGE",
        ),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of the config instead, for editors.")
    ] = False,
    at: AtOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the config and print one line for each mistake; exits with 2 if there is one.

    Warnings of the last refresh, such as a source that lists another show, are repeated on stderr. Nothing is fetched
    unless --live is given; it exits with 1 if a source cannot be fetched or lists no entry of its feed. With --store it
    exits with 1 if anything in the store is not as it was written. With --age it only says which feed has been overdue
    for longest, for monitoring.
    """
    if schema:
        typer.echo(json_schema_text(), nl=False)
        return
    loaded = load(config)
    if age is not None:
        _check_age(loaded, age, current_time(at), as_json=as_json)
        return
    missing = (*_list_missing_files(loaded), *_list_missing_secrets(loaded))
    lacking = (f"{plan.name}: {fault}" for plan in loaded.plans for fault in full_texts.find_faults(plan))
    faults = (*missing, *(f"{loaded.path.name}: {fault}" for fault in (*notify.find_faults(loaded), *lacking)))
    if faults:
        raise ConfigError("\n".join(faults))
    if store:
        _check_store(loaded, err=as_json)
    now = current_time(at)
    alarms, next_polls = _read_store(loaded, now)
    answers = _try_all(loaded, now) if live else []
    warnings = _list_other_shows(loaded, answers) if live else alarms
    if as_json:
        typer.echo(to_json(_to_values(loaded, warnings, answers, next_polls)))
    is_well = all(answer.entries and not answer.result.is_failing for _, answer in answers)
    if not as_json:
        _print_answers(answers, warnings)
        if is_well:
            _print_advice(loaded, next_polls, config)
    if lack := seccomp.explain_lack():
        typer.echo(f"documents are parsed without protection of the network and of files here: {lack}", err=True)
    if not is_well:
        raise typer.Exit(1)


def _print_advice(config: Config, next_polls: _NextPolls, path: Path) -> None:
    """Print what could be better in the config, when sources are next polled, and that nothing is wrong."""
    for line in (*_list_twice(config), *_list_ties(config)):
        typer.echo(line)
    for feed, polls in next_polls.items():
        for source, each in polls.items():
            typer.echo(f"{feed}: {source}: {format_next_poll(each)}")
    sources = sum(len(plan.sources) for plan in config.plans)
    typer.echo(
        f"{path}: {format_count(len(config.plans), 'feed')} from {format_count(sources, 'source')}, nothing wrong"
    )


def _to_values(
    config: Config, warnings: Sequence[tuple[str, str]], answers: _Answers, next_polls: _NextPolls
) -> dict[str, object]:
    return {
        "feeds": {plan.name: [source.name for source in plan.sources] for plan in config.plans},
        "warnings": [{"feed": feed, "text": text} for feed, text in warnings],
        "advice": [*_list_twice(config), *_list_ties(config)],
        "next": next_polls,
        "live": [
            {
                "feed": plan.name,
                "source": answer.result.source.name,
                "kind": answer.result.source.kind,
                "state": answer.result.status,
                "message": answer.result.message,
                "entries": answer.entries,
                "newest": answer.newest.at if answer.newest else None,
                "remarks": list(answer.result.remarks),
            }
            for plan, answer in answers
        ],
    }


def _check_age(config: Config, age: timedelta, now: datetime, *, as_json: bool) -> None:
    """Say which feed has been overdue for longest; exit with 1 if that is more, or if one was never refreshed."""
    due_times = dict[str, datetime | None]()
    with database.open_existing(config.state) as store:
        if store is not None:
            due_times = persist.find_due_times(store, config.plans, now)
    never = [plan.name for plan in config.plans if due_times.get(plan.name) is None]
    due_at, feed = min(((at, name) for name, at in due_times.items() if at), default=(now, ""))
    overdue = max(0.0, (now - due_at).total_seconds() / 3600)  # hours
    if as_json:
        oldest = {"feed": feed, "due": due_at, "hours": round(overdue, 2)} if overdue else None
        typer.echo(to_json({"never_refreshed": never, "overdue": oldest}))
    elif never:
        typer.echo(f"never refreshed: {', '.join(never)}")
    elif overdue:
        since = f"due since {due_at:%Y-%m-%d %H:%M} UTC, {overdue:.1f} h ago"
        typer.echo(f"{feed}: {since}, the oldest of all that are overdue")
    else:
        typer.echo("no feed is overdue")
    if never or now - due_at > age:
        raise typer.Exit(1)


def _check_store(config: Config, *, err: bool) -> None:
    """Print what of the store is damaged, on stderr if ``err``; raise DamagedError if anything is."""
    name = connection.printable_name(connection.parse_address(require_store(config).state))
    found = list(examine.find_damage_of_store(config.state))
    for line in found[:_MOST_DAMAGE]:
        typer.echo(f"{name}: {shorten(line, _MAX_WARNING)}", err=err)
    if found:
        raise DamagedError(f"{name}: is damaged in {format_count(len(found), 'place')}", name)
    damaged = examine.count_damaged_cache(config.state)
    if damaged:
        typer.echo(
            f"{name}: {format_count(damaged, 'value')} of the cache are damaged, and are computed again", err=err
        )
    typer.echo(f"{name}: all {'else ' if damaged else 'of it '}is as it was written", err=err)


def _list_missing_files(config: Config) -> tuple[str, ...]:
    named = (
        (f"feeds.{plan.name}.sources.{source.name}.{key}", Path(file))
        for plan in config.plans
        for source in plan.sources
        for key, file in (
            *(("path", source.path), ("snapshot", source.snapshot), ("ca", source.ca)),
            *(("history", each) for each in source.history if not is_web(each)),
        )
        if file is not None
    )
    return tuple(f"{config.path.name}: {key}: no such file: {file}" for key, file in named if not file.is_file())


def _list_twice(config: Config) -> tuple[str, ...]:
    """Return one line for each source of a feed that another one is already, under another name."""
    found = []
    for plan in config.plans:
        first: dict[object, str] = {}
        for source in plan.sources:
            address = _fold_address(source.url), source.headers
            place = (address, source.path, source.show, source.kind, source.filter, source.options)
            if (name := first.setdefault(place, source.name)) != source.name:
                found.append(
                    f"{config.path.name}: feeds.{plan.name}: {name} and {source.name} have the same address; remove one"
                )
    return tuple(found)


def _fold_address(url: str | None) -> str | None:
    """Return an address without what equal ones may differ in: the scheme, the case of the host, a final slash."""
    if url is None:
        return None
    parts = urlsplit(url)
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}?{parts.query}"


def _list_missing_secrets(config: Config) -> tuple[str, ...]:
    """List the secrets that sources, webhooks, pings and the API name and that are not to be had."""
    found = []
    named = [("api.token", config.api_token)]
    for plan in config.plans:
        given = {"webhook": plan.webhook or "", "webhook_secret": plan.webhook_secret}
        given |= {f"pings[{number}]": f"{ping.url} {ping.token}" for number, ping in enumerate(plan.pings)}
        named += [(f"feeds.{plan.name}.{key}", text) for key, text in given.items()]
    for place, text in named:
        try:
            credentials.read_named_secrets(text)
        except FetchError as error:
            found.append(f"{config.path.name}: {place}: {error}")
    for plan in config.plans:
        for source in plan.sources:
            try:
                credentials.read_secrets(source)
            except FetchError as error:
                found.append(f"{config.path.name}: feeds.{plan.name}.sources.{source.name}: {error}")
    return tuple(found)


def _list_ties(config: Config) -> tuple[str, ...]:
    """Return one line for each feed of one show whose most trusted sources are trusted alike, with the key to add."""
    found = []
    for plan in (plan for plan in config.plans if not plan.is_mixed):
        most = max(source.trust for source in plan.sources)
        tied = [source.name for source in plan.sources if source.trust == most]
        if len(tied) > 1:
            found.append(
                f"{config.path.name}: feeds.{plan.name}: {' and '.join(tied)} have the same trust ({most:g}); where "
                f"they differ, the value published first is kept. To prefer one, add for example primary: {tied[0]}"
            )
    return tuple(found)


def _read_store(config: Config, now: datetime) -> tuple[list[tuple[str, str]], _NextPolls]:
    """Return the warnings of each feed's last refresh, and when its sources are next polled.

    There are none if the store is not a file or does not exist. Raises ConfigError if a private feed has no token.
    """
    if "://" in config.state or not connection.has_content(config.state):
        return [], {}
    with database.open_store(config.state) as store:
        published = publications.read_publications(store)
        if refused := folders.find_refused(store, config.plans):
            raise ConfigError("\n".join(f"{config.path.name}: {each}" for each in refused.values()))
        following = persist.read_next_polls(store, config.plans, now)
    alarms = [(feed, alarm) for feed in following if feed in published for alarm in published[feed].alarms]
    return alarms, following


def _find_other_shows(plan: Plan, answers: Sequence[preview.SourcePreview]) -> tuple[str, ...]:
    """Return one line for each source that lists another show, judged by show names and equal titles."""
    listings = {answer.result.source.name: answer.listing for answer in answers if answer.listing is not None}
    often = Counter(
        title for listing in listings.values() for title in {fold(entry.title) for entry in listing.entries}
    )
    listed = other_shows.tally(
        (name, other_shows.Listed(entry.show, entry.genre, often[fold(entry.title)] > 1))
        for name, listing in listings.items()
        for entry in listing.entries
        if entry.show or listing.show.title
    )
    shows = {name: listing.show.title for name, listing in listings.items()}
    filtered = frozenset(source.name for source in plan.sources if source.filter.only.show)
    strangers = other_shows.find_strangers({name: listing.show for name, listing in listings.items()})
    return other_shows.find_other_shows(plan.channel.title, listed, shows, filtered, strangers)


def _try_all(config: Config, now: datetime) -> _Answers:
    with preview.open_resources(config, now) as resources:
        return list(preview.try_sources(config, resources, now))


def _print_answers(answers: _Answers, warnings: Iterable[tuple[str, str]]) -> None:
    """Print a row for each source that was fetched, and warnings on stderr, each with its feed."""
    rows = [
        (
            plan.name,
            answer.result.source.name,
            answer.result.source.kind,
            answer.result.standing,
            str(answer.entries) if answer.listing else "",
            format_value(answer.newest),
            shorten(answer.result.message or "; ".join(answer.result.remarks), 300),
        )
        for plan, answer in answers
    ]
    print_table(
        open_console(), ("feed", "source", "kind", "state", "entries", "newest", "message"), rows, right=("entries",)
    )
    for feed, text in warnings:
        warn(f"{feed}: {shorten(text, _MAX_WARNING)}")


def _list_other_shows(config: Config, answers: _Answers) -> list[tuple[str, str]]:
    """Return one line for each source that lists another show, with its feed."""
    own = {plan.name: [answer for feed, answer in answers if feed is plan] for plan in config.plans}
    return [(plan.name, text) for plan in config.plans for text in _find_other_shows(plan, own[plan.name])]
