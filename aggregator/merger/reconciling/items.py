"""Make one Item of a Cluster: each field by its own rule, each with its provenance.

A source weighs by its trust (promise 5: a less trusted source may complete, never contradict):

    title        one reading of the copies that resemble the most trusted one, its spelling voted on
    description  one reading of all copies, token by token; with the markup of the source whose text it is
    published    the most trusted date; made exact by a source that names a time on that day
    duration     the most trusted one; made exact by a source within its grain
    enclosure    the most trusted one that its source still lists, audio before video (``media``); a missing length or
                 type from another source of the same file
    link         the most trusted one, one that its source does not repeat on other items first
    season,      the most trusted source that numbers the item, both of one source; another completes them only where
    episode      its other number is the same
    tags         of each element those of the most trusted source that has any and may supply them; other files and
                 pages of the item (``media``)
    all others   the most trusted source that has a value and has the rank to supply it (``supply``)

An entry that its own source has replaced gives only what lasts: title, text, date, length, audio, link and guid. What
the source says otherwise of the item it says in the present entry, or no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

from msgspec.structs import replace

from aggregator.merger.reconciling.media import ALTERNATE, choose_enclosure, list_alternates, list_pages
from aggregator.merger.reconciling.provenance import ChosenValues, RankedEntries, Weights, rank_entries, trace
from aggregator.merger.reconciling.supply import FIELDS, limit_by_rank
from aggregator.merger.reconciling.text_fields import read_description, read_title
from aggregator.model.cluster import Cluster
from aggregator.model.entry import PRECISIONS, Duration, Entry, Moment, Tag
from aggregator.model.item import Item, Provenance

# A day without a zone can begin 14 hours before or 12 hours after that day begins in UTC (the zones in use).
_ZONES = timedelta(hours=14)

# Fields whose value is simply that of the most trusted source that has one.
_PLAIN = (*("summary", "updated", "episode_type", "explicit", "image", "author", "language", "categories"),)

_EMPTY = (None, "", ())


def reconcile(cluster: Cluster, weights: Weights) -> Item:
    """Return one item of the feed; its ``guid`` is the host's own or ``None``, the permanent one comes later."""
    ranked = rank_entries(cluster.entries, weights)
    item = Item(
        title="",
        entries=tuple(sorted(entry.id for entry in ranked.entries)),
        genre="episode" if any(entry.genre == "episode" for entry in ranked.entries) else "post",
        rank=ranked.entries[0].position,
        origin=ranked.entries[0].source,
        pairs=cluster.pairs,
    )
    found = [finding for rule in _RULES for finding in rule(ranked)]
    values = {name: value for finding in found for name, value in finding.values.items()}
    provenance = tuple(sorted((finding.origin for finding in found), key=lambda origin: origin.field))
    return replace(item, provenance=provenance, **values)


