"""Settle items: give each its permanent guid and frozen date; nothing published is ever re-keyed.

The rules are promise 1 of the design; between sources, rank comes first, then time (``docs/trust.md``). An entry
belongs to the published item it first appeared in. A new item that holds entries of several published ones joins them:
the guid of the most trusted source lives, of equal ones the oldest; the others become its aliases and are never emitted
again. A published item whose entries lie in several items was split: the item with its most trusted entry keeps the
guid, of equal ones that of the older record, then the one unchanged for longer. New items adopt the host's own guid
where a source gave one that is free, so that rebuilding from nothing gives the same guid; else one is made.

Guids, dates and entries are settled for what the evidence alone makes one item, whatever a person has decided; the
person's items then take guids of these: a merged item that of the most trusted, the others of its guids rest. What was
parted from an item has a guid of its own, an alias while it is not parted. So taking back a decision leaves what would
be there without it.

A date is frozen when it is published. Only where a source gave it that is trusted less than another of the feed it is
provisional: a more trusted source that lists the item within ``_PROVISIONAL`` replaces it, once.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.merger.identity.undated import guess_dates
from aggregator.merger.identity.uniqueness import make_enclosures_unique
from aggregator.merger.reconciling.overrides import apply_overrides
from aggregator.model.entry import PRECISIONS, Moment, Precision
from aggregator.model.item import Item, Override, PublishedItem, sources_of
from aggregator.text.fold import fold
from aggregator.text.urls import PODCAST_NAMESPACE

# An episode dated further ahead than this is reported. Hosts publish at the stamped time and a day given
# without a zone is wrong by at most 14 hours; 22 hours would still cover that, 26 would only hide a later date.
AHEAD = timedelta(hours=24)

# How long after its publication an item's date may be replaced by that of a more trusted source. Directories list new
# episodes within days; a month later readers have sorted the item by its date.
_PROVISIONAL = timedelta(days=30)

# What subscribers see of an item: a change in one of these is a change of the item, a change of its provenance is not.
_CONTENT = (
    *("title", "description", "html", "summary", "cut", "published", "duration", "enclosure", "link", "season"),
    *("episode", "number", "episode_type", "explicit", "image", "author", "language", "categories", "tags"),
)

# What of a date is known at each precision; a finer date must say the same. None can confirm a guess.
_GRAINS: Mapping[Precision, str] = {"year": "%Y", "day": "%Y-%m-%d", "minute": "%Y-%m-%d %H:%M", "second": "%c"}

_R = TypeVar("_R", Item, PublishedItem)

# The distrust of an entry's source, then when its published item was minted, that item's guid; then since when the
# entry says what it says, and its turn within the item.
_Age = tuple[float, datetime, str, datetime, int]
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Past(Struct, frozen=True):
    """State of one feed in the store before its items are identified.

    ``first_seen`` gives for each entry id when it was first remembered; ``trust`` is each source's, 0 to 1,
    and ``since`` gives for each entry id since when it has its present content, where sources are trusted alike;
    ``overrides`` are what a person wants of an item, and ``buried`` why a person has taken one out, by guid.
    ``guessed`` are the dates of new items that have none, by their entries (``undated``).
    """

    feed: str
    published_items: tuple[PublishedItem, ...] = ()
    first_seen: Mapping[str, datetime] = field(default_factory=dict)
    trust: Mapping[str, float] = field(default_factory=dict)
    since: Mapping[str, datetime] = field(default_factory=dict)
    overrides: Mapping[str, tuple[Override, ...]] = field(default_factory=dict)
    buried: Mapping[str, str] = field(default_factory=dict)
    guessed: Mapping[tuple[str, ...], Moment] = field(default_factory=dict)


class Settlement(Struct, frozen=True):
    """The items as they may be published, newest first, and every record of a published one, sorted by guid.

    ``new`` and ``changed`` are the guids first published and altered by this run. ``events`` are one line each of
    what a subscriber might ask about: two published items found to be one, a guid already taken, a date not believed.
    ``remarks`` are what stays true from run to run: audio listed twice.
    """

    items: tuple[Item, ...]
    published_items: tuple[PublishedItem, ...]
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def settle(items: Sequence[Item], past: Past, now: datetime, undecided: Sequence[Item] | None = None) -> Settlement:
    """Return the items with their permanent guids and frozen dates, and the records brought up to date.

    ``undecided`` are the items as the evidence alone has them, ``None`` if these are the same.
    """
    kept = {record.guid: record for record in past.published_items}
    past = replace(past, guessed=guess_dates([*items, *(undecided or ())], past.published_items, now))
    events: list[str] = []
    settled: list[Item] = []
    home: Mapping[str, str] | None = None
    if undecided is None:
        identified = _identify(items, kept, past, now, events)
    else:
        home = {entry: guid for item, guid in _identify(undecided, kept, past, now, events) for entry in item.entries}
        identified = _identify_decided(items, home, kept, past, now, events)
    del items
    for item, guid in identified:
        record = kept[guid]
        entries = record.entries if record.entries == item.entries else item.entries  # one object: 4 MB less of 20,000
        title = record.title if record.title == item.title else item.title
        known = replace(item, guid=guid, title=title, entries=entries, published=record.published, rank=record.rank)
        wanted = past.overrides.get(guid, ())
        settled.append(apply_overrides(known, wanted) if wanted else known)
    single, taken = make_enclosures_unique(settled, kept, past.trust)
    settlement = _settlement(single, kept, home, past, now, events)
    return replace(settlement, remarks=taken)


def _identify(
    items: Sequence[Item], kept: dict[str, PublishedItem], past: Past, now: datetime, events: list[str]
) -> Iterator[tuple[Item, str]]:
    """Yield each item with its guid, and bring its record up to date in ``kept``."""
    claims = _claims(items, kept, past)
    before = {entry: record.guid for record in past.published_items if not record.decided for entry in record.entries}
    turns = deque(sorted(zip(items, claims, strict=True), key=lambda pair: _precedence(pair[0], pair[1], past)))
    del items, claims  # each item is let go when another takes its place
    while turns:
        item, claimed = turns.popleft()
        if claimed:
            guid = claimed[0]
            events += [f"{other} and {guid} are one item: {other} is an alias now" for other in claimed[1:]]
            kept.update((other, replace(kept[other], alias_of=guid)) for other in claimed[1:])
        else:
            guid = _free_guid(item, past, kept, events)
            parted = sorted({before[entry] for entry in item.entries if entry in before})
            events += [f"{item.title!r} is not {other} as was thought: it is an item of its own" for other in parted]
        kept[guid] = _update_record(replace(item, guid=guid), kept.get(guid), past, now, events)
        yield item, guid


def _identify_decided(  # noqa: PLR0913, PLR0917 - as _identify, with the guids by the evidence
    items: Sequence[Item],
    home: Mapping[str, str],
    kept: dict[str, PublishedItem],
    past: Past,
    now: datetime,
    events: list[str],
) -> Iterator[tuple[Item, str]]:
    """Yield each item that a person's decisions leave with its guid; ``home`` is that of each entry by the evidence."""
    turns = ((entry, turn, kept[guid]) for guid in {*home.values()} for turn, entry in enumerate(kept[guid].entries))
    age = {entry: _find_age(entry, turn, record, past) for entry, turn, record in turns}
    holder: dict[str, tuple[_Age, int]] = {}
    for place, item in enumerate(items):
        for entry in item.entries:
            claim = age[entry], place
            holder[home[entry]] = min(holder.get(home[entry], claim), claim)
    rank = {guid: min(age[entry][0] for entry in kept[guid].entries if entry in age) for guid in holder}
    taken: set[str] = set()
    for place, item in enumerate(items):
        mine = {guid for entry in item.entries if holder[guid := home[entry]][1] == place}
        if mine:
            yield item, min(mine, key=lambda guid: (rank[guid], kept[guid].minted, guid))
            continue
        guid = _find_part(item, kept, taken) or _free_guid(item, past, kept, events)
        taken.add(guid)
        record = _update_record(replace(item, guid=guid), kept.get(guid), past, now, events)
        if guid not in kept or record.decided:
            record = replace(record, alias_of=home[item.entries[0]], decided=True, entries=item.entries)
        kept[guid] = record
        yield item, guid


