"""What older or careless spellings of Apple's categories mean.

The old names are those that Apple's change of 2019 replaced; directories still give them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from aggregator.model.categories import CATEGORIES

# Names of before August 2019, and the place in today's list that Apple moved their shows to.
OLD: dict[str, tuple[str, ...]] = {
    "business news": ("News", "Business News"),
    "education technology": ("Education",),
    "fashion beauty": ("Arts", "Fashion & Beauty"),
    "gadgets": ("Technology",),
    "games hobbies": ("Leisure",),
    "government organizations": ("Government",),
    "health": ("Health & Fitness",),
    "higher education": ("Education", "Courses"),
    "investing": ("Business", "Investing"),
    "k 12": ("Education", "Courses"),
    "literature": ("Arts", "Books"),
    "management marketing": ("Business", "Management"),
    "natural sciences": ("Science", "Natural Sciences"),
    "news politics": ("News", "Politics"),
    "non profit": ("Business", "Non-Profit"),
    "other games": ("Leisure", "Games"),
    "podcasting": ("Technology",),
    "science medicine": ("Science",),
    "self help": ("Education", "Self-Improvement"),
    "software how to": ("Technology",),
    "sports recreation": ("Sports",),
    "tech news": ("News", "Tech News"),
}


def _fold(name: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", name.lower().replace("&amp;", " ").replace(" and ", " ")))


_TOP = {_fold(name): name for name in CATEGORIES}
_SUB = {_fold(sub): (top, sub) for top, subs in CATEGORIES.items() for sub in subs}


def place(path: Sequence[str]) -> tuple[str, ...] | None:
    """The path in Apple's own spelling, ``None`` where the list has no such category.

    An unknown subcategory is dropped, a subcategory on its own gets its parent.

    >>> place(("society and culture", "documentary"))
    ('Society & Culture', 'Documentary')
    >>> place(("Tech News",))
    ('News', 'Tech News')
    >>> place(("Gardening",)) is None
    True
    """
    names = [_fold(name) for name in path]
    if not names:
        return None
    top = _TOP.get(names[0])
    if top is None:
        return _SUB.get(names[0]) or OLD.get(names[0])
    sub = next((found for name in names[1:] if (found := _SUB.get(name)) and found[0] == top), None)
    return sub or (top,)


def places(paths: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    """The paths that Apple's list has, in the order given, each once."""
    found = (place(path) for path in paths)
    return tuple(dict.fromkeys(path for path in found if path))
