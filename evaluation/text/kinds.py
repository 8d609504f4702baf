"""What a kind of damage is, and the words and helpers that both groups of kinds use."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

Damage = Callable[[str, Random], str]


class Kind(NamedTuple):
    """A named kind of damage and when it happens: a copy meets one of ``WRITING``, then ``PAGE``, then ``TRANSPORT``.

    ``cuts`` says that words are lost for good, so that one copy of an item has to be spared.
    """

    name: str
    stage: int
    damage: Damage
    cuts: bool = False


WRITING, PAGE, TRANSPORT = range(3)
"""What is done to letters and marks; what a page puts round and between the words; how the text was encoded."""


def split_words(text: str) -> list[str]:
    """Return the words of a text, or its single characters where it is written without spaces."""
    return text.split(" ") if text.count(" ") > len(text) / 25 else list(text)


def join_words(words: list[str], text: str) -> str:
    """Join what ``split_words`` made of ``text``."""
    return (" " if text.count(" ") > len(text) / 25 else "").join(words)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with the space behind it."""
    return [part for part in re.split(r"(?<=[.!?])(?= )|(?<=[。！？])", text) if part]


def wrap(text: str, width: int) -> list[str]:
    """Return the lines of a text wrapped at a width in characters."""
    lines: list[str] = []
    for word in text.split(" "):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def cut_before(text: str, chance: Random) -> str:
    """Return the beginning of a text, cut anywhere behind its first third."""
    return text[: max(8, int(len(text) * chance.uniform(0.34, 0.95)))].rstrip()


def redecode(text: str, encoded: str, read: str) -> str:
    """Return a text written in one encoding and read in another; what neither has becomes a question mark or U+FFFD."""
    return text.encode(encoded, "replace").decode(read, "replace")


def is_writable(text: str, encoding: str) -> bool:
    """Return whether an encoding has all letters of a text and some beyond ASCII are among them."""
    try:
        return not text.isascii() and bool(text.encode(encoding))
    except UnicodeEncodeError:
        return False
