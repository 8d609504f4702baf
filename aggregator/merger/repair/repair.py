"""Repair the texts of one entry, each by itself, each change noted."""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.merger.repair.fixers import Change, RepairedText, find_change, repair_text
from aggregator.model.entry import Entry, Note
from aggregator.text import html, truncation

_BETWEEN_WORDS = " "
"""What a text ends in whose cut is known to lie between words; without it the last word of a cut text is torn."""


def repair(entry: Entry) -> Entry:
    """Return the entry with title, description and summary repaired, and one note for each change that a fixer made.

    A description is made from ``html`` where the source gave markup. ``cut`` becomes true where the description ends
    in a sure mark of truncation; the mark goes, and the torn word before it: what is left ends in a blank. A title
    that is marked as cut ends in "…" (see ``_mark_cut``). Idempotent: a repaired entry comes back equal.
    """
    title, in_title = _repair_title(entry.title, literal=entry.plain_title)
    description, cut, in_description = _repair_description(entry)
    summary, in_summary = _repair_summary(entry.summary)
    notes = (
        *_make_notes("title", in_title),
        *_make_notes("description", in_description),
        *_make_notes("summary", in_summary),
    )
    return replace(entry, title=title, description=description, summary=summary, cut=cut, notes=entry.notes + notes)


def _repair_title(title: str, *, literal: bool) -> tuple[str, tuple[Change, ...]]:
    """Return the title on one line; a sure cut leaves one ellipsis, since a title has no flag of its own."""
    first = repair_text(title, literal=literal)
    line = " ".join(first.text.split())
    if line == title and not first.cut and not first.changes:
        return title, ()
    mended = repair_text(line, cut=first.cut, literal=literal)
    return _mark_cut(mended, literal=literal), first.changes + mended.changes


def _repair_summary(summary: str | None) -> tuple[str | None, tuple[Change, ...]]:
    if summary is None:
        return None, ()
    mended = repair_text(summary)
    return _mark_cut(mended), mended.changes


def _mark_cut(mended: RepairedText, *, literal: bool = False) -> str:
    """Return the text, with an ellipsis where it is cut, unless that would be read as a byte of half a character.

    "Ñ" and "…" are "х" in mojibake; the note of the change still says that the text was cut.
    """
    marked = f"{mended.text}…"
    kept = mended.cut and repair_text(marked, literal=literal) == RepairedText(marked, cut=False, changes=())
    return marked if kept else mended.text


def _repair_description(entry: Entry) -> tuple[str | None, bool, tuple[Change, ...]]:
    text = entry.description
    if text is None and entry.html is not None:
        text = html.to_text(entry.html)
    if text is None:
        return None, entry.cut, ()
    torn: tuple[Change, ...] = ()
    if entry.cut and not text[-1:].isspace() and (whole := truncation.strip_torn_word(text)) != text:
        text, torn = whole, (Change("torn word", *find_change(text, whole)),)
    mended = repair_text(text.rstrip(), cut=entry.cut)
    return mended.text + _BETWEEN_WORDS * mended.cut, mended.cut, torn + mended.changes


def _make_notes(field: str, changes: tuple[Change, ...]) -> tuple[Note, ...]:
    return tuple(Note(field, change.cause, change.before, change.after) for change in changes)
