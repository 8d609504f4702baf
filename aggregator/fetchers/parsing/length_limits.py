"""How much of anything one entry may say: texts are cut, addresses and ids that are no such thing are left out.

Of 129 real feeds (November 2026) the longest title has 1,299 characters, the longest text 38,369, the longest guid
237, and no entry has more than 41 categories or 20 tags. What is longer is a mistake or an attack, and every stage
after reading would pay for it. An entry itself is never left out.
"""

from __future__ import annotations

import re
from hashlib import sha256

from msgspec.structs import replace

from aggregator.model.entry import Entry, Listing, Show, Tag

TEXTS = {"title": 4_000, "description": 200_000, "html": 200_000, "summary": 50_000, "author": 4_000, "show": 4_000}
"""Characters that are taken of each text: of three hours of transcript, all."""

LONGEST = 4_000
"""Characters of an address, id or word; longer ones are none. No browser takes 8,000 (``text.urls.LONGEST``)."""

MOST = 200
"""Categories, tags and further ids of one entry, remarks of one listing."""

EMBEDDED = re.compile(r"\bdata:[^\s\"'<>]{4000,}+")
"""A picture that stands in the text itself: where a text is too long, these go first, so that the words stay."""

LARGEST_TAG = 20_000
"""Characters of one tag with all that stands in it."""

WORDS = ("guid", "link", "image", "language", "number")
SHOW_TEXTS = {"title": 4_000, "description": 200_000, "author": 4_000, "copyright": 4_000}
SHOW_WORDS = ("link", "image", "language", "feed_url", "new_feed_url", "guid")


def measured(listing: Listing) -> Listing:
    """The listing with no more than is taken of anything, and a remark where something was left out."""
    entries = tuple(map(_entry, listing.entries))
    show = _show(listing.show)
    shortened = sum(new is not old for new, old in zip(entries, listing.entries, strict=True))
    remarks = tuple(remark[:LONGEST] for remark in listing.remarks[:MOST])
    if shortened or show is not listing.show:
        remarks += (f"{shortened} entries say more than is taken" if shortened else "the show says more than is taken",)
    return replace(listing, entries=entries, show=show, remarks=remarks)


def _entry(entry: Entry) -> Entry:
    """The same entry where nothing of it is too long."""
    texts = _too_long(entry, TEXTS)
    changes: dict[str, object] = dict(texts)
    changes |= dict.fromkeys(name for name in WORDS if len(getattr(entry, name) or "") > LONGEST)
    if len(entry.key) > LONGEST:
        changes["key"] = f"{entry.key[:100]}~{sha256(entry.key.encode('utf-8', 'replace')).hexdigest()}"
    if entry.enclosure is not None and len(entry.enclosure.url) > LONGEST:
        changes["enclosure"] = None
    if len(entry.ids) > MOST or any(len(value) > LONGEST for _, value in entry.ids):
        changes["ids"] = tuple(pair for pair in entry.ids[:MOST] if len(pair[1]) <= LONGEST)
    if len(entry.categories) > MOST or any(len(each) > LONGEST for each in entry.categories):
        changes["categories"] = tuple(each[:LONGEST] for each in entry.categories[:MOST])
    if (tags := _tags(entry.tags)) != entry.tags:
        changes["tags"] = tags
    if any(len(texts.get(name, "")) == TEXTS[name] for name in ("description", "html")):
        changes["cut"] = True
    return replace(entry, **changes) if changes else entry


def _show(show: Show) -> Show:
    """The same show where nothing of it is too long."""
    changes: dict[str, object] = dict(_too_long(show, SHOW_TEXTS))
    changes |= dict.fromkeys(name for name in SHOW_WORDS if len(getattr(show, name) or "") > LONGEST)
    if len(show.categories) > MOST or any(len(word) > LONGEST for each in show.categories for word in each):
        changes["categories"] = tuple(tuple(word[:LONGEST] for word in each[:MOST]) for each in show.categories[:MOST])
    if (tags := _tags(show.tags)) != show.tags:
        changes["tags"] = tags
    return replace(show, **changes) if changes else show


def _too_long(record: Entry | Show, most: dict[str, int]) -> dict[str, str]:
    """The texts of the record that are longer than is taken, cut."""
    found = ((name, getattr(record, name), longest) for name, longest in most.items())
    long = {name: (text, longest) for name, text, longest in found if text is not None and len(text) > longest}
    return {name: EMBEDDED.sub("", text)[:longest] for name, (text, longest) in long.items()}


def _tags(tags: tuple[Tag, ...]) -> tuple[Tag, ...]:
    """The first tags, without those that hold too much."""
    return tuple(tag for tag in tags[:MOST] if _size(tag) <= LARGEST_TAG)


def _size(tag: Tag) -> int:
    """The characters of a tag and of all in it."""
    said = sum(len(name) + len(value) for name, value in tag.attributes)
    return len(tag.name) + len(tag.text or "") + said + sum(map(_size, tag.children))
