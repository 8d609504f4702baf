"""Load config.yaml into a Config with a Plan for each feed, or report one line for each mistake."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace
from pydantic import ValidationError

from aggregator.config import schema
from aggregator.config.messages import describe_errors
from aggregator.config.parse import ParsedYaml, parse
from aggregator.config.scalars import PUBLIC, is_token
from aggregator.config.schema import ConfigKeys, json_schema
from aggregator.config.settings import Config, DeskAccess
from aggregator.errors import ConfigError, FetchError
from aggregator.fetchers import credentials, registry
from aggregator.generator.storage.output import Output
from aggregator.model import categories
from aggregator.model.cluster import Decision
from aggregator.model.entry import Tag
from aggregator.model.feed import Channel, Ping, Plan
from aggregator.model.item import Override
from aggregator.model.source import Conditions, Filter, Rewrite, Source
from aggregator.text import html
from aggregator.text.times import cron, durations
from aggregator.text.urls import is_web
from aggregator.translation.marks import N_

DEFAULT = Path("config.yaml")


def load(path: Path) -> Config:
    """Load a config file; raise ConfigError with one line for each mistake, in the order of the file."""
    return make_config(path, check(_read(path), str(path)))


def make_config(path: Path, keys: ConfigKeys) -> Config:
    """Return the config of checked keys; raise ConfigError if a secret that it needs is missing."""
    folder = path.resolve().parent
    base_url = keys.base_url.rstrip("/")
    plans = tuple(_make_plan(name, feed, base_url, folder) for name, feed in sorted(keys.feeds.items()))
    zone = keys.timezone
    plans = tuple(
        replace(
            plan,
            channel=replace(plan.channel, timezone=zone or "UTC", languages=tuple(dict.fromkeys(keys.languages))),
            refresh=cron.put_in_zone(plan.refresh, zone) if zone and plan.refresh else plan.refresh,
        )
        for plan in plans
    )
    _require_own_folders(path, plans)
    return Config(
        path=path.resolve(),
        state=keys.state if "://" in keys.state else str(folder / keys.state),
        output=_make_output(keys.output, folder),
        base_url=base_url,
        contact=keys.contact,
        allow_networks=tuple(sorted(keys.allow_networks)),
        plans=plans,
        proxy=keys.proxy,
        obey_robots=keys.obey_robots,
        backups=keys.backups,
        notify=tuple(keys.notify),
        notify_after=keys.notify_after,
        desk=DeskAccess(keys.desk.password, keys.desk.trusted_header, tuple(sorted(keys.desk.trusted_networks))),
        queue=keys.queue,
        lease=timedelta(seconds=keys.lease_seconds),
        opml=tuple(each if "://" in each else str(folder / each) for each in keys.opml),
        api_token=keys.api.token or "",
        websub=keys.websub,
        timezone=keys.timezone or "UTC",
    )


def _require_own_folders(path: Path, plans: Sequence[Plan]) -> None:
    """Raise ConfigError for two feeds with one folder: a name may be another name and its token."""
    owners: dict[str, str] = {}
    for plan in plans:
        if (other := owners.setdefault(plan.channel.folder, plan.name)) != plan.name:
            raise ConfigError(
                f"{path}: feeds.{min(other, plan.name)} has the folder of another feed, which is named by its name and "
                "its token: write another token, or rename a feed"
            )


def _make_output(output: str, folder: Path) -> Output:
    """Return the output: a folder, or a bucket with a folder of this machine beside the store's usual place."""
    if output.startswith("s3://"):
        return Output(folder / ".aggregator" / "bucket", output.rstrip("/"))
    return Output(folder / output)


def check(text: str, name: str) -> ConfigKeys:
    """Check a config's text and return its keys; raise ConfigError. ``name`` is the file's name in messages."""
    return check_values(parse(text, name), name)


def check_values(parsed: ParsedYaml, name: str) -> ConfigKeys:
    """Check what was parsed of a config's text and return its keys; raise ConfigError."""
    try:
        return ConfigKeys.model_validate({} if parsed.values is None else parsed.values)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise ConfigError("\n".join(describe_errors(found, name, parsed.lines, json_schema()))) from error


def _read(path: Path) -> str:
    """Return the text of a config file; raise ConfigError if it cannot be read."""
    try:
        return decode(path, path.read_bytes())
    except FileNotFoundError as error:
        advice = N_("use -c FILE for another config, or run aggregator init URL to make one")
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; {advice}") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; use -c FILE for another config") from error


