"""Give an entry the full text of its page, where that is the listed text and more."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry, FullText, Note
from aggregator.text import html, tokens

CAUSE: Final = "full text of the page"
"""The cause of the note, before the address of the page."""

_LEAST_SHARED: Final = 0.5
"""Share of the listed words that the page must have: a page for cookies or of an error has few of them, and a teaser
that was written by hand is still about the post."""


def complete(entry: Entry, full: FullText) -> Entry:
    """Return a repaired entry with the repaired text of its page, and a note that says so.

    The entry is returned as it is if the page has no more words than the listed text, or another text.
    """
    listed = entry.description or ""
    if not _is_more(listed, html.to_text(full.html)):
        return entry
    page = repair(Entry(entry.source, entry.key, "", html=full.html, link=full.url))
    notes = [note for note in entry.notes if note.field != "description"]
    noted = Note("description", f"{CAUSE} {full.url}", listed, page.description or "")
    return replace(
        entry, html=full.html, description=page.description, cut=page.cut, notes=(*notes, noted, *page.notes)
    )


def _is_more(listed: str, text: str) -> bool:
    before, after = ([each.key for each in tokens.tokenise(one) if each.lexical] for one in (listed, text))
    words = set(before)
    return len(after) > len(before) and len(words & set(after)) >= _LEAST_SHARED * len(words)
