"""How much of anything one entry may say: texts are cut, addresses and ids that are no such thing are left out.

Of 129 real feeds (November 2026) the longest title has 1,299 characters, the longest text 38,369, the longest guid
237, and no entry has more than 41 categories or 20 tags. What is longer is a mistake or an attack, and every stage
after reading would pay for it. An entry itself is never left out.
"""

from __future__ import annotations

import re
from hashlib import sha256

from msgspec.structs import replace

from aggregator.model.sighting import Listing, Show, Sighting, Tag

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
    sightings = tuple(map(_sighting, listing.sightings))
    show = _show(listing.show)
    shortened = sum(new is not old for new, old in zip(sightings, listing.sightings, strict=True))
    remarks = tuple(remark[:LONGEST] for remark in listing.remarks[:MOST])
    if shortened or show is not listing.show:
        remarks += (f"{shortened} entries say more than is taken" if shortened else "the show says more than is taken",)
    return replace(listing, sightings=sightings, show=show, remarks=remarks)


def _sighting(sighting: Sighting) -> Sighting:
    """The same sighting where nothing of it is too long."""
    texts = _too_long(sighting, TEXTS)
    changes: dict[str, object] = dict(texts)
    changes |= dict.fromkeys(name for name in WORDS if len(getattr(sighting, name) or "") > LONGEST)
    if len(sighting.key) > LONGEST:
        changes["key"] = f"{sighting.key[:100]}~{sha256(sighting.key.encode('utf-8', 'replace')).hexdigest()}"
    if sighting.enclosure is not None and len(sighting.enclosure.url) > LONGEST:
        changes["enclosure"] = None
    if len(sighting.ids) > MOST or any(len(value) > LONGEST for _, value in sighting.ids):
        changes["ids"] = tuple(pair for pair in sighting.ids[:MOST] if len(pair[1]) <= LONGEST)
    if len(sighting.categories) > MOST or any(len(each) > LONGEST for each in sighting.categories):
        changes["categories"] = tuple(each[:LONGEST] for each in sighting.categories[:MOST])
    if (tags := _tags(sighting.tags)) != sighting.tags:
        changes["tags"] = tags
    if any(len(texts.get(name, "")) == TEXTS[name] for name in ("description", "html")):
        changes["cut"] = True
    return replace(sighting, **changes) if changes else sighting


def _show(show: Show) -> Show:
    """The same show where nothing of it is too long."""
    changes: dict[str, object] = dict(_too_long(show, SHOW_TEXTS))
    changes |= dict.fromkeys(name for name in SHOW_WORDS if len(getattr(show, name) or "") > LONGEST)
    if len(show.categories) > MOST or any(len(word) > LONGEST for each in show.categories for word in each):
        changes["categories"] = tuple(tuple(word[:LONGEST] for word in each[:MOST]) for each in show.categories[:MOST])
    if (tags := _tags(show.tags)) != show.tags:
        changes["tags"] = tags
    return replace(show, **changes) if changes else show


def _too_long(record: Sighting | Show, most: dict[str, int]) -> dict[str, str]:
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
