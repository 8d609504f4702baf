"""Cluster: entries held to be one item, and the evidence that holds them."""

from __future__ import annotations

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


class Matching(Record, frozen=True):
    """The answer of the match stage: every entry in exactly one cluster, and the pairs a person should look at.

    ``table`` names the version of the weights; ``remarks`` say which caps were hit.
    """

    clusters: tuple[Cluster, ...]
    near_misses: tuple[Pair, ...] = ()
    table: str = ""
    remarks: tuple[str, ...] = ()
