"""The title and the description of an item, read out of those of its sightings.

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

from aggregator.merger import blend, texts
from aggregator.merger.attest import Ballot, Finding, attest, notes_on
from aggregator.model.sighting import Sighting
from aggregator.text import titles
from aggregator.text.fold import fold

TextField = Literal["title", "description"]


def read_title(votes: Ballot) -> Iterator[Finding]:
    """The title: one reading of the copies that resemble the most trusted one."""
    titled = [sighting for sighting in votes.witnesses if sighting.title]
    if not titled:
        return
    reading = texts.read(text_of("title", votes), votes.weights.lore)
    text = reading.text
    witness = max(titled, key=lambda sighting: (sighting.title == text, fuzz.ratio(sighting.title, text)))
    key = fold(text)
    origin = attest(
        "title", witness, votes, lambda sighting: sighting.title, lambda sighting: fold(sighting.title) == key
    )
    show = next((sighting.show for sighting in votes.witnesses if sighting.show), "")
    typed = titles.pieces(text, show)
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
    told = [sighting for sighting in votes.witnesses if sighting.description]
    if not told:
        return
    reading = texts.read(text_of("description", votes), votes.weights.lore)
    key = _folded(reading.text)
    witness = _nearest(told, key, reading.witness)
    own = _folded(witness.description or "") == key
    origin = attest(
        "description",
        witness,
        votes,
        lambda sighting: sighting.description or None,
        lambda sighting: key.startswith(_folded(sighting.description or "")),
    )
    values = {"description": reading.text, "html": witness.html if own else None, "cut": reading.cut}
    yield Finding(values, replace(origin, confidence=round(reading.confidence, 3)))


def texts_of(votes: Ballot) -> list[texts.Text]:
    """Return the texts of an item that are learned from."""
    return [text_of("title", votes), text_of("description", votes)]


def text_of(name: TextField, votes: Ballot) -> texts.Text:
    """Return what each sighting says in a field of text; those that say nothing are left out."""
    return texts.Text(
        field=name,
        copies=tuple(_copy(name, sighting, votes) for sighting in votes.witnesses if getattr(sighting, name)),
        language=next((texts.base_language(one.language) for one in votes.witnesses if one.language), None),
        show=next((sighting.show for sighting in votes.witnesses if sighting.show), None),
    )


def _copy(name: TextField, sighting: Sighting, votes: Ballot) -> blend.Copy:
    """One sighting's text of a field, with what is known of its soundness."""
    return blend.Copy(
        sighting.source,
        getattr(sighting, name) or "",
        votes.weights.of_text(sighting),
        keep=sighting.source in votes.weights.keeps and sighting.id not in votes.weights.younger,
        cut=sighting.cut and name == "description",
        wear=tuple(note.cause for note in notes_on(name, sighting)),
        mended=True,
    )


def _nearest(told: list[Sighting], key: str, source: str) -> Sighting:
    """The sighting whose text is the reading, else the one that carries most of it."""
    whole = [sighting for sighting in told if _folded(sighting.description or "") == key]
    carrier = [sighting for sighting in told if sighting.source == source]
    return (sorted(whole, key=lambda sighting: sighting.html is None) or carrier or told)[0]


@lru_cache(maxsize=1 << 6)
def _folded(text: str) -> str:
    """The same as ``fold``, remembered while one item is read: its texts are asked about again and again."""
    return fold(text)
