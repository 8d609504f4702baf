"""Text that was decoded with the wrong encoding, read again as it was meant.

``ftfy.fix_encoding`` undoes what is whole. What pages have worn since (see ``codepages``) is read here: a lead byte
and its continuation bytes, each with the forms it may have taken, become the likeliest character; where several are
possible the language's words decide. A text is only touched where it shows sequences that no writer makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import ftfy

from aggregator.text.mojibake.byte_sequences import MOST_WORN, Choice, choices, clear
from aggregator.text.mojibake.candidates import LONGEST_WORD, Piece, chosen
from aggregator.text.mojibake.code_pages import ENCODINGS, REPLACED, UNDEFINED_COST, Page, page
from aggregator.text.mojibake.detector import suspect
from aggregator.text.mojibake.undefined_bytes import undotted

ROUNDS = 3
# Sequences a text must show before worn ones are read too; one whole sequence of three bytes counts twice.
PROOF = 1.4
LEAST_WORD = 0.6
# A text that shows a hundred and more of one encoding in its first parts is of that encoding; parts are in characters.
ENOUGH = 100.0
PART = 10_000
# Of its letters that may be bytes, worn mojibake of seven languages proves .39 to .76, emoji and marks .09 and .1;
# random bytes .01. Noise is made of such letters; in sound Ukrainian read as cp1251 every twelfth is one.
LEAST_SHARE = 0.2
NOISE_SHARE = 0.03
MOST_STRANGE = PART // 2
NOISE = -1.0
# Sequences of one language begin in at most 70 ways, by their first two letters, of six languages in 113; worn ones in
# twice as many. A text that has more is noise, and stays as it is.
BEGINNING = 2
MOST_BEGINNINGS = 500
# A capital lead right behind a small letter is hardly ever spelling.
INSIDE = 0.5
LONE_LEAD = re.compile("â(?![\\w\u0080-\u00ff€])")
LONE = re.compile(r"(?<=[a-zß-ÿ])Ã|(?<![^\W\d_])Ã(?=-[a-z])")
LONE_INVISIBLE = re.compile(r"(?<=[A-Za-zß-ÿ,.])Â[-\u00ad]|â•(?![^\W\d_]?[\u0080-\u00bf])")
# "“ATÉ AMANHÃ”": the quote that ends what one began is no byte of a letter, though the two make "Ô".
QUOTED = re.compile(r"(“[^“”]*Ã)”(?!\w)")
QUOTE = "\ue201"


def redecoded(text: str) -> str:
    """The text with wrong decodings undone; sound text of any language comes back as it is.

    >>> redecoded("PortuguÃªs"), redecoded("PortuguÃas"), redecoded("Português"), redecoded("“NÃO, AMANHÃ”")
    ('Português', 'Português', 'Português', '“NÃO, AMANHÃ”')
    """
    if text.isascii():
        return text
    if QUOTED.search(text) and QUOTE not in text:
        return redecoded(QUOTED.sub(rf"\1{QUOTE}", text)).replace(QUOTE, "”")
    familiar: dict[str, frozenset[int]] = {}
    for _ in range(ROUNDS):
        proof, name = _proved(text)
        if proof == NOISE:
            break
        better = _whole(_worn(text, familiar, name) if proof >= PROOF else _lone(text))
        if better == text:
            break
        text = better
    if "cp1252" in familiar:
        text = undotted(text)
    for name, leads in familiar.items():
        if name != "cp1251":
            text = _reread(text, page(name), leads, lost=True)
    return text


def _whole(text: str) -> str:
    if not suspect(text):
        return text
    better = ftfy.fix_encoding(text)
    return text if "\ufffd" in better and "\ufffd" not in text else better


def _worn(text: str, familiar: dict[str, frozenset[int]], name: str) -> str:
    """The text read again through an encoding; the lead bytes that were met whole are added to ``familiar``, by it."""
    familiar[name] = familiar.get(name, frozenset()) | _familiar(text, page(name))
    return _reread(text, page(name), familiar[name])


@lru_cache(maxsize=4)
def _proved(text: str) -> tuple[float, str]:
    """The encoding that explains most of a text, with the proof; of a long text as many parts as it takes are read.

    What proves much and explains little of the letters that it is made of proves nothing; a part that explains next to
    nothing of them is noise, and the proof ``NOISE``.
    """
    proofs = dict.fromkeys(ENCODINGS, 0.0)
    strange = dict.fromkeys(ENCODINGS, 0)
    for begin in range(0, len(text), PART):
        part = {name: _explained(text[begin : begin + PART], name) for name in ENCODINGS}
        for name, (proof, letters) in part.items():
            proofs[name] += proof
            strange[name] += letters
        name = max(proofs, key=lambda one: proofs[one])
        if len(text) > PART and part[name][1] > MOST_STRANGE and part[name][0] < NOISE_SHARE * part[name][1]:
            return NOISE, name
        if proofs[name] > ENOUGH:
            return (proofs[name] if proofs[name] >= LEAST_SHARE * strange[name] else 0.0), name
    return max(((proof, name) for name, proof in proofs.items()), key=lambda one: one[0])


def _explained(text: str, name: str) -> tuple[float, int]:
    """How much of a text an encoding's sequences prove, and how many letters that may be bytes their words have."""
    every = list(_words(text, page(name)))
    proof = sum([(_remembered if len(word) <= LONGEST_WORD else _weight)(word, name) for word in every])
    return proof, _strange("".join(every), page(name))


