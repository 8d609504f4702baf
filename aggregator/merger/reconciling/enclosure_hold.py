"""Hold back audio that moves to another host for many items at once, and warn.

A show that changes its host does this, and so does an attacker who took over a feed to replace its audio. The change is
accepted after a few refreshes: subscribers get the known audio until then, and a person has time to look.

Entries are compared by key while a source is stored (:func:`hold_audio`), also with what they had a few refreshes ago,
so that a change in parts counts as one. New keys may be new items, or known items whose keys changed together with
their audio: that shows when entries are matched (:func:`find_rekeyed`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.reconciling.supply import TAGS
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Enclosure, Entry, Listing
from aggregator.text import urls

_REFRESHES = 3
"""Refreshes for which moved audio is held back; as for a shrunken listing (``fetchers.plausibility``)."""

LEAST = 5
"""Items that must change their host together; fewer may be edited by hand."""

_NOTED = 2
"""New or moved entries of one refresh that are noted: part of a change, perhaps. One is a new episode."""


class _KnownAudio(Struct, frozen=True):
    """The audio of one entry, by key, as it was before its source moved it."""

    key: str
    audio: Enclosure


class _MovedAudio(Struct, frozen=True):
    """The audio that an entry had before it moved, or went, and for how many refreshes that has been so.

    For audio that went it is 0 until the entry has audio again.
    """

    key: str
    audio: Enclosure
    refreshes: int


class HeldAudio(Struct, frozen=True):
    """The audio that is still published for one source, and for how many refreshes it has been held.

    ``recent`` is audio that was there before and is not held: too little moved with it until now. ``new`` are the keys
    of entries with audio that first came together in one of the last refreshes, each with how many refreshes ago.
    ``moved`` of the ``shared`` entries that were known before have audio on another host.
    """

    source: str
    refreshes: int = 0
    audio: tuple[_KnownAudio, ...] = ()
    new: tuple[tuple[str, int], ...] = ()
    moved: int = 0
    shared: int = 0
    recent: tuple[_MovedAudio, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to remember."""
        return not (self.audio or self.new or self.recent)


def find_audio(listings: Iterable[Listing | None]) -> Mapping[str, Enclosure | None]:
    """Return the audio in the listings of a source, by the key of the entry; ``None`` for an entry without."""
    entries = (each for listing in listings if listing is not None for each in listing.entries)
    return {each.key: each.enclosure for each in entries}


def hold_audio(
    before: Mapping[str, Enclosure], after: Mapping[str, Enclosure | None], held: HeldAudio, *, is_known: bool
) -> HeldAudio:
    """Return the held audio of a source that answered; ``before`` is its stored audio by key, ``after`` the listed one.

    Audio is held if more than half of it, and at least ``LEAST``, changed its host in the last ``_REFRESHES``, for as
    many; new keys count as changed. ``is_known`` is whether the source listed anything before.
    """
    earlier = {**before, **{each.key: each.audio for each in held.recent}}
    present = {key: audio for key, audio in after.items() if audio is not None}
    shared = earlier.keys() & present.keys()
    moved = {key: earlier[key] for key in shared if _is_moved(earlier[key], present[key])}
    new = [(key, age + 1) for key, age in held.new if age + 1 < _REFRESHES]
    aged = {key for key, _ in held.new}
    arrived = [key for key in present if key not in earlier and key not in aged] if is_known else []
    changed = len(moved) + len(arrived)
    counted = (held.moved, held.shared) if new else (0, 0)
    if changed >= _NOTED:
        new += [(key, 1) for key in arrived]
        counted = len(moved), len(shared)
    refreshes, audio = held.refreshes + 1, {each.key: each.audio for each in held.audio}
    if audio and refreshes >= _REFRESHES:
        refreshes, audio, moved = 0, {}, {}
    elif audio or (moved and changed >= LEAST and 2 * changed > len(shared) + len(arrived)):
        refreshes, audio, moved = refreshes if audio else 1, moved | audio, {}
    else:
        refreshes = 0
    return HeldAudio(
        held.source,
        refreshes,
        tuple(_KnownAudio(key, audio[key]) for key in sorted(audio)),
        tuple(sorted(new)),
        *counted,
        recent=tuple(_note_recent(earlier, after, held, moved)),
    )


def _note_recent(
    earlier: Mapping[str, Enclosure],
    after: Mapping[str, Enclosure | None],
    held: HeldAudio,
    moved: Mapping[str, Enclosure],
) -> Iterator[_MovedAudio]:
    """Yield the audio that is not held and was there before, of entries that moved theirs lately or have none."""
    ages = {each.key: each.refreshes for each in held.recent}
    for key in sorted(earlier.keys() & {*ages, *after}):
        if key not in after:
            age = ages[key] + 1 if ages[key] else 0
        elif after[key] is None:
            age = 0
        elif key in moved:
            age = ages.get(key, 0) + 1
        else:
            continue
        if age < _REFRESHES:
            yield _MovedAudio(key, earlier[key], age)


def find_rekeyed(clusters: Iterable[Cluster], held: Iterable[HeldAudio]) -> Mapping[str, frozenset[str]]:
    """Return the ids of entries whose audio is held back by source: their items had other keys and another host before.

    The same limits hold as for entries that keep their keys, counted by item.
    """
    new = {each.source: frozenset(key for key, _ in each.new) for each in held if each.new}
    found: dict[str, set[str]] = {source: set() for source in new}
    shared = dict.fromkeys(new, 0)
    for cluster in clusters if new else ():
        for source, keys in new.items():
            own = [each for each in cluster.entries if each.source == source and each.enclosure is not None]
            former = [each.enclosure for each in own if each.key not in keys and each.enclosure]
            present = [each for each in own if each.key in keys]
            shared[source] += bool(former and present)
            found[source] |= {
                each.id for each in present if each.enclosure and any(_is_moved(one, each.enclosure) for one in former)
            }
    return {
        each.source: frozenset(found[each.source])
        for each in held
        if each.new
        and len(found[each.source]) + each.moved >= LEAST
        and 2 * (len(found[each.source]) + each.moved) > shared[each.source] + each.shared
    }


def restore_held_audio(entries: Sequence[Entry], held: Iterable[HeldAudio]) -> tuple[Entry, ...]:
    """Return the entries with the known audio in place of audio that is held back, and of other versions of that."""
    known = {(each.source, one.key): one.audio for each in held for one in each.audio}
    return tuple(
        replace(entry, enclosure=audio, tags=tuple(tag for tag in entry.tags if TAGS.get(tag.name) != "audio"))
        if (audio := known.get((entry.source, entry.key)))
        else entry
        for entry in entries
    )


def describe_holds(held: Iterable[HeldAudio], rekeyed: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return one line for each source whose audio is held back; ``rekeyed`` are of :func:`find_rekeyed`."""
    counts = {each.source: len(each.audio) + len(rekeyed.get(each.source, ())) for each in held}
    return tuple(
        f"{source}: the audio of {count} items moved to another host at once; the known audio stands "
        f"until this has been so for {_REFRESHES} refreshes"
        for source, count in counts.items()
        if count
    )


def _is_moved(before: Enclosure, after: Enclosure) -> bool:
    return after.url != before.url and _find_host(after) != _find_host(before)


def _find_host(audio: Enclosure) -> str:
    """Return the host of the audio, without tracking prefixes."""
    return urls.bare_audio(audio.url).partition("/")[0]
