"""Who gave a field its value, who said the same, who said otherwise, and how sure that makes it."""

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
QUOTE = 200


# Changes that any sound copy may need: they say nothing of how its source was transcribed.
HARMLESS = frozenset({"space", "blank", "entity", "tag", "invisible", "cut", "torn word"})

# What a source said before it listed the item anew may complete what it says now, and contradicts nobody: below any
# source's word, however little that is trusted.
FORMER = 0.01


# A copy of a source that is trusted like another weighs less than that one by this: as much less as a directory beside
# a host (.5 beside .8), so that it completes what is lost and changes no word.
YOUNGER = 0.6

UNKNOWN = datetime.min.replace(tzinfo=UTC)


class Weights(Struct, frozen=True):
    """What each source's word weighs.

    ``trust`` is between 0 and 1. ``keeps`` are the sources of whose texts nothing is cut as boilerplate.
    ``repeated_links`` are (source, link) pairs that stand on several of its items.
    ``lore`` is what was learned of the sources' texts. ``superseded`` are ids of entries that their own source has
    since replaced by others of the same item, ``ahead`` of those that were dated later than they were seen. ``since``
    says since when each entry says what it says, and ``seniority`` puts sources in order, the lowest first: they
    decide between sources that are trusted alike. ``younger`` are ids of entries that have to give way by that.
    """

    trust: Mapping[str, float] = field(default_factory=dict)
    repeated_links: frozenset[tuple[str, str]] = frozenset()
    keeps: frozenset[str] = frozenset()
    lore: SourceModel = EMPTY_MODEL
    superseded: frozenset[str] = frozenset()
    ahead: frozenset[str] = frozenset()
    since: Mapping[str, datetime] = field(default_factory=dict)
    seniority: Mapping[str, int] = field(default_factory=dict)
    younger: frozenset[str] = frozenset()

    def of(self, entry: Entry) -> float:
        """The trust of an entry's source; a source without one weighs half, what it has replaced a part of it."""
        return self.trust.get(entry.source, 0.5) * (FORMER if entry.id in self.superseded else 1.0)

    def of_text(self, entry: Entry) -> float:
        """The trust of an entry's source where texts are read: of sources trusted alike the younger gives way."""
        return self.of(entry) * (YOUNGER if entry.id in self.younger else 1.0)


class Ballot(Struct, frozen=True):
    """The entries of one cluster, the most trusted first, and what each source's word weighs."""

    witnesses: tuple[Entry, ...]
    weights: Weights


def ballot(entries: Sequence[Entry], weights: Weights) -> Ballot:
    """The entries in the order in which their word counts: by rank, then time (``docs/trust.md``).

    Of sources that are trusted alike, the one whose entry has said the same for longer comes first, then the senior
    source.
    """
    superseded = _superseded(entries)
    if superseded != weights.superseded:
        weights = replace(weights, superseded=superseded)

    def turn(entry: Entry) -> tuple[float, datetime, int, str, str]:
        since = weights.since.get(entry.id, UNKNOWN)
        senior = weights.seniority.get(entry.source, 0)
        return -weights.of(entry), since, senior, entry.source, entry.key

    order = sorted(entries, key=turn)
    if weights.since:
        tied = {after.id for before, after in pairwise(order) if weights.of(before) == weights.of(after)}
        weights = replace(weights, younger=frozenset(tied))
    return Ballot(tuple(order), weights)


def seniority(entries: Sequence[Entry], began: Mapping[str, datetime]) -> Mapping[str, int]:
    """Return the place of each source in an order that neither names nor later listings change, the lowest first.

    ``began`` is when each source was first heard; that decides, then how much it listed then. Sources that began
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
    """The ids of entries that vanished before another of the same source appeared in their place."""
    if len({entry.source for entry in entries}) == len(entries):
        return frozenset()
    return frozenset(
        old.id for old in entries for new in entries if old.source == new.source and old.span.last < new.span.first
    )


class Finding(NamedTuple):
    """What was found out of a field: the values of the Item that follow, by name, and how they came to be."""

    values: Mapping[str, object]
    origin: Provenance


def attest(
    name: str,
    witness: Entry,
    votes: Ballot,
    value: Callable[[Entry], str | None],
    agrees: Callable[[Entry], bool],
) -> Provenance:
    """The provenance of a field: its confidence is the share of trust that agrees, of all that said something.

    ``value`` gives an entry's own word as text, ``None`` where it said nothing; ``agrees`` is asked of those that
    said something.
    """
    heard = [(entry, said, agrees(entry)) for entry in votes.witnesses if (said := value(entry)) is not None]
    agreeing = {entry.source for entry, _, agreed in heard if agreed} - {witness.source}
    dissent = {(entry.source, said[:QUOTE]) for entry, said, agreed in heard if not agreed}
    trust = sum(votes.weights.of(entry) for entry, _, _ in heard)
    agreed = sum(votes.weights.of(entry) for entry, _, agreed in heard if agreed)
    return Provenance(
        field=name,
        witness=witness.source,
        agreeing=tuple(sorted(agreeing)),
        dissent=tuple(Dissent(source, said) for source, said in sorted(dissent)),
        confidence=round(agreed / trust, 3) if trust else 1.0,
        notes=notes_on(name, witness),
    )


def notes_on(name: str, witness: Entry) -> tuple[Note, ...]:
    """The repairs that the witness's own value of this field went through."""
    return tuple(note for note in witness.notes if note.field == name)
