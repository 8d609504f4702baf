"""What was repaired, in words that need no knowledge of the program: what was wrong, what went and what came."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from aggregator.generator.pages import wording
from aggregator.model.entry import Note

# What each fixer met, by the name it gives its notes. One that is not here tells its own name.
CAUSES: Final[Mapping[str, str]] = {
    "blank": "blanks of an unusual kind",
    "bold": "asterisks around words",
    "bullet": "signs in place of bullets",
    "code page": "letters of another encoding",
    "cut": "a word torn at the end",
    "cut id": "an address that was cut off",
    "displaced word": "words out of their place",
    "displaced words": "words out of their place",
    "entity": "codes in place of letters",
    "escape": "backslashes before signs",
    "escape sequence": "escapes of another format",
    "foreign markup": "markup of a forum, wiki or editor",
    "hyphen": "a word parted at the end of a line",
    "invisible": "signs that nobody sees",
    "letter form": "letters of unusual forms",
    "link": "the notation of a link",
    "look alike": "letters of another alphabet that look alike",
    "mojibake": "letters that were decoded wrongly",
    "quoted line": "signs before each line",
    "silent part": "parts that browsers do not show",
    "space": "blanks too many",
    "tag": "markup among the words",
    "told apart": "the title of another episode of that day",
    "twice": "the whole text twice",
    "wrap": "lines broken within a sentence",
}


class Repair(Struct, frozen=True):
    """One change made to one field: what was wrong, and what differs."""

    field: str
    cause: str
    contrast: wording.Contrast


def repair(note: Note, field: str) -> Repair:
    """One note in words; ``field`` is the field's name as people say it.

    >>> repair(Note("title", "look-alike", "РyТоrсh", "PyTorch"), "title").cause
    'letters of another alphabet that look alike'
    """
    told = note.cause.replace("-", " ").replace("_", " ")
    return Repair(field, CAUSES.get(told, told), wording.contrast(note))