def _find_part(item: Item, kept: Mapping[str, PublishedItem], taken: Container[str]) -> str | None:
    """Return the guid under which these entries were published apart before: the one with most of them."""
    shared = {
        guid: len(set(record.entries).intersection(item.entries))
        for guid, record in kept.items()
        if record.alias_of is not None and guid not in taken
    }
    return max((guid for guid in shared if shared[guid]), key=lambda guid: (shared[guid], guid), default=None)


def _claims(items: Sequence[Item], kept: Mapping[str, PublishedItem], past: Past) -> list[tuple[str, ...]]:
    """Return for each item the guids its entries were published under: those of the most trusted source first.

    Each guid is claimed by one item only.
    """
    owner: dict[str, tuple[str, _Age]] = {}
    rank: dict[str, float] = {}
    for record in (record for record in kept.values() if not record.decided):
        root = _root(record, kept)
        for turn, entry in enumerate(record.entries):
            age = _find_age(entry, turn, record, past)
            rank[root] = min(rank.get(root, age[0]), age[0])
            claim = (root, age)
            owner[entry] = min(owner.get(entry, claim), claim, key=lambda each: each[1])
    holder: dict[str, tuple[_Age, int]] = {}
    for place, item in enumerate(items):
        for root, age in (owner[entry] for entry in item.entries if entry in owner):
            holder[root] = min(holder.get(root, (age, place)), (age, place))
    answer: list[tuple[str, ...]] = [()] * len(items)
    for guid in sorted(holder, key=lambda guid: (rank[guid], kept[guid].minted, guid)):
        place = holder[guid][1]
        answer[place] = (*answer[place], guid)
    return answer


