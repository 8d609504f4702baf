"""Words whose letters beyond ASCII were read in a wrong code page, or lost, as another copy writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aggregator.text.mojibake.recoding import LEAST_SPOTS, LOST, odd_spots

BEYOND = re.compile(r"[^\x00-\x7f]+")
LETTER = re.compile("[A-Za-z]")
LEAST_LETTERS = 2
WORD = re.compile(r"\S+")

_Outline = tuple[str, str, str]


def reworded(texts: Sequence[str]) -> list[str]:
    """Return the texts, those that show a wrong code page with the words of the copies that show none.

    A word is that of another copy where both are the same but for one stretch of letters beyond ASCII, or several; a
    short one also has to stand between the same words.

    >>> reworded(["geb³rtig aus M³nchen, f³r", "gebürtig aus München, für"])[0]
    'gebürtig aus München, für'
    """
    if all(text.isascii() for text in texts):
        return list(texts)
    spots = {text: odd_spots(text) + text.count(LOST) for text in texts}
    sound: dict[str | _Outline, str | None] = {}
    for text in dict.fromkeys(texts):
        if not spots[text]:
            for keys, word in _outlined(text):
                for key in keys:
                    sound[key] = word if sound.get(key, word) == word else None
    return [_reworded(text, sound) if spots[text] >= LEAST_SPOTS and sound else text for text in texts]


def _reworded(text: str, sound: dict[str | _Outline, str | None]) -> str:
    pieces, at = [], 0
    for found, (keys, word) in zip(WORD.finditer(text), _outlined(text, every=True), strict=True):
        meant = next((sound[key] for key in keys if sound.get(key)), None) if not word.isascii() else None
        pieces += [text[at : found.start()], meant or word]
        at = found.end()
    return "".join([*pieces, text[at:]])


def _outlined(text: str, *, every: bool = False) -> Iterator[tuple[list[str | _Outline], str]]:
    """Return the words beyond ASCII (or every one), each with the keys that find it: its outline, its place."""
    words = text.split()
    outlines = ["", *(BEYOND.sub(LOST, word) for word in words), ""]
    for at, word in enumerate(words, 1):
        if every or not word.isascii():
            outline = outlines[at]
            before, after = outlines[at - 1], outlines[at + 1]
            keys: list[str | _Outline] = [(before, outline, after)] if _tells(before) and _tells(after) else []
            yield [*keys, outline] if _tells(outline) else keys, word


def _tells(outline: str) -> bool:
    """Return whether enough of a word is left to know it by."""
    return len(LETTER.findall(outline)) >= LEAST_LETTERS
