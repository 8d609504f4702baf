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
from aggregator.model.entry import Enclosure, Entry, Tag
from aggregator.text import urls
from aggregator.translation.marks import N_

_REFRESHES = 3
"""Refreshes for which moved audio is held back; as for a shrunken listing (``fetchers.plausibility``)."""

LEAST = 5
"""Items that must change their host together; fewer may be edited by hand."""

_NOTED = 2
"""New or moved entries of one refresh that are noted: part of a change, perhaps. One is a new episode."""


class Audio(Struct, frozen=True):
    """The audio of an entry, and the hosts of other versions of it, such as ``podcast:alternateEnclosure``."""

    enclosure: Enclosure
    hosts: tuple[str, ...] = ()


class _MovedAudio(Struct, frozen=True):
    """The audio that an entry had before it moved, or went, and for how many refreshes that has been so.

    For audio that went it is 0 until the entry has audio again.
    """

    key: str
    audio: Audio
    refreshes: int


class HeldAudio(Struct, frozen=True):
    """The audio of one source that is still published, by entry.

    ``recent`` is audio that was there before and is not held: too little moved with it until now. ``new`` are the keys
    of entries with audio that first came together in one of the last refreshes, each with how many refreshes ago.
    ``moved`` of the ``shared`` entries that were known before have audio on another host.
    """

    source: str
    audio: tuple[_MovedAudio, ...] = ()
    new: tuple[tuple[str, int], ...] = ()
    moved: int = 0
    shared: int = 0
    recent: tuple[_MovedAudio, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to remember."""
        return not (self.audio or self.new or self.recent)


def find_audio(entry: Entry) -> Audio | None:
    """Return the audio of an entry, ``None`` if it has none."""
    if entry.enclosure is None:
        return None
    tags = [tag for tag in entry.tags if TAGS.get(tag.name) == "audio"]
    return Audio(entry.enclosure, tuple(sorted({_find_host(url) for tag in tags for url in _list_media(tag)})))


def _list_media(tag: Tag) -> Iterator[str]:
    """Yield the addresses of media in a tag, at any depth, but those of pictures."""
    attributes = dict(tag.attributes)
    is_picture = attributes.get("medium") == "image" or attributes.get("type", "").startswith("image/")
    if tag.name != "media:thumbnail" and not is_picture:
        yield from filter(urls.is_web, attributes.values())
        for child in tag.children:
            yield from _list_media(child)


def hold_audio(
    before: Mapping[str, Audio], after: Mapping[str, Audio | None], held: HeldAudio, *, is_known: bool
) -> HeldAudio:
    """Return the held audio of a source that answered; ``before`` is its stored audio by key, ``after`` the listed one.

    Audio is held if more than half of it, and at least ``LEAST``, changed its host in the last ``_REFRESHES``, for as
    many, or got other versions on another; new keys count as changed. What moves while other audio is held is held,
    too. ``is_known`` is whether the source listed anything before.
    """
    earlier = {**before, **{each.key: each.audio for each in held.recent}}
    present = {key: audio for key, audio in after.items() if audio is not None}
    shared = earlier.keys() & present.keys()
    moved = {key: earlier[key] for key in shared if _is_moved(earlier[key], present[key])}
    youngest = min((age + 1 for _, age in held.new), default=0)
    oldest = 2 * _REFRESHES - 1 if youngest < _REFRESHES else _REFRESHES  # what came in parts counts together
    new = [(key, age + 1) for key, age in held.new if age + 1 < oldest]
    aged = {key for key, _ in held.new}
    arrived = [key for key in present if key not in earlier and key not in aged] if is_known else []
    changed = len(moved) + len(arrived)
    counted = (held.moved, held.shared) if new else (0, 0)
    if changed >= _NOTED:
        new += [(key, 1) for key in arrived]
        counted = len(moved), len(shared)
    audio = [replace(each, refreshes=each.refreshes + 1) for each in held.audio if each.refreshes + 1 < _REFRESHES]
    if held.audio or (changed >= LEAST and 2 * changed > len(shared) + len(arrived)):
        known = {each.key for each in held.audio}
        audio += [_MovedAudio(key, moved[key], 1) for key in sorted(moved.keys() - known)]
        moved = {}
    return HeldAudio(
        held.source,
        tuple(audio),
        tuple(sorted(new)),
        *counted,
        recent=tuple(_note_recent(earlier, after, held, moved)),
    )


def _note_recent(
    earlier: Mapping[str, Audio],
    after: Mapping[str, Audio | None],
    held: HeldAudio,
    moved: Mapping[str, Audio],
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
    """Return, by source, the ids of the entries whose audio is held back: they had other keys and another host before.

    The same limits hold as for entries that keep their keys, counted by item.
    """
    new = {each.source: frozenset(key for key, _ in each.new) for each in held if each.new}
    found: dict[str, set[str]] = {source: set() for source in new}
    shared = dict.fromkeys(new, 0)
    for cluster in clusters if new else ():
        for source, keys in new.items():
            own = {each.id: (each, find_audio(each)) for each in cluster.entries if each.source == source}
            former = [audio for each, audio in own.values() if each.key not in keys and audio]
            present = {name: audio for name, (each, audio) in own.items() if each.key in keys and audio}
            shared[source] += bool(former and present)
            found[source] |= {name for name, audio in present.items() if any(_is_moved(one, audio) for one in former)}
    return {
        each.source: frozenset(found[each.source])
        for each in held
        if each.new
        and len(found[each.source]) + each.moved >= LEAST
        and 2 * (len(found[each.source]) + each.moved) > shared[each.source] + each.shared
    }


def restore_held_audio(entries: Sequence[Entry], held: Iterable[HeldAudio]) -> tuple[Entry, ...]:
    """Return the entries with the known audio in place of audio that is held back, and without new versions of it."""
    known = {(each.source, one.key): one.audio for each in held for one in each.audio}
    return tuple(
        replace(entry, enclosure=audio.enclosure, tags=tuple(_keep_known(entry.tags, audio)))
        if (audio := known.get((entry.source, entry.key)))
        else entry
        for entry in entries
    )


def _keep_known(tags: Iterable[Tag], audio: Audio) -> Iterator[Tag]:
    """Yield the tags without media on hosts where none of the audio was."""
    hosts = {_find_host(audio.enclosure.url), *audio.hosts}
    for tag in tags:
        if TAGS.get(tag.name) != "audio" or hosts.issuperset(map(_find_host, _list_media(tag))):
            yield tag


def describe_holds(held: Iterable[HeldAudio], rekeyed: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return one line for each source whose audio is held back; ``rekeyed`` are of :func:`find_rekeyed`."""
    counts = {each.source: len(each.audio) + len(rekeyed.get(each.source, ())) for each in held}
    return tuple(
        N_(
            f"{source}: the audio of {count} items moved to another host at once, or has other versions there; the "
            f"known audio stands until this has been so for {_REFRESHES} refreshes"
        )
        for source, count in counts.items()
        if count
    )


def _is_moved(before: Audio, after: Audio) -> bool:
    """Return whether the audio, or another version of it, is on a host where none was before."""
    if before == after:
        return False
    hosts = {_find_host(before.enclosure.url), *before.hosts}
    return _find_host(after.enclosure.url) != _find_host(before.enclosure.url) or not hosts.issuperset(after.hosts)


def _find_host(url: str) -> str:
    """Return the host of the audio, without tracking prefixes."""
    return urls.bare_audio(url).partition("/")[0]