def _find_age(entry: str, turn: int, record: PublishedItem, past: Past) -> _Age:
    distrust = -past.trust.get(entry.partition("/")[0], 0.0)
    return distrust, record.minted, record.guid, past.since.get(entry, _LONG_AGO), turn


def _root(record: PublishedItem, kept: Mapping[str, PublishedItem]) -> str:
    """Return the guid that lives: the record's own, or that of the one it became an alias of."""
    while record.alias_of is not None and record.alias_of in kept:
        record = kept[record.alias_of]
    return record.guid


def _precedence(item: Item, claimed: tuple[str, ...], past: Past) -> tuple[bool, float, str, tuple[str, ...]]:
    """Return the order in which items choose guids: published ones, then the more trusted giver, then a fixed order."""
    return (not claimed, -_trust(item.source_of("guid"), past), item.title, item.entries)


def _free_guid(item: Item, past: Past, kept: Mapping[str, PublishedItem], events: list[str]) -> str:
    """Return the guid of a new item: the host's own where it is free, else a minted one that is."""
    if item.guid and item.guid not in kept:
        return item.guid
    if item.guid:
        events.append(f"{item.title!r} came with the guid {item.guid} of another item: it was given its own")
    turn = 0
    while (guid := _make_guid(past.feed, item.title, item.published, turn)) in kept:
        turn += 1
    return guid


def _make_guid(feed: str, title: str, published: Moment | None, turn: int = 0) -> str:
    """Return a UUIDv5 (RFC 9562, section 5.5) of the feed's name, the folded title, and the day where one is known.

    ``turn`` counts up from 0 for further items of the same title and day. The name of the feed is its key in the
    config: the same config gives the same guids on another machine and under another address.

    >>> _make_guid("show", "Listener Mail", None)
    '81624d19-1afa-506d-b8ec-7a19fa3ce3c6'
    """
    day = published.at.strftime("%Y-%m-%d") if published else ""
    words = fold(title) or title
    name = "\n".join([words, day] + ([str(turn)] if turn else []))
    return str(uuid.uuid5(uuid.uuid5(PODCAST_NAMESPACE, feed), name))


def _update_record(
    item: Item, record: PublishedItem | None, past: Past, now: datetime, events: list[str]
) -> PublishedItem:
    """Return what is kept of an item from now on: the old record with what it gained, or a new one.

    The entry that gave the guid stands first.
    """
    if record is None:
        published = _first_date(item, past, now, events)
        entries = sorted(item.entries, key=lambda entry: sources_of((entry,)) != (item.source_of("guid"),))
        dated = _dater(item)
        return PublishedItem(
            *(item.guid, now, published, tuple(entries), item.title, item.genre, item.rank),
            dated=dated if _trust(dated, past) < max(past.trust.values(), default=0.0) else None,
        )
    gained = tuple(entry for entry in item.entries if entry not in record.entries)
    date = item.published if item.published is None or item.published.at <= now else None
    known = {"entries": record.entries + gained, "title": item.title}
    if date is not None and _is_provisional(record, now) and _trust(_dater(item), past) > _trust(record.dated, past):
        return _with(record, published=date, dated=None, **known)
    return _with(record, published=_sharpen(record.published, date), **known)


