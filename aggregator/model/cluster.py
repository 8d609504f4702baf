"""Cluster: entries held to be one item, and the evidence that holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

from aggregator.model.entry import Entry
from aggregator.model.record import Record

Verdict = Literal["same", "different"]


class Evidence(Record, frozen=True):
    """One named agreement or disagreement: both values as read, the level reached, its weight in natural log-odds."""

    name: str
    level: str
    left: str
    right: str
    weight: float


class Pair(Record, frozen=True):
    """Two entries compared: the sum of the evidence (natural log-odds, prior included) and the veto, if any."""

    left: str
    right: str
    weight: float
    evidence: tuple[Evidence, ...] = ()
    veto: str | None = None


class Cluster(Record, frozen=True):
    """Entries held to be one item, sorted by id, and the pairs that hold them."""

    entries: tuple[Entry, ...]
    pairs: tuple[Pair, ...] = ()


class Decision(Record, frozen=True):
    """A person's decision about two entries or items, each named by entry id or guid."""

    verdict: Verdict
    left: str
    right: str


class ListingRelation(Record, frozen=True):
    """By what entries of one title in two listings are found to be the same item.

    - ``zones``: hours from UTC of the zones in which the days of the one listing, which has no times, may be.
    - ``offset``: without ``zones``, how much later the other has its entries: seconds, within a ``tolerance`` of
      seconds, or days, without a tolerance.
    - ``ahead``: by how much the numbers of the other are higher, ``None`` if they say nothing.
    - ``score``: natural log-odds, the prior cost included.
    """

    offset: float = 0.0
    tolerance: int = 0
    zones: tuple[int, ...] = ()
    ahead: int | None = None
    score: float = 0.0


class ListingAlignment(Record, frozen=True):
    """Two listings, by name, and the relations that are likely; ``rest`` is the score of all others together."""

    one: str
    other: str
    relations: tuple[ListingRelation, ...]
    rest: float


class Matching(Record, frozen=True):
    """The answer of the match stage: every entry in exactly one cluster, and the pairs a person should look at.

    ``table`` names the version of the weights; ``remarks`` say which caps were hit. ``undecided`` are, by entry id,
    sources that probably list the entry, too, though nothing decides which of their items it is. ``fileless`` are the
    sources without files that list the episodes of others. ``alignments`` are those of the listings whose relation is
    decided.
    """

    clusters: tuple[Cluster, ...]
    near_misses: tuple[Pair, ...] = ()
    table: str = ""
    remarks: tuple[str, ...] = ()
    undecided: Mapping[str, tuple[str, ...]] = {}
    fileless: frozenset[str] = frozenset()
    alignments: tuple[ListingAlignment, ...] = ()


def compute_likelihood(pair: Pair) -> float:
    """Return how likely two entries are one item by their evidence, without vetoes and decisions: 0 to 1."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, pair.weight))))
