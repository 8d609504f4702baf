"""The title and the description of an item, read out of those of its entries.

Titles that differ by more than spelling are different titles (a show's prefix, another number), so the copies that
resemble the most trusted one are read as one text and the others dissent; descriptions are read as copies of one
text, token by token.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from msgspec.structs import replace
from rapidfuzz import fuzz

from aggregator.merger.blending import blend
from aggregator.merger.blending.copies import Copy
from aggregator.merger.reconciling.provenance import Ballot, Finding, attest, notes_on
from aggregator.model.entry import Entry
from aggregator.text.fold import fold
from aggregator.text.titles import titles

TextField = Literal["title", "description"]


def read_title(votes: Ballot) -> Iterator[Finding]:
    """The title: one reading of the copies that resemble the most trusted one."""
    titled = [entry for entry in votes.witnesses if entry.title]
    if not titled:
        return
    reading = blend.read_text(text_of("title", votes), votes.weights.lore)
    text = reading.text
    witness = max(titled, key=lambda entry: (entry.title == text, fuzz.ratio(entry.title, text)))
    key = fold(text)
    origin = attest("title", witness, votes, lambda entry: entry.title, lambda entry: fold(entry.title) == key)
    show = next((entry.show for entry in votes.witnesses if entry.show), "")
    typed = titles.parse_title(text, show)
    around = votes.weights.lore.template.split(text)
    values = {
        "title": text,
        "part": typed.part,
        "tag": typed.tag,
        "prefix": around.prefix or None,
        "suffix": around.suffix or None,
    }
    yield Finding(values, replace(origin, confidence=round(reading.confidence, 3)))


def read_description(votes: Ballot) -> Iterator[Finding]:
    """The best reading of the text, and the witness's own markup where it is that witness's text."""
    told = [entry for entry in votes.witnesses if entry.description]
    if not told:
        return
    reading = blend.read_text(text_of("description", votes), votes.weights.lore)
    key = _folded(reading.text)
    witness = _nearest(told, key, reading.witness)
    own = _folded(witness.description or "") == key
    origin = attest(
        "description",
        witness,
        votes,
        lambda entry: entry.description or None,
        lambda entry: key.startswith(_folded(entry.description or "")),
    )
    values = {"description": reading.text, "html": witness.html if own else None, "cut": reading.cut}
    yield Finding(values, replace(origin, confidence=round(reading.confidence, 3)))


def texts_of(votes: Ballot) -> list[blend.Text]:
    """Return the texts of an item that are learned from."""
    return [text_of("title", votes), text_of("description", votes)]


def text_of(name: TextField, votes: Ballot) -> blend.Text:
    """Return what each entry says in a field of text; those that say nothing are left out."""
    return blend.Text(
        field=name,
        copies=tuple(_copy(name, entry, votes) for entry in votes.witnesses if getattr(entry, name)),
        language=next((blend.base_language(one.language) for one in votes.witnesses if one.language), None),
        show=next((entry.show for entry in votes.witnesses if entry.show), None),
    )


def _copy(name: TextField, entry: Entry, votes: Ballot) -> Copy:
    """One entry's text of a field, with what is known of its soundness."""
    return Copy(
        entry.source,
        getattr(entry, name) or "",
        votes.weights.of_text(entry),
        keep=entry.source in votes.weights.keeps and entry.id not in votes.weights.younger,
        cut=entry.cut and name == "description",
        wear=tuple(note.cause for note in notes_on(name, entry)),
        mended=True,
    )


def _nearest(told: list[Entry], key: str, source: str) -> Entry:
    """The entry whose text is the reading, else the one that carries most of it."""
    whole = [entry for entry in told if _folded(entry.description or "") == key]
    carrier = [entry for entry in told if entry.source == source]
    return (sorted(whole, key=lambda entry: entry.html is None) or carrier or told)[0]


@lru_cache(maxsize=1 << 6)
def _folded(text: str) -> str:
    """The same as ``fold``, remembered while one item is read: its texts are asked about again and again."""
    return fold(text)