def _choose_date(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the most trusted date, or the most precise one that is compatible with it.

    A date later than the entry was seen is used only if no source gives another.
    """
    every = [(entry, entry.published) for entry in ranked.entries if entry.published is not None]
    dated = [(entry, moment) for entry, moment in every if entry.id not in ranked.weights.ahead] or every
    if not dated:
        return
    trusted = dated[0][1]
    finest = [(entry, moment) for entry, moment in dated if _is_finer(moment, trusted)]
    chosen_entry, moment = min(finest, key=lambda pair: -PRECISIONS.index(pair[1].precision), default=dated[0])
    origin = trace(
        "published",
        chosen_entry,
        ranked,
        lambda entry: entry.published.at.isoformat() if entry.published else None,
        lambda entry: entry.published is not None and _are_compatible(entry.published, moment),
    )
    yield ChosenValues({"published": moment}, origin)


def _is_finer(moment: Moment, trusted: Moment) -> bool:
    """Return whether this is a more precise value of the same date."""
    return PRECISIONS.index(moment.precision) > PRECISIONS.index(trusted.precision) and _are_compatible(moment, trusted)


def _are_compatible(left: Moment, right: Moment) -> bool:
    """Return whether both can be the date of one item, given their precision and unknown zones (``_ZONES``)."""
    if "year" in (left.precision, right.precision):
        return left.at.year == right.at.year
    if "day" in (left.precision, right.precision):
        whole = timedelta(days=1) if left.precision != right.precision else timedelta()
        early, late = (left, right) if left.precision == "day" else (right, left)
        return early.at - _ZONES <= late.at <= early.at + whole + _ZONES
    return abs(left.at - right.at) <= timedelta(minutes=1)


def _choose_duration(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the most trusted duration, or a more precise one that differs by no more than its step."""
    timed = [(entry, entry.duration) for entry in ranked.entries if entry.duration is not None]
    if not timed:
        return
    trusted = timed[0][1]
    exact = [(entry, other) for entry, other in timed if other.step < trusted.step and _is_same_length(other, trusted)]
    chosen_entry, duration = min(exact, key=lambda pair: pair[1].step, default=timed[0])
    origin = trace(
        "duration",
        chosen_entry,
        ranked,
        lambda entry: f"{entry.duration.seconds} s" if entry.duration else None,
        lambda entry: entry.duration is not None and _is_same_length(entry.duration, duration),
    )
    yield ChosenValues({"duration": duration}, origin)


def _is_same_length(left: Duration, right: Duration) -> bool:
    """Return whether two durations differ by no more than the larger step (rounded minutes differ by one)."""
    return abs(left.seconds - right.seconds) <= max(left.step, right.step)


def _choose_link(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the most trusted link; one that its source repeats on several items only if there is no other."""
    linked = [entry for entry in ranked.entries if entry.link is not None]
    if not linked:
        return
    repeated = ranked.weights.repeated_links
    own = [entry for entry in linked if (entry.source, entry.link) not in repeated]
    chosen_entry = (own or linked)[0]
    origin = trace(
        "link", chosen_entry, ranked, lambda entry: entry.link, lambda entry: entry.link == chosen_entry.link
    )
    yield ChosenValues({"link": chosen_entry.link}, origin)


def _choose_numbers(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield season, episode and the episode's number as it is displayed."""
    season, episode = _find_numbers(ranked)
    for name, wanted in (("season", season), ("episode", episode)):
        giver = next((each for each in ranked.present if wanted is not None and getattr(each, name) == wanted), None)
        if giver is not None:
            yield ChosenValues({name: wanted}, _trace_plain(name, giver, ranked))
    shown = next((each for each in ranked.present if each.number and each.episode == episode), None)
    if shown is not None:
        yield ChosenValues({"number": shown.number}, _trace_plain("number", shown, ranked))


def _find_numbers(ranked: RankedEntries) -> tuple[int | None, int | None]:
    """Return season and episode as one source gives them, completed by one that gives the same number.

    One source counts by season, another counts through.
    """
    numbered = [(each.season, each.episode) for each in ranked.present if (each.season, each.episode) != (None, None)]
    season, episode = numbered[0] if numbered else (None, None)
    if season is None:
        season = next((one for one, other in numbered if one is not None and other == episode), None)
    elif episode is None:
        episode = next((other for one, other in numbered if other is not None and one == season), None)
    return season, episode


def _choose_others(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield every other field: the value of the most trusted source that has one and may supply it."""
    owners = _find_owners(ranked)
    for name in ("guid", *_PLAIN):
        entries = ranked.entries if name == "guid" else ranked.present
        for entry in entries:
            value = getattr(entry, name)
            if value not in _EMPTY and (name not in FIELDS or entry in owners):
                yield ChosenValues({name: value}, _trace_plain(name, entry, ranked))
                break


def _find_owners(ranked: RankedEntries) -> list[Entry]:
    """Return present entries of sources trusted like that of the item's audio, or else like its most trusted one."""
    audio = next((each for each in ranked.entries if each.enclosure is not None), ranked.entries[0])
    least = ranked.weights.of_source(audio)
    return [entry for entry in ranked.present if ranked.weights.of_source(entry) >= least]


def _choose_tags(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the elements that are passed on: those of one name, or of one kind of pictures, from one source.

    The first finding has the provenance of the most trusted source that gave any; others have one for each element.
    """
    chosen: dict[str, Entry] = {}
    tags: list[Tag] = []
    owners, (season, episode) = _find_owners(ranked), _find_numbers(ranked)
    for entry in ranked.present:
        other = {"podcast:season"} if entry.season != season else set()
        other |= {"podcast:episode"} if entry.episode != episode else set()
        allowed = limit_by_rank(entry.tags, owner=entry in owners, lost=entry.id in ranked.weights.lost)
        given = [tag for tag in allowed if _get_group(tag) not in chosen and tag.name not in other]
        chosen.update((_get_group(tag), entry) for tag in given)
        tags += given
    own = {child.attributes for tag in tags if tag.name == ALTERNATE for child in tag.children}
    for entry, tag in (*list_alternates(ranked), *list_pages(ranked)):
        if own.isdisjoint(child.attributes for child in tag.children) and tag not in tags:
            chosen.setdefault(tag.name, entry)
            tags.append(tag)
    first = next(iter(chosen.values()), None)
    if first is None:
        return
    yield ChosenValues({"tags": tuple(tags)}, _trace_plain("tags", first, ranked))
    for group, entry in chosen.items():
        if entry is not first:
            yield ChosenValues({}, replace(_trace_plain("tags", entry, ranked), field=f"tags {group}"))


def _get_group(tag: Tag) -> str:
    """Return what an element is chosen with: media of all forms, or pictures under their old and new name."""
    if tag.name.startswith("media:"):
        return "media"
    return "podcast:image" if tag.name == "podcast:images" else tag.name


def _trace_plain(name: str, chosen_entry: Entry, ranked: RankedEntries) -> Provenance:
    """Return the provenance of a field without a rule; guids never contradict, because every host has its own."""
    value = getattr(chosen_entry, name)

    def show(entry: Entry) -> str | None:
        own = getattr(entry, name)
        return None if own in _EMPTY or (name == "guid" and own != value) else str(own)

    return trace(name, chosen_entry, ranked, show, lambda entry: bool(getattr(entry, name) == value))


_Rule = Callable[[RankedEntries], Iterator[ChosenValues]]
_RULES: tuple[_Rule, ...] = (
    *(read_title, read_description, _choose_date, _choose_duration, choose_enclosure),
    *(_choose_link, _choose_numbers, _choose_others, _choose_tags),
)
