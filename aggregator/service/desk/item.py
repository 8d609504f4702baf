"""The page of an item: where each field is from, why its entries are one, and the acts that correct it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from aggregator import corrections
from aggregator.generator.content import sanitize
from aggregator.generator.content.feed_item import FeedItem, make_feed_item
from aggregator.generator.pages import wording
from aggregator.merger.matching.wording import describe_evidence, describe_level, describe_pair
from aggregator.merger.reconciling.overrides import FIELDS
from aggregator.merger.reconciling.provenance import QUOTED
from aggregator.model.cluster import Pair
from aggregator.model.entry import Note
from aggregator.model.item import Item, Override, Provenance, PublishedItem
from aggregator.service.desk.errors import MissingError
from aggregator.service.desk.frame import SEEN, Act, ActResult, Button, Desk, Page, PageRequest
from aggregator.service.desk.published import Pieces, format_value, full_text, unmark
from aggregator.store import decisions, entries, guids
from aggregator.store.decisions import Event
from aggregator.store.entries import StoredEntry
from aggregator.store.items import FeedItems
from aggregator.text import visible_whitespace, word_diff
from aggregator.text.html import to_text
from aggregator.translation.locale import SOURCE, Locale
from aggregator.translation.marks import N_

_MAX_VALUE: Final = 600
"""Characters of a value."""

_ORDER: Final = ("title", "published", "duration", "enclosure", "description", "summary", "link", "image")
"""The fields that are shown first."""

_MOST_PAIRS: Final = 12
_MOST_EVENTS: Final = 30
_WIDEST_BAR: Final = 8.0
"""Log-odds that fill a bar; more looks the same."""


class _OtherValue(Struct, frozen=True):
    """A source that gives another value, with the words marked that differ from the published one.

    ``value`` is the value if it is known in full and can be set, else ``None``.
    """

    source: str
    pieces: Pieces
    value: str | None


class _RepairLine(Struct, frozen=True):
    """A repair of a value: the cause, and the text before and after."""

    cause: str
    before: str
    after: str


class _FieldLine(Struct, frozen=True):
    """A field of an item: its value, from which source it is, who agrees, who differs, and what was repaired.

    ``original`` is a repaired value as its source gave it, with the words marked that the published one lacks.
    ``fixed`` is the value that a person set, ``None`` if sources say it; ``can_be_set`` is whether one may, ``draft``
    the published value if that can be edited.
    """

    name: str
    value: str
    source: str
    percent: int
    agreeing: tuple[str, ...]
    others: tuple[_OtherValue, ...]
    repairs: tuple[_RepairLine, ...]
    original: Pieces
    fixed: str | None
    can_be_set: bool
    draft: str


class _EntryLine(Struct, frozen=True):
    """An entry of an item."""

    id: str
    source: str
    title: str
    published: str
    duration: str
    characters: int
    cut: bool
    first_seen: datetime
    last_seen: datetime


class _Bar(Struct, frozen=True):
    """A piece of evidence as a bar to the left (against) or right (for) of the middle of 200 units."""

    name: str
    level: str
    left: str
    right: str
    weight: float
    start: float
    width: float


class PairBars(Struct, frozen=True):
    """Two entries, how likely they are one item and why in a line, and their evidence, the strongest first."""

    left: str
    right: str
    reasons: str
    bars: tuple[_Bar, ...]


class _ItemPage(Struct, frozen=True):
    """The page of an item; ``seen`` is the state of decisions that its forms were made of."""

    feed: str
    guid: str
    title: str
    genre: str
    url: str
    minted: datetime | None
    updated: datetime | None
    fields: tuple[_FieldLine, ...]
    entries: tuple[_EntryLine, ...]
    pairs: tuple[PairBars, ...]
    more_pairs: int
    events: tuple[Event, ...]
    removed: str
    seen: str


def _show_item(desk: Desk, request: PageRequest) -> _ItemPage:
    """Gather the page of the item whose guid the query gives."""
    plan, guid = desk.find_plan(request), request.query.get("guid", "")
    with desk.open_store() as store:
        published = next((each for each in guids.read_guids(store, plan.name) if each.guid == guid), None)
        item = FeedItems(store, plan.name).find(guid) or _find_former(published)
        mentions = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, (guid, *item.entries)))})(?!\w)")
        known = entries.read_entries_of(store, plan.name, item.entries)
        fixed = {each.field: each.value for each in decisions.read_overrides(store, plan.name) if each.guid == guid}
        removed = decisions.read_removed(store, plan.name).get(guid, "")
        events = [each for each in decisions.read_events(store, plan.name) if mentions.search(each.text)]
        seen = corrections.read_state(store, plan.name, (guid, *item.entries))
    others = fixed.keys() - {known.field for known in item.provenance}
    origins = sorted((*item.provenance, *(Provenance(name, "") for name in sorted(others))), key=_rank)
    shown = make_feed_item(item)
    lines = (_make_field(each, shown, known, fixed.get(each.field), request.locale) for each in origins)
    return _ItemPage(
        feed=plan.name,
        guid=guid,
        title=shown.title,
        genre=item.genre,
        url=shown.link or "",
        minted=published.minted if published else None,
        updated=published.updated if published else None,
        fields=tuple(line for line in lines if line.value or line.others or line.fixed is not None),
        entries=tuple(_make_entry_line(each, request.locale) for each in known),
        pairs=tuple(make_bars(pair, request.locale) for pair in item.pairs[:_MOST_PAIRS]),
        more_pairs=max(0, len(item.pairs) - _MOST_PAIRS),
        events=tuple(reversed(events[-_MOST_EVENTS:])),
        removed=removed,
        seen=seen,
    )


def _find_former(published: PublishedItem | None) -> Item:
    """Return an item that has left the feed, without its fields; raise MissingError if it never was in it."""
    if published is None:
        raise MissingError(N_("no published item has this guid"))
    return Item(published.title, published.entries, published.genre, published.guid, published=published.published)


def _rank(origin: Provenance) -> int:
    return _ORDER.index(origin.field) if origin.field in _ORDER else len(_ORDER)


def _make_field(
    origin: Provenance, shown: FeedItem, known: Sequence[StoredEntry], fixed: str | None, locale: Locale
) -> _FieldLine:
    value = _find_value(origin, shown, known, locale)
    return _FieldLine(
        name=origin.field,
        value=_cut(value),
        source=origin.source,
        percent=round(100 * origin.confidence),
        agreeing=origin.agreeing,
        others=tuple(
            _OtherValue(other.source, _mark(value, given), _find_settable(origin.field, given))
            for other in origin.dissent
            for given in (sanitize.clean_text(sanitize.clean_field(origin.field, other.value)),)
        ),
        repairs=tuple(_make_repair(note, locale) for note in origin.notes),
        original=_find_original(value, origin, known, locale) if origin.notes else (),
        fixed=fixed,
        can_be_set=origin.field in FIELDS,
        draft=value if origin.field in FIELDS and FIELDS[origin.field](value) is not None else "",
    )


def _find_settable(field: str, value: str) -> str | None:
    """Return a source's value that a person may set, ``None`` if it was cut or cannot be read."""
    is_whole = len(value) < QUOTED
    return value if is_whole and field in FIELDS and FIELDS[field](value) is not None else None


