"""Learn the model of a feed from its entries, and keep it until the feed has changed by a good part.

It is kept in the store, so that the same store gives the same bytes. A model that changed with every episode would move
items that did not change.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec.structs import asdict, replace

from aggregator.merger.blending import source_learning, source_model
from aggregator.merger.blending.boilerplate import HEAD, TAIL
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel
from aggregator.merger.matching.scoring import Table
from aggregator.merger.model import listings
from aggregator.merger.reconciling.provenance import Weights, rank_entries
from aggregator.merger.reconciling.text_fields import texts_of
from aggregator.model.cluster import Cluster, Matching
from aggregator.model.feed import Plan
from aggregator.model.feed_model import FeedModel
from aggregator.model.record import digest_value
from aggregator.text.titles import affixes
from aggregator.text.titles.affixes import Template
from aggregator.translation.marks import N_
from aggregator.version import digest_code

_GROWTH: Final = 1.05
"""By how much a feed must have grown to be learned from again: at each episode of a small one."""

_MOVED: Final = 0.2
"""Share of a listing that must have changed for that: its host has changed, or how it writes."""

_MOST_ITEMS = 120
"""Items whose texts are learned from: boilerplate that stands in one text of forty is still found."""

_MOST_REMARKS = 10
"""Boilerplate texts that the report quotes."""

_EDGES = f"{HEAD}{TAIL} "


CODE: Final = digest_code("merger", "model", "text")
"""Names the program that learned a model, or put a value into the cache: neither is used by another one."""


def is_outgrown(model: FeedModel, entries: Mapping[str, int], changed: Mapping[str, int]) -> bool:
    """Return whether a feed is to be learned from again.

    That is if a source has come or gone, if its entries grew by a twentieth, if a fifth of a listing is new or changed,
    or if another program learned the model. Given are the numbers of entries by source, and of those that have come or
    changed since it was learned.
    """
    before = {each.source: each.entries for each in model.listings}
    return (
        model.program != CODE
        or before.keys() != entries.keys()
        or sum(entries.values()) > _GROWTH * sum(before.values())
        or any(changed.get(source, 0) >= _MOVED * many for source, many in entries.items())
    )


def learn_texts(clusters: Sequence[Cluster], weights: Weights) -> SourceModel:
    """Return what the texts of several sources, and all titles, show of the sources."""
    shared = [cluster for cluster in clusters if len({entry.source for entry in cluster.entries}) > 1]
    count = len(shared)
    if count > _MOST_ITEMS:  # spread evenly
        shared = [shared[at * count // _MOST_ITEMS] for at in range(_MOST_ITEMS)]
    votes = (rank_entries(cluster.entries, weights) for cluster in shared)
    learned = source_learning.learn_sources(text for each in votes for text in texts_of(each))
    return replace(learned, template=_learn_template(clusters))


def _learn_template(clusters: Sequence[Cluster]) -> Template:
    """Return what the show puts around the words of its titles, by what each source lists."""
    titles: defaultdict[str, list[str]] = defaultdict(list)
    for entry in (entry for cluster in clusters for entry in cluster.entries):
        titles[entry.source].append(entry.title)
    shows = {entry.show for cluster in clusters for entry in cluster.entries if entry.show}
    show = min(shows, key=lambda name: (len(name), name), default="")
    return affixes.learn_template([titles[source] for source in sorted(titles)], show)


def make_model(
    now: datetime, table: Table, texts: SourceModel, matching: Matching, trust: Mapping[str, float]
) -> FeedModel:
    """Return the model of a feed that was learned from at a time."""
    return FeedModel(
        at=now,
        program=CODE,
        weights=table.to_json(),
        texts=source_model.to_json(texts),
        listings=listings.learn_listings(matching.clusters, texts),
        pairs=listings.learn_pairs(matching.clusters, trust),
        alignments=matching.alignments,
    )


def to_source_model(model: FeedModel, plan: Plan) -> SourceModel:
    """Return what was learned of texts; without boilerplate if the plan keeps that of every source."""
    texts = source_model.from_json(model.texts)
    return replace(texts, phrases=EMPTY_MODEL.phrases) if plan.keeps >= {each.name for each in plan.sources} else texts


def digest_source_model(model: FeedModel, plan: Plan) -> str:
    """Return the digest of what was learned of texts, as the plan uses it."""
    return digest_value((sorted(plan.keeps), model.texts))


def model_values(model: FeedModel) -> dict[str, object]:
    """Return a model for JSON, the weights of evidence and what was learned of texts with it."""
    return {**asdict(model), "weights": json.loads(model.weights), "texts": json.loads(model.texts)}


def boilerplate_remarks(model: FeedModel, plan: Plan) -> tuple[str, ...]:
    """Return one line for each text that was learned to be boilerplate, the longest first, with every number as #."""
    phrases = to_source_model(model, plan).phrases
    texts = [phrase for phrase in phrases if phrase.startswith(HEAD) or phrase.endswith(TAIL)]
    longest = sorted(texts, key=lambda text: (-len(text), text))[:_MOST_REMARKS]
    return tuple(N_(f"boilerplate, left out where another copy lacks it: {text.strip(_EDGES)}") for text in longest)
