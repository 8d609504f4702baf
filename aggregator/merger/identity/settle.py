"""Give each item its permanent guid and frozen date; a published guid never changes.

Between sources, trust comes first, then time (``docs/trust.md``). An entry belongs to the published item in which it
first appeared. If an item has entries of several published ones, these are merged: the guid of the most trusted source
stays, then the oldest; the others become its aliases and are never published again. If the entries of a published item
are in several items, it was split: the item with its most trusted entry keeps the guid, then that of the older record,
then the one unchanged for longer. A new item takes the host's own guid if it is free, so that a rebuilt store has the
same guids; else one is made. A guid that a less trusted source listed first goes to the new item of the source that it
belongs to (``_return_guids``).

With decisions of a person, guids, dates and entries are first given to the items by the evidence alone. The decided
items then take guids of these: a merged item that of the most trusted, while its other guids are not used. An item that
was parted from another has a guid of its own, which is an alias while it is not parted. So undoing a decision restores
the items as they would be without it.

A date is frozen when it is published. If it is from a source that is trusted less than another of the feed, it is
provisional: a more trusted source that lists the item within ``_PROVISIONAL`` replaces it, once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct, field
from msgspec.structs import replace

from aggregator.merger.identity.guids import URN, find_likeness, make_guid
from aggregator.merger.identity.undated import guess_dates
from aggregator.merger.identity.uniqueness import make_enclosures_unique
from aggregator.merger.reconciling.overrides import apply_overrides
from aggregator.model.entry import PRECISIONS, Moment, Precision
from aggregator.model.item import Item, Override, PublishedItem, Settlement, sources_of
from aggregator.model.record import digest_value
from aggregator.text.characters import PROGRAM_WORDS, clean_guid
from aggregator.translation.marks import N_

AHEAD = timedelta(hours=24)
"""An episode dated further in the future is reported: a day without a zone is wrong by at most 14 hours."""

# Time after its publication in which an item's date may be replaced by that of a more trusted source. Directories list
# new episodes within days; a month later readers have sorted the item by its date.
_PROVISIONAL = timedelta(days=30)

# Fields whose change is a change of the item for subscribers.
_CONTENT = (
    *("title", "description", "html", "summary", "cut", "published", "duration", "enclosure", "link", "season"),
    *("episode", "number", "episode_type", "explicit", "image", "author", "language", "categories", "tags"),
)

# Parts of a date that are known at each precision, in which a finer date must agree. None can confirm a guess.
_GRAINS: Mapping[Precision, str] = {"year": "%Y", "day": "%Y-%m-%d", "minute": "%Y-%m-%d %H:%M"}

# The negative trust of an entry's source, when its published item was first published, that item's guid, since when the
# entry has its content, and its place within the item: the lowest keeps the guid.
_Age = tuple[float, datetime, str, datetime, int]
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Past(Struct, frozen=True):
    """State of one feed in the store before its items are identified.

    - ``first_seen``: by entry id.
    - ``trust``: by source, 0 to 1.
    - ``since``: by entry id, since when it has its present content, if sources are trusted alike.
    - ``overrides``: by guid, values that a person gave.
    - ``buried``: by guid, why a person removed the item.
    """

    feed: str
    published_items: tuple[PublishedItem, ...] = ()
    first_seen: Mapping[str, datetime] = field(default_factory=dict)
    trust: Mapping[str, float] = field(default_factory=dict)
    since: Mapping[str, datetime] = field(default_factory=dict)
    overrides: Mapping[str, tuple[Override, ...]] = field(default_factory=dict)
    buried: Mapping[str, str] = field(default_factory=dict)


class _Run(Struct):
    """State of one run of ``settle``; ``records``, ``events`` and ``turns`` are updated for each item.

    - ``guessed``: by the entries of a new item without a date, its date (``undated``).
    - ``records``: by guid, what is published.
    - ``taken``: the guids of all records, as `find_likeness` makes them equal; empty until `_list_taken` is called.
    - ``turns``: by the first guid of a title and day, how many guids are made of these.
    """

    past: Past
    now: datetime
    guessed: Mapping[tuple[str, ...], Moment]
    records: dict[str, PublishedItem]
    taken: set[str] = field(default_factory=set)
    events: list[str] = field(default_factory=list)
    turns: Counter[str] = field(default_factory=Counter)


def settle(items: Sequence[Item], past: Past, now: datetime, undecided: Sequence[Item] | None = None) -> Settlement:
    """Return the items with their permanent guids and frozen dates, and the updated records.

    ``undecided`` are the items by the evidence alone, ``None`` if these are the same.
    """
    guessed = guess_dates([*items, *(undecided or ())], past.published_items, now)
    run = _Run(past, now, guessed, {record.guid: record for record in past.published_items})
    home: Mapping[str, str] | None = None
    if undecided is None:
        identified = tuple(_identify(items, run))
    else:
        home = {entry: guid for item, guid in _identify(undecided, run) for entry in item.entries}
        identified = tuple(_identify_decided(items, home, run))
    _rank_new(identified, run)
    settled: list[Item] = []
    for item, guid in identified:
        record, wanted = run.records[guid], past.overrides.get(guid, ())
        known = replace(item, guid=guid, published=record.published, rank=record.rank)
        settled.append(apply_overrides(known, wanted) if wanted else known)
    single, taken = make_enclosures_unique(settled, run.records, past.trust)
    return replace(_make_settlement(single, home, run), remarks=taken)


def _rank_new(identified: Sequence[tuple[Item, str]], run: _Run) -> None:
    """Rank new items between those of the same time and source that are beside them on the page.

    A rank is the place on the page when an item was new: the places that older items had then say nothing of it.
    """
    known = {record.guid for record in run.past.published_items}
    places: defaultdict[tuple[str | None, datetime], list[tuple[int, int]]] = defaultdict(list)
    for item, guid in identified:
        if guid in known:
            record = run.records[guid]
            places[item.origin, record.published.at].append((item.rank, record.rank))
    for item, guid in identified:
        record = run.records[guid]
        others = places[item.origin, record.published.at]
        if guid in known or not others:
            continue
        shifts = [(place > item.rank, rank - place) for place, rank in others]
        shift = min((shift for is_below, shift in shifts if is_below), default=max(shifts)[1])
        run.records[guid] = replace(record, rank=item.rank + shift)


def _identify(items: Sequence[Item], run: _Run) -> Iterator[tuple[Item, str]]:
    """Yield each item with its guid, and update the records."""
    claims = _find_claims(items, run)
    claims = _return_guids(items, claims, run)
    published = (record for record in run.past.published_items if not record.decided)
    before = {entry: record.guid for record in published for entry in record.entries}
    turns = sorted(zip(items, claims, strict=True), key=lambda pair: _rank_item(pair[0], pair[1], run.past))
    for item, claimed in turns:
        if claimed:
            guid = claimed[0]
            run.events += [N_(f"{other} and {guid} are one item: {other} is an alias now") for other in claimed[1:]]
            run.records.update((other, replace(run.records[other], alias_of=guid)) for other in claimed[1:])
        else:
            guid = _choose_guid(item, run)
            for other in sorted({before[entry] for entry in item.entries if entry in before}):
                run.events.append(N_(f"{item.title!r} is not {other} as was thought: it is an item of its own"))
        run.records[guid] = _update_record(item, guid, run)
        yield item, guid


def _identify_decided(items: Sequence[Item], home: Mapping[str, str], run: _Run) -> Iterator[tuple[Item, str]]:
    """Yield each decided item with its guid; ``home`` is the guid of each entry by the evidence alone."""
    records = run.records
    turns = (
        (entry, turn, records[guid]) for guid in {*home.values()} for turn, entry in enumerate(records[guid].entries)
    )
    age = {entry: _find_age(entry, turn, record, run.past) for entry, turn, record in turns}
    holder: dict[str, tuple[_Age, int]] = {}
    for place, item in enumerate(items):
        for entry in item.entries:
            claim = age[entry], place
            holder[home[entry]] = min(holder.get(home[entry], claim), claim)
    rank = {guid: min(age[entry][0] for entry in records[guid].entries if entry in age) for guid in holder}
    taken: set[str] = set()
    for place, item in enumerate(items):
        mine = {guid for entry in item.entries if holder[guid := home[entry]][1] == place}
        part = _find_part(item, records, taken)
        if mine and (part is None or not all(_is_new(records[guid]) for guid in mine)):
            yield item, min(mine, key=lambda guid: (_is_new(records[guid]), rank[guid], records[guid].minted, guid))
            continue
        guid = part or _choose_guid(item, run)
        taken.add(guid)
        record = _update_record(item, guid, run)
        if guid not in records or record.decided:
            root = min((home[entry] for entry in item.entries), key=lambda each: _is_new(records[each]))
            record = replace(record, alias_of=root, decided=True, entries=item.entries)
        records[guid] = record
        yield item, guid


def _find_part(item: Item, records: Mapping[str, PublishedItem], taken: Container[str]) -> str | None:
    """Return the alias under which most of these entries were published separately before."""
    shared = {
        guid: len(set(record.entries).intersection(item.entries))
        for guid, record in records.items()
        if record.alias_of is not None and guid not in taken
    }
    return max((guid for guid in shared if shared[guid]), key=lambda guid: (shared[guid], guid), default=None)


def _find_claims(items: Sequence[Item], run: _Run) -> list[tuple[str, ...]]:
    """Return for each item the guids that it has from its published entries, those of the most trusted source first.

    Those that were never published come last. Each guid belongs to one item only.
    """
    owner: dict[str, tuple[str, _Age]] = {}
    rank: dict[str, float] = {}
    for record in (record for record in run.records.values() if not record.decided):
        root = _find_root(record, run.records)
        for turn, entry in enumerate(record.entries):
            age = _find_age(entry, turn, record, run.past)
            rank[root] = min(rank.get(root, age[0]), age[0])
            claim = (root, age)
            owner[entry] = min(owner.get(entry, claim), claim, key=lambda each: each[1])
    holder: dict[str, tuple[_Age, int]] = {}
    for place, item in enumerate(items):
        for root, age in (owner[entry] for entry in item.entries if entry in owner):
            holder[root] = min(holder.get(root, (age, place)), (age, place))
    answer: list[tuple[str, ...]] = [()] * len(items)
    records = run.records
    for guid in sorted(holder, key=lambda guid: (_is_new(records[guid]), rank[guid], records[guid].minted, guid)):
        place = holder[guid][1]
        answer[place] = (*answer[place], guid)
    return answer


def _return_guids(items: Sequence[Item], claims: Sequence[tuple[str, ...]], run: _Run) -> list[tuple[str, ...]]:
    """Return the claims after guids were taken from items that are not those of the source that the guid belongs to.

    Sequential guids can be guessed: a source may list the next one of its host first, for content of its own. When a
    source that is trusted more than all that list the published item lists its guid for a new item, the guid goes to
    the new item, and the published one gets another guid. A guid about which a person decided stays, and one whose date
    is final.
    """
    changed = list(claims)
    if all(claims):
        return changed
    holder = {find_likeness(guid): (guid, place) for place, claimed in enumerate(claims) for guid in claimed}
    rank = [max((_get_trust(name, run.past) for name in item.sources), default=0.0) for item in items]
    decided = {*run.past.buried, *run.past.overrides}
    wanted = {
        number: likeness
        for number, claimed in enumerate(claims)
        if not claimed and (likeness := find_likeness(items[number].guid or "")) in holder
    }
    for number in sorted(wanted, key=lambda number: _rank_item(items[number], (), run.past)):
        item, (guid, place) = items[number], holder[wanted[number]]
        record = run.records[guid]
        trust = _get_trust(item.source_of("guid"), run.past)
        if trust <= rank[place] or record.dated is None or guid in decided:
            continue
        own = _make_free_guid(items[place], run)
        run.events.append(N_(f"{guid} belongs to {item.title!r}: {items[place].title!r} has the guid {own} now"))
        aliases = [each for each in run.records.values() if each.alias_of == guid]
        run.records.update((each.guid, replace(each, alias_of=own)) for each in aliases)
        run.records[own] = replace(record, guid=own)
        run.records[guid] = replace(_make_record(item, guid, run), minted=record.minted, dated=None)
        changed[place] = tuple(own if each == guid else each for each in changed[place])
        changed[number], holder[wanted[number]] = (guid,), (guid, number)
    return changed


def _find_age(entry: str, turn: int, record: PublishedItem, past: Past) -> _Age:
    distrust = -past.trust.get(entry.partition("/")[0], 0.0)
    return distrust, record.minted, record.guid, past.since.get(entry, _LONG_AGO), turn


def _is_new(record: PublishedItem) -> bool:
    """Return whether the guid was never published: it has no digest of its content."""
    return not record.digest


def _find_root(record: PublishedItem, records: Mapping[str, PublishedItem]) -> str:
    """Return the record's guid, or, if it is an alias, that of the record it stands for."""
    while record.alias_of is not None and record.alias_of in records:
        record = records[record.alias_of]
    return record.guid


