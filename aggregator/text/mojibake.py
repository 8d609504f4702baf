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
from aggregator.text.codepages import ENCODINGS, LOST_COST, UNDEFINED_COST, Page, page

ROUNDS = 3
BETWEEN = re.compile(r"([^\W\d_]*)(.*?)([^\W\d_]*)", re.DOTALL)
WORD = re.compile(r"[^ \t\r\n]+")
MOST_CHOICES = 400
LONGEST_WORD = 60
# One lead byte and three continuation bytes in forms of up to three characters.
LONGEST = 10
# Sequences a text must show before worn ones are read too; one whole sequence of three bytes counts twice.
PROOF = 1.4
LEAST_WORD = 0.6
MOST_WORN = 3.0
ONE_WORN = 1.05
# A capital lead right behind a small letter is hardly ever spelling.
INSIDE = 0.5
LANGUAGE_OF = {"CYRILLIC": "ru", "HEBREW": "he", "GREEK": "el", "ARABIC": "ar", "CJK": "zh", "HANGUL": "ko"}
VIETNAMESE = re.compile("[đĐƠơƯư\u1ea0-\u1ef9]")
INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f")
PUNCTUATION = frozenset("’‘“”–—…•„‚«»¡¿·°№™€")


# Blocks nobody's feed is written in: C1 controls, IPA, old Cyrillic, Braille, boxes, scripts without a living press.
RARE = re.compile(
    "[\u0080-\u009f\u0180-\u019f\u01a2-\u01ae\u01b1-\u0217\u021c-\u036f\u0460-\u048f\u0700-\u08ff\u1000-\u10ff\u1200-\u17ff\u1800-\u1dff"
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
    familiar: dict[str, frozenset[int]] = {}
    for _ in range(ROUNDS):
        better = _whole(_worn(text, familiar))
        if better == text:
            break
        text = better
    if "cp1252" in familiar:
        text = DOTTED.sub(lambda found: _undotted(found, text), text)
    for name, leads in familiar.items():
        if name != "cp1251":
            text = _reread(text, page(name), leads, lost=True)
    return text


def oddness(text: str) -> int:
    """How many spots still look like a wrong decoding; 0 in sound text of any language."""
    return 0 if text.isascii() else int(badness(text))


def _whole(text: str) -> str:
    better = fix_encoding(text)
    return text if "\ufffd" in better and "\ufffd" not in text else better


def _worn(text: str, familiar: dict[str, frozenset[int]]) -> str:
    """The text read again through the encoding that explains most of it, if one has proof enough.

    The lead bytes that were met whole are added to ``familiar``, by encoding.
    """
    proofs = [(_proof(text, page(name)), name) for name in ENCODINGS]
    proof, name = max(proofs, key=lambda one: one[0])
    if proof < PROOF:
        return _lone(text)
    familiar[name] = familiar.get(name, frozenset()) | _familiar(text, page(name))
    return _reread(text, page(name), familiar[name])


def _proof(text: str, table: Page) -> float:
    """How much of a text is multi-byte sequences of an encoding, less what these do not explain."""
    proof = 0.0
    for word in WORD.findall(text):
        if not table.finder.search(word):
            continue
        strange = sum(letter in table.shown for letter in word)
        weight, explained = _explained(word, table)
        if weight > LEAST_WORD:
            proof += weight * min(1.0, explained / max(1, strange)) ** 2
    return proof


def _explained(word: str, table: Page) -> tuple[float, int]:
    """The weight of the sequences in a word, two-byte ones counting 1, worn ones less, and the letters they explain."""
    at = explained = 0
    weight = 0.0
    while found := table.finder.search(word, at):
        at = found.start()
        choice = min(_choices(word, at, table), key=_price, default=None)
        if choice is None or _price(choice) >= MOST_WORN:
            at += 1
            continue
        inside = at > 0 and word[at].isupper() and word[at - 1].islower()
        size = choice.end - at
        weight += (1 if size == 2 else 2) * (1 - _price(choice) / MOST_WORN) + INSIDE * inside  # noqa: PLR2004
        explained += sum(letter in table.shown for letter in word[at : choice.end])
        at = choice.end
    return weight, explained


def _price(choice: Choice) -> float:
    return choice.cost + _strangeness(choice.character)


def _reread(text: str, table: Page, familiar: frozenset[int], *, lost: bool = False) -> str:
    """Every sequence of the text read again; ``lost`` reads those, and only those, that lack a byte."""
    pieces: list[list[Choice]] = []
    at = sure = 0
    while found := table.finder.search(text, at):
        begin = found.start()
        choices = [choice for choice in _choices(text, begin, table, lost=lost) if _likely(choice, begin, familiar)]
        if not choices:
            at = begin + 1
            continue
        at = min(choices, key=_price).end
        pieces += _plain(text[sure:begin], begin)
        pieces.append([choice for choice in choices if choice.end == at])
        sure = at
    pieces += _plain(text[sure:], len(text))
    return LONE_LEAD.sub("", "".join(_chosen(pieces)))


def _undotted(found: re.Match[str], text: str) -> str:
    """A Chinese character that was read with byte 95 because pages show undefined bytes as "•", as it was meant."""
    character, at = found.group(), found.start()
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    read = character.encode()
    meant = [read.replace(b"\x95", bytes([byte]), 1).decode() for byte in page("cp1252").lost]
    return max([character, *meant], key=lambda one: words.familiarity(before + one + after, "zh"))


def _plain(text: str, end: int) -> list[list[Choice]]:
    """A stretch that stays as it is, in three pieces: the end of one word, what lies between, the begin of another."""
    found = BETWEEN.fullmatch(text)
    return [[Choice(part, end, 0.0)] for part in (found.groups() if found else (text,)) if part]


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
    if len(word) > LONGEST_WORD or prod(len(piece) for piece in word) not in range(2, MOST_CHOICES):
        return plain
    language = _language(plain)
    if language is None:
        return plain
    readings = ["".join(choice.character for choice in reading) for reading in product(*word)]
    best = max(readings, key=lambda reading: (words.familiarity(reading, language), reading == plain))
    return best if words.familiarity(best, language) else plain


def _language(word: str) -> str | None:
    if VIETNAMESE.search(word):
        return "vi"
    for letter in word:
        script = unicodedata.name(letter, "").split(" ", maxsplit=1)[0]
        if script in LANGUAGE_OF:
            return LANGUAGE_OF[script]
    return None


def _cheapest(piece: Sequence[Choice]) -> Choice:
    return min(piece, key=_price) if len(piece) > 1 else piece[0]


def _choices(text: str, at: int, table: Page, *, lost: bool = False) -> list[Choice]:
    """The characters that may begin at a lead byte, by the forms of the bytes that follow; ``lost``: one is missing."""
    if lost and text[at].islower() and text[at - 1 : at].isalpha() and text[at + 1 : at + 2] != "\u00a0":
        return []
    return [Choice(one, at + size, cost) for one, size, cost in _read(text[at : at + LONGEST], table.name, lost=lost)]


@lru_cache(maxsize=1 << 14)
def _read(text: str, name: str, *, lost: bool) -> tuple[tuple[str, int, float], ...]:
    """The characters that a text may begin with, how much of it each takes, and the cost of the reading."""
    table = page(name)
    lead = table.leads[text[0]]
    needed = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3  # noqa: PLR2004 - RFC 3629, section 3
    partial: list[tuple[bytes, int, float]] = [(bytes([lead]), 1, 0.0)]
    for _ in range(needed):
        partial = [
            (read + bytes([byte]), end + len(form), cost + price)
            for read, end, cost in partial
            for form, byte, price in _forms(text, end, table, lost=lost and cost < LOST_COST)
        ]
    found = ((_decoded(read), end, cost) for read, end, cost in partial if cost >= LOST_COST or not lost)
    return tuple(choice for choice in found if choice[0])


def _forms(text: str, at: int, table: Page, *, lost: bool) -> Iterator[tuple[str, int, float]]:
    """The forms of a continuation byte at a place, and no form at all where one may be lost."""
    for form, byte, cost in table.tails.get(text[at : at + 1], ()):
        if text.startswith(form, at):
            yield form, byte, cost
    if lost:
        for byte in table.lost:
            yield "", byte, LOST_COST


@lru_cache(maxsize=4096)
def _decoded(read: bytes) -> str:
    """The character of a UTF-8 sequence, or nothing where there is none that anybody writes."""
    try:
        character = read.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return character if unicodedata.category(character) not in {"Cn", "Co", "Cs"} else ""


def _likely(choice: Choice, at: int, familiar: frozenset[int]) -> bool:
    """Whether a reading may stand; one with two worn bytes or a lost one needs a lead byte that is whole elsewhere."""
    read = choice.character.encode()
    short = choice.end - at < len(read)
    if (short or choice.cost > ONE_WORN) and read[0] not in familiar:
        return False
    return _price(choice) < MOST_WORN


def _familiar(text: str, table: Page) -> frozenset[int]:
    """The lead bytes of the sequences that are hardly worn."""
    found = (min(_choices(text, one.start(), table), key=_price, default=None) for one in table.finder.finditer(text))
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


# Chinese characters whose UTF-8 holds the byte 95.
DOTTED = re.compile("[%s]" % "".join(chr(code) for code in range(0x4E00, 0xA000) if b"\x95" in chr(code).encode()))
LONE_LEAD = re.compile("â(?![\\w\u0080-\u00ff€])")
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
