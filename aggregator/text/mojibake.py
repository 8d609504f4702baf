"""Text that was decoded with the wrong encoding, read again as it was meant.

``ftfy.fix_encoding`` undoes what is whole. What pages have worn since (see ``codepages``) is read here: a lead byte
and its continuation bytes, each with the forms it may have taken, become the likeliest character; where several are
possible the language's words decide. A text is only touched where it shows sequences that no writer makes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import prod
from typing import NamedTuple

from ftfy import fix_encoding
from ftfy.badness import badness

from aggregator.text import words
from aggregator.text.codepages import ENCODINGS, UNDEFINED_COST, Page, page

ROUNDS = 3
WORD = re.compile(r"[^ \t\r\n]+")
MOST_CHOICES = 400
# Sequences a text must show before worn ones are read too; one whole sequence of three bytes counts twice.
PROOF = 1.4
LEAST_WORD = 0.6
MOST_WORN = 3.0
ONE_WORN = 1.05
LANGUAGE_OF = {"CYRILLIC": "ru", "HEBREW": "he", "GREEK": "el", "ARABIC": "ar", "CJK": "zh", "HANGUL": "ko"}
INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
PUNCTUATION = frozenset("’‘“”–—…•„‚«»¡¿·°№™€")


# Blocks nobody's feed is written in: C1 controls, IPA, old Cyrillic, Braille, boxes, scripts without a living press.
RARE = re.compile(
    "[\u0080-\u009f\u0180-\u019f\u01a2-\u01ae\u01b1-\u0217\u021c-\u036f\u0460-\u048f\u0700-\u08ff\u1380-\u17ff\u1800-\u1dff"
    "\u1f00-\u1fff\u2010\u2011\u2012\u2015-\u2017\u2300-\u245f\u2500-\u25ff\u2800-\u2dff\u2e00-\u2fff\ua000-\uabff\ud7b0-\uf8ff]"
)
STRANGENESS = {"Ll": 0.0, "Lo": 0.0, "Lu": 0.2, "Mn": 0.5, "Lm": 0.2, "Pd": 1.5, "So": 0.6}


class Choice(NamedTuple):
    """What a stretch of text may have been: the character, where the stretch ends, and the cost of the reading."""

    character: str
    end: int
    cost: float


def redecoded(text: str) -> str:
    """The text with wrong decodings undone; sound text of any language comes back as it is.

    >>> redecoded("PortuguÃªs"), redecoded("PortuguÃas"), redecoded("Português"), redecoded("NÃO")
    ('Português', 'Português', 'Português', 'NÃO')
    """
    if text.isascii():
        return text
    for _ in range(ROUNDS):
        better = _whole(_worn(text))
        if better == text:
            break
        text = better
    return text


def oddness(text: str) -> int:
    """How many spots still look like a wrong decoding; 0 in sound text of any language."""
    return 0 if text.isascii() else int(badness(text))


def _whole(text: str) -> str:
    better = fix_encoding(text)
    return text if "\ufffd" in better and "\ufffd" not in text else better


def _worn(text: str) -> str:
    """The text read again through the encoding that explains most of it, if one has proof enough."""
    proofs = [(_proof(text, page(name)), name) for name in ENCODINGS]
    proof, name = max(proofs, key=lambda one: one[0])
    return _reread(text, page(name)) if proof >= PROOF else _lone(text)


def _proof(text: str, table: Page) -> float:
    """How much of a text is multi-byte sequences of an encoding, less what these do not explain."""
    proof = 0.0
    for word in WORD.findall(text):
        strange = sum(not letter.isascii() for letter in word)
        if not strange or not any(letter in table.leads for letter in word):
            continue
        weight, explained = _explained(word, table)
        if weight > LEAST_WORD:
            proof += weight * min(1.0, explained / strange) ** 2
    return proof


def _explained(word: str, table: Page) -> tuple[float, int]:
    """The weight of the sequences in a word, two-byte ones counting 1, worn ones less, and the letters they explain."""
    at = explained = 0
    weight = 0.0
    while at < len(word):
        choice = min(_choices(word, at, table), key=_price, default=None)
        if choice and _price(choice) < MOST_WORN:
            size = choice.end - at
            weight += (1 if size == 2 else 2) * (1 - _price(choice) / MOST_WORN)  # noqa: PLR2004
            explained, at = explained + sum(not letter.isascii() for letter in word[at : choice.end]), choice.end
        else:
            at += 1
    return weight, explained


def _price(choice: Choice) -> float:
    return choice.cost + _strangeness(choice.character)


def _reread(text: str, table: Page) -> str:
    """Every word of the text that has a lead byte, read again."""
    familiar = _familiar(text, table)
    pieces: list[list[Choice]] = []
    at = 0
    while at < len(text):
        choices = [choice for choice in _choices(text, at, table) if _likely(choice, familiar)]
        if choices:
            furthest = min(choices, key=_price).end
            choices = [choice for choice in choices if choice.end == furthest]
            pieces.append(choices)
            at = furthest
        else:
            pieces.append([Choice(text[at], at + 1, 0.0)])
            at += 1
    return "".join(_chosen(pieces))


def _chosen(pieces: Sequence[list[Choice]]) -> Iterator[str]:
    """The characters of each word, chosen together where the words of the language can tell."""
    word: list[list[Choice]] = []
    for piece in pieces:
        if piece[0].character.isalpha() or len(piece) > 1:
            word.append(piece)
        else:
            yield _best_word(word)
            word = []
            yield _cheapest(piece).character
    yield _best_word(word)


def _best_word(word: Sequence[list[Choice]]) -> str:
    plain = "".join(_cheapest(piece).character for piece in word)
    if all(len(piece) == 1 for piece in word) or prod(len(piece) for piece in word) > MOST_CHOICES:
        return plain
    language = _language(plain)
    if language is None:
        return plain
    readings = ["".join(choice.character for choice in reading) for reading in product(*word)]
    best = max(readings, key=lambda reading: (words.familiarity(reading, language), reading == plain))
    return best if words.familiarity(best, language) else plain


def _language(word: str) -> str | None:
    for letter in word:
        script = unicodedata.name(letter, "").split(" ", maxsplit=1)[0]
        if script in LANGUAGE_OF:
            return LANGUAGE_OF[script]
    return None


def _cheapest(piece: Sequence[Choice]) -> Choice:
    return min(piece, key=_price)


def _choices(text: str, at: int, table: Page) -> list[Choice]:
    """The characters that may begin at a position: a lead byte and the forms of its continuation bytes."""
    lead = table.leads.get(text[at])
    if lead is None:
        return []
    needed = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3  # noqa: PLR2004 - RFC 3629, section 3
    partial: list[tuple[bytes, int, float]] = [(bytes([lead]), at + 1, 0.0)]
    for _ in range(needed):
        partial = [
            (read + bytes([byte]), end + size, cost + price)
            for read, end, cost in partial
            for size in range(1, table.longest + 1)
            if end + size <= len(text)
            for byte, price in table.tails.get(text[end : end + size], ())
        ]
    found = []
    for read, end, cost in partial:
        character = _decoded(read)
        if character:
            found.append(Choice(character, end, cost))
    return found


@lru_cache(maxsize=4096)
def _decoded(read: bytes) -> str:
    """The character of a UTF-8 sequence, or nothing where there is none that anybody writes."""
    try:
        character = read.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return character if unicodedata.category(character) not in {"Cn", "Co", "Cs"} else ""


def _likely(choice: Choice, familiar: frozenset[int]) -> bool:
    """Whether a reading may stand; one with two worn bytes needs a lead byte that the text shows elsewhere, whole."""
    lead = choice.character.encode()[0]
    doubt = 2.0 if choice.cost > ONE_WORN and lead not in familiar else 0.0
    return _price(choice) + doubt < MOST_WORN


def _familiar(text: str, table: Page) -> frozenset[int]:
    """The lead bytes of the sequences that are hardly worn."""
    found = (min(_choices(text, at, table), key=_price, default=None) for at in range(len(text)) if text[at] in table.leads)
    return frozenset(choice.character.encode()[0] for choice in found if choice and _price(choice) <= UNDEFINED_COST)


@lru_cache(maxsize=4096)
def _strangeness(character: str) -> float:
    """How unlikely a character is in any text: letters, quotes and what is invisible are likely, boxes are not."""
    if character in PUNCTUATION:
        return 0.0
    if character in INVISIBLE:
        return 0.2
    if RARE.match(character):
        return 2.5
    return STRANGENESS.get(unicodedata.category(character), 1.0)


LONE = re.compile(r"(?<=[a-zß-ÿ])Ã|(?<![^\W\d_])Ã(?=-[a-z])")
LONE_INVISIBLE = re.compile(r"(?<=[A-Za-zß-ÿ,.])Â[-\u00ad]|â•(?![^\W\d_]?[\u0080-\u00bf])")


def _lone(text: str) -> str:
    """One worn letter in an otherwise sound word: a capital Ã or Â behind a small letter is nobody's spelling."""
    text = LONE_INVISIBLE.sub("", text)
    table = page("cp1252")
    for found in reversed(list(LONE.finditer(text))):
        at = found.start()
        initial = at == 0 or not text[at - 1].isalpha()
        choices = [
            choice
            for choice in _choices(text, at, table)
            if choice.character.isalpha() and choice.character.isupper() == initial
        ]
        if choices:
            choice = min(choices, key=lambda choice: choice.cost)
            text = text[:at] + choice.character + text[choice.end :]
    return text
