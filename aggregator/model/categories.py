"""Apple's podcast categories, their names in the config, and what older or careless spellings of them mean.

The list is that of Apple Podcasts for Creators, "Apple Podcasts categories" (support page, read November 2026). The
old names are those that Apple's change of August 2019 replaced; directories still give them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

CATEGORIES: dict[str, tuple[str, ...]] = {
    "Arts": ("Books", "Design", "Fashion & Beauty", "Food", "Performing Arts", "Visual Arts"),
    "Business": ("Careers", "Entrepreneurship", "Investing", "Management", "Marketing", "Non-Profit"),
    "Comedy": ("Comedy Interviews", "Improv", "Stand-Up"),
    "Education": ("Courses", "How To", "Language Learning", "Self-Improvement"),
    "Fiction": ("Comedy Fiction", "Drama", "Science Fiction"),
    "Government": (),
    "Health & Fitness": ("Alternative Health", "Fitness", "Medicine", "Mental Health", "Nutrition", "Sexuality"),
    "History": (),
    "Kids & Family": ("Education for Kids", "Parenting", "Pets & Animals", "Stories for Kids"),
    "Leisure": (
        "Animation & Manga", "Automotive", "Aviation", "Crafts", "Games", "Hobbies", "Home & Garden", "Video Games",
    ),
    "Music": ("Music Commentary", "Music History", "Music Interviews"),
    "News": (
        "Business News", "Daily News", "Entertainment News", "News Commentary", "Politics", "Sports News",
        "Tech News",
    ),
    "Religion & Spirituality": ("Buddhism", "Christianity", "Hinduism", "Islam", "Judaism", "Religion", "Spirituality"),
    "Science": (
        "Astronomy", "Chemistry", "Earth Sciences", "Life Sciences", "Mathematics", "Natural Sciences", "Nature",
        "Physics", "Social Sciences",
    ),
    "Society & Culture": ("Documentary", "Personal Journals", "Philosophy", "Places & Travel", "Relationships"),
    "Sports": (
        "Baseball", "Basketball", "Cricket", "Fantasy Sports", "Football", "Golf", "Hockey", "Rugby", "Running",
        "Soccer", "Swimming", "Tennis", "Volleyball", "Wilderness", "Wrestling",
    ),
    "Technology": (),
    "True Crime": (),
    "TV & Film": ("After Shows", "Film History", "Film Interviews", "Film Reviews", "TV Reviews"),
}  # fmt: skip


# Apple's lists of 2005 and of 2012 to 2019, where they differ from today's (W3C feed validator, itunes.py); directories
# still take them.
FORMER: dict[str, tuple[str, ...]] = {
    "Arts": ("Literature",),
    "Arts & Entertainment": (
        "Architecture", "Design", "Entertainment", "Games", "Performing Arts", "Photography", "Poetry",
        "Science Fiction",
    ),
    "Audio Blogs": (),
    "Business": ("Business News", "Finance", "Management & Marketing", "News", "Shopping"),
    "Education": ("Education Technology", "Educational Technology", "Higher Education", "K-12", "Language Courses",
                  "Training"),
    "Family": (),
    "Food": (),
    "Games & Hobbies": ("Automotive", "Aviation", "Hobbies", "Other Games", "Video Games"),
    "Government & Organizations": ("Local", "National", "Non-Profit", "Regional"),
    "Health": (
        "Alternative Health", "Diet & Nutrition", "Fitness", "Fitness & Nutrition", "Relationships", "Self-Help",
        "Sexuality",
    ),
    "International": (
        "Australian", "Belgian", "Brazilian", "Canadian", "Chinese", "Dutch", "French", "German", "Hebrew", "Italian",
        "Japanese", "Norwegian", "Polish", "Portuguese", "Spanish", "Swedish",
    ),
    "Movies & Television": (),
    "News & Politics": (),
    "Politics": (),
    "Public Radio": (),
    "Religion & Spirituality": ("New Age", "Other", "Philosophy"),
    "Science & Medicine": ("Medicine", "Natural Sciences", "Social Sciences"),
    "Society & Culture": ("History",),
    "Sports & Recreation": ("Amateur", "College & High School", "Outdoor", "Professional"),
    "Talk Radio": (),
    "Technology": (
        "Computers", "Developers", "Gadgets", "Information Technology", "News", "Operating Systems", "Podcasting",
        "Smart Phones", "Software How-To", "Tech News", "Text/Speech",
    ),
    "Transportation": ("Automotive", "Aviation", "Bicycles", "Commuting"),
    "Travel": (),
}  # fmt: skip

_SEPARATOR = " > "

CATEGORY_NAMES: tuple[str, ...] = tuple(
    name for top, below in CATEGORIES.items() for name in (top, *(f"{top}{_SEPARATOR}{sub}" for sub in below))
)


def split_category(name: str) -> tuple[str, ...]:
    """Split a category's name in the config into its path.

    >>> split_category("Society & Culture > Documentary")
    ('Society & Culture', 'Documentary')
    """
    return tuple(name.split(_SEPARATOR))


# Names of before August 2019, and the place in today's list that Apple moved their shows to.
_OLD: dict[str, tuple[str, ...]] = {
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


def find_category(path: Sequence[str]) -> tuple[str, ...] | None:
    """Return a category in Apple's spelling; ``None`` if Apple has no such category.

    An unknown subcategory is dropped; a subcategory alone gets its parent.

    >>> find_category(("society and culture", "documentary"))
    ('Society & Culture', 'Documentary')
    >>> find_category(("Tech News",))
    ('News', 'Tech News')
    >>> find_category(("Gardening",)) is None
    True
    """
    names = [_fold(name) for name in path]
    if not names:
        return None
    top = _TOP.get(names[0])
    if top is None:
        return _SUB.get(names[0]) or _OLD.get(names[0])
    sub = next((found for name in names[1:] if (found := _SUB.get(name)) and found[0] == top), None)
    return sub or (top,)
