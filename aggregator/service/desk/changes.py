"""Changes: what the next publication would change against what is published, as ``aggregator diff`` says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from aggregator import corrections
from aggregator.model.record import make_json_decoder
from aggregator.service.desk.errors import RefusedError
from aggregator.service.desk.frame import SEEN, Act, ActResult, Button, Desk, Page, PageRequest
from aggregator.service.desk.jobs import Job
from aggregator.service.desk.published import Pieces, unmark
from aggregator.store import decisions
from aggregator.store.database import Store
from aggregator.text import word_diff
from aggregator.translation.marks import N_

_KIND: Final = "comparison"
_SHOWN: Final = 100
"""Items shown of each kind of change; the JSON of ``aggregator diff`` has all."""

_MAX_VALUE: Final = 5000
_WORDED: Final = frozenset({"title", "text", "summary", "description", "markup", "author"})


class _Both(Struct, frozen=True):
    before: str | None = None
    after: str | None = None


class _ChangedItem(Struct, frozen=True):
    """An item that would come, go, or become part of another (``into``), or leave it (``from``).

    ``is_held`` is whether a person has held it back since, ``seen`` the state of what is decided about it.
    """

    guid: str
    title: str
    date: str | None = None
    entries: tuple[str, ...] = ()
    is_held: bool = False
    seen: str = ""
    into: str | None = None
    parted: str | None = msgspec.field(default=None, name="from")


class _Changed(Struct, frozen=True):
    guid: str
    title: str
    fields: Mapping[str, _Both] = {}


class _Difference(Struct, frozen=True):
    added: tuple[_ChangedItem, ...] = ()
    removed: tuple[_ChangedItem, ...] = ()
    merged: tuple[_ChangedItem, ...] = ()
    parted: tuple[_ChangedItem, ...] = ()
    changed: tuple[_Changed, ...] = ()
    channel: Mapping[str, _Both] = {}
    sources: Mapping[str, _Both] = {}


_DECODER = make_json_decoder(dict[str, _Difference])


class _FieldChange(Struct, frozen=True):
    """A field before and after, as one text with what differs marked."""

    field: str
    pieces: Pieces


class _ItemChange(Struct, frozen=True):
    """An item and its fields that would change."""

    guid: str
    title: str
    fields: tuple[_FieldChange, ...]


class FeedChanges(Struct, frozen=True):
    """The differences of one feed; ``more`` counts the items that are not shown."""

    name: str
    moved: tuple[tuple[str, _ChangedItem], ...]
    changed: tuple[_ItemChange, ...]
    channel: tuple[_FieldChange, ...]
    sources: tuple[_FieldChange, ...]
    more: int


class _ChangesPage(Struct, frozen=True):
    """The last comparison: of one feed, or of all (``feed`` is empty)."""

    feed: str
    looked: datetime | None
    running: int | None
    problems: tuple[str, ...]
    feeds: tuple[FeedChanges, ...]
    unchanged: int


def _show_changes(desk: Desk, request: PageRequest) -> _ChangesPage:
    """Gather what the last comparison found."""
    name = desk.find_plan(request).name if "feed" in request.names else ""
    job = desk.jobs.newest(_KIND, name)
    if job is None or job.code is None:
        return _ChangesPage(name, None, job.number if job else None, (), (), 0)
    feeds, unchanged = read_comparison(job)
    with desk.open_store() as store:
        feeds = tuple(_add_decisions(store, each) for each in feeds)
    return _ChangesPage(name, job.ended, None, tuple(job.lines[:50]), feeds, unchanged)


def _add_decisions(store: Store, found: FeedChanges) -> FeedChanges:
    """Add what is decided about the items of a comparison: whether they are held back, and the state that is seen."""
    held = decisions.read_held_back(store, found.name)
    states = corrections.read_states(store, found.name, [item.entries for _, item in found.moved])
    moved = tuple(
        (word, replace(item, is_held=not held.isdisjoint(item.entries), seen=seen))
        for (word, item), seen in zip(found.moved, states, strict=True)
    )
    return replace(found, moved=moved)


def read_comparison(job: Job) -> tuple[tuple[FeedChanges, ...], int]:
    """Return what ``aggregator diff --json`` found: the feeds that would change, and how many would not."""
    if job.code and not job.output:
        return (), 0
    try:
        found = _DECODER.decode(job.output)
    except ValueError as error:
        raise RefusedError(N_("the comparison cannot be read; compare again")) from error
    feeds = tuple(_show_feed(name, each) for name, each in found.items() if each != _Difference())
    return feeds, len(found) - len(feeds)


def _show_feed(name: str, found: _Difference) -> FeedChanges:
    moved = tuple(_list_moved(found))
    return FeedChanges(
        name,
        moved[:_SHOWN],
        tuple(_ItemChange(each.guid, each.title, _show_fields(each.fields)) for each in found.changed[:_SHOWN]),
        _show_fields(found.channel),
        _show_fields(found.sources),
        len(moved[_SHOWN:]) + len(found.changed[_SHOWN:]),
    )


def _list_moved(found: _Difference) -> Iterator[tuple[str, _ChangedItem]]:
    for word in ("added", "removed", "merged", "parted"):
        yield from ((word, item) for item in getattr(found, word))


def _show_fields(fields: Mapping[str, _Both]) -> tuple[_FieldChange, ...]:
    return tuple(_FieldChange(name, tuple(_mark(name, each))) for name, each in fields.items())


def _mark(name: str, value: _Both) -> Iterator[tuple[word_diff.Change, str]]:
    before, after = (text and text[:_MAX_VALUE] for text in (value.before, value.after))
    if before and after and name in _WORDED:
        yield from unmark(tuple(word_diff.mark_words(before, after)))
        return
    if before:
        yield "removed", before
    if after:
        yield "added", after


def _compare(desk: Desk, request: PageRequest) -> ActResult:
    """Refresh a copy and compare it with what is published; nothing is changed."""
    name = desk.find_plan(request).name if "feed" in request.names else ""
    words = ("diff", "--json", *(("--feed", name) if name else ()))
    then = f"/feeds/{name}/changes" if name else "/changes"
    heading = N_("Comparison of %(feed)s") if name else N_("Comparison")
    job = desk.jobs.start(_KIND, name, words, heading=heading, as_json=True, then=then)
    return ActResult(f"/jobs/{job.number}")


def _hold_back(desk: Desk, request: PageRequest) -> ActResult:
    """Hold back an item that the next publication would bring."""
    plan, names = desk.find_plan(request), request.find("entries").splitlines()
    with desk.open_context(request) as context:
        corrections.hold_back(context, names)
    locale, page = request.locale, f"/feeds/{plan.name}/changes"
    undo = Button(locale.gettext("Release"), f"{page}/release", {"entries": "\n".join(names)})
    return ActResult(page, locale.gettext("It is held back until it is released."), undo)


def _release(desk: Desk, request: PageRequest) -> ActResult:
    """Release a new item that is held back."""
    plan, names = desk.find_plan(request), request.find("entries").splitlines()
    with desk.open_context(request) as context:
        corrections.release(context, names)
    locale, page = request.locale, f"/feeds/{plan.name}/changes"
    undo = Button(locale.gettext("Hold back"), f"{page}/hold", {"entries": "\n".join(names)})
    return ActResult(page, locale.gettext("It is released, from the next refresh on."), undo)


_ENTRIES: Final = {"entries": "The ids of the item's entries, one a line."}
PAGES = (
    Page("/changes", "changes.html.j2", _show_changes),
    Page("/feeds/{feed}/changes", "changes.html.j2", _show_changes),
)
ACTS = (
    Act("/changes/compare", _compare),
    Act("/feeds/{feed}/changes/compare", _compare),
    Act("/feeds/{feed}/changes/hold", _hold_back, needs=_ENTRIES, takes=SEEN),
    Act("/feeds/{feed}/changes/release", _release, needs=_ENTRIES, takes=SEEN),
)
