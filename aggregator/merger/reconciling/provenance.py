"""Trace a field: which source its value is from, which agree, which differ, and how sure that makes it."""

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
from aggregator.model.entry import Entry, Note
from aggregator.model.item import Dissent, Provenance

# A dissenting value is quoted up to this many characters: enough to recognise, not a second copy of the text.
_QUOTE = 200

# What a source listed before it listed the item anew may complete its present entry and contradicts no other source:
# the weight is below that of any source, however little that is trusted.
_FORMER = 0.01

# A copy of a source that is trusted like another weighs less than that one by this: as much less as a directory beside
# a host (.5 beside .8), so that it completes what is lost and changes no word.
_YOUNGER = 0.6

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


class Weights(Struct, frozen=True):
    """Weights of the values of each source.

    ``trust`` is between 0 and 1. ``keeps`` are the sources of whose texts nothing is cut as boilerplate.
    ``repeated_links`` are (source, link) pairs that stand on several of its items. ``source_model`` is what was learned
    of the sources' texts. ``superseded`` are ids of entries that their own source has since replaced by others of the
    same item, ``ahead`` of those that were dated later than they were seen. ``since`` is since when each entry has its
    present content, and ``seniority`` puts sources in order, the lowest first: they decide between sources that are
    trusted alike. ``younger`` are ids of entries that have to give way by that. ``lost``
    are ids of entries whose audio gives way to another source's (``living_audio``).
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

    def of(self, entry: Entry) -> float:
        """Return the trust of an entry's source; one without trust weighs half, what it replaced little."""
        return self.trust.get(entry.source, 0.5) * (_FORMER if entry.id in self.superseded else 1.0)

    def of_text(self, entry: Entry) -> float:
        """Return the trust of an entry's source for its texts: of sources trusted alike the younger gives way."""
        return self.of(entry) * (_YOUNGER if entry.id in self.younger else 1.0)


class RankedEntries(Struct, frozen=True):
    """The entries of one cluster, the most trusted first, and how much each source weighs."""

    entries: tuple[Entry, ...]
    weights: Weights


def rank_entries(entries: Sequence[Entry], weights: Weights) -> RankedEntries:
    """Return the entries in the order in which they count: by rank, then time (``docs/trust.md``).

    Of sources that are trusted alike, the one whose entry has been unchanged for longer comes first, then the senior
    source.
    """
    superseded = _superseded(entries)
    if superseded != weights.superseded:
        weights = replace(weights, superseded=superseded)

    def turn(entry: Entry) -> tuple[float, datetime, int, str, str]:
        since = weights.since.get(entry.id, _UNKNOWN)
        senior = weights.seniority.get(entry.source, 0)
        return -weights.of(entry), since, senior, entry.source, entry.key

    order = sorted(entries, key=turn)
    if weights.since:
        tied = {after.id for before, after in pairwise(order) if weights.of(before) == weights.of(after)}
        weights = replace(weights, younger=frozenset(tied))
    return RankedEntries(tuple(order), weights)


def order_sources(entries: Sequence[Entry], began: Mapping[str, datetime]) -> Mapping[str, int]:
    """Return the place of each source in an order that neither names nor later listings change, the lowest first.

    ``began`` is when each source first answered; that decides, then how much it listed then. Sources that began
    together with as many entries are put in order by the digests of these. Empty where ``began`` is.
    """
    first: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries if began else ():
        if entry.span.first == 1:
            first[entry.source].append(entry.key)

    def claim(source: str) -> tuple[datetime, int, bytes]:
        keys = sorted(first[source])
        lot = blake2b("\n".join(keys).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return began[source], -len(keys), lot

    return {source: place for place, source in enumerate(sorted(began, key=claim))}


def _superseded(entries: Sequence[Entry]) -> frozenset[str]:
    """Return the ids of entries that vanished before another of the same source appeared in their place."""
    newest: dict[str, int] = {}
    for entry in entries:
        newest[entry.source] = max(newest.get(entry.source, 0), entry.span.first)
    return frozenset(entry.id for entry in entries if entry.span.last < newest[entry.source])


class Finding(NamedTuple):
    """The values of one or more fields of an Item, by name, and where they are from."""

    values: Mapping[str, object]
    origin: Provenance


def trace(
    name: str,
    origin: Entry,
    ranked: RankedEntries,
    value: Callable[[Entry], str | None],
    agrees: Callable[[Entry], bool],
) -> Provenance:
    """Return the provenance of a field; its confidence is the share of trust that agrees, of all with a value.

    ``value`` gives an entry's own value as text, ``None`` where it has none; ``agrees`` is called for those with one.
    """
    known = [(entry, own, agrees(entry)) for entry in ranked.entries if (own := value(entry)) is not None]
    agreeing = {entry.source for entry, _, agreed in known if agreed} - {origin.source}
    dissent = {(entry.source, own[:_QUOTE]) for entry, own, agreed in known if not agreed}
    trust = sum(ranked.weights.of(entry) for entry, _, _ in known)
    agreed = sum(ranked.weights.of(entry) for entry, _, agreed in known if agreed)
    return Provenance(
        field=name,
        source=origin.source,
        agreeing=tuple(sorted(agreeing)),
        dissent=tuple(Dissent(source, own) for source, own in sorted(dissent)),
        confidence=round(agreed / trust, 3) if trust else 1.0,
        notes=find_notes(name, origin),
    )


def find_notes(name: str, entry: Entry) -> tuple[Note, ...]:
    """Return the repairs that an entry's value of this field went through."""
    return tuple(note for note in entry.notes if note.field == name)