def _is_provisional(record: PublishedItem, now: datetime) -> bool:
    """Return whether the date of a published item may still be replaced by that of a more trusted source."""
    return record.dated is not None and now - record.minted <= _PROVISIONAL


def _dater(item: Item) -> str | None:
    """Return the source that an item's date is from; where none gave one, the most trusted that lists it."""
    return item.source_of("published") or item.origin


def _trust(source: str | None, past: Past) -> float:
    return past.trust.get(source or "", 0.0)


def _first_date(item: Item, past: Past, now: datetime, events: list[str]) -> Moment:
    """Return the date an item is first published with: its own, a guess, or when it was first seen.

    What is only hours ahead (an unknown zone, a host that lists what is to appear) is not reported; its
    day is kept as a day, so that a source may still give the time. It was seen when its most trusted source listed it.
    """
    date = item.published
    if date is not None and date.at <= now:
        return date
    if item.entries in past.guessed:
        return past.guessed[item.entries]
    own = [name for name in item.entries if sources_of((name,)) == (item.origin,)] or item.entries
    seen = min((past.first_seen[name] for name in own if name in past.first_seen), default=now)
    if date is None:
        return Moment(seen)
    if date.at > now + AHEAD:
        events.append(f"{item.title!r} is dated {date.at:%Y-%m-%d}, in the future: published as seen now")
    elif date.precision == "day":
        return replace(date, at=seen.replace(hour=0, minute=0, second=0, microsecond=0))
    return Moment(seen)


def _sharpen(published: Moment, date: Moment | None) -> Moment:
    """Return the published date, with a finer time of the same day (or year) where a source has come to give one."""
    if (
        date is None
        or published.precision == "guess"
        or PRECISIONS.index(date.precision) <= PRECISIONS.index(published.precision)
    ):
        return published
    grain = _GRAINS[published.precision]
    return date if date.at.strftime(grain) == published.at.strftime(grain) else published


def _settlement(  # noqa: PLR0913, PLR0917 - all that was settled
    settled: Iterable[Item],
    kept: dict[str, PublishedItem],
    home: Mapping[str, str] | None,
    past: Past,
    now: datetime,
    events: Sequence[str],
) -> Settlement:
    """Return all in its final order, with each record's digest of what it publishes and when that last changed.

    ``home`` is the guid of each entry by the evidence, ``None`` if that is the one of its item.
    """
    known = {record.guid for record in past.published_items if record.digest}
    items: list[Item] = []
    changed: list[str] = []
    for item in settled:
        record, digest = kept[item.guid], _digest(item)
        if item.guid in known and record.digest != digest:
            changed.append(item.guid)
            record = replace(record, updated=now)
        audio = item.enclosure.url if item.enclosure else None
        record = kept[item.guid] = _with(record, digest=digest, audio=audio, buried=past.buried.get(item.guid))
        if record.buried is None:
            items.append(item if record.updated is None else replace(item, updated=Moment(record.updated)))
    moved = {entry: item.guid for item in items for entry in item.entries} if home is None else home
    ordered = sorted(items, key=lambda item: (-_time(item), item.rank, item.guid))
    new = tuple(item.guid for item in ordered if item.guid not in known)
    published_items = tuple(_without(kept[guid], moved, kept) for guid in sorted(kept))
    return Settlement(tuple(ordered), published_items, new, tuple(sorted(changed)), tuple(events))


def _without(record: PublishedItem, moved: Mapping[str, str], kept: Mapping[str, PublishedItem]) -> PublishedItem:
    """Return the record without the entries that are another item's by now."""
    if record.decided:
        return record
    root = _root(record, kept)
    stay = tuple(entry for entry in record.entries if moved.get(entry, root) == root)
    return record if stay == record.entries else replace(record, entries=stay)


def _with(record: _R, **fields: Any) -> _R:
    """Return the record with these fields; itself where it has them already, as most do that were published before."""
    return (
        record if all(getattr(record, name) == value for name, value in fields.items()) else replace(record, **fields)
    )


def _time(item: Item) -> float:
    """Return the published time in seconds; every settled item has one."""
    return item.published.at.timestamp() if item.published else 0.0


def _digest(item: Item) -> str:
    """Return the BLAKE2b digest, 16 bytes in hexadecimal, of what subscribers see of an item."""
    content = [(name, repr(value)) for name in _CONTENT if (value := getattr(item, name)) not in (None, (), False, "")]
    return hashlib.blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