def _rank_item(item: Item, claimed: tuple[str, ...], past: Past) -> tuple[bool, float, str, tuple[str, ...]]:
    """Return the order in which items get guids: published ones, then by the trust of its source, then fixed."""
    return (not claimed, -_get_trust(item.source_of("guid"), past), item.title, item.entries)


def _choose_guid(item: Item, run: _Run) -> str:
    """Return the guid of a new item: the host's own as it is published, if it is free, else a new one.

    A word for nothing ("null") is none. One that has the form of an Atom id may be the one that is made of another
    item's guid: only the most trusted source may give it.
    """
    guid = clean_guid(item.guid) if item.guid else ""
    trust = _get_trust(item.source_of("guid"), run.past)
    is_own = not guid.lower().startswith(URN) or trust >= max(run.past.trust.values(), default=0.0)
    if guid in PROGRAM_WORDS:
        return _make_free_guid(item, run)
    taken = _list_taken(run)
    if is_own and find_likeness(guid) not in taken:
        taken.add(find_likeness(guid))
        return guid
    run.events.append(N_(f"{item.title!r} came with the guid {item.guid} of another item: it was given its own"))
    return _make_free_guid(item, run)


def _make_free_guid(item: Item, run: _Run) -> str:
    """Return a guid of the title and day that no item has."""
    first = make_guid(run.past.feed, item.title, item.published)
    taken = _list_taken(run)
    while (guid := make_guid(run.past.feed, item.title, item.published, run.turns[first])) in taken:
        run.turns[first] += 1
    taken.add(guid)
    return guid


