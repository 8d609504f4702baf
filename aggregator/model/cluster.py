"""Cluster: sightings held to be one item, and the evidence that holds them."""

from __future__ import annotations

from typing import Literal

from aggregator.model.record import Record
from aggregator.model.sighting import Sighting

Verdict = Literal["same", "different"]


class Evidence(Record, frozen=True):
    """One named agreement or disagreement: both values as read, the level reached, its weight in natural log-odds."""

    name: str
    level: str
    left: str
    right: str
    weight: float


class Pair(Record, frozen=True):
    """Two sightings compared: the sum of the evidence (natural log-odds, prior included) and the veto, if any."""

    left: str
    right: str
    weight: float
    evidence: tuple[Evidence, ...] = ()
    veto: str | None = None


class Cluster(Record, frozen=True):
    """Sightings held to be one item, sorted by id, and the pairs that hold them."""

    sightings: tuple[Sighting, ...]
    pairs: tuple[Pair, ...] = ()


class Decision(Record, frozen=True):
    """What a person decided about two sightings or items, each named by sighting id or guid."""

    verdict: Verdict
    left: str
    right: str


class Matching(Record, frozen=True):
    """The answer of the match stage: every sighting in exactly one cluster, and the pairs a person should look at.

    ``table`` names the version of the weights; ``remarks`` say which caps were hit.
    """

    clusters: tuple[Cluster, ...]
    near_misses: tuple[Pair, ...] = ()
    table: str = ""
    remarks: tuple[str, ...] = ()
