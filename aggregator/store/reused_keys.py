"""A key that a source has used for another item before.

An entry is its content, not only its key. A source that puts another item under a known key would hide one of the two,
and one that does so on purpose would hide what others list: the new item would count as the old one, published long
ago. So under a key whose hard ids and title have both changed the new item is an entry with a name of its own, and the
old one stays, no longer listed. Hosts that move keep titles, hosts that edit titles keep audio or link, and a
placeholder that is filled keeps its date: all of them stay the same entry.
"""

from __future__ import annotations

from collections.abc import Container

from msgspec.structs import replace
from rapidfuzz import fuzz

from aggregator.model.entry import Entry
from aggregator.store.schema import mark
from aggregator.text.fold import fold
from aggregator.text.urls import bare_audio, canonical

_SAME_TITLE = 82.0
"""Similarity (0 to 100) of folded titles, words in any order and left out on one side, from which they are one title:
that of ``merger.reconciling.text_fields``."""

_RENAMED = "{} (entry {})"


def names_of_key(key: str, known: Container[str], listed: Container[str]) -> tuple[list[str], str]:
    """Return the names under which entries of a key are stored, the oldest first, and one that is free.

    ``known`` are the marks of all names stored, ``listed`` those of the keys listed now, which name other entries.
    """
    used, number = [key], 1
    while True:
        number += 1
        name = _RENAMED.format(key, number)
        if mark(name) in listed:
            continue
        if mark(name) not in known:
            return used, name
        used.append(name)


def rename(entry: Entry, name: str) -> Entry:
    """Return the entry under another name than its key, without the ids that are the key's."""
    guid = None if entry.guid == entry.key else entry.guid
    ids = tuple((scheme, value) for scheme, value in entry.ids if value != entry.key)
    return replace(entry, key=name, guid=guid, ids=ids, element=None)


def is_same_item(before: Entry, after: Entry) -> bool:
    """Return whether two entries of one key are one item: by title, date, text, or a hard id that is not the key.

    Entries without hard ids to compare are one item.
    """
    one, other = _ids_beside_key(before), _ids_beside_key(after)
    shared = one.keys() & other.keys()
    if not shared or any(one[scheme] == other[scheme] for scheme in shared):
        return True
    if before.published and after.published and before.published.at == after.published.at:
        return True
    if before.description and before.description == after.description:
        return True
    return fuzz.token_set_ratio(fold(before.title), fold(after.title)) >= _SAME_TITLE


def _ids_beside_key(entry: Entry) -> dict[str, str]:
    """Return the hard ids of an entry by scheme, without those that are its key."""
    found = dict(entry.ids)
    if entry.guid:
        found["guid"] = entry.guid
    if entry.link:
        found["link"] = canonical(entry.link)
    if entry.enclosure:
        found["audio"] = bare_audio(entry.enclosure.url)
    key = entry.key
    return {scheme: value for scheme, value in found.items() if value != key and value != canonical(key)}