def _list_taken(run: _Run) -> set[str]:
    """Return what no new guid may be like, to add to: a refresh without new items needs none of it."""
    if not run.taken:
        run.taken.update(map(find_likeness, run.records))
    return run.taken


def _update_record(item: Item, guid: str, run: _Run) -> PublishedItem:
    """Return the updated record of an item, or a new one."""
    record, past, now = run.records.get(guid), run.past, run.now
    if record is None:
        return _make_record(item, guid, run)
    gained = tuple(entry for entry in item.entries if entry not in record.entries)
    date = item.published if item.published is None or item.published.at <= now else None
    record = replace(record, entries=record.entries + gained, title=item.title)
    provisional = record.dated is not None and now - record.minted <= _PROVISIONAL
    if date is not None and provisional and _get_trust(_find_dater(item), past) > _get_trust(record.dated, past):
        return replace(record, published=date, dated=None)
    return replace(record, published=_sharpen(record.published, date))


def _make_record(item: Item, guid: str, run: _Run) -> PublishedItem:
    """Return the record of a new item, in which the entry that gave the guid is first."""
    published, trust = _choose_first_date(item, run), run.past.trust
    entries = sorted(item.entries, key=lambda entry: sources_of((entry,)) != (item.source_of("guid"),))
    dated = _find_dater(item)
    return PublishedItem(
        *(guid, run.now, published, tuple(entries), item.title, item.genre, item.rank),
        dated=dated if _get_trust(dated, run.past) < max(trust.values(), default=0.0) else None,
    )


