"""The title and the description of an item, read out of those of its sightings.

Titles that differ by more than spelling are different titles (a show's prefix, another number), so the copies that
resemble the most trusted one are read as one text and the others dissent; descriptions are read as copies of one
text, token by token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from msgspec.structs import replace
from rapidfuzz import fuzz

from aggregator.merger import blend
from aggregator.merger.attest import HARMLESS, Ballot, Finding, attest, notes_on
from aggregator.model.sighting import Sighting
from aggregator.text import titles
from aggregator.text.fold import fold

# Two folded titles that resemble each other this much (0 to 100) are spellings of one title: one lost or garbled
# word in four stays above it, a show's prefix or another part number of a short title falls below.
ALIKE = 82.0


TextField = Literal["title", "description"]


def read_title(votes: Ballot) -> Iterator[Finding]:
    """The title: one reading of the copies that resemble the most trusted one."""
    titled = [sighting for sighting in votes.witnesses if sighting.title]
    if not titled:
        return
    anchor = fold(titled[0].title)
    alike = [sighting for sighting in titled if _alike(fold(sighting.title), anchor)]
    reading = blend.blend(
        [_copy("title", sighting, votes) for sighting in alike], language=language_of(votes), lore=votes.weights.lore
    )
    text = _said(alike, reading.text)
    witness = next((sighting for sighting in alike if sighting.title == text), alike[0])
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


def _said(alike: Sequence[Sighting], reading: str) -> str:
    """The title that a sound copy has and that is nearest to the reading; the reading where no copy is sound.

    A title is short enough to be somebody's own: one put together of several is published only where all are damaged.
    """
    sound = [
        sighting.title
        for sighting in alike
        if not sighting.title.endswith("…") and all(note.cause in HARMLESS for note in notes_on("title", sighting))
    ]
    return max(sound, key=lambda title: (fuzz.ratio(title, reading), title), default=reading)


def _alike(left: str, right: str) -> bool:
    """Are two folded titles spellings of one? Their digits must be the same."""
    if left == right:
        return True
    digits = [[word for word in title.split() if word.isdigit()] for title in (left, right)]
    return digits[0] == digits[1] and fuzz.ratio(left, right) >= ALIKE


def read_description(votes: Ballot) -> Iterator[Finding]:
    """The best reading of the text, and the witness's own markup where it is that witness's text."""
    told = [sighting for sighting in votes.witnesses if sighting.description]
    if not told:
        return
    copies = copies_of("description", votes)
    reading = blend.blend(copies, language=language_of(votes), lore=votes.weights.lore)
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


def copies_of(name: TextField, votes: Ballot) -> list[blend.Copy]:
    """What each sighting says in a field of text; those that say nothing are left out."""
    return [_copy(name, sighting, votes) for sighting in votes.witnesses if getattr(sighting, name)]


def _copy(name: TextField, sighting: Sighting, votes: Ballot) -> blend.Copy:
    """One sighting's text of a field, with what is known of its soundness."""
    return blend.Copy(
        sighting.source,
        getattr(sighting, name) or "",
        votes.weights.of_text(sighting),
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


def language_of(votes: Ballot) -> str | None:
    """The language that the most trusted source names, without its region ("en" of "en-US"): word lists have none."""
    named = next((sighting.language for sighting in votes.witnesses if sighting.language), None)
    return named.lower().replace("_", "-").partition("-")[0] if named else None
