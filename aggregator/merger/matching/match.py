"""Match entries: which of them are the same item, and the evidence for it.

The steps are those of record linkage: records in a table of features, candidate pairs, levels of agreement, weights
(natural log-odds, Fellegi and Sunter 1969), clusters. ``docs/matching.md`` has the method, the measured tables and what
was dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from aggregator.merger.matching.adjustments import (
    credit_relisted,
    find_redated,
    penalize_competitors,
    penalize_later_editions,
    penalize_weak_titles,
)
from aggregator.merger.matching.alignment.align import DECIDED, align
from aggregator.merger.matching.alignment.listings import number_eras
from aggregator.merger.matching.blocking import find_candidates
from aggregator.merger.matching.clustering import Rules, cluster, find_components
from aggregator.merger.matching.comparison import (
    BESIDE,
    OTHER_SHOW,
    PARTED,
    POSTED,
    compare_alone,
    find_other_short_titles,
    find_vetoes,
    forgive_parts_of_one_text,
)
from aggregator.merger.matching.constraints import (
    are_beside,
    find_decided,
    find_mergeable,
    find_split,
    group_published,
    keeps_published,
    make_rules,
)
from aggregator.merger.matching.em import fit
from aggregator.merger.matching.evidence.date import DateLevel
from aggregator.merger.matching.evidence.levels import Level, Levels, is_one_of
from aggregator.merger.matching.evidence.number import DigitsLevel, NumberLevel
from aggregator.merger.matching.evidence.place import PlaceLevel
from aggregator.merger.matching.evidence.title import TitleLevel
from aggregator.merger.matching.explain import Resolution, explain_pairs
from aggregator.merger.matching.features.feature_table import build_frame
from aggregator.merger.matching.features.frame import OUTDATED, Frame, Kept
from aggregator.merger.matching.features.records import Record, make_record
from aggregator.merger.matching.features.token_bags import Bools, Floats, Ints, number_combinations
from aggregator.merger.matching.genres import decide_genres, find_fileless
from aggregator.merger.matching.kept_levels import find_kept, keep_levels, key_rows
from aggregator.merger.matching.listing_evidence import (
    correct_dates,
    find_order,
    find_same_recordings,
    forget_translated_words,
)
from aggregator.merger.matching.same_titles import compare_same_titles
from aggregator.merger.matching.scoring import KINDS, SHIPPED, UNSEEN, Compared, Table, weigh
from aggregator.model.cluster import Cluster, Decision, ListingAlignment, Matching, Pair
from aggregator.model.entry import Entry
from aggregator.translation.marks import N_

THRESHOLD = 1.0
"""The least sum of evidence that merges two records, in natural log-odds."""

NEAR_MISS = -3.0
"""Natural log-odds from which a pair that was not merged is shown to a person."""
_SHOWN = 200  # near misses that are shown
_PROBABLY = 0.5  # probability that an entry is an item of another listing, whichever it is
_NO_PINS: Mapping[str, str] = MappingProxyType({})
_NEVER_SEEN: Mapping[str, datetime] = MappingProxyType({})


class Pairs(Struct, frozen=True):
    """The records of a run with their compared pairs, vetoes, and the number of blocks that were too large.

    ``kept`` is to be kept for the next run, ``None`` if it is what the last one kept. ``alignments`` are those that
    were learned of the feed (``Matching``).
    """

    frame: Frame
    compared: Compared
    vetoes: Ints
    capped: int
    kept: Kept | None = None
    alignments: Sequence[ListingAlignment] = ()


def match(
    entries: Sequence[Entry],
    *,
    decisions: Sequence[Decision] = (),
    pins: Mapping[str, str] = _NO_PINS,
    table: Table | None = None,
    pairs: Pairs | None = None,
) -> Matching:
    """Return clusters with every entry in exactly one, and the near misses, which a person should look at.

    ``pins`` maps entry ids to the guid under which they were published: they stay together. Without a ``table`` the
    shipped one is fitted to the run if that is large enough. ``pairs`` is the result of ``compare_entries`` if
    the caller has it. The order of the entries does not matter.
    """
    named = {entry.id: entry for entry in entries}
    found = _resolve(pairs or compare_entries(list(named.values())), table, decisions, pins)
    home = _number_groups(found)
    inside = _explain_inside(found, home)
    ranked = _rank_near_misses(found, home, find_decided(found.frame, decisions, pins)[1])
    remarks = [N_(f"match: {found.capped} blocks of more than 80 entries were not compared")] if found.capped else []
    if len(ranked) > _SHOWN:
        count = len(ranked) - _SHOWN
        remarks.append(N_(f"match: {count} more near misses are not shown"))
    clusters = tuple(
        Cluster(tuple(named[found.frame.records[row].id] for row in group), tuple(inside[number]))
        for number, group in enumerate(found.groups)
    )
    near_misses = tuple(explain_pairs(found, ranked[:_SHOWN]))
    return Matching(
        clusters,
        near_misses,
        found.table.version,
        tuple(remarks),
        undecided=_find_undecided(found, home),
        fileless=find_fileless(found.frame),
        alignments=found.alignments,
    )


def match_records(
    records: Sequence[Record],
    table: Table | None = None,
    *,
    pins: Mapping[str, str] = _NO_PINS,
    threshold: float = THRESHOLD,
) -> Resolution:
    """Return the groups of records of any kind; ``table`` and ``pins`` as for ``match``."""
    return _resolve(compare_records(records), table, (), pins, threshold)


def cluster_single_source(
    entries: Sequence[Entry], decisions: Sequence[Decision], pins: Mapping[str, str]
) -> tuple[Cluster, ...] | None:
    """Return each entry as a cluster if there is only one source and no two entries can be one; else ``None``.

    Two entries of one listing are two items, unless the source lists one twice, or they were published or decided to be
    one. Without comparing them, 20,000 items take half of the memory and a tenth of the time. ``decisions`` and
    ``pins`` are those of ``match``.
    """
    if len({each.source for each in entries}) != 1 or any(decision.verdict == "same" for decision in decisions):
        return None
    latest, earliest = max(each.span.first for each in entries), min(each.span.last for each in entries)
    published = [pins[each.id] for each in entries if each.id in pins]
    if latest > earliest or len(set(published)) < len(published) or _may_be_twins(entries):
        return None
    return tuple(Cluster((each,)) for each in sorted(entries, key=lambda each: each.id))


def _may_be_twins(entries: Sequence[Entry]) -> bool:
    """Return whether two of one title have an id or a time in common (``constraints.find_twins``)."""
    counts = Counter(each.title for each in entries)
    known: set[tuple[str, object]] = set()
    for each in (each for each in entries if counts[each.title] > 1):
        own = {(each.title, value) for value in (*make_record(each).ids, each.published and each.published.at)}
        own -= {(each.title, None)}
        if not known.isdisjoint(own):
            return True
        known |= own
    return False


def compare_entries(
    entries: Sequence[Entry],
    assuming: Collection[str] = (),
    seen: Mapping[str, datetime] = _NEVER_SEEN,
    fresh: Collection[str] = (),
    kept: Kept | None = None,
) -> Pairs:
    """Return the candidate pairs of entries, compared but not weighed.

    ``assuming`` is as in `make_record`; ``seen`` is when each entry was first seen, by its id. ``fresh`` are the ids of
    those that came since the feed was learned from. ``kept`` is what the last run kept; with ``None``
    nothing is kept.
    """
    records = [make_record(entry, assuming, seen.get(entry.id), fresh=entry.id in fresh) for entry in entries]
    return compare_records(records, kept)


def compare_records(records: Sequence[Record], kept: Kept | None = None) -> Pairs:
    """Return the candidate pairs of records, compared but not weighed; ``kept`` as in ``compare_entries``."""
    frame = build_frame(records, kept)
    left, right, capped = find_candidates(frame)
    if kept is None or frame.kept is None:
        levels, keep = compare_alone(frame, left, right), None
    else:
        levels, keep = _compare_new(frame, left, right, replace(frame.kept, levels=kept.levels))
        keep = None if keep == kept else keep
    compared = forgive_parts_of_one_text(frame, Compared(left, right, levels))
    frame = replace(frame, kind=decide_genres(frame, compared))
    return Pairs(frame, compared, find_vetoes(frame, compared), capped, keep)


def part_shows(pairs: Pairs, shows: Mapping[str, str]) -> Pairs:
    """Return the pairs with a veto on those of two shows; ``shows`` names the show of each entry, by its id."""
    names = np.array([shows[record.id] for record in pairs.frame.records])
    apart = names[pairs.compared.left] != names[pairs.compared.right]
    return replace(pairs, vetoes=np.where(apart, OTHER_SHOW, pairs.vetoes))


def _compare_new(frame: Frame, left: Ints, right: Ints, kept: Kept) -> tuple[Levels, Kept]:
    """Return the levels of all pairs, and what is to be kept; only new pairs are compared."""
    keys = key_rows(frame)
    levels = np.zeros((len(left), len(KINDS)), dtype=np.int8)
    known, levels_before = find_kept(kept.levels, keys, left, right)
    levels[known] = levels_before
    levels[~known] = compare_alone(frame, left[~known], right[~known])
    is_outdated = np.count_nonzero(~known) > OUTDATED * len(known)
    return levels, replace(kept, levels=keep_levels(keys, left, right, levels)) if is_outdated else kept


def fit_table(pairs: Pairs) -> Table:
    """Return the shipped table, fitted to the pairs if they are enough."""
    return fit(pairs.frame, pairs.compared, pairs.vetoes, SHIPPED)


def _resolve(
    pairs: Pairs,
    table: Table | None,
    decisions: Sequence[Decision],
    pins: Mapping[str, str],
    threshold: float = THRESHOLD,
) -> Resolution:
    """Return the groups of records that are one item each.

    These are the clusters by the weights alone if they agree with the published guids; else the pins hold, except for
    entries that are split off.
    """
    table = fit_table(pairs) if table is None else table
    frame = pairs.frame
    free = _weigh_and_group(
        pairs, table, make_rules(frame, decisions, pins, pins), threshold, group_published(frame, pins)
    )
    if keeps_published(frame, pins, free.groups):
        return free
    loose = find_split(frame, pins, free.groups, (free.compared, free.weights + free.competition))
    rules = make_rules(frame, decisions, pins, loose)
    translated = (pairs.compared.of(TitleLevel) > 0) & (free.compared.of(TitleLevel) == 0)
    mergeable = find_mergeable(frame, rules.guid, free.groups, (free.compared, translated))
    return _weigh_and_group(pairs, table, replace(rules, alike=mergeable), threshold)


def _weigh_and_group(
    pairs: Pairs, table: Table, rules: Rules, threshold: float, known: Iterable[tuple[int, ...]] = ()
) -> Resolution:
    """Return the groups by all evidence; ``known`` are further groups of rows known to be one."""
    found = _weigh_all(pairs, table, rules, known)
    return replace(found, groups=_group(found, rules, threshold))


def _weigh_all(pairs: Pairs, table: Table, rules: Rules, known: Iterable[tuple[int, ...]]) -> Resolution:
    """Return the weighed pairs without groups; the order of the listings comes last, as it needs all other evidence."""
    frame, vetoes = pairs.frame, pairs.vetoes
    compared = forget_translated_words(frame, pairs.compared, vetoes)
    groups = *rules.groups, *known
    alignment = align(frame, compared, table, _find_known_before(frame, groups), pairs.alignments)
    compared = _forget_numbers(compared, alignment.counted_otherwise)
    first = weigh(table, compared.levels) + alignment.gain
    dates, own = correct_dates(frame, compared, table, first, vetoes)
    redated = find_redated(frame, compared, number_eras(frame))
    dates = np.where(alignment.met, DateLevel.SAME_DAY, dates)
    compared = _set_levels(compared, DateLevel, np.where(alignment.anew | redated, 0, dates))
    series = compare_same_titles(frame, compared)
    series = np.where(alignment.judged, 0, series)
    compared = _set_levels(compared, PlaceLevel, series)
    adjustments = np.where(alignment.judged, 0, penalize_weak_titles(compared, table, own))
    adjustments += credit_relisted(frame, compared, table, number_combinations(frame.source, frame.first), redated)
    later = penalize_later_editions(frame, compared, np.array(find_components(len(frame.records), groups)))
    adjustments = np.where((later < 0) & ~(alignment.met | alignment.anew | redated), later, adjustments)
    weights = weigh(table, compared.levels) + adjustments + alignment.gain
    competition = _find_competition(frame, compared, weights, vetoes, rules)
    order = find_order(frame, compared, table, weights + competition, vetoes)
    # Next week's item of one title stands beside this week's.
    beside = (adjustments < 0) | find_other_short_titles(frame, compared)
    order[beside & (order != PlaceLevel.ELSEWHERE)] = 0
    order = np.where((series > 0) | (alignment.judged & (alignment.gain < 0)), series, order)
    if order.any():
        compared = _set_levels(compared, PlaceLevel, order)
        weights = weigh(table, compared.levels) + adjustments + alignment.gain
        competition = _find_competition(frame, compared, weights, vetoes, rules)
    weighed = weights, adjustments, alignment.gain, competition, alignment.possible
    return Resolution(frame, compared, *weighed, vetoes, (), table, pairs.capped, alignment.learned)


def _find_known_before(frame: Frame, known: Iterable[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    """Yield the rows known to be one of entries that are not new in the newest listing of their source.

    What a run has joined itself is no evidence for its next one: the same store gives the same items.
    """
    newest = np.zeros(int(frame.source.max(initial=0)) + 1, dtype=np.int64)
    np.maximum.at(newest, frame.source, frame.last)
    for group in known:
        rows = tuple(row for row in group if frame.first[row] < newest[frame.source[row]])
        if len(rows) > 1:
            yield rows


def _forget_numbers(compared: Compared, some: Bools) -> Compared:
    """Return some pairs without evidence of numbers, and equal titles as often repeated ones."""
    forgotten = replace(compared, levels=compared.levels.copy())
    for kind, level in ((NumberLevel, 0), (DigitsLevel, 0), (TitleLevel, TitleLevel.OFTEN)):
        forgotten.of(kind)[some] = level
    return forgotten


def _set_levels(compared: Compared, kind: type[Level], levels: Ints) -> Compared:
    """Return the pairs with the levels of one kind of evidence replaced."""
    changed = replace(compared, levels=compared.levels.copy())
    changed.of(kind)[:] = levels
    return changed


def _find_competition(frame: Frame, compared: Compared, weights: Floats, vetoes: Ints, rules: Rules) -> Floats:
    """Return what competing candidates take from each pair, 0 or less."""
    live = np.flatnonzero((vetoes == 0) & (weights >= UNSEEN))
    competition = np.zeros_like(weights)
    some = Compared(compared.left[live], compared.right[live], compared.levels[live])
    units = np.array(find_components(len(frame.records), rules.groups), dtype=np.int64)
    listing = number_combinations(frame.source, frame.first)
    competition[live] = penalize_competitors(some, weights[live], listing, units)
    return competition


def _group(found: Resolution, rules: Rules, threshold: float) -> tuple[tuple[int, ...], ...]:
    """Return the clusters, each within a connected component of good pairs."""
    left, right, free = found.compared.left, found.compared.right, found.vetoes == 0
    weights = found.weights + found.competition
    good = np.flatnonzero(free & (weights >= threshold))
    links = zip(left[good].tolist(), right[good].tolist(), strict=True)
    home = np.array(find_components(len(rules.source), [*links, *rules.groups]), dtype=np.int64)
    near = np.flatnonzero(home[left] == home[right])
    within, barred = near[free[near]], near[found.vetoes[near] == PARTED]
    edges = zip(weights[within].tolist(), left[within].tolist(), right[within].tolist(), strict=True)
    apart = rules.apart | set(zip(left[barred].tolist(), right[barred].tolist(), strict=True))
    return cluster(len(rules.source), edges, replace(rules, apart=frozenset(apart)), threshold)


def _rank_near_misses(found: Resolution, home: Ints, apart: Collection[tuple[int, int]]) -> list[int]:
    """Return the best near miss of each two groups that could be one, the most uncertain first.

    Near misses are pairs of two groups that weigh at least ``NEAR_MISS``, or have one instant and one length to the
    second; except pairs that one source listed at the same time, of two shows, and of a post with an episode. Groups
    cannot be one if a source lists an entry of each at the same time, or a person parted them (``apart``).
    """
    total, sides = found.weights + found.competition, (home[found.compared.left], home[found.compared.right])
    alike = (found.weights >= NEAR_MISS) | find_same_recordings(found.frame, found.compared, found.vetoes)
    near = np.flatnonzero((sides[0] != sides[1]) & alike & ~is_one_of(found.vetoes, (BESIDE, POSTED, OTHER_SHOW)))
    barred = {(min(one, other), max(one, other)) for left, right in apart for one, other in [(home[left], home[right])]}
    ranked = []
    for at in sorted(near.tolist(), key=lambda at: (found.vetoes[at] != 0, -float(total[at]), at)):
        groups = min(sides[0][at], sides[1][at]), max(sides[0][at], sides[1][at])
        if groups not in barred and not are_beside(found.frame, found.groups[groups[0]], found.groups[groups[1]]):
            ranked.append(at)
        barred.add(groups)
    return ranked


def _find_undecided(found: Resolution, home: Ints) -> Mapping[str, tuple[str, ...]]:
    """Return by entry the sources that probably list it, too, if nothing decides which of their items it is."""
    some = np.flatnonzero((found.possible > 0) & (found.vetoes == 0))
    left, right = found.compared.left[some], found.compared.right[some]
    decided = (found.possible[some] >= DECIDED) | (home[left] == home[right])
    shares = np.where(decided, -np.inf, found.possible[some]).tolist()
    sums: defaultdict[tuple[int, str], float] = defaultdict(float)
    for one, other, share in zip(left.tolist(), right.tolist(), shares, strict=True):
        sums[one, found.frame.records[other].source] += share
        sums[other, found.frame.records[one].source] += share
    sources: defaultdict[str, list[str]] = defaultdict(list)
    for (row, source), share in sorted(sums.items()):
        if share >= _PROBABLY:
            sources[found.frame.records[row].id].append(source)
    return {name: tuple(each) for name, each in sources.items()}


def _number_groups(found: Resolution) -> Ints:
    """Return for each row the number of its group."""
    home = np.empty(len(found.frame.records), dtype=np.int64)
    for number, group in enumerate(found.groups):
        home[list(group)] = number
    return home


def _explain_inside(found: Resolution, home: Ints) -> Mapping[int, list[Pair]]:
    """Return the explained pairs inside each group, by its number."""
    left, right = home[found.compared.left], home[found.compared.right]
    inside: defaultdict[int, list[Pair]] = defaultdict(list)
    within = np.flatnonzero(left == right).tolist()
    for group, pair in zip(left[within].tolist(), explain_pairs(found, within), strict=True):
        inside[group].append(pair)
    return inside
