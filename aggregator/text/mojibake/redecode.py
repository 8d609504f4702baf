"""Read text again that was decoded with the wrong encoding.

``ftfy.fix_encoding`` undoes what is whole. What pages have worn since (see ``byte_sequences``) is read here: a lead
byte and its continuation bytes, each with the forms it may have taken, become the likeliest character; where several
are possible the language's words decide. A text is only touched where it shows sequences that no writer makes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import prod

import ftfy
from ftfy.badness import badness, is_bad

from aggregator.text import word_frequencies
from aggregator.text.mojibake.byte_sequences import (
    ENCODINGS,
    MOST_WORN,
    REPLACED,
    UNDEFINED_COST,
    Choice,
    CodePage,
    list_choices,
    load_page,
    read_clear_run,
)
from aggregator.text.mojibake.other_encodings import keep_beyond_ascii

_Piece = str | tuple[Choice, ...]
"""A stretch of text that stays as it is, or what it may have been; the first is taken where no word list can tell."""

# Of a worn word with more readings than this the likeliest is taken.
_MOST_CHOICES = 400
_LONGEST_WORD = 60
# So many readings of its words are weighed in a text; a page of worn Vietnamese has some hundreds.
MOST_WEIGHED = 20_000
_LANGUAGE_OF = {"CYRILLIC": "ru", "HEBREW": "he", "GREEK": "el", "ARABIC": "ar", "CJK": "zh", "HANGUL": "ko"}
_VIETNAMESE = re.compile("[đĐƠơƯư\u1ea0-\u1ef9]")


def choose_characters(pieces: Sequence[_Piece]) -> Iterator[str]:
    """Return the characters of each word, chosen together where the words of the language can tell."""
    word: list[_Piece] = []
    left = MOST_WEIGHED
    for piece in (*pieces, ""):
        likeliest = piece if isinstance(piece, str) else piece[0].character
        if likeliest.isalpha() or (likeliest is not piece and len(piece) > 1):
            word.append(piece)
            continue
        if word:
            count = _count_readings(word)
            left -= count
            yield _choose_word(tuple(word)) if count and left > 0 else _likeliest_word(word)
            word = []
        yield likeliest


def _count_readings(word: Sequence[_Piece]) -> int:
    """Return how much is to be weighed for a word: readings, in Chinese neighbours; 0 where it has one, or too many."""
    if len(word) > _LONGEST_WORD:
        return 0
    several = [1 if isinstance(piece, str) else len(piece) for piece in word]
    count = prod(several)
    if count > 1 and _guess_language(_likeliest_word(word)) == "zh":
        return sum([one * other for one, other in pairwise([1, *several])])
    return count if 1 < count < _MOST_CHOICES else 0


def _likeliest_word(word: Sequence[_Piece]) -> str:
    return "".join([piece if isinstance(piece, str) else piece[0].character for piece in word])


@lru_cache(maxsize=1 << 11)
def _choose_word(word: tuple[_Piece, ...]) -> str:
    plain = _likeliest_word(word)
    language = _guess_language(plain)
    if language is None:
        return plain
    every = [(piece,) if isinstance(piece, str) else [one.character for one in piece] for piece in word]
    if language == "zh":
        return _choose_chinese(every)
    readings = ["".join(reading) for reading in product(*every)]
    best = max(readings, key=lambda reading: (word_frequencies.familiarity(reading, language), reading == plain))
    return best if word_frequencies.familiarity(best, language) else plain


def _choose_chinese(every: Sequence[Sequence[str]]) -> str:
    """Return the most familiar of all readings, found character by character: only neighbours are known together."""
    best = [("", 0.0)]
    for parts in every:
        ends = [read[-1:] for read, _ in best]
        further = []
        for part in parts:
            worths = [
                worth + more
                for (_, worth), more in zip(best, word_frequencies.added_familiarities(ends, part), strict=True)
            ]
            most = max(worths)
            further.append((best[worths.index(most)][0] + part, most))
        best = further
    return max(best, key=lambda one: one[1])[0]


def _guess_language(word: str) -> str | None:
    if _VIETNAMESE.search(word):
        return "vi"
    return next(filter(None, map(_language_of_letter, word)), None)


@lru_cache(maxsize=1 << 12)
def _language_of_letter(letter: str) -> str | None:
    """Return the language whose words are known of a script, if one is."""
    return _LANGUAGE_OF.get(unicodedata.name(letter, "").split(" ", maxsplit=1)[0])


# Chinese characters whose UTF-8 holds byte 95: cp1252 shows it as "•", and pages show undefined bytes so, too.
_DOT = b"\x95"
_DOTTED = re.compile(f"[{''.join(one for one in map(chr, range(0x4E00, 0xA000)) if _DOT in one.encode())}]")
_ROUNDS = 3
# Sequences a text must show before worn ones are read too; one whole sequence of three bytes counts twice.
_PROOF = 1.4
_LEAST_WORD = 0.6
# A text that shows a hundred and more of one encoding in its first parts is of that encoding; parts are in characters.
_ENOUGH = 100.0
_PART = 10_000
# Of its letters that may be bytes, worn mojibake of seven languages proves .39 to .76, emoji and marks .09 and .1;
# random bytes .01. Noise is made of such letters; in sound Ukrainian read as cp1251 every twelfth is one.
_LEAST_SHARE = 0.2
_NOISE_SHARE = 0.03
_MOST_STRANGE = _PART // 2
_NOISE = -1.0
# Sequences of one language begin in at most 70 ways, by their first two letters, of six languages in 113; worn ones in
# twice as many. A text that has more is noise, and stays as it is.
_BEGINNING = 2
_MOST_BEGINNINGS = 500
# A capital lead right behind a small letter is hardly ever spelling.
_INSIDE = 0.5
_LONE_LEAD = re.compile("â(?![\\w\u0080-\u00ff€])")
_LONE = re.compile(r"(?<=[a-zß-ÿ])Ã|(?<![^\W\d_])Ã(?=-[a-z])")
_LONE_INVISIBLE = re.compile(r"(?<=[A-Za-zß-ÿ,.])Â[-\u00ad]|â•(?![^\W\d_]?[\u0080-\u00bf])")
# "“ATÉ AMANHÃ”": the quote that ends what one began is no byte of a letter, though the two make "Ô".
_QUOTED = re.compile(r"(“[^“”]*Ã)”(?!\w)")
_QUOTE = "\ue201"


def redecode(text: str) -> str:
    """Return the text with wrong decodings undone; sound text of any language comes back as it is.

    >>> redecode("PortuguÃªs"), redecode("PortuguÃas"), redecode("Português"), redecode("“NÃO, AMANHÃ”")
    ('Português', 'Português', 'Português', '“NÃO, AMANHÃ”')
    """
    if text.isascii():
        return text
    if _QUOTED.search(text) and _QUOTE not in text:
        return redecode(_QUOTED.sub(rf"\1{_QUOTE}", text)).replace(_QUOTE, "”")
    familiar: dict[str, frozenset[int]] = {}
    for _ in range(_ROUNDS):
        proof, name = _prove_encoding(text)
        if proof == _NOISE:
            break
        better = _fix_whole(_read_worn(text, familiar, name) if proof >= _PROOF else _fix_lone_letter(text))
        if better == text:
            break
        text = better
    if "cp1252" in familiar:
        text = _DOTTED.sub(_replace_dotted, text)
    for name, leads in familiar.items():
        if name != "cp1251":
            text = _reread(text, load_page(name), leads, lost=True)
    return text


def _replace_dotted(found: re.Match[str]) -> str:
    """Return the Chinese character that the neighbours make likeliest, of those whose bytes pages show alike."""
    text, character = found.string, found[0]
    before, after = text[max(0, found.start() - 1) : found.start()], text[found.end() : found.end() + 1]
    read = character.encode()
    alike = (read.replace(_DOT, bytes([byte]), 1).decode() for byte in load_page("cp1252").lost)
    return max((character, *alike), key=lambda one: word_frequencies.added_familiarity(before, one + after))


@lru_cache(maxsize=1 << 12)
def count_oddities(text: str) -> int:
    """Return how many spots look like a wrong decoding to ftfy's detector; 0 in sound text of any language."""
    return 0 if text.isascii() else int(badness(keep_beyond_ascii(text)))


