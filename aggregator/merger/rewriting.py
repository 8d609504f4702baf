"""Rewrite fields by the rules of the config: of the entries of a source, or of the items of a feed.

Rules count for what is stored, too: with another rule everything is as if it had always been so. Each change is noted
beside the repairs of its field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from aggregator.merger import patterns
from aggregator.model.entry import Enclosure, Entry, Note
from aggregator.model.item import Item
from aggregator.model.source import Rewrite
from aggregator.text import urls

_CAUSE: Final = "rewritten"
_ADDRESSES: Final = frozenset({"link", "image", "enclosure"})

Rewritten = TypeVar("Rewritten", Entry, Item)


def rewrite_entry(entry: Entry, rules: Sequence[Rewrite], place: str) -> Entry:
    """Return an entry with its fields rewritten, and a note for each that changed; PublishError as `rewrite_item`."""
    after, notes = _rewrite(entry, rules, place)
    return replace(after, notes=(*after.notes, *notes)) if notes else after


def rewrite_item(item: Item, rules: Sequence[Rewrite], place: str) -> Item:
    """Return an item with its fields rewritten, and a note for each that changed in its provenance.

    ``place`` is where the rules stand in the config. Raises PublishError for a pattern that takes too long.
    """
    after, notes = _rewrite(item, rules, place)
    if not notes:
        return after
    if any(note.field == "title" for note in notes):
        after = replace(after, prefix=None, suffix=None)
    provenance = tuple(
        replace(each, notes=(*each.notes, *(note for note in notes if note.field == each.field)))
        for each in after.provenance
    )
    return replace(after, provenance=provenance)


def _rewrite(found: Rewritten, rules: Sequence[Rewrite], place: str) -> tuple[Rewritten, list[Note]]:
    """Apply the rules in their order; a description is rewritten as text and as markup, each by itself."""
    notes: list[Note] = []
    for number, rule in enumerate(rules):
        where = f"{place}.rewrite[{number}]"
        for name in ("description", "html") if rule.field == "description" else (rule.field,):
            before = getattr(found, name)
            text = before.url if isinstance(before, Enclosure) else before
            if not text:
                continue
            after = patterns.substitute(rule.pattern, rule.replacement, text, where)
            if after == text or not _is_usable(rule.field, after):
                continue
            value = replace(before, url=after) if isinstance(before, Enclosure) else after or None
            found = replace(found, **{name: value})
            notes += [Note(rule.field, _CAUSE, text, after)] if name != "html" else []
    return found, notes


def _is_usable(field: str, text: str) -> bool:
    """Return whether a text can be the value of a field: a title is not empty, an address is one."""
    if field == "title":
        return bool(text.strip())
    return urls.is_web(text) if field in _ADDRESSES else True
