"""Repair the texts of one entry and note each change."""

from __future__ import annotations

from msgspec.structs import replace

from aggregator.merger.repair.fixers import AppliedFix, RepairedText, find_change, repair_text
from aggregator.model.entry import Entry, Note
from aggregator.text import html, truncation

_BETWEEN_WORDS = " "
"""End of a text that is cut between words; without it the last word of a cut text may be incomplete."""


def repair(entry: Entry) -> Entry:
    """Return the entry with title, description and summary repaired, and one note for each change of a fixer.

    Without a description it is made of ``html``. If it ends in a sure mark of truncation, ``cut`` becomes true and the
    mark is removed with the incomplete word before it: the text then ends in a blank. A title that is marked as cut
    ends in "…" (see ``_mark_cut``). Idempotent.
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


def _repair_title(title: str, *, literal: bool) -> tuple[str, tuple[AppliedFix, ...]]:
    """Return the title on one line; a cut one ends in an ellipsis, because titles have no flag for it."""
    first = repair_text(title, literal=literal)
    line = " ".join(first.text.split())
    if line == title and not first.cut and not first.changes:
        return title, ()
    repaired = repair_text(line, cut=first.cut, literal=literal)
    return _mark_cut(repaired, literal=literal), first.changes + repaired.changes


def _repair_summary(summary: str | None) -> tuple[str | None, tuple[AppliedFix, ...]]:
    if summary is None:
        return None, ()
    repaired = repair_text(summary)
    return _mark_cut(repaired), repaired.changes


def _mark_cut(repaired: RepairedText, *, literal: bool = False) -> str:
    """Return the text, with an ellipsis if it is cut, unless a repair would change that.

    "Ñ" and "…" are "х" in mojibake; the note of the change still tells that the text was cut.
    """
    marked = f"{repaired.text}…"
    stays = repaired.cut and repair_text(marked, literal=literal) == RepairedText(marked, cut=False, changes=())
    return marked if stays else repaired.text


def _repair_description(entry: Entry) -> tuple[str | None, bool, tuple[AppliedFix, ...]]:
    text = entry.description
    if text is None and entry.html is not None:
        text = html.to_text(entry.html)
    if text is None:
        return None, entry.cut, ()
    changes: tuple[AppliedFix, ...] = ()
    if entry.cut and not text[-1:].isspace() and (whole := truncation.strip_torn_word(text)) != text:
        text, changes = whole, (AppliedFix("torn word", *find_change(text, whole)),)
    repaired = repair_text(text.rstrip(), cut=entry.cut)
    return repaired.text + _BETWEEN_WORDS * repaired.cut, repaired.cut, changes + repaired.changes


def _make_notes(field: str, changes: tuple[AppliedFix, ...]) -> tuple[Note, ...]:
    return tuple(Note(field, change.cause, change.before, change.after) for change in changes)
