"""Keys of entries: unique within one listing, and the same again when the listing has grown."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from msgspec.structs import replace

from aggregator.model.entry import Entry, Moment
from aggregator.text.fold import fold
from aggregator.text.urls import bare_audio

TAIL = 8  # hex digits; a page would need 65,000 items under one key to expect one collision
LONGEST_TITLE = 120  # characters of a folded title; a key is also a line in reports


def titled(title: str, published: Moment | None = None) -> str:
    """The key of an entry that has no id: its folded title, and the day it was published where that is known.

    The day is for shows whose titles come again: without it next week's "Listener mail" would be taken for a change
    of this week's. A title that is all punctuation, or long, ends in its hash.

    >>> titled("TORCH_TRACE and tlparse")
    'torch-trace-and-tlparse'
    """
    key = fold(title).replace(" ", "-")
    if not 0 < len(key) <= LONGEST_TITLE:
        key = f"{key[:LONGEST_TITLE]}~{_digest(title)}"
    return key if published is None or published.precision == "year" else f"{key}@{published.at:%Y-%m-%d}"


def unique(entries: Iterable[Entry]) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """The entries under unique keys, equal ones once, with a remark for each key that stood more than once.

    Of several under one key the oldest keeps it (by date, else the last listed: listings are newest first), so that
    an entry that comes later changes no key; the others get a tail made of what they say. A guid that entries of
    different title and audio share is no identity and is taken off them.
    """
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.key, []).append(entry)
    found: list[Entry] = []
    remarks: list[str] = []
    for key, group in groups.items():
        kept = _distinct(group)
        found += kept
        if len(group) > 1:
            remarks.append(f"{len(group)} entries under one key, {len(kept)} kept: {key}")
    return tuple(sorted(found, key=lambda entry: entry.position)), tuple(remarks)


def _distinct(group: list[Entry]) -> list[Entry]:
    if len(group) == 1:
        return group
    oldest_first = sorted(group, key=_age)
    keeper, taken = oldest_first[0], {_said(oldest_first[0])}
    kept = [keeper]
    for entry in oldest_first[1:]:
        said = _said(entry)
        if said in taken:
            continue
        taken.add(said)
        guid = entry.guid if _alike(keeper, entry) else None
        kept.append(replace(entry, key=f"{entry.key}#{_digest(said)}", guid=guid))
    return kept


def _age(entry: Entry) -> tuple[float, int]:
    return (entry.published.at.timestamp() if entry.published else 0.0, -entry.position)


def _said(entry: Entry) -> str:
    audio = bare_audio(entry.enclosure.url) if entry.enclosure else ""
    when = entry.published.at.isoformat() if entry.published else ""
    return "\n".join((entry.title, entry.link or "", audio, when, entry.show or ""))


def _alike(one: Entry, two: Entry) -> bool:
    """Whether two entries under one guid may be one item: title or audio says so."""
    if one.enclosure and two.enclosure and bare_audio(one.enclosure.url) == bare_audio(two.enclosure.url):
        return True
    return fold(one.title) == fold(two.title)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=TAIL // 2).hexdigest()
