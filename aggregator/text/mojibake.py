"""Text that was decoded with the wrong encoding, read again as it was meant."""

from __future__ import annotations

from ftfy import fix_encoding
from ftfy.badness import badness

ROUNDS = 3


def redecoded(text: str) -> str:
    """The text with wrong decodings undone, as far as they can be without a guess.

    >>> redecoded("PortuguÃªs"), redecoded("Português")
    ('Português', 'Português')
    """
    if text.isascii():
        return text
    for _ in range(ROUNDS):
        better = fix_encoding(text)
        if better == text:
            break
        text = better
    return text


def oddness(text: str) -> int:
    """How many spots still look like a wrong decoding; 0 in sound text of any language."""
    return int(badness(text))
