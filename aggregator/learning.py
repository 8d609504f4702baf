"""Learn from a feed the table that weighs evidence and the model of its sources' texts, and keep both.

They are kept in the store, so that the same store gives the same bytes, and learned again only when the feed has grown
by a good part: a table that changed with every episode would move items that did not change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from hashlib import blake2b

from msgspec.structs import replace

from aggregator.merger.blending import source_learning, source_model
from aggregator.merger.blending.boilerplate import HEAD, TAIL
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel
from aggregator.merger.matching import scoring
from aggregator.merger.reconciling.provenance import Weights, rank_entries
from aggregator.merger.reconciling.text_fields import texts_of
from aggregator.model.cluster import Cluster
from aggregator.model.feed import Plan
from aggregator.result import Learned
from aggregator.store import facts, records
from aggregator.store.database import Store
from aggregator.text.titles import affixes
from aggregator.text.titles.affixes import Template

_GROWTH = 1.2
"""By how much a feed must have grown to be learned from again: once in ten weekly episodes of a year-old show."""

_LEAST = 12
"""Entries or items below which nothing is learned again."""

_MOST_ITEMS = 120
"""Items whose texts are learned from: boilerplate that stands in one text of forty is still found."""

_MOST_REMARKS = 10
"""Boilerplate texts that the report quotes."""

_EDGES = f"{HEAD}{TAIL} "


def learn_match_table(
    store: Store, plan: Plan, size: int, fit: Callable[[], scoring.Table] = lambda: scoring.SHIPPED
) -> Learned:
    """Return the match table: as kept, or as ``fit`` makes it of the feed; ``size`` counts the entries."""
    return _read_kept(store, plan, facts.MATCH_TABLE, size) or Learned(size, fit().to_json())


def to_match_table(learned: Learned) -> scoring.Table:
    """Return the match table itself; levels that one of an earlier version lacks have their shipped weights."""
    return scoring.parse_table(learned.text)


def learn_source_model(store: Store, plan: Plan, clusters: Sequence[Cluster], weights: Weights) -> Learned:
    """Return the source model: as kept, or learned from titles and from texts that several sources give."""
    shared = [cluster for cluster in clusters if len({entry.source for entry in cluster.entries}) > 1]
    size = len(shared) + len(clusters)
    kept = _read_kept(store, plan, facts.SOURCE_MODEL, size)
    if kept is not None:
        return kept
    votes = (rank_entries(cluster.entries, weights) for cluster in _sample(shared))
    learned = source_learning.learn_sources(text for each in votes for text in texts_of(each))
    return Learned(size, source_model.to_json(replace(learned, template=_learn_template(clusters))))


def _sample(clusters: Sequence[Cluster]) -> Sequence[Cluster]:
    """Return the clusters to learn from, of many some that are spread evenly."""
    count = len(clusters)
    return clusters if count <= _MOST_ITEMS else [clusters[at * count // _MOST_ITEMS] for at in range(_MOST_ITEMS)]


def _learn_template(clusters: Sequence[Cluster]) -> Template:
    """Return what the show puts around the words of its titles, by what each source lists."""
    titles: defaultdict[str, list[str]] = defaultdict(list)
    for entry in (entry for cluster in clusters for entry in cluster.entries):
        titles[entry.source].append(entry.title)
    shows = {entry.show for cluster in clusters for entry in cluster.entries if entry.show}
    show = min(shows, key=lambda name: (len(name), name), default="")
    return affixes.learn_template([titles[source] for source in sorted(titles)], show)


def to_source_model(learned: Learned, plan: Plan) -> SourceModel:
    """Return the source model itself; without its boilerplate if the plan keeps that of every source."""
    model = source_model.from_json(learned.text)
    return replace(model, phrases=EMPTY_MODEL.phrases) if plan.keeps >= {each.name for each in plan.sources} else model


def digest_source_model(learned: Learned, plan: Plan) -> str:
    """Return the digest of the source model as the plan uses it."""
    return blake2b(f"{sorted(plan.keeps)} {learned.text}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def boilerplate_remarks(learned: Learned, plan: Plan) -> tuple[str, ...]:
    """Return one line for each text that was learned to be boilerplate, the longest first, with every number as #."""
    phrases = to_source_model(learned, plan).phrases
    texts = [phrase for phrase in phrases if phrase.startswith(HEAD) or phrase.endswith(TAIL)]
    longest = sorted(texts, key=lambda text: (-len(text), text))[:_MOST_REMARKS]
    return tuple(f"boilerplate, left out where another copy lacks it: {text.strip(_EDGES)}" for text in longest)


def _read_kept(store: Store, plan: Plan, name: str, size: int) -> Learned | None:
    """Return what was learned before, ``None`` if the feed has outgrown it."""
    kept = facts.read_fact(store, plan.name, name)
    if kept is None:
        return None
    learned = records.decode(Learned, kept.decode())
    return learned if size <= max(_GROWTH * learned.size, _LEAST) else None
