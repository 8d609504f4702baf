"""Blend the title and the description of an item from those of its entries.

Titles that differ by more than spelling are different titles (a show's prefix, another number): only those that
resemble the most trusted one are blended, the others dissent. Descriptions are always blended as copies of one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

from msgspec.structs import replace
from rapidfuzz import fuzz

from aggregator.merger.blending import blend
from aggregator.merger.blending.copies import Copy
from aggregator.merger.reconciling.provenance import ChosenValues, RankedEntries, Weights, find_notes, trace
from aggregator.model.entry import Entry
from aggregator.text.fold import fold
from aggregator.text.titles import titles

_TextField = Literal["title", "description"]

_LEADS_ELSEWHERE: Final = re.compile(r"""(?i)[\s/"'](?:href|src|srcset|poster)\s*=""")

_MOST_COPIES: Final = 8
"""Most trusted copies of one text that are blended; more do not improve the result (docs/text.md)."""


def read_title(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the title: one reading of the copies that resemble the most trusted one."""
    titled = [entry for entry in ranked.entries if entry.title]
    if not titled:
        return
    reading = blend.read_text(_make_text("title", ranked), ranked.weights.source_model)
    text = reading.text
    chosen_entry = max(titled, key=lambda entry: (entry.title == text, fuzz.ratio(entry.title, text)))
    key = fold(text)
    origin = trace("title", chosen_entry, ranked, lambda entry: entry.title, lambda entry: fold(entry.title) == key)
    show = next((entry.show for entry in ranked.entries if entry.show), "")
    typed = titles.parse_title(text, show)
    parts = ranked.weights.source_model.template.split(text)
    values = {
        "title": text,
        "plain_title": any(entry.plain_title for entry in titled if entry.title == text),
        "part": typed.part,
        "tag": typed.tag,
        "prefix": parts.prefix or None,
        "suffix": parts.suffix or None,
    }
    yield ChosenValues(values, replace(origin, confidence=round(reading.confidence, 3)))


def read_description(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the best reading of the description, with the markup of a source that has exactly this text."""
    described = [entry for entry in ranked.entries if entry.description]
    if not described:
        yield from _find_picture(ranked)
        return
    reading = blend.read_text(_make_text("description", ranked), ranked.weights.source_model)
    key = _fold_cached(reading.text)
    chosen_entry = _choose_entry(described, key, reading.main_source, ranked.weights)
    own = _fold_cached(chosen_entry.description or "") == key
    origin = trace(
        "description",
        chosen_entry,
        ranked,
        lambda entry: entry.description or None,
        lambda entry: key.startswith(_fold_cached(entry.description or "")),
    )
    values = {"description": reading.text, "html": chosen_entry.html if own else None, "cut": reading.cut}
    yield ChosenValues(values, replace(origin, confidence=round(reading.confidence, 3)))


def _find_picture(ranked: RankedEntries) -> Iterator[ChosenValues]:
    """Yield the markup of the most trusted entry whose only content is a picture."""
    pictured = next((entry for entry in ranked.entries if entry.html and "<img" in entry.html), None)
    if pictured is not None:
        origin = trace("html", pictured, ranked, lambda each: each.html, lambda each: each.html == pictured.html)
        yield ChosenValues({"html": pictured.html}, origin)


def texts_of(ranked: RankedEntries) -> list[blend.Text]:
    """Return the texts of an item that are learned from."""
    return [_make_text("title", ranked), _make_text("description", ranked)]


def _make_text(name: _TextField, ranked: RankedEntries) -> blend.Text:
    """Return the copies of a text in the entries that have it; superseded ones count only if there is no other."""
    having = [entry for entry in ranked.entries if getattr(entry, name)]
    present = [entry for entry in having if entry.id not in ranked.weights.superseded]
    return blend.Text(
        field=name,
        copies=tuple(_make_copy(name, entry, ranked) for entry in (present or having)[:_MOST_COPIES]),
        language=next((blend.base_language(one.language) for one in ranked.entries if one.language), None),
        show=next((entry.show for entry in ranked.entries if entry.show), None),
    )


def _make_copy(name: _TextField, entry: Entry, ranked: RankedEntries) -> Copy:
    is_second = entry.id in ranked.weights.younger or entry.id in ranked.weights.superseded
    repairs = tuple(note.cause for note in find_notes(name, entry))
    text, cut = getattr(entry, name) or "", entry.cut
    if name == "title":
        cut = "cut" in repairs
        text = text.removesuffix("…") if cut else text
    return Copy(
        entry.source,
        text,
        ranked.weights.of_text(entry),
        keep=entry.source in ranked.weights.keeps and not is_second,
        cut=cut,
        repairs=repairs,
        repaired=True,
    )


def _choose_entry(described: list[Entry], key: str, source: str, weights: Weights) -> Entry:
    """Return the entry whose text is the reading, if possible with markup, else one of its main source.

    Where a more trusted entry has the text without markup, that of another must have no links and pictures: these are
    no words.
    """
    whole = [entry for entry in described if _fold_cached(entry.description or "") == key]
    main = [entry for entry in described if entry.source == source]
    marked = (
        entry
        for entry in whole
        if entry.html and (weights.of(entry) >= weights.of(whole[0]) or not _LEADS_ELSEWHERE.search(entry.html))
    )
    return next(marked, None) or (whole or main or described)[0]


_fold_cached = lru_cache(maxsize=1 << 6)(fold)  # the texts of one item are compared several times
