"""Choose among the forms of an answer by what its client accepts (RFC 9110, section 12.5)."""

from __future__ import annotations

import re
from collections.abc import Collection

from aggregator.translation.locale import find_language

# "a;q=0.5": the name and its weight (RFC 9110, section 12.4.2). A weight that cannot be read counts as 0.
_WEIGHT = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")


def parse_weights(accepted: str) -> dict[str, float]:
    """Return each name of an Accept header, in lower case and in their order, with its weight from 0 to 1."""
    found: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, *parameters = (piece.strip() for piece in part.split(";"))
        given = next((piece[2:].strip() for piece in parameters if piece.startswith("q=")), "1")
        if name:
            found[name] = float(given) if _WEIGHT.fullmatch(given) else 0.0
    return found


def choose_language(accepted: str, available: Collection[str]) -> str | None:
    """Return the available language that Accept-Language prefers, ``None`` if it names none of them.

    Regions do not matter; of two with the same weight the first is taken.

    >>> choose_language("fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5", ("de", "en"))
    'en'
    >>> choose_language("*", ("de", "en")), choose_language("de;q=0", ("de",)), choose_language("", ("de",))
    (None, None, None)
    """
    best, most = None, 0.0
    for tag, weight in parse_weights(accepted).items():
        language = find_language(tag)
        if language in available and weight > most:
            best, most = language, weight
    return best
