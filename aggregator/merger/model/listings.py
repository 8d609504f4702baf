"""Learn how each source lists the items of a feed, and how its listing stands to that of the most trusted source."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from aggregator.merger.blending.source_model import SourceModel
from aggregator.merger.matching.features.habits import MIN_SERIES, MIN_TITLES, NEARLY_ALL
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry, Moment
from aggregator.model.feed_model import ListingModel, ListingPair
from aggregator.text.titles.affixes import Template, mask_numbers
from aggregator.text.titles.titles import parse_title

_MIN_SHARE = 0.5  # share of a listing's titles that an affix must have; with less it is a series
_SAME_LENGTH = 0.1  # by how much the longest of them may be longer than most
_VAGUE = {"guess", "year"}  # precisions of dates that are not compared
_STEADY, _DAY = 10, 24 * 60  # minutes


def learn_listings(clusters: Iterable[Cluster], texts: SourceModel) -> tuple[ListingModel, ...]:
    """Return how each source lists items, sorted by its name."""
    listed: defaultdict[str, list[Entry]] = defaultdict(list)
    for cluster in clusters:
        for entry in cluster.entries:
            listed[entry.source].append(entry)
    return tuple(_learn_listing(source, listed[source], texts) for source in sorted(listed))


def _learn_listing(source: str, entries: Sequence[Entry], texts: SourceModel) -> ListingModel:
    heads, tails = _find_affixes(entries, texts.template)
    dates = Counter((each.published.precision, each.published.zoned) for each in entries if each.published)
    (precision, zoned), _ = max(dates.items(), key=lambda item: (item[1], item[0]), default=((None, True), 0))
    steps = Counter(each.duration.step for each in entries if each.duration)
    return ListingModel(
        source,
        len(entries),
        genre=max(("episode", "post"), key=[each.genre for each in entries].count),
        heads=heads,
        tails=tails,
        precision=precision,
        zoned=zoned,
        step=max(steps, key=lambda step: (steps[step], step), default=None),
        cut_at=_find_cut(entries),
        misspelt=round(texts.rates[source].wrong, 3) if source in texts.rates else 0.0,
    )


def _find_affixes(entries: Sequence[Entry], template: Template) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what enough titles of a listing have before and behind their own words, the most frequent first."""
    splits = [template.split(title) for title in sorted({each.title for each in entries})]
    least = max(MIN_TITLES, _MIN_SHARE * len(splits))
    found = []
    for edges in ((split.prefix for split in splits), (split.suffix for split in splits)):
        counts = Counter(mask_numbers(edge) for edge in edges if edge)
        common = [edge for edge in counts if counts[edge] >= least]
        found.append(tuple(sorted(common, key=lambda edge: (-counts[edge], edge))))
    return found[0], found[1]


def _find_cut(entries: Sequence[Entry]) -> int | None:
    """Return the length at which most shortened texts of a listing end."""
    lengths = [len(each.description) for each in entries if each.cut and each.description]
    if len(lengths) < MIN_TITLES or max(lengths) > (1 + _SAME_LENGTH) * median(lengths):
        return None
    return max(lengths)


def learn_pairs(clusters: Iterable[Cluster], trust: Mapping[str, float]) -> tuple[ListingPair, ...]:
    """Return how each listing stands to the first, by trust and name, with which it has enough items in common."""
    both: defaultdict[tuple[str, str], list[tuple[Entry, Entry]]] = defaultdict(list)
    for cluster in clusters:
        first = {entry.source: entry for entry in reversed(cluster.entries)}
        ranked = sorted(first, key=lambda source: (-trust.get(source, 0.0), source))
        for at, source in enumerate(ranked):
            for trusted in ranked[:at]:
                both[source, trusted].append((first[trusted], first[source]))
    found: dict[str, ListingPair] = {}
    for source, trusted in sorted(both, key=lambda pair: (pair[0], -trust.get(pair[1], 0.0), pair[1])):
        if source not in found and len(both[source, trusted]) >= MIN_SERIES:
            found[source] = _learn_pair(source, trusted, both[source, trusted])
    return tuple(found.values())


def _learn_pair(source: str, trusted: str, both: Sequence[tuple[Entry, Entry]]) -> ListingPair:
    dated = [(one.published, other.published) for one, other in both if one.published and other.published]
    away = [_subtract(other, one) for one, other in dated if not {one.precision, other.precision} & _VAGUE]
    later = median(away) if len(away) >= MIN_SERIES else None
    steady = later is not None and _is_nearly_all(abs(each - later) <= _STEADY for each in away)
    leads = [lead for one, other in both if (lead := _find_lead(one, other)) is not None]
    ahead = max(sorted(set(leads)), key=leads.count, default=0)
    counted = len(leads) >= MIN_SERIES and _is_nearly_all(each == ahead for each in leads)
    return ListingPair(
        source,
        trusted,
        len(both),
        minutes=round(later) if steady and later is not None else None,
        ahead=ahead if counted else None,
        exchanged=sum(_are_exchanged(one, other) for one, other in dated) >= MIN_TITLES,
        recounted=_is_recounted(both),
    )


def _is_recounted(both: Sequence[tuple[Entry, Entry]]) -> bool:
    """Return whether most guids that two listings have in common are of two items."""
    shared = {one.guid for one, _ in both if one.guid} & {other.guid for _, other in both}
    return len(shared) > 2 * sum(one.guid == other.guid for one, other in both if one.guid)


def _is_nearly_all(some: Iterable[bool]) -> bool:
    holds = list(some)
    return sum(holds) >= NEARLY_ALL * len(holds)


def _subtract(other: Moment, one: Moment) -> float:
    """Return by how many minutes a date is later than another; whole days if one of the two is a day."""
    if "day" in (one.precision, other.precision):
        return (other.at.date() - one.at.date()).days * _DAY
    return (other.at - one.at).total_seconds() / 60


def _are_exchanged(one: Moment, other: Moment) -> bool:
    """Return whether two different dates are one with day and month exchanged."""
    mine, theirs = one.at.date(), other.at.date()
    return mine != theirs and (mine.year, mine.month, mine.day) == (theirs.year, theirs.day, theirs.month)


def _find_lead(one: Entry, other: Entry) -> int | None:
    """Return by how much the number of the other entry is higher, ``None`` if one of the two has no single number."""
    mine, theirs = _find_number(one), _find_number(other)
    return None if mine is None or theirs is None else theirs - mine


def _find_number(entry: Entry) -> int | None:
    numbers = parse_title(entry.title, entry.show or "").numbers if entry.episode is None else (entry.episode,)
    return numbers[0] if len(numbers) == 1 else None