def _find_dater(item: Item) -> str | None:
    """Return the source of an item's date, without a date its most trusted source."""
    return item.source_of("published") or item.origin


def _get_trust(source: str | None, past: Past) -> float:
    return past.trust.get(source or "", 0.0)


def _choose_first_date(item: Item, run: _Run) -> Moment:
    """Return the date with which an item is first published: its own, a guess, or when it was first seen.

    A date up to ``AHEAD`` in the future (an unknown zone, a host that lists a coming item) is not reported; a day stays
    a day, so that a source may still give the time. The first seen is that of its most trusted source.
    """
    date, now, first_seen = item.published, run.now, run.past.first_seen
    if date is not None and date.at <= now:
        return date
    if item.entries in run.guessed:
        return run.guessed[item.entries]
    own = [name for name in item.entries if sources_of((name,)) == (item.origin,)] or item.entries
    seen = min((first_seen[name] for name in own if name in first_seen), default=now)
    if date is None:
        return Moment(seen)
    if date.at > now + AHEAD:
        run.events.append(N_(f"{item.title!r} is dated {date.at:%Y-%m-%d}, in the future: published as seen now"))
    elif date.precision == "day":
        return replace(date, at=seen.replace(hour=0, minute=0, second=0, microsecond=0))
    return Moment(seen)


