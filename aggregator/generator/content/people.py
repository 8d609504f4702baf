"""A person's name as it may be told to the world: without the address that RSS puts beside it or in its place."""

from __future__ import annotations

import re
from typing import Final

from aggregator.generator.content import plain_text

# RFC 5321 section 4.5.3.1: 64 characters before the sign; labels of 63, and nobody has more than eight.
EMAIL: Final = re.compile(r"(?:mailto:)?[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
EMPTY: Final = re.compile(r"\(\s{0,9}\)|<\s{0,9}>|\[\s{0,9}\]")


def person(value: str | None) -> str | None:
    """The name on one line without any e-mail address; ``None`` where nothing else was given.

    >>> person("ann@rope.example (Ann Tide)"), person("Ann Tide <ann@rope.example>"), person("ann@rope.example")
    ('Ann Tide', 'Ann Tide', None)
    >>> person("Ann (the second) Tide"), person("The @ Show")
    ('Ann (the second) Tide', 'The @ Show')
    """
    if not value or "@" not in value:
        return plain_text.name(value)
    bare = EMPTY.sub("", EMAIL.sub("", value))
    if bare == value:
        return plain_text.name(value)
    bare = " ".join(bare.split()).strip(" ,;:-–")
    if bare.startswith("(") and bare.endswith(")"):
        bare = bare[1:-1]
    return plain_text.name(bare)
