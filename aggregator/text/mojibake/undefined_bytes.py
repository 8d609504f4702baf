"""Chinese characters that were read with byte 95 because pages show undefined bytes as "•", as they were meant."""

from __future__ import annotations

import re
from functools import lru_cache

from aggregator.text import word_frequencies
from aggregator.text.mojibake.code_pages import page

# Chinese characters whose UTF-8 holds the byte that cp1252 shows as "•".
DOT = 0x95
DOTTED = re.compile(f"[{''.join(chr(code) for code in range(0x4E00, 0xA000) if DOT in chr(code).encode())}]")


def undotted(text: str) -> str:
    """The text with each such character, or another whose bytes look the same, as its neighbours make it likeliest."""
    return DOTTED.sub(
        lambda found: _meant(
            text[max(0, found.start() - 1) : found.start()], found.group(), text[found.end() : found.end() + 1]
        ),
        text,
    )


@lru_cache(maxsize=4096)
def _meant(before: str, character: str, after: str) -> str:
    return max(_meanings(character), key=lambda one: word_frequencies.between(before, one, after))


@lru_cache(maxsize=4096)
def _meanings(character: str) -> tuple[str, ...]:
    """The character and those whose bytes pages would have shown in the same way."""
    read = character.encode()
    meant = (read.replace(bytes([DOT]), bytes([byte]), 1).decode() for byte in page("cp1252").lost)
    return (character, *meant)