def _find_original(value: str, origin: Provenance, known: Sequence[StoredEntry], locale: Locale) -> Pieces:
    """Return the value of a repaired field as its source gave it, for the stored entries are not repaired."""
    entry = next((each.entry for each in known if each.entry.source == origin.source), None)
    if entry is None:
        return ()
    given = full_text(entry)
    if origin.field != "description":
        given = format_value(getattr(entry, origin.field, None), locale)
    return _mark(value, given) if given else ()


def _cut(text: str) -> str:
    return wording.shorten(text, _MAX_VALUE)


def _make_repair(repair: Note, locale: Locale) -> _RepairLine:
    """Return a repair; in English its cause is named as the commands name it."""
    before, after = visible_whitespace.show_difference(repair.before, repair.after)
    cause = repair.cause if locale.language == SOURCE else wording.describe_cause(repair.cause, locale)
    return _RepairLine(cause, _cut(before), _cut(after))


def _mark(value: str, other: str) -> Pieces:
    """Return another value with the words marked that the published one lacks."""
    _, pieces = word_diff.mark_sides(value[: 10 * _MAX_VALUE], sanitize.clean_text(other[: 10 * _MAX_VALUE]))
    return tuple((change, _cut(piece)) for change, piece in unmark(pieces))


def _find_value(origin: Provenance, shown: FeedItem, known: Sequence[StoredEntry], locale: Locale) -> str:
    """Return the published value of a field, else that of the entry which it is from."""
    files: Mapping[str, str | None] = {
        "title": shown.title,
        "description": to_text(shown.html),
        "summary": shown.short,
        "link": shown.link,
        "image": shown.image,
        "author": shown.author,
        "enclosure": shown.media.url if shown.media else None,
    }
    if given := files.get(origin.field):
        return given
    field, _, group = origin.field.partition(" ")
    if field == "tags":
        return format_value(tuple(tag for tag in shown.tags if tag.name.startswith(group)), locale)
    own = [each.entry for each in known if each.entry.source == origin.source] or [each.entry for each in known]
    values = (value for each in own if (value := getattr(each, origin.field, None)) is not None)
    return next((format_value(value, locale) for value in values), "")


def _make_entry_line(stored: StoredEntry, locale: Locale) -> _EntryLine:
    entry = stored.entry
    return _EntryLine(
        entry.id,
        entry.source,
        entry.title,
        format_value(entry.published, locale),
        format_value(entry.duration, locale),
        len(full_text(entry)),
        entry.cut,
        stored.first_seen,
        stored.last_seen,
    )


def make_bars(pair: Pair, locale: Locale) -> PairBars:
    """Return the evidence about two entries as bars."""
    return PairBars(pair.left, pair.right, describe_pair(pair, locale), tuple(_iterate_bars(pair, locale)))