def _fix_whole(text: str) -> str:
    if text.isascii() or not is_bad(keep_beyond_ascii(text)):
        return text
    better = ftfy.fix_encoding(text)
    return text if "\ufffd" in better and "\ufffd" not in text else better


def _read_worn(text: str, familiar: dict[str, frozenset[int]], name: str) -> str:
    """Return the text read again through an encoding; add the lead bytes that were met whole to ``familiar``, by it."""
    familiar[name] = familiar.get(name, frozenset()) | _familiar_leads(text, load_page(name))
    return _reread(text, load_page(name), familiar[name])


@lru_cache(maxsize=4)
def _prove_encoding(text: str) -> tuple[float, str]:
    """Return the proof of the encoding that explains most of a text, and its name; of a long text by its first parts.

    What proves much and explains little of the letters that it is made of proves nothing; a part that explains next to
    nothing of them is noise, and the proof ``_NOISE``.
    """
    proofs = dict.fromkeys(ENCODINGS, 0.0)
    strange = dict.fromkeys(ENCODINGS, 0)
    for begin in range(0, len(text), _PART):
        part = {name: _explain_part(text[begin : begin + _PART], name) for name in ENCODINGS}
        for name, (proof, letters) in part.items():
            proofs[name] += proof
            strange[name] += letters
        name = max(proofs, key=lambda one: proofs[one])
        if len(text) > _PART and part[name][1] > _MOST_STRANGE and part[name][0] < _NOISE_SHARE * part[name][1]:
            return _NOISE, name
        if proofs[name] > _ENOUGH:
            return (proofs[name] if proofs[name] >= _LEAST_SHARE * strange[name] else 0.0), name
    return max(((proof, name) for name, proof in proofs.items()), key=lambda one: one[0])


