"""Trace a field: the source of its value, which sources agree and differ, and the confidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel
from aggregator.model.entry import Entry, Note, Span
from aggregator.model.feed import Video
from aggregator.model.item import Dissent, Provenance

QUOTED = 200
"""Characters of a dissenting value that are kept."""

# Factor for an entry that its source has replaced by another of the same item: below any trust, so that it completes
# the present entry and contradicts no source.
_FORMER = 0.01

# Factor for the text of the younger of two sources that are trusted alike: as a directory beside a host (.5 beside .8),
# so that it restores lost words and changes none.
_YOUNGER = 0.6

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


class Weights(Struct, frozen=True):
    """Facts by which the values of sources are weighted.

    - ``trust``: of each source, 0 to 1.
    - ``repeated_links``: (source, link) pairs that several items of the source have.
    - ``keeps``: sources whose texts are never cut as boilerplate.
    - ``source_model``: what was learned of the sources' texts.
    - ``superseded``: ids of entries that their own source has replaced by another of the same item.
    - ``ahead``: ids of entries dated later than they were seen.
    - ``since``, ``seniority``: since when each entry has its content, and the order of sources, the lowest first: they
      decide between sources that are trusted alike.
    - ``younger``: ids of entries that come second by that.
    - ``lost``: ids of entries whose audio is replaced by another source's (``living_audio``).
    - ``video``: whether video is the file of an item (``only``, ``prefer``) or never (``no``); else audio comes first.
    """

    trust: Mapping[str, float] = field(default_factory=dict)
    repeated_links: frozenset[tuple[str, str]] = frozenset()
    keeps: frozenset[str] = frozenset()
    source_model: SourceModel = EMPTY_MODEL
    superseded: frozenset[str] = frozenset()
    ahead: frozenset[str] = frozenset()
    since: Mapping[str, datetime] = field(default_factory=dict)
    seniority: Mapping[str, int] = field(default_factory=dict)
    younger: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    video: Video | None = None

    def of(self, entry: Entry) -> float:
        """Return the trust of an entry's source, .5 for an unknown one, next to none for a superseded entry."""
        return self.of_source(entry) * (_FORMER if entry.id in self.superseded else 1.0)

    def of_source(self, entry: Entry) -> float:
        """Return the trust of an entry's source, .5 for an unknown one, also for a superseded entry."""
        return self.trust.get(entry.source, 0.5)

    def of_text(self, entry: Entry) -> float:
        """Return the weight of an entry's texts: of sources trusted alike the younger weighs less."""
        return self.of(entry) * (_YOUNGER if entry.id in self.younger else 1.0)


class RankedEntries(Struct, frozen=True):
    """The entries of one cluster, the most trusted first, and the weights of their sources."""

    entries: tuple[Entry, ...]
    weights: Weights

    @property
    def present(self) -> tuple[Entry, ...]:
        """Return the entries that their own source has not replaced by another of the same item."""
        return tuple(entry for entry in self.entries if entry.id not in self.weights.superseded)


def rank_entries(entries: Sequence[Entry], weights: Weights) -> RankedEntries:
    """Return the entries in the order in which they count: by trust, then time (``docs/trust.md``).

    Of equally trusted ones, the entry that has been unchanged for longer comes first, then the senior source.
    """
    superseded = _find_superseded(entries)
    if superseded != weights.superseded:
        weights = replace(weights, superseded=superseded)

    def rank(entry: Entry) -> tuple[float, datetime, int, str, str]:
        since = weights.since.get(entry.id, _UNKNOWN)
        seniority = weights.seniority.get(entry.source, 0)
        return -weights.of(entry), since, seniority, entry.source, entry.key

    order = sorted(entries, key=rank)
    if weights.since:
        tied = {after.id for before, after in pairwise(order) if weights.of(before) == weights.of(after)}
        weights = replace(weights, younger=frozenset(tied))
    return RankedEntries(tuple(order), weights)


def order_sources(entries: Sequence[Entry], began: Mapping[str, datetime]) -> Mapping[str, int]:
    """Return the place of each source in an order that neither names nor later listings change, the lowest first.

    ``began`` is when each source first answered; it decides, then whether it listed files then (a host does, a channel
    at a video site does not), then how many entries, then a digest of these. Empty if ``began`` is.
    """
    first: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries if began else ():
        if entry.span.first == 1:
            first[entry.source].append(entry)

    def rank(source: str) -> tuple[datetime, bool, int, bytes]:
        keys = sorted(entry.key for entry in first[source])
        has_files = any(entry.enclosure is not None for entry in first[source])
        digest = blake2b("\n".join(keys).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return began[source], not has_files, -len(keys), digest

    return {source: place for place, source in enumerate(sorted(began, key=rank))}


def _find_superseded(entries: Sequence[Entry]) -> frozenset[str]:
    """Return the ids of entries that vanished before another entry of their source appeared, or while one stayed.

    The latter stood in the place of an older entry for a while, as in a feed that was taken over and given back.
    """
    of_source: defaultdict[str, list[Span]] = defaultdict(list)
    for entry in entries:
        of_source[entry.source].append(entry.span)
    return frozenset(
        entry.id
        for entry in entries
        if any(
            entry.span.last < each.first or (each.first < entry.span.first and entry.span.last < each.last)
            for each in of_source[entry.source]
        )
    )


class ChosenValues(NamedTuple):
    """Values of one or more fields of an item, by name, and their provenance."""

    values: Mapping[str, object]
    origin: Provenance


def trace(
    name: str,
    origin: Entry,
    ranked: RankedEntries,
    value: Callable[[Entry], str | None],
    agrees: Callable[[Entry], bool],
) -> Provenance:
    """Return the provenance of a field; its confidence is the share of the trust of all with a value that agrees.

    ``value`` returns an entry's own value as text, ``None`` without one; ``agrees`` is called for those with one.
    """
    known = [
        (entry.source, own, agrees(entry), ranked.weights.of(entry))
        for entry in ranked.entries
        if (own := value(entry)) is not None
    ]
    agreeing = {source for source, _, agreed, _ in known if agreed} - {origin.source}
    dissent = {(source, own[:QUOTED]) for source, own, agreed, _ in known if not agreed}
    trust = sum(weight for *_, weight in known)
    trust_of_agreeing = sum(weight for *_, agreed, weight in known if agreed)
    return Provenance(
        field=name,
        source=origin.source,
        agreeing=tuple(sorted(agreeing)),
        dissent=tuple(Dissent(source, own) for source, own in sorted(dissent)),
        confidence=round(trust_of_agreeing / trust, 3) if trust else 1.0,
        notes=find_notes(name, origin),
    )


def find_notes(name: str, entry: Entry) -> tuple[Note, ...]:
    """Return the repairs of an entry's value of this field."""
    return tuple(note for note in entry.notes if note.field == name)