def _sharpen(published: Moment, date: Moment | None) -> Moment:
    """Return the published date, or the other one if that is a more precise value of it."""
    if (
        date is None
        or published.precision == "guess"
        or PRECISIONS.index(date.precision) <= PRECISIONS.index(published.precision)
    ):
        return published
    grain = _GRAINS[published.precision]
    return date if date.at.strftime(grain) == published.at.strftime(grain) else published


def _make_settlement(settled: Iterable[Item], home: Mapping[str, str] | None, run: _Run) -> Settlement:
    """Return the items in their final order, and records with the digest of their content and its last change.

    ``home`` is the guid of each entry by the evidence, ``None`` without decisions.
    """
    records = run.records
    known = {record.guid for record in run.past.published_items if record.digest}
    items: list[Item] = []
    changed: list[str] = []
    for item in settled:
        record, digest = records[item.guid], _digest_content(item)
        if item.guid in known and record.digest != digest:
            changed.append(item.guid)
            record = replace(record, updated=run.now)
        audio = item.enclosure.url if item.enclosure else None
        record = records[item.guid] = replace(record, digest=digest, audio=audio, buried=run.past.buried.get(item.guid))
        if record.buried is None:
            items.append(item if record.updated is None else replace(item, updated=Moment(record.updated)))
    moved = {entry: item.guid for item in items for entry in item.entries} if home is None else home
    ordered = sorted(items, key=lambda item: (-_get_time(item), item.rank, item.guid))
    new = tuple(item.guid for item in ordered if item.guid not in known)
    published_items = tuple(_drop_moved(records[guid], moved, records) for guid in sorted(records))
    return Settlement(tuple(ordered), published_items, new, tuple(sorted(changed)), tuple(run.events))


def _drop_moved(record: PublishedItem, moved: Mapping[str, str], records: Mapping[str, PublishedItem]) -> PublishedItem:
    """Return the record without the entries that belong to another item now."""
    if record.decided:
        return record
    root = _find_root(record, records)
    stay = tuple(entry for entry in record.entries if moved.get(entry, root) == root)
    return record if stay == record.entries else replace(record, entries=stay)


def _get_time(item: Item) -> float:
    """Return the published time in seconds; every item has one by now."""
    return item.published.at.timestamp() if item.published else 0.0


def _digest_content(item: Item) -> str:
    """Return the digest of the content of an item."""
    content = [(name, repr(value)) for name in _CONTENT if (value := getattr(item, name)) not in (None, (), False, "")]
    return digest_value(content)
