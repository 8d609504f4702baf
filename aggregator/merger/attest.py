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

from aggregator.merger.lore import NOTHING, Lore
from aggregator.model.item import Dissent, Provenance
from aggregator.model.sighting import Note, Sighting

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
    ``lore`` is what was learned of the sources' texts. ``superseded`` are ids of sightings that their own source has
    since replaced by others of the same item, ``ahead`` of those that were dated later than they were seen. ``since``
    says since when each sighting says what it says, and ``seniority`` puts sources in order, the lowest first: they
    decide between sources that are trusted alike. ``younger`` are ids of sightings that have to give way by that.
    """

    trust: Mapping[str, float] = field(default_factory=dict)
    repeated_links: frozenset[tuple[str, str]] = frozenset()
    keeps: frozenset[str] = frozenset()
    lore: Lore = NOTHING
    superseded: frozenset[str] = frozenset()
    ahead: frozenset[str] = frozenset()
    since: Mapping[str, datetime] = field(default_factory=dict)
    seniority: Mapping[str, int] = field(default_factory=dict)
    younger: frozenset[str] = frozenset()

    def of(self, sighting: Sighting) -> float:
        """The trust of a sighting's source; a source without one weighs half, what it has replaced a part of it."""
        return self.trust.get(sighting.source, 0.5) * (FORMER if sighting.id in self.superseded else 1.0)

    def of_text(self, sighting: Sighting) -> float:
        """The trust of a sighting's source where texts are read: of sources trusted alike the younger gives way."""
        return self.of(sighting) * (YOUNGER if sighting.id in self.younger else 1.0)


class Ballot(Struct, frozen=True):
    """The sightings of one cluster, the most trusted first, and what each source's word weighs."""

    witnesses: tuple[Sighting, ...]
    weights: Weights


def ballot(sightings: Sequence[Sighting], weights: Weights) -> Ballot:
    """The sightings in the order in which their word counts: by rank, then time (``docs/trust.md``).

    Of sources that are trusted alike, the one whose sighting has said the same for longer comes first, then the senior
    source.
    """
    superseded = _superseded(sightings)
    if superseded != weights.superseded:
        weights = replace(weights, superseded=superseded)

    def turn(sighting: Sighting) -> tuple[float, datetime, int, str, str]:
        since = weights.since.get(sighting.id, UNKNOWN)
        senior = weights.seniority.get(sighting.source, 0)
        return -weights.of(sighting), since, senior, sighting.source, sighting.key

    order = sorted(sightings, key=turn)
    if weights.since:
        tied = {after.id for before, after in pairwise(order) if weights.of(before) == weights.of(after)}
        weights = replace(weights, younger=frozenset(tied))
    return Ballot(tuple(order), weights)


def seniority(sightings: Sequence[Sighting], began: Mapping[str, datetime]) -> Mapping[str, int]:
    """Return the place of each source in an order that neither names nor later listings change, the lowest first.

    ``began`` is when each source was first heard; that decides, then how much it listed then. Sources that began
    together with as many entries are put in order by the digests of these. Empty where ``began`` is.
    """
    first: defaultdict[str, list[str]] = defaultdict(list)
    for sighting in sightings if began else ():
        if sighting.span.first == 1:
            first[sighting.source].append(sighting.key)

    def claim(source: str) -> tuple[datetime, int, bytes]:
        keys = sorted(first[source])
        lot = blake2b("\n".join(keys).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return began[source], -len(keys), lot

    return {source: place for place, source in enumerate(sorted(began, key=claim))}


def _superseded(sightings: Sequence[Sighting]) -> frozenset[str]:
    """The ids of sightings that vanished before another of the same source appeared in their place."""
    if len({sighting.source for sighting in sightings}) == len(sightings):
        return frozenset()
    return frozenset(
        old.id for old in sightings for new in sightings if old.source == new.source and old.span.last < new.span.first
    )


class Finding(NamedTuple):
    """What was found out of a field: the values of the Item that follow, by name, and how they came to be."""

    values: Mapping[str, object]
    origin: Provenance


def attest(
    name: str,
    witness: Sighting,
    votes: Ballot,
    value: Callable[[Sighting], str | None],
    agrees: Callable[[Sighting], bool],
) -> Provenance:
    """The provenance of a field: its confidence is the share of trust that agrees, of all that said something.

    ``value`` gives a sighting's own word as text, ``None`` where it said nothing; ``agrees`` is asked of those that
    said something.
    """
    heard = [
        (sighting, said, agrees(sighting)) for sighting in votes.witnesses if (said := value(sighting)) is not None
    ]
    agreeing = {sighting.source for sighting, _, agreed in heard if agreed} - {witness.source}
    dissent = {(sighting.source, said[:QUOTE]) for sighting, said, agreed in heard if not agreed}
    trust = sum(votes.weights.of(sighting) for sighting, _, _ in heard)
    agreed = sum(votes.weights.of(sighting) for sighting, _, agreed in heard if agreed)
    return Provenance(
        field=name,
        witness=witness.source,
        agreeing=tuple(sorted(agreeing)),
        dissent=tuple(Dissent(source, said) for source, said in sorted(dissent)),
        confidence=round(agreed / trust, 3) if trust else 1.0,
        notes=notes_on(name, witness),
    )


def notes_on(name: str, witness: Sighting) -> tuple[Note, ...]:
    """The repairs that the witness's own value of this field went through."""
    return tuple(note for note in witness.notes if note.field == name)
