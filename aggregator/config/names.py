"""Make names of feeds and of sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from aggregator.config.scalars import LONGEST_NAME, RESERVED_NAMES
from aggregator.model.feed import Plan
from aggregator.text.fold import fold

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
    return [*RESERVED_NAMES, *(plan.name for plan in plans)]


def find_free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with the lowest number after it that makes it unused.

    >>> find_free_name("feed", {"feed", "feed-2"})
    'feed-3'
    """
    return next(find_free_names([name], taken))


def find_free_names(names: Iterable[str], taken: Iterable[str]) -> Iterator[str]:
    """Yield an unused name for each name: itself, or with the lowest number after it that makes it unused.

    >>> list(find_free_names(["feed", "news", "feed"], {"feed"}))
    ['feed-2', 'news', 'feed-3']
    """
    used, numbers = set(taken), dict[str, int]()
    for name in names:
        free = name
        while free in used:
            numbers[name] = numbers.get(name, 1) + 1
            ending = f"-{numbers[name]}"
            free = f"{name[: LONGEST_NAME - len(ending)]}{ending}"
        used.add(free)
        yield free