def _iterate_bars(pair: Pair, locale: Locale) -> Iterator[_Bar]:
    for one in sorted(pair.evidence, key=lambda one: -abs(one.weight)):
        width = round(100 * min(abs(one.weight), _WIDEST_BAR) / _WIDEST_BAR, 1)
        start = 100.0 if one.weight >= 0 else 100 - width
        words = describe_evidence(one.name, locale), describe_level(one.name, one.level, locale)
        yield _Bar(*words, _cut(one.left), _cut(one.right), one.weight, start, width)


@contextmanager
def _open_context(desk: Desk, request: PageRequest) -> Iterator[tuple[corrections.CorrectionContext, tuple[str, ...]]]:
    """Open the store to correct the item of a form; give its guid and its entries, none if it is not published now."""
    guid = request.find("guid")
    with desk.open_context(request) as context:
        item = FeedItems(context.store, context.plan.name).find(guid)
        yield context, (guid, *(item.entries if item else ()))


def _make_result(request: PageRequest, message: str, undo: str = "", **fields: str) -> ActResult:
    """Return the page of the item with a message, and a button that undoes the act if there is one that does.

    The message may have the placeholder ``field``.
    """
    path, guid, locale = f"/feeds/{request.names['feed']}/item", request.find("guid"), request.locale
    button = Button(locale.gettext("Undo"), f"{path}/{undo}", {"guid": guid, **fields}) if undo else None
    said = locale.gettext(message, field=locale.gettext(fields.get("field", "")))
    return ActResult(f"{path}?guid={quote(guid, safe='')}", said, button)


def _set_field(desk: Desk, request: PageRequest) -> ActResult:
    """Set a field of an item."""
    override = Override(request.find("guid"), request.find("field"), request.find("value"))
    with _open_context(desk, request) as (context, names):
        corrections.set_field(context, names, override)
    return _make_result(request, N_("%(field)s is set from the next refresh on."), "unset", field=override.field)


def _unset_field(desk: Desk, request: PageRequest) -> ActResult:
    """Let the sources say a field again."""
    guid, field = request.find("guid"), request.find("field")
    with _open_context(desk, request) as (context, names):
        overrides = decisions.read_overrides(context.store, context.plan.name)
        value = next((each.value for each in overrides if (each.guid, each.field) == (guid, field)), "")
        corrections.unset_field(context, names, guid, field)
    message = N_("The sources say %(field)s again from the next refresh on.")
    return _make_result(request, message, "set", field=field, value=value)


def _part_entry(desk: Desk, request: PageRequest) -> ActResult:
    """Part an entry from the others of its item."""
    entry = request.find("entry")
    with _open_context(desk, request) as (context, names):
        others = [name for name in names[1:] if name != entry]
        corrections.part_entry(context, names, entry, others)
    message = N_("The entry is an item of its own from the next refresh on.")
    return _make_result(request, message, "join", entry=entry, others="\n".join(others))


def _join_entry(desk: Desk, request: PageRequest) -> ActResult:
    """Take back that an entry was parted."""
    with _open_context(desk, request) as (context, names):
        corrections.join_entry(context, names, request.find("entry"), request.find("others").splitlines())
    return _make_result(request, N_("The entry is no longer parted by hand."))


def _take_out(desk: Desk, request: PageRequest) -> ActResult:
    """Take an item out of the feed."""
    with _open_context(desk, request) as (context, names):
        corrections.take_out(context, names, request.find("guid"), request.find("reason"))
    return _make_result(request, N_("The item leaves the feed with the next refresh."), "back")


def _take_back(desk: Desk, request: PageRequest) -> ActResult:
    """Take an item back into the feed."""
    guid = request.find("guid")
    with _open_context(desk, request) as (context, names):
        reason = decisions.read_removed(context.store, context.plan.name).get(guid, "")
        corrections.take_back(context, names, guid)
    message = N_("The item is back with the next refresh.")
    return _make_result(request, message, "out", reason=reason)


_GUID: Final = {"guid": "The guid of the item."}
_FIELD: Final = {**_GUID, "field": f"The name of the field: {', '.join(FIELDS)}."}
_ENTRY: Final = {**_GUID, "entry": "The id of the entry."}
_OTHERS: Final = {"others": "The ids of the entries that it was separated from, one a line."}
PAGES = (Page("/feeds/{feed}/item", "item.html.j2", _show_item, needs=_GUID),)
ACTS = (
    Act("/feeds/{feed}/item/set", _set_field, needs={**_FIELD, "value": "The value as a text."}, takes=SEEN),
    Act("/feeds/{feed}/item/unset", _unset_field, needs=_FIELD, takes=SEEN),
    Act("/feeds/{feed}/item/part", _part_entry, needs=_ENTRY, takes=SEEN),
    Act("/feeds/{feed}/item/join", _join_entry, needs={**_ENTRY, **_OTHERS}, takes=SEEN),
    Act("/feeds/{feed}/item/out", _take_out, needs={**_GUID, "reason": "Why, for people."}, takes=SEEN),
    Act("/feeds/{feed}/item/back", _take_back, needs=_GUID, takes=SEEN),
)
