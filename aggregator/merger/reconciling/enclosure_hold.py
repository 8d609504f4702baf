"""Hold back audio that moves to another host for many items at once, and warn.

A show that changes its host does this, and so does an attacker who took over a feed to replace its audio. The change is
accepted after a few refreshes: subscribers get the known audio until then, and a person has time to look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

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
    """The audio that is still published for one source, and for how many refreshes it has been held."""

    source: str
    refreshes: int = 0
    audio: tuple[_KnownAudio, ...] = ()


def find_audio(listings: Iterable[Listing | None]) -> Mapping[str, Enclosure]:
    """Return the audio in the listings of a source, by the key of the entry."""
    entries = (each for listing in listings if listing is not None for each in listing.entries)
    return {each.key: each.enclosure for each in entries if each.enclosure is not None}


def hold_audio(before: Mapping[str, Enclosure], after: Mapping[str, Enclosure], held: HeldAudio) -> HeldAudio:
    """Return the held audio of a source after a refresh; ``before`` and ``after`` are its audio by key.

    Audio is held if more than half of it, and at least ``LEAST``, changed its host at once, for ``_REFRESHES``.
    """
    if held.audio:
        over = held.refreshes + 1 >= _REFRESHES
        return HeldAudio(held.source) if over else replace(held, refreshes=held.refreshes + 1)
    shared = {key: audio for key, audio in after.items() if key in before}
    moved = {
        key: before[key]
        for key, audio in shared.items()
        if audio.url != before[key].url and _find_host(audio) != _find_host(before[key])
    }
    if len(moved) < LEAST or 2 * len(moved) <= len(shared):
        return HeldAudio(held.source)
    return HeldAudio(held.source, 1, tuple(_KnownAudio(key, moved[key]) for key in sorted(moved)))


def restore_held_audio(entries: Sequence[Entry], held: Iterable[HeldAudio]) -> tuple[Entry, ...]:
    """Return the entries with the known audio in place of audio that is held back."""
    known = {(each.source, one.key): one.audio for each in held for one in each.audio}
    if not known:
        return tuple(entries)
    return tuple(replace(entry, enclosure=known.get((entry.source, entry.key), entry.enclosure)) for entry in entries)


def describe_holds(held: Iterable[HeldAudio]) -> tuple[str, ...]:
    """Return one line for each source whose audio is held back."""
    return tuple(
        f"{each.source}: the audio of {len(each.audio)} items moved to another host at once; the known audio stands "
        f"until this has been so for {_REFRESHES} refreshes"
        for each in held
        if each.audio
    )


def _find_host(audio: Enclosure) -> str:
    """Return the host of the audio, without tracking prefixes."""
    return urls.bare_audio(audio.url).partition("/")[0]
