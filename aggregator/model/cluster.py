"""Cluster: entries held to be one item, and the evidence that holds them."""

from __future__ import annotations

import math
import re
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

    - ``zones``: hours, of which the days of the one listing without times are; else the other has entries ``offset``
      seconds later, within a ``tolerance`` of seconds, or ``offset`` days later, without a tolerance.
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

    ``table`` names the version of the weights; ``remarks`` say which caps were hit. ``undecided`` are, by entry id, the
    sources of which the entry probably is an item, though nothing decides which one. ``alignments`` are those of the
    listings whose relation is decided.
    """

    clusters: tuple[Cluster, ...]
    near_misses: tuple[Pair, ...] = ()
    table: str = ""
    remarks: tuple[str, ...] = ()
    undecided: Mapping[str, tuple[str, ...]] = {}
    alignments: tuple[ListingAlignment, ...] = ()


_SURE = 0.999
_MOST_REASONS = 3
"""Pieces of evidence for a pair, and against it, that its line names."""

_EVIDENCE: Mapping[str, str] = {
    "id": "guid, audio or link",
    "names": "rare words of titles",
    "tag": "kind of episode",
    "digits": "numbers in the titles",
    "order": "place in the listings",
    "prior": "starting score",
    "alignment": "both listings as a whole",
    "weak title": "days apart",
    "relisted": "listed again",
    "competitor": "competing entry",
}
"""Evidence in words, by its name in ``scoring.LEVELS`` and ``explain``; other names are shown as they are."""

_COMPARISONS: Mapping[tuple[str, str], str] = {
    ("title", "begins the other"): "one begins with the other",
    ("title", "equal, more often"): "equal, frequent in a listing",
    ("title", "equal, 2 or 3 times"): "equal, 2 or 3 times in a listing",
    ("title", "equal, in a source once"): "equal, once in each listing",
    ("description", "above .9 of many words"): "above 90 % alike, many words",
    ("description", "a sentence of its own"): "same sentence that no other entry has",
    ("duration", "precise, more"): "further apart",
    ("duration", "minutes, more"): "further apart, in minutes",
    ("date", "31 days"): "up to 31 days apart",
    ("date", "a year"): "up to a year apart",
    ("date", "more"): "more than a year apart",
    ("digits", "one has more"): "one has more numbers",
    ("digits", "a code of its own"): "one has a model code",
    ("order", "elsewhere"): "between other entries",
    ("order", "between the same items"): "between the same entries",
    ("order", "one of few between the same items"): "one of few between the same entries",
    ("order", "alone between the same items"): "alone between the same entries",
    ("weak title", "other days, nothing else agrees"): "nothing else confirms the pair",
    ("relisted", "its source lists it again"): "by its own source",
}


def describe_evidence(name: str) -> str:
    """Describe which values a piece of evidence compares."""
    return _EVIDENCE.get(name, name)


def describe_level(name: str, level: str) -> str:
    """Describe how two values compare, from the names that matching uses.

    >>> (
    ...     describe_level("description", ".7 to .9"),
    ...     describe_level("duration", "minutes, 60 s"),
    ...     describe_level("date", "same day"),
    ... )
    ('70 to 90 % alike', 'within 60 s, in minutes', 'same day')
    """
    if name == "prior":
        return ""
    if words := _COMPARISONS.get((name, level)):
        return words
    if name == "duration":
        step, _, limit = level.partition(", ")
        return f"within {limit}{', in minutes' if step == 'minutes' else ''}"
    shares = re.sub(r"\.(\d+)", lambda found: f"{float(found[0]):.0%}".rstrip("%"), level)
    return level if shares == level else f"{shares} % alike"


def compute_likelihood(pair: Pair) -> float:
    """Return how likely two entries are one item by their evidence, without vetoes and decisions: 0 to 1."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, pair.weight))))


def _format_likelihood(pair: Pair) -> str:
    """Return the likelihood of a pair in percent, never as certain as 0 or 100.

    >>> _format_likelihood(Pair("a/1", "b/1", 9.2)), _format_likelihood(Pair("a/1", "b/1", 0.0))
    ('over 99.9 %', '50 %')
    """
    likelihood = compute_likelihood(pair)
    if likelihood > _SURE:
        return "over 99.9 %"
    return "under 0.1 %" if likelihood < 1 - _SURE else f"{100 * likelihood:.3g} %"


def _name(evidence: Evidence) -> str:
    return f"{describe_evidence(evidence.name)} ({describe_level(evidence.name, evidence.level)})"


def describe_pair(pair: Pair) -> str:
    """Return in one line how likely a pair is one item, what speaks for it, and what against, strongest first."""
    ranked = [one for one in sorted(pair.evidence, key=lambda one: -abs(one.weight)) if one.name != "prior"]
    told = {"for": [one for one in ranked if one.weight > 0], "against": [one for one in ranked if one.weight < 0]}
    reasons = [f"{word} {', '.join(map(_name, some[:_MOST_REASONS]))}" for word, some in told.items() if some]
    veto = [f"never merged: {pair.veto}"] if pair.veto else []
    return "; ".join((_format_likelihood(pair), *veto, *reasons))