def decode(path: Path, content: bytes) -> str:
    """Return the text of a config file's content; raise ConfigError if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from error


_BELOW_PRIMARY = 0.99
"""Highest trust of any other source than the primary one."""


def _make_plan(name: str, keys: schema.FeedKeys, base_url: str, folder: Path) -> Plan:
    return Plan(
        name=name,
        channel=_make_channel(name, keys, base_url),
        sources=_rank(
            [_make_source(each, place, folder, keys) for each, place in sorted(keys.sources.items())],
            keys.primary,
        ),
        refresh=keys.refresh,
        boilerplate=keys.boilerplate,
        decisions=tuple(_make_decision(each) for each in keys.decisions),
        overrides=tuple(
            Override(guid, field, value)
            for guid, fields in sorted(keys.overrides.items())
            for field, value in sorted(fields.items())
        ),
        buried=tuple(sorted(keys.buried.items())),
        without=tuple(sorted(keys.without)),
        window=keys.window,
        probe_enclosures=keys.probe_enclosures,
        audio_grace=keys.audio_grace,
        reads_chapters=keys.chapters == "notes",
        filter=Filter(_make_conditions(keys.only), _make_conditions(keys.exclude)),
        probe_gone=keys.probe_gone,
        is_public=keys.token == PUBLIC,
        rewrite=_make_rules(keys.rewrite),
        pings=tuple(Ping(each.url, each.token or "") for each in keys.pings),
        is_mixed=keys.mixed,
        shows_in_titles=keys.show_in_titles,
        video=keys.video,
        notify_new=tuple(keys.notify.new),
        webhook=keys.webhook,
        webhook_secret=keys.webhook_secret or "",
    )


def _make_channel(name: str, keys: schema.FeedKeys, base_url: str) -> Channel:
    token = _read_token(name, keys.token)
    persons = (
        Tag("podcast:person", one.name, _make_attributes(href=one.href, role=one.role, group=one.group, img=one.img))
        for one in keys.persons
    )
    funding = (Tag("podcast:funding", one.text, _make_attributes(url=one.url)) for one in keys.funding)
    channel = Channel(
        name=name,
        title=html.to_line(keys.title) or keys.title,
        token=token,
        base_url="",
        guid=keys.guid or "",
        link=keys.link,
        description=keys.description,
        language=keys.language,
        author=keys.author,
        owner_email=keys.owner_email,
        image=keys.image,
        copyright=keys.copyright,
        license=keys.license,
        license_url=keys.license_url,
        explicit=keys.explicit,
        type=keys.type,
        complete=keys.complete,
        locked=keys.locked,
        block=keys.block or bool(token),
        medium=keys.medium,
        categories=tuple(categories.split_category(each) for each in keys.categories),
        new_feed_url=keys.new_feed_url,
        hubs=tuple(keys.hubs),
        ttl=keys.ttl_minutes,
        tags=(*persons, *funding),
        shows_sources=keys.show_sources,
        passes_value=keys.value == "pass",
    )
    return replace(channel, base_url=f"{base_url}/{channel.folder}")


def _read_token(name: str, token: str | None) -> str:
    """Return the token of a feed, which may be a secret of the environment; raise ConfigError if that is not to be had.

    >>> _read_token("talk", "abcdefgh-12345678")
    'abcdefgh-12345678'
    """
    if token is None or not token.startswith("$"):
        return "" if token in (None, PUBLIC) else token
    try:
        ((_, value),) = credentials.read_named_secrets(token)
    except FetchError as error:
        raise ConfigError(f"feeds.{name}.token: {error}") from error
    if not is_token(value):
        raise ConfigError(f"feeds.{name}.token: the value of {token} is not 16 to 64 letters, digits, - or _")
    return value


def _make_attributes(**given: str | None) -> tuple[tuple[str, str], ...]:
    """Return the attributes that have a value, sorted by name."""
    return tuple(sorted((name, value) for name, value in given.items() if value is not None))


def _rank(sources: Sequence[Source], primary: str | None) -> tuple[Source, ...]:
    """Set the trust of the primary source to 1, and of all others below."""
    if primary is None:
        return tuple(sources)
    return tuple(
        replace(each, trust=1.0 if each.name == primary else min(each.trust, _BELOW_PRIMARY)) for each in sources
    )


def _make_source(name: str, keys: schema.SourceKeys, folder: Path, feed: schema.FeedKeys) -> Source:
    """Make a source; the new ones of a mixed feed repeat nothing, so they wait for no other to list them."""
    return Source(
        name=name,
        kind=keys.kind,
        url=keys.url,
        path=None if keys.path is None else str(folder / keys.path),
        snapshot=None if keys.snapshot is None else str(folder / keys.snapshot),
        history=tuple(each if is_web(each) else str(folder / each) for each in keys.history),
        follow_moves=keys.follow_moves,
        show=keys.show,
        filter=Filter(_make_conditions(keys.only, keys.only.show), _make_conditions(keys.exclude, keys.exclude.show)),
        trust=registry.find(keys.kind).trust if keys.trust is None else keys.trust,
        boilerplate=keys.boilerplate,
        options=tuple(sorted(keys.options.items())),
        distrust_304_after=keys.distrust_304_after_hours,
        adds=keys.adds or ("always" if feed.mixed else None),
        allow_networks=tuple(sorted(keys.allow_networks)),
        headers=tuple(sorted(keys.headers.items())),
        private=feed.token not in (None, PUBLIC),
        ca=None if keys.ca is None else str(folder / keys.ca),
        rewrite=_make_rules(keys.rewrite),
        full_text=keys.full_text,
    )


def _make_rules(keys: Sequence[schema.RewriteKeys]) -> tuple[Rewrite, ...]:
    return tuple(Rewrite(each.field, each.pattern, each.with_) for each in keys)


def _make_conditions(keys: schema.FilterKeys, shows: Sequence[str] = ()) -> Conditions:
    return Conditions(
        show=tuple(shows),
        title=tuple(keys.title),
        category=tuple(keys.category),
        type=tuple(keys.type),
        longer_than=_to_seconds(keys.longer_than),
        shorter_than=_to_seconds(keys.shorter_than),
        since=_to_time(keys.since),
        before=_to_time(keys.before),
    )


def _to_seconds(length: str | None) -> int | None:
    parsed = durations.parse(length)
    return parsed.seconds if parsed else None


def _to_time(day: str | None) -> datetime | None:
    """Return the time of a day or a time, in UTC where it names no zone."""
    at = datetime.fromisoformat(day) if day else None
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def _make_decision(keys: schema.DecisionKeys) -> Decision:
    """Make a decision; its two names are sorted, so that their order in the config does not matter."""
    left, right = sorted(keys.same or keys.different or ())
    return Decision("same" if keys.same else "different", left, right)
