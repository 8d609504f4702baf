"""Add the subscriptions of an OPML list to the config, a feed for each, and name feeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from aggregator.config import edit
from aggregator.config.change import Addition
from aggregator.config.load import Config
from aggregator.config.scalars import LONGEST_NAME, RESERVED_NAME
from aggregator.fetchers import registry
from aggregator.model.feed import Plan
from aggregator.model.subscription import Subscription
from aggregator.text.fold import fold
from aggregator.text.urls import is_web

_NAME = re.compile(r"[^a-z0-9]+")
_APOSTROPHE = re.compile("['’]")


def make_name(text: str, otherwise: str) -> str:
    """Make a name for a folder or a source from a title; ``otherwise`` if nothing of it can be used.

    >>> (
    ...     make_name("Élan & Vital: the show!", "feed"),
    ...     make_name("The Baker’s Desk", "feed"),
    ...     make_name("日本", "feed"),
    ... )
    ('elan-vital-the-show', 'the-bakers-desk', 'feed')
    """
    return _NAME.sub("-", fold(_APOSTROPHE.sub("", text))).strip("-")[:LONGEST_NAME].rstrip("-") or otherwise


def list_taken_names(plans: Iterable[Plan]) -> list[str]:
    """Return the names that a new feed cannot have."""
    return [RESERVED_NAME, *(plan.name for plan in plans)]


def add(path: Path, subscriptions: Sequence[Subscription]) -> Sequence[Addition]:
    """Write those subscriptions into the config file that it lacks, and return them; raise ConfigError."""
    return edit.add(path, lambda config: list_new(config, subscriptions))


def list_new(config: Config | None, subscriptions: Sequence[Subscription]) -> tuple[Addition, ...]:
    """Return a feed with one source for each subscription whose URL is a web address that the config lacks."""
    plans = config.plans if config else ()
    known = {source.url for plan in plans for source in plan.sources}
    wanted = [each for each in subscriptions if each.xml_url not in known and is_web(each.xml_url)]
    names = edit.find_free_names((make_name(each.title, "feed") for each in wanted), list_taken_names(plans))
    return tuple(map(_make_addition, wanted, names))


def _make_addition(subscription: Subscription, name: str) -> Addition:
    source = registry.recognise(subscription.xml_url)
    keys = (("kind", source.kind if source and source.url else "feed"), ("url", subscription.xml_url))
    return Addition(name, keys[0][1], keys, subscription.title)
