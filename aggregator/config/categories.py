"""Apple's podcast categories as the config names them."""

from __future__ import annotations

from aggregator.model.categories import CATEGORIES

BETWEEN = " > "

NAMES: tuple[str, ...] = tuple(
    name for top, below in CATEGORIES.items() for name in (top, *(f"{top}{BETWEEN}{sub}" for sub in below))
)


def path(name: str) -> tuple[str, ...]:
    """The category as a path, the way the feed nests it.

    >>> path("Society & Culture > Documentary")
    ('Society & Culture', 'Documentary')
    """
    return tuple(name.split(BETWEEN))
