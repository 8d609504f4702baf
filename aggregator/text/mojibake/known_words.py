"""Complete damaged words of Latin script that a language has in one reading only: "moguÄe" is "moguće".

A lead byte of UTF-8 whose second byte is lost is a letter like others ("Ä"). It is taken for damage where no language
has the word with it, and one has the word with another letter in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from aggregator.text.mojibake.byte_sequences import REPLACED, CodePage, load_page
from aggregator.text.mojibake.word_choice import is_cased, is_known_word, measure_share

_LEADS = "ÂÃÄÅÆÈ"  # of the letters of languages in Latin script that have a word list, but Vietnamese
_IN_WORD = r"[^\s\x00-&(-/:->@[-`{-\x7f]"  # all but blanks and ASCII marks; "?" and "'" may be shown for a byte
_TOKEN = re.compile(f"(?<!{_IN_WORD})(?={_IN_WORD}*[{_LEADS}]){_IN_WORD}+")
_INSIDE = re.compile(f"[a-zß-öø-ÿ][{_LEADS}]")
_WINDOWS = re.compile(f"[{bytes(range(0x80, 0xA0)).decode('cp1252', 'ignore').replace('•', '')}]")
_UNKNOWN = frozenset(("?", REPLACED, "•"))  # shown for a byte that has no character
_MOST_WORDS, _MOST_LEADS, _MOST_READINGS = 1_000, 3, 200  # of a text, of a word, of a word
_LONGEST = 40  # letters of a word
_CLEAR = 10.0  # how much more frequent a reading must be than any other


def looks_windows(text: str) -> bool:
    """Return whether a text has characters that cp1252 has in place of Latin-1's control characters."""
    return _WINDOWS.search(text) is not None


def complete_known_words(text: str, *, proved: bool) -> str:
    """Return the text with each damaged word that is a word of a language in one reading, or in one above all.

    If the text is not ``proved`` to be wrongly decoded elsewhere, a byte can be lost only in a word that shows it: with
    a capital lead byte behind a small letter, or U+FFFD.

    >>> complete_known_words("to je moguÄe", proved=False), complete_known_words("MÄLU", proved=True)
    ('to je moguće', 'MÄLU')
    """
    if not any(lead in text for lead in _LEADS):
        return text
    page = "cp1252" if looks_windows(text) else "latin_1"
    return _TOKEN.sub(lambda found: _complete(found[0], page, proved), text, count=_MOST_WORDS)


@lru_cache(maxsize=1 << 12)
def _complete(token: str, page: str, proved: bool) -> str:  # noqa: FBT001 -- a cache key
    small = token.lower()
    if len(token) > _LONGEST or sum(map(token.count, _LEADS)) > _MOST_LEADS or not token[0].isalpha():
        return token
    if token == token.upper() or is_known_word(small.rstrip("?")):
        return token
    lost = proved or REPLACED in token or _INSIDE.search(token) is not None
    shares: dict[str, float] = {}
    for reading in islice(_list_readings(token, load_page(page), lost=lost), _MOST_READINGS):
        if is_cased(reading) and (share := measure_share(reading.lower())):
            shares[reading] = share
    best = max(shares, key=lambda one: shares[one], default=token)
    others = (share for one, share in shares.items() if one.lower() != best.lower())
    return best if shares and shares[best] >= _CLEAR * max(others, default=0.0) else token


def _list_readings(token: str, table: CodePage, *, lost: bool) -> Iterator[str]:
    """Yield what a word may be, letters alone: each has another letter in place of at least one lead byte."""
    left = [("", token)]
    while left:
        read, rest = left.pop()
        if not rest:
            if read != token and read.isalpha():
                yield read
            continue
        left.append((read + rest[0], rest[1:]))
        for character, size in _list_letters(rest, table, lost=lost) if rest[0] in _LEADS else ():
            if character.islower() or not read:
                left.append((read + character, rest[size:]))


def _list_letters(text: str, table: CodePage, *, lost: bool) -> Iterator[tuple[str, int]]:
    """Yield the letters that may begin a text with a lead byte, each with how many characters it takes."""
    lead, behind = table.leads[text[0]], text[1:2]
    if behind in _UNKNOWN:
        pairs = [(byte, 2) for byte in table.undefined]
    else:
        pairs = [(byte, 2) for form, byte, cost in table.tails.get(behind, ()) if form == behind and not cost]
        pairs += [(byte, 1) for byte in table.lost] if lost else []
    letters = ((chr((lead & 0x1F) << 6 | byte & 0x3F), size) for byte, size in pairs)
    yield from ((letter, size) for letter, size in letters if letter.isalpha())
