"""Blend the title and the description of an item from those of its entries.

Titles that differ by more than spelling are different titles (a show's prefix, another number), so the copies that
resemble the most trusted one are read as one text and the others dissent; descriptions are read as copies of one
text, token by token.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

from msgspec.structs import replace
from rapidfuzz import fuzz

from aggregator.merger.blending import blend
from aggregator.merger.blending.copies import Copy
from aggregator.merger.reconciling.provenance import Finding, RankedEntries, find_notes, trace
from aggregator.model.entry import Entry
from aggregator.text.fold import fold
from aggregator.text.titles import titles

_TextField = Literal["title", "description"]

_MOST_COPIES: Final = 8
"""Copies of one text that are blended, the most trusted: with more, texts are read no better (docs/text.md)."""


def read_title(ranked: RankedEntries) -> Iterator[Finding]:
    """Return the title: one reading of the copies that resemble the most trusted one."""
    titled = [entry for entry in ranked.entries if entry.title]
    if not titled:
        return
    reading = blend.read_text(_text_of("title", ranked), ranked.weights.source_model)
    text = reading.text
    chosen_entry = max(titled, key=lambda entry: (entry.title == text, fuzz.ratio(entry.title, text)))
    key = fold(text)
    origin = trace("title", chosen_entry, ranked, lambda entry: entry.title, lambda entry: fold(entry.title) == key)
    show = next((entry.show for entry in ranked.entries if entry.show), "")
    typed = titles.parse_title(text, show)
    around = ranked.weights.source_model.template.split(text)
    values = {
        "title": text,
        "plain_title": any(entry.plain_title for entry in titled if entry.title == text),
        "part": typed.part,
        "tag": typed.tag,
        "prefix": around.prefix or None,
        "suffix": around.suffix or None,
    }
    yield Finding(values, replace(origin, confidence=round(reading.confidence, 3)))


def read_description(ranked: RankedEntries) -> Iterator[Finding]:
    """Return the best reading of the text, and the markup of the source whose text it is."""
    described = [entry for entry in ranked.entries if entry.description]
    if not described:
        return
    reading = blend.read_text(_text_of("description", ranked), ranked.weights.source_model)
    key = _folded(reading.text)
    chosen_entry = _nearest(described, key, reading.main_source)
    own = _folded(chosen_entry.description or "") == key
    origin = trace(
        "description",
        chosen_entry,
        ranked,
        lambda entry: entry.description or None,
        lambda entry: key.startswith(_folded(entry.description or "")),
    )
    values = {"description": reading.text, "html": chosen_entry.html if own else None, "cut": reading.cut}
    yield Finding(values, replace(origin, confidence=round(reading.confidence, 3)))


def texts_of(ranked: RankedEntries) -> list[blend.Text]:
    """Return the texts of an item that are learned from."""
    return [_text_of("title", ranked), _text_of("description", ranked)]


def _text_of(name: _TextField, ranked: RankedEntries) -> blend.Text:
    """Return what each entry says in a field of text; those that say nothing are left out.

    What a source has replaced since counts only if nothing else is said.
    """
    having = [entry for entry in ranked.entries if getattr(entry, name)]
    standing = [entry for entry in having if entry.id not in ranked.weights.superseded]
    return blend.Text(
        field=name,
        copies=tuple(_copy(name, entry, ranked) for entry in (standing or having)[:_MOST_COPIES]),
        language=next((blend.base_language(one.language) for one in ranked.entries if one.language), None),
        show=next((entry.show for entry in ranked.entries if entry.show), None),
    )


def _copy(name: _TextField, entry: Entry, ranked: RankedEntries) -> Copy:
    """Return one entry's text of a field, with what is known of its soundness."""
    gives_way = entry.id in ranked.weights.younger or entry.id in ranked.weights.superseded
    return Copy(
        entry.source,
        getattr(entry, name) or "",
        ranked.weights.of_text(entry),
        keep=entry.source in ranked.weights.keeps and not gives_way,
        cut=entry.cut and name == "description",
        wear=tuple(note.cause for note in find_notes(name, entry)),
        mended=True,
    )


def _nearest(described: list[Entry], key: str, source: str) -> Entry:
    """Return the entry whose text is the reading, else the one that carries most of it."""
    whole = [entry for entry in described if _folded(entry.description or "") == key]
    carrier = [entry for entry in described if entry.source == source]
    return (sorted(whole, key=lambda entry: entry.html is None) or carrier or described)[0]


@lru_cache(maxsize=1 << 6)
def _folded(text: str) -> str:
    """Return the same as ``fold``, remembered while one item is read: its texts are asked about again and again."""
    return fold(text)
