"""Which words a language knows, from the lists of wordfreq (data CC BY-SA 4.0), loaded only when first asked.

The lists answer one question: of two readings of a word, is one of them a word? They never add anything to a text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module

# The large lists know names and rare words; they load in a tenth of a second each, the small ones in a hundredth.
SIZES = ("large", "small")
EDGES = re.compile(r"^[\W_]+|[\W_]+$")


@lru_cache(maxsize=8)
def frequencies(language: str) -> dict[str, float]:
    """The words of a language (ISO 639-1) and how often they occur, lower case; empty where there is no list."""
    wordfreq = import_module("wordfreq")
    for size in SIZES:
        if language in wordfreq.available_languages(size):
            return dict(wordfreq.get_frequency_dict(language, size))
    return {}


def frequency(word: str, language: str | None) -> float:
    """How often a word occurs in texts of its language, between 0 and 1; 0 where it is not known.

    English words count in every language, a hundred times less.
    """
    plain = EDGES.sub("", word).replace("’", "'").lower()
    own = frequencies(language).get(plain, 0.0) if language else 0.0
    return own or frequencies("en").get(plain, 0.0) / 100


def known(word: str, language: str | None) -> bool:
    """Whether the word is in the list of its language or of English."""
    return frequency(word, language) > 0
