"""What a feed has taught: the table that weighs evidence, and the lore of its sources' texts.

Both are kept in the store, so that the same store gives the same bytes, and learned anew only when the feed has
grown by a good part since: a table that moved with every episode would move items that nobody touched.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b

from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.blending import blend, source_model
from aggregator.merger.blending.boilerplate import HEAD, TAIL
from aggregator.merger.blending.source_model import EMPTY_MODEL, SourceModel
from aggregator.merger.matching import match, scoring
from aggregator.merger.reconciling.provenance import Weights, rank_entries
from aggregator.merger.reconciling.text_fields import texts_of
from aggregator.model.cluster import Cluster
from aggregator.model.feed import Plan
from aggregator.store import facts
from aggregator.store.database import Store
from aggregator.text.titles import affixes
from aggregator.text.titles.affixes import Template

TABLE, LORE = "match table", "text lore"
"""The facts under which both are kept, with how much they were learned from."""

GROWTH = 1.2
"""By how much a feed must have grown until it is learned from again: once in ten weekly episodes of a year-old show."""

SHOWN = 10
"""Runs of boilerplate that the report quotes."""

EDGES = f"{HEAD}{TAIL} "

LEAST_ITEMS = 12
"""Entries or items below which nothing is learned anew."""


class Learned(Struct, frozen=True):
    """Something learned, as JSON, and from how many entries or items."""

    size: int
    text: str


def table_of(store: Store, plan: Plan, size: int, pairs: match.Pairs | None = None) -> Learned:
    """The table of weights that was kept, or one fitted to the ``pairs`` of the feed as it is now.

    ``size`` counts its entries. Where nothing is compared the table is the shipped one.
    """
    before = _before(store, plan, TABLE, size)
    return before or Learned(size, (match.fit_table(pairs) if pairs else scoring.SHIPPED).to_json())


def lore_of(store: Store, plan: Plan, clusters: Sequence[Cluster], weights: Weights) -> Learned:
    """The lore that was kept, or what the feed teaches now: texts that several sources tell, and titles."""
    told = [cluster for cluster in clusters if len({entry.source for entry in cluster.entries}) > 1]
    size = len(told) + len(clusters)
    before = _before(store, plan, LORE, size)
    if before is not None:
        return before
    votes = (rank_entries(cluster.entries, weights) for cluster in told)
    learned = blend.learn_sources(text for each in votes for text in texts_of(each))
    return Learned(size, source_model.to_json(replace(learned, template=_template(clusters))))


def _template(clusters: Sequence[Cluster]) -> Template:
    """What the show puts round the words of its titles, by what each source lists."""
    listed: defaultdict[str, list[str]] = defaultdict(list)
    for entry in (entry for cluster in clusters for entry in cluster.entries):
        listed[entry.source].append(entry.title)
    shows = {entry.show for cluster in clusters for entry in cluster.entries if entry.show}
    return affixes.learn_template([listed[source] for source in sorted(listed)], min(shows, key=_shorter, default=""))


def _shorter(name: str) -> tuple[int, str]:
    return len(name), name


def as_table(learned: Learned) -> scoring.Table:
    """Return the table itself; one kept by an earlier version has the shipped weights for levels that it lacks."""
    return scoring.parse_table(learned.text, scoring.SHIPPED)


def version(learned: Learned) -> str:
    """The name of the table, for which the engine that compares need not be loaded."""
    return str(json.loads(learned.text)["version"])


def as_lore(learned: Learned, plan: Plan) -> SourceModel:
    """The lore itself; without its boilerplate where the plan keeps that."""
    known = source_model.from_json(learned.text)
    return replace(known, phrases=EMPTY_MODEL.phrases) if plan.keeps >= {each.name for each in plan.sources} else known


def remarks(learned: Learned, plan: Plan) -> tuple[str, ...]:
    """One line for each run of words that was learned to be boilerplate, the longest first, with every number as #."""
    runs = [phrase for phrase in as_lore(learned, plan).phrases if phrase.startswith(HEAD) or phrase.endswith(TAIL)]
    longest = sorted(runs, key=lambda run: (-len(run), run))[:SHOWN]
    return tuple(f"boilerplate, left out where another copy lacks it: {run.strip(EDGES)}" for run in longest)


def keep(store: Store, plan: Plan, weights: Learned, texts: Learned) -> None:
    """Keep both for the next run."""
    for name, learned in ((TABLE, weights), (LORE, texts)):
        facts.write_fact(store, plan.name, name, json.dumps([learned.size, learned.text]).encode())


def digest(learned: Learned, plan: Plan) -> str:
    """The digest of the lore as the plan takes it."""
    return blake2b(f"{sorted(plan.keeps)} {learned.text}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _before(store: Store, plan: Plan, name: str, size: int) -> Learned | None:
    """What was learned before, where the feed has not outgrown it."""
    said = facts.read_fact(store, plan.name, name)
    if said is None:
        return None
    learned = Learned(*json.loads(said))
    return learned if size <= max(GROWTH * learned.size, LEAST_ITEMS) else None