def _words(text: str, table: Page) -> Iterator[str]:
    """The words in which a sequence of the encoding may stand, in order."""
    spaced = text.replace("\t", " ").replace("\r", " ").replace("\n", " ")
    done = 0
    for found in table.finder.finditer(text):
        at = found.start()
        if at >= done:
            begin = max(done, spaced.rfind(" ", done, at) + 1)
            end = spaced.find(" ", at)
            done = end if end >= 0 else len(text)
            yield text[begin:done]


def _weight(word: str, name: str) -> float:
    """What a word proves: its sequences, two-byte ones counting 1, worn ones less, by the letters they explain."""
    table = page(name)
    at = explained = 0
    weight = 0.0
    while found := table.finder.search(word, at):
        at = found.start()
        readings = choices(word, at, table)
        if not readings:
            at += 1
            continue
        choice = readings[0]
        inside = at > 0 and word[at].isupper() and word[at - 1].islower()
        weight += (1 if choice.size == 2 else 2) * (1 - choice.price / MOST_WORN) + INSIDE * inside  # noqa: PLR2004
        explained += sum(map(table.shown.__contains__, word[at : at + choice.size]))
        at += choice.size
    if weight <= LEAST_WORD:
        return 0.0
    return weight * min(1.0, explained / max(1, _strange(word, table))) ** 2


def _strange(word: str, table: Page) -> int:
    """How many letters of a word may be bytes."""
    return sum(map(table.shown.__contains__, word))


_remembered = lru_cache(maxsize=4096)(_weight)


def _reread(text: str, table: Page, familiar: frozenset[int], *, lost: bool = False) -> str:
    """Every sequence of the text read again; ``lost`` reads those, and only those, that lack a byte."""
    finder = table.leader if lost else table.finder
    begun = {text[found.start() : found.start() + BEGINNING] for found in finder.finditer(text)}
    if len(begun) > MOST_BEGINNINGS:
        return text
    pieces: list[Piece] = []
    at = sure = 0
    while found := finder.search(text, at):
        at = found.start()
        read = "" if lost else clear(text, at, table)
        readings = () if read else choices(text, at, table, familiar, lost=lost)
        if not read and not readings:
            at += 1
            continue
        pieces += _plain(text[sure:at])
        pieces += read or [_known(readings, text, at)]
        at = sure = at + (len(read.encode()) if read else readings[0].size)
    pieces += _plain(text[sure:])
    return LONE_LEAD.sub("", "".join(chosen(pieces)))


def _known(readings: tuple[Choice, ...], text: str, at: int) -> tuple[Choice, ...]:
    """The readings that take as much of the text as the likeliest one does; that is a mark where a letter is lost."""
    size = readings[0].size
    known = readings if len(readings) == 1 else tuple([one for one in readings if one.size == size])
    return (readings[0]._replace(character=REPLACED), *known) if REPLACED in text[at : at + size] else known


def _plain(text: str) -> list[str]:
    """A stretch that stays as it is, in three pieces: the end of one word, what lies between, the begin of another."""
    first, last = 0, len(text)
    while first < len(text) and _letter(text[first]):
        first += 1
    while last > first and _letter(text[last - 1]):
        last -= 1
    return [part for part in (text[:first], text[first:last], text[last:]) if part]


def _letter(character: str) -> bool:
    return character.isalnum() and not character.isdecimal()


def _familiar(text: str, table: Page) -> frozenset[int]:
    """The lead bytes of the sequences that are hardly worn."""
    met: set[str] = set()
    for found in table.finder.finditer(text):
        readings = () if found.group() in met else choices(text, found.start(), table)
        if readings and readings[0].price <= UNDEFINED_COST:
            met.add(found.group())
    return frozenset(table.leads[lead] for lead in met)


def _lone(text: str) -> str:
    """One worn letter in an otherwise sound word: a capital Ã or Â behind a small letter is nobody's spelling."""
    if "Ã" not in text and "Â" not in text and "â" not in text:
        return text
    text = LONE_INVISIBLE.sub("", text)
    table = page("cp1252")
    for found in reversed(list(LONE.finditer(text))):
        at = found.start()
        initial = at == 0 or not text[at - 1].isalpha()
        letters = (one for one in choices(text, at, table) if one.character.isalpha())
        meant = next((one for one in letters if one.character.isupper() == initial), None)
        if meant:
            text = text[:at] + meant.character + text[at + meant.size :]
    return text
