"""The keys of one feed become a Plan: names sorted, trust filled in, paths absolute."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from aggregator.config import categories, channel, kinds, source_keys
from aggregator.model.cluster import Decision
from aggregator.model.entry import Tag
from aggregator.model.feed import Channel, Plan
from aggregator.model.item import Override
from aggregator.model.source import Only, Source

BELOW_PRIMARY = 0.99
"""The most that any source beside the primary one is trusted."""


def plan(name: str, keys: channel.FeedKeys, base_url: str, folder: Path) -> Plan:
    """One feed as the config asks for it; the order in which its keys and sources stand does not matter."""
    return Plan(
        name=name,
        channel=_channel(name, keys, base_url),
        sources=_ranked([_source(each, place, folder) for each, place in sorted(keys.sources.items())], keys.primary),
        refresh=keys.refresh,
        boilerplate=keys.boilerplate,
        decisions=tuple(_decision(each) for each in keys.decisions),
        overrides=tuple(
            Override(guid, field, value)
            for guid, fields in sorted(keys.overrides.items())
            for field, value in sorted(fields.items())
        ),
        buried=tuple(sorted(keys.buried.items())),
        window=keys.window,
        probe_enclosures=keys.probe_enclosures,
    )


def _channel(name: str, keys: channel.FeedKeys, base_url: str) -> Channel:
    """What the feed says of itself, as far as the config says it."""
    return Channel(
        name=name,
        title=keys.title,
        base_url=f"{base_url}/{name}",
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
        block=keys.block,
        medium=keys.medium,
        categories=tuple(categories.path(each) for each in keys.categories),
        new_feed_url=keys.new_feed_url,
        hubs=tuple(keys.hubs),
        ttl=keys.ttl_minutes,
        tags=_tags(keys),
    )


def _tags(keys: channel.FeedKeys) -> tuple[Tag, ...]:
    """The persons and the funding as elements of the podcast namespace."""
    persons = (
        Tag("podcast:person", one.name, _attributes(href=one.href, role=one.role, group=one.group, img=one.img))
        for one in keys.persons
    )
    funding = (Tag("podcast:funding", one.text, _attributes(url=one.url)) for one in keys.funding)
    return (*persons, *funding)


def _attributes(**given: str | None) -> tuple[tuple[str, str], ...]:
    """The attributes that have a value, sorted by name."""
    return tuple(sorted((name, value) for name, value in given.items() if value is not None))


def _ranked(sources: Sequence[Source], primary: str | None) -> tuple[Source, ...]:
    """Return the sources with a trust of 1 for the primary one, and less than that for every other."""
    if primary is None:
        return tuple(sources)
    return tuple(
        replace(each, trust=1.0 if each.name == primary else min(each.trust, BELOW_PRIMARY)) for each in sources
    )


def _source(name: str, keys: source_keys.SourceKeys, folder: Path) -> Source:
    """One source, its trust by its kind unless given."""
    return Source(
        name=name,
        kind=keys.kind,
        url=keys.url,
        path=None if keys.path is None else str(folder / keys.path),
        snapshot=None if keys.snapshot is None else str(folder / keys.snapshot),
        show=keys.show,
        only=Only(keys.only.show, keys.only.category, keys.only.title),
        trust=kinds.of(keys.kind).trust if keys.trust is None else keys.trust,
        boilerplate=keys.boilerplate,
        options=tuple(sorted(keys.options.items())),
        distrust_304_after=keys.distrust_304_after_hours,
        adds=keys.adds,
    )


def _decision(keys: channel.DecisionKeys) -> Decision:
    """One decision of a person, its two names sorted: it says the same in either order."""
    left, right = sorted(keys.same or keys.different or ())
    return Decision("same" if keys.same else "different", left, right)
