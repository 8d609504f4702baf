"""Decide which copies of a title are spellings of one title."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from aggregator.merger.blending.copies import Witness
from aggregator.text.fold import fold

ALIKE = 82.0
"""How far two folded titles resemble each other (0 to 100) that are spellings of one: one lost or garbled word in four
stays above it, a show's prefix or another part number of a short title falls below."""


SOUND = 0.95
"""The soundness (0 to 1) of a copy in which nothing but markup and invisible characters was mended."""


def of_one_title(witnesses: Sequence[Witness]) -> list[Witness]:
    """Return the witnesses that resemble the most trusted one; of equally trusted ones the one that most resemble."""
    names = [fold(witness.text) for witness in witnesses]
    top = max(witness.trust for witness in witnesses)
    tied = [number for number, witness in enumerate(witnesses) if witness.trust >= top]
    kin = {one: [other for other in range(len(names)) if _alike(witnesses, names, one, other)] for one in tied}
    anchor = max(tied, key=lambda one: (len(kin[one]), witnesses[one].sound, names[one]))
    return [witnesses[number] for number in kin[anchor]]


def sounder(witnesses: Sequence[Witness], reading: str) -> Witness | None:
    """Return the undamaged witness nearest to a reading that only damaged ones of more trust have, else ``None``."""
    saying = [witness for witness in witnesses if witness.text == reading]
    if not saying or any(witness.sound >= SOUND for witness in saying):
        return None
    trust = max(witness.trust for witness in saying)
    sound = [one for one in witnesses if one.sound >= SOUND and not one.cut and one.trust < trust]
    return max(sound, key=lambda witness: (fuzz.ratio(witness.text, reading), witness.text), default=None)


def _alike(witnesses: Sequence[Witness], names: Sequence[str], one: int, other: int) -> bool:
    """Return whether two titles are spellings of one; a cut one need only resemble the beginning of the other."""
    left, right = names[one], names[other]
    if witnesses[one].cut and len(left) < len(right):
        right = right[: len(left)]
    elif witnesses[other].cut and len(right) < len(left):
        left = left[: len(right)]
    if left == right:
        return True
    return _digits(left) == _digits(right) and fuzz.ratio(left, right) >= ALIKE


def _digits(title: str) -> list[str]:
    return [word for word in title.split() if word.isdigit()]
