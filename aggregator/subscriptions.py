"""Add the subscriptions of an OPML list to the config, a feed for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from aggregator.config import edit
from aggregator.config.change import Addition
from aggregator.config.names import find_free_names, list_taken_names, make_name
from aggregator.config.settings import Config
from aggregator.errors import ConfigError
from aggregator.fetchers import addresses, registry
from aggregator.model.source import Source
from aggregator.model.subscription import Subscription
from aggregator.store import database, polls

ALREADY = "it is in the config already"


class Import(Struct, frozen=True):
    """Result of adding a list of subscriptions.

    - ``additions``: the feeds to add, ``added`` the subscription that each of them is made from.
    - ``left_out``: the others, each with the reason; ``ALREADY`` for what the config has.
    """

    additions: tuple[Addition, ...] = ()
    added: tuple[Subscription, ...] = ()
    left_out: tuple[tuple[Subscription, str], ...] = ()


def add(path: Path, subscriptions: Sequence[Subscription]) -> Import:
    """Write those subscriptions into the config file that it lacks, and say what became of all; raise ConfigError."""
    planned: list[Import] = []

    def plan(config: Config | None) -> tuple[Addition, ...]:
        planned.append(list_new(config, subscriptions))
        return planned[-1].additions

    edit.add(path, plan)
    return planned[-1]


def list_new(config: Config | None, subscriptions: Sequence[Subscription]) -> Import:
    """Return a feed with one source for each subscription to a feed, or a show at Apple, that the config lacks.

    It has those, too, that the pages of its sources lead to.
    """
    plans = config.plans if config else ()
    known = {(source.kind == "apple" and source.show) or source.url for plan in plans for source in plan.sources}
    known.update(*read_polled(config).values())
    added: list[tuple[Subscription, Source]] = []
    left_out: list[tuple[Subscription, str]] = []
    for each in subscriptions:
        try:
            source = _find_source(each)
        except ConfigError as error:
            left_out.append((each, str(error)))
            continue
        if (source.show or source.url) in known:
            left_out.append((each, ALREADY))
            continue
        known.add(source.show or source.url)
        added.append((each, source))
    names = find_free_names((make_name(each.title, "feed") for each, _ in added), list_taken_names(plans))
    additions = tuple(_make_addition(*each, name) for each, name in zip(added, names, strict=True))
    return Import(additions, tuple(each for each, _ in added), tuple(left_out))


def _find_source(subscription: Subscription) -> Source:
    """Return the source that an address names; raise ConfigError if that is no feed."""
    url = addresses.normalize(subscription.xml_url) if subscription.xml_url else ""
    source = registry.recognise(url)
    if source is None and subscription.problem:
        raise ConfigError(subscription.problem)
    return source or Source("feed", "feed", url=url)


def _make_addition(subscription: Subscription, source: Source, name: str) -> Addition:
    place = ("show", source.show) if source.show else ("url", source.url or "")
    return Addition(name, source.kind, (("kind", source.kind), place), subscription.title)


def read_polled(config: Config | None) -> dict[tuple[str, str], frozenset[str]]:
    """Return the addresses that each source of the config was polled at, without the one that is written there."""
    plans = config.plans if config else ()
    written = {(plan.name, each.name): each.url for plan in plans for each in plan.sources}
    with database.open_existing(config.state if config else None) as store:
        states = polls.read_poll_states(store, [plan.name for plan in plans]) if store else {}
    return {
        (feed, name): frozenset(each.url for each in states[feed, name]) - {url}
        for (feed, name), url in written.items()
        if (feed, name) in states
    }
