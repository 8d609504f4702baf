"""Hold back audio that moves to another host for many items at once, and warn.

A show that changes its host does this, and so does an attacker who took over a feed to replace its audio. The change is
accepted after a few refreshes: subscribers get the known audio until then, and a person has time to look.

Entries are compared by key while a source is stored (:func:`hold_audio`). New keys may be new items, or known items
whose keys changed together with their audio: that shows when entries are matched (:func:`find_rekeyed`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from aggregator.model.cluster import Cluster
from aggregator.model.entry import Enclosure, Entry, Listing
from aggregator.text import urls

_REFRESHES = 3
"""Refreshes for which moved audio is held back; as for a shrunken listing (``fetchers.plausibility``)."""

LEAST = 5
"""Items that must change their host together; fewer may be edited by hand."""


class _KnownAudio(Struct, frozen=True):
    """The audio of one entry, by key, as it was before its source moved it."""

    key: str
    audio: Enclosure


class HeldAudio(Struct, frozen=True):
    """The audio that is still published for one source, and for how many refreshes it has been held.

    ``new`` are the keys of entries with audio that first came together in one of the last refreshes, each with how many
    refreshes ago. ``moved`` of the ``shared`` entries that were known before have audio on another host.
    """

    source: str
    refreshes: int = 0
    audio: tuple[_KnownAudio, ...] = ()
    new: tuple[tuple[str, int], ...] = ()
    moved: int = 0
    shared: int = 0


def find_audio(listings: Iterable[Listing | None]) -> Mapping[str, Enclosure]:
    """Return the audio in the listings of a source, by the key of the entry."""
    entries = (each for listing in listings if listing is not None for each in listing.entries)
    return {each.key: each.enclosure for each in entries if each.enclosure is not None}


def hold_audio(
    before: Mapping[str, Enclosure], after: Mapping[str, Enclosure], held: HeldAudio, *, is_known: bool
) -> HeldAudio:
    """Return the held audio of a source after a refresh; ``before`` and ``after`` are its audio by key.

    Audio is held if more than half of it, and at least ``LEAST``, changed its host at once, for ``_REFRESHES``.
    ``is_known`` is whether the source listed anything before.
    """
    shared = {key: audio for key, audio in after.items() if key in before}
    moved = {key: before[key] for key, audio in shared.items() if _is_moved(before[key], audio)}
    new = [(key, age + 1) for key, age in held.new if age + 1 < _REFRESHES]
    aged = {key for key, _ in held.new}
    arrived = [key for key in after if key not in before and key not in aged] if is_known else []
    if len(arrived) + len(moved) >= LEAST:
        new += [(key, 1) for key in arrived]
        counted = len(moved), len(shared)
    else:
        counted = (held.moved, held.shared) if new else (0, 0)
    refreshes, audio = held.refreshes + 1, held.audio
    if audio and refreshes >= _REFRESHES:
        refreshes, audio = 0, ()
    elif not audio:
        is_held = len(moved) >= LEAST and 2 * len(moved) > len(shared)
        audio = tuple(_KnownAudio(key, moved[key]) for key in sorted(moved)) if is_held else ()
        refreshes = 1 if is_held else 0
    return HeldAudio(held.source, refreshes, audio, tuple(sorted(new)), *counted)


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
    """Return the entries with the known audio in place of audio that is held back."""
    known = {(each.source, one.key): one.audio for each in held for one in each.audio}
    if not known:
        return tuple(entries)
    return tuple(replace(entry, enclosure=known.get((entry.source, entry.key), entry.enclosure)) for entry in entries)


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
