"""The evidence that a listing has a habit: so many of its entries show it, and nearly all that could."""

from __future__ import annotations

MIN_TITLES = 3
"""Entries of different titles, at least: two weekly titles of one page, or a title and its sequel, would be two."""

MIN_SERIES = 5
"""Entries that agree in what may agree by chance, as under one title, at least."""

NEARLY_ALL = 0.8
"""Share of the entries that could show it: the others may be damaged, or announcements between episodes."""

MAX_DELAY = 3
"""Days that time zones and the delay of a directory explain."""


def is_habit(shown: int, size: int) -> bool:
    """Return whether a listing has a habit that so many of some entries show."""
    return shown >= max(MIN_TITLES, NEARLY_ALL * size)
