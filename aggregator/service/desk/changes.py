"""Changes: what the next publication would change against what is published, as ``aggregator diff`` says it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from aggregator.errors import StoreError
from aggregator.service.desk.frame import Act, Asked, Desk, Done, MissingError, Page
from aggregator.service.desk.jobs import Job
from aggregator.service.desk.published import Pieces, unmark
from aggregator.text import word_diff

_KIND: Final = "comparison"
_SHOWN: Final = 100
"""Items shown of each kind of change; the JSON of ``aggregator diff`` has all."""

_LONGEST: Final = 5000
_WORDED: Final = frozenset({"title", "text", "summary", "description", "markup", "author"})


class _Both(Struct, frozen=True):
    before: str | None = None
    after: str | None = None


class ChangedItem(Struct, frozen=True):
    """An item that would come, go, or become part of another (``into``), or leave it (``from``)."""

    guid: str
    title: str
    date: str | None = None
    into: str | None = None
    parted: str | None = msgspec.field(default=None, name="from")


class _Changed(Struct, frozen=True):
    guid: str
    title: str
    fields: Mapping[str, _Both] = {}


class _Difference(Struct, frozen=True):
    added: tuple[ChangedItem, ...] = ()
    removed: tuple[ChangedItem, ...] = ()
    merged: tuple[ChangedItem, ...] = ()
    parted: tuple[ChangedItem, ...] = ()
    changed: tuple[_Changed, ...] = ()
    channel: Mapping[str, _Both] = {}
    sources: Mapping[str, _Both] = {}


_DECODER = msgspec.json.Decoder(dict[str, _Difference])


class FieldChange(Struct, frozen=True):
    """A field before and after, as one text with what differs marked."""

    field: str
    pieces: Pieces


class ItemChange(Struct, frozen=True):
    """An item and its fields that would change."""

    guid: str
    title: str
    fields: tuple[FieldChange, ...]


class FeedChanges(Struct, frozen=True):
    """The differences of one feed; ``more`` counts the items that are not shown."""

    name: str
    moved: tuple[tuple[str, ChangedItem], ...]
    changed: tuple[ItemChange, ...]
    channel: tuple[FieldChange, ...]
    sources: tuple[FieldChange, ...]
    more: int


class ChangesPage(Struct, frozen=True):
    """The last comparison: of one feed, or of all (``feed`` is empty)."""

    feed: str
    looked: datetime | None
    running: int | None
    problems: tuple[str, ...]
    feeds: tuple[FeedChanges, ...]
    unchanged: int


def show_changes(desk: Desk, asked: Asked) -> ChangesPage:
    """Gather what the last comparison found."""
    name = desk.find_plan(asked).name if "feed" in asked.names else ""
    job = desk.jobs.newest(_KIND, name)
    if job is None or job.code is None:
        return ChangesPage(name, None, job.number if job else None, (), (), 0)
    found = _read(job)
    feeds = tuple(_show_feed(name, each) for name, each in found.items() if each != _Difference())
    return ChangesPage(name, job.ended, None, tuple(job.lines[:50]), feeds, len(found) - len(feeds))


def _read(job: Job) -> Mapping[str, _Difference]:
    if job.code and not job.output:
        return {}
    try:
        return _DECODER.decode(job.output)
    except ValueError as error:
        raise StoreError("the comparison cannot be read; compare again") from error


def _show_feed(name: str, found: _Difference) -> FeedChanges:
    moved = tuple(_list_moved(found))
    return FeedChanges(
        name,
        moved[:_SHOWN],
        tuple(ItemChange(each.guid, each.title, _show_fields(each.fields)) for each in found.changed[:_SHOWN]),
        _show_fields(found.channel),
        _show_fields(found.sources),
        len(moved[_SHOWN:]) + len(found.changed[_SHOWN:]),
    )


def _list_moved(found: _Difference) -> Iterator[tuple[str, ChangedItem]]:
    for word in ("added", "removed", "merged", "parted"):
        yield from ((word, item) for item in getattr(found, word))


def _show_fields(fields: Mapping[str, _Both]) -> tuple[FieldChange, ...]:
    return tuple(FieldChange(name, tuple(_mark(name, each))) for name, each in fields.items())


def _mark(name: str, value: _Both) -> Iterator[tuple[word_diff.Change, str]]:
    before, after = (text and text[:_LONGEST] for text in (value.before, value.after))
    if before and after and name in _WORDED:
        yield from unmark(tuple(word_diff.mark_words(before, after)))
        return
    if before:
        yield "removed", before
    yield "added", after or "(none)"


def compare(desk: Desk, asked: Asked) -> Done:
    """Refresh a copy and compare it with what is published; nothing is changed."""
    name = desk.find_plan(asked).name if "feed" in asked.names else ""
    words = ("diff", "--json", *(("--feed", name) if name else ()))
    then = f"{desk.root}/feeds/{name}/changes" if name else f"{desk.root}/changes"
    job = desk.jobs.start(_KIND, name, words, as_json=True, then=then)
    return Done("", f"{desk.root}/jobs/{job.number}")


def publish(desk: Desk, asked: Asked) -> Done:
    """Publish: refresh the feed."""
    if not desk.config.plans:
        raise MissingError("there is no feed yet")
    job = desk.jobs.refresh(desk.find_plan(asked).name)
    return Done("", f"{desk.root}/jobs/{job.number}")


PAGES = (
    Page("/changes", "changes.html.j2", show_changes),
    Page("/feeds/{feed}/changes", "changes.html.j2", show_changes),
)
ACTS = (
    Act("/changes/compare", compare),
    Act("/feeds/{feed}/changes/compare", compare),
    Act("/feeds/{feed}/changes/publish", publish),
)