def _explain_part(text: str, name: str) -> tuple[float, int]:
    """Return how much an encoding's sequences prove, and how many letters of their words may be bytes."""
    every = list(_suspect_words(text, load_page(name)))
    proof = sum([(_weigh_known if len(word) <= _LONGEST_WORD else _weigh_word)(word, name) for word in every])
    return proof, _count_strange("".join(every), load_page(name))


def _suspect_words(text: str, table: CodePage) -> Iterator[str]:
    """Return the words in which a sequence of the encoding may stand, in order."""
    spaced = text.replace("\t", " ").replace("\r", " ").replace("\n", " ")
    done = 0
    for found in table.finder.finditer(text):
        at = found.start()
        if at >= done:
            begin = max(done, spaced.rfind(" ", done, at) + 1)
            end = spaced.find(" ", at)
            done = end if end >= 0 else len(text)
            yield text[begin:done]


def _weigh_word(word: str, name: str) -> float:
    """Return what the sequences of a word prove: two-byte ones 1, worn ones less, by the letters they explain."""
    table = load_page(name)
    at = explained = 0
    weight = 0.0
    while found := table.finder.search(word, at):
        at = found.start()
        readings = list_choices(word, at, table)
        if not readings:
            at += 1
            continue
        choice = readings[0]
        inside = at > 0 and word[at].isupper() and word[at - 1].islower()
        weight += (1 if choice.size == 2 else 2) * (1 - choice.price / MOST_WORN) + _INSIDE * inside  # noqa: PLR2004
        explained += sum(map(table.shown.__contains__, word[at : at + choice.size]))
        at += choice.size
    if weight <= _LEAST_WORD:
        return 0.0
    return weight * min(1.0, explained / max(1, _count_strange(word, table))) ** 2


def _count_strange(word: str, table: CodePage) -> int:
    """Return how many letters of a word may be bytes."""
    return sum(map(table.shown.__contains__, word))


_weigh_known = lru_cache(maxsize=4096)(_weigh_word)


def _reread(text: str, table: CodePage, familiar: frozenset[int], *, lost: bool = False) -> str:
    """Return the text with every sequence read again; ``lost`` reads those, and only those, that lack a byte."""
    finder = table.leader if lost else table.finder
    begun = {text[found.start() : found.start() + _BEGINNING] for found in finder.finditer(text)}
    if len(begun) > _MOST_BEGINNINGS:
        return text
    pieces: list[_Piece] = []
    at = sure = 0
    while found := finder.search(text, at):
        at = found.start()
        read = "" if lost else read_clear_run(text, at, table)
        readings = () if read else list_choices(text, at, table, familiar, lost=lost)
        if not read and not readings:
            at += 1
            continue
        pieces += _split_plain(text[sure:at])
        pieces += read or [_keep_known_sizes(readings, text, at)]
        at = sure = at + (len(read.encode()) if read else readings[0].size)
    pieces += _split_plain(text[sure:])
    return _LONE_LEAD.sub("", "".join(choose_characters(pieces)))


def _keep_known_sizes(readings: tuple[Choice, ...], text: str, at: int) -> tuple[Choice, ...]:
    """Return the readings that take as much of the text as the likeliest one; that is a mark where a letter is lost."""
    size = readings[0].size
    known = readings if len(readings) == 1 else tuple([one for one in readings if one.size == size])
    return (readings[0]._replace(character=REPLACED), *known) if REPLACED in text[at : at + size] else known


def _split_plain(text: str) -> list[str]:
    """Return a stretch that stays as it is in pieces: the end of a word, what lies between, the begin of another."""
    first, last = 0, len(text)
    while first < len(text) and _is_letter(text[first]):
        first += 1
    while last > first and _is_letter(text[last - 1]):
        last -= 1
    return [part for part in (text[:first], text[first:last], text[last:]) if part]


def _is_letter(character: str) -> bool:
    return character.isalnum() and not character.isdecimal()


def _familiar_leads(text: str, table: CodePage) -> frozenset[int]:
    """Return the lead bytes of the sequences that are hardly worn."""
    met: set[str] = set()
    for found in table.finder.finditer(text):
        readings = () if found.group() in met else list_choices(text, found.start(), table)
        if readings and readings[0].price <= UNDEFINED_COST:
            met.add(found.group())
    return frozenset(table.leads[lead] for lead in met)


def _fix_lone_letter(text: str) -> str:
    """Return the text with lone worn letters read: a capital Ã or Â behind a small letter is no spelling."""
    if "Ã" not in text and "Â" not in text and "â" not in text:
        return text
    text = _LONE_INVISIBLE.sub("", text)
    table = load_page("cp1252")
    for found in reversed(list(_LONE.finditer(text))):
        at = found.start()
        initial = at == 0 or not text[at - 1].isalpha()
        letters = (one for one in list_choices(text, at, table) if one.character.isalpha())
        meant = next((one for one in letters if one.character.isupper() == initial), None)
        if meant:
            text = text[:at] + meant.character + text[at + meant.size :]
    return text
