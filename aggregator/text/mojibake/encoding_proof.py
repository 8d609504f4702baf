"""Prove in which encoding the UTF-8 of a text was read, by the byte sequences in its words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from aggregator.text.mojibake.byte_sequences import ENCODINGS, MOST_COST, CodePage, list_choices, load_page

MIN_PROOF = 1.4
"""Sequences that a text must have before damaged ones are read; an undamaged one of three bytes counts 2."""
_MIN_WORD_PROOF = 0.6  # proof of a word that counts
_DECISIVE_PROOF = 100.0  # proof in the first parts of a text that decides for its encoding
PART = 10_000
"""Characters of the parts in which a long text is weighed."""
# Proof per letter that may be a byte: damaged mojibake of seven languages .39 to .76, emoji and marks .09 and .1,
# random bytes .01. Noise has such letters only; in sound Ukrainian read as cp1251 every twelfth is one.
_MIN_SHARE = 0.2
_NOISE_SHARE = 0.03
_MAX_STRANGE = PART // 2
_MAX_CACHED = 200  # characters of a word whose proof is cached
NOISE = -1.0
"""The proof of a text that is noise."""
BLANK = "\x1f"
"""Stands for a blank that is no byte."""
_INSIDE = 0.5  # additional proof of a capital lead byte directly behind a small letter, which spelling hardly has


@lru_cache(maxsize=4)
def prove_encoding(text: str) -> tuple[float, str]:
    """Return the proof of the encoding that explains most of a text, and its name; a long text by its first parts.

    Proof that explains a small share of the letters that may be bytes is 0; with next to none of them in a part, the
    text is noise and the proof is ``NOISE``.
    """
    proofs = dict.fromkeys(ENCODINGS, 0.0)
    strange = dict.fromkeys(ENCODINGS, 0)
    for begin in range(0, len(text), PART):
        part = {name: _explain_part(text[begin : begin + PART], name) for name in ENCODINGS}
        for name, (proof, letters) in part.items():
            proofs[name] += proof
            strange[name] += letters
        name = max(proofs, key=lambda one: proofs[one])
        if len(text) > PART and part[name][1] > _MAX_STRANGE and part[name][0] < _NOISE_SHARE * part[name][1]:
            return NOISE, name
        if proofs[name] > _DECISIVE_PROOF:
            return (proofs[name] if proofs[name] >= _MIN_SHARE * strange[name] else 0.0), name
    return max(((proof, name) for name, proof in proofs.items()), key=lambda one: one[0])


def _explain_part(text: str, name: str) -> tuple[float, int]:
    """Return the proof of an encoding's sequences, and how many letters of their words may be bytes."""
    every = list(_find_suspect_words(text, load_page(name)))
    proof = sum([(_weigh_known if len(word) <= _MAX_CACHED else _weigh_word)(word, name) for word in every])
    return proof, _count_strange("".join(every), load_page(name))


def _find_suspect_words(text: str, table: CodePage) -> Iterator[str]:
    """Yield the words that may contain a sequence of the encoding, in order."""
    spaced = text.replace(BLANK, " ").replace("\t", " ").replace("\r", " ").replace("\n", " ")
    done = 0
    for found in table.finder.finditer(text):
        at = found.start()
        if at >= done:
            begin = max(done, spaced.rfind(" ", done, at) + 1)
            end = spaced.find(" ", at)
            done = end if end >= 0 else len(text)
            yield text[begin:done]


def _weigh_word(word: str, name: str) -> float:
    """Return the proof of the sequences of a word: 1 of two bytes, 2 of more, less if damaged or with other letters."""
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
        weight += (1 if choice.size == 2 else 2) * (1 - choice.price / MOST_COST) + _INSIDE * inside  # noqa: PLR2004
        explained += _count_strange(word[at : at + choice.size], table)
        at += choice.size
    if weight <= _MIN_WORD_PROOF:
        return 0.0
    return weight * min(1.0, explained / max(1, _count_strange(word, table))) ** 2


_weigh_known = lru_cache(maxsize=4096)(_weigh_word)


def _count_strange(word: str, table: CodePage) -> int:
    return sum(map(table.shown.__contains__, word))
