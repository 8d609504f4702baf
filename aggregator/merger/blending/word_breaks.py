"""Seams: words that one witness runs together and another keeps apart, brought to one form before they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import add

from aggregator.merger.blending.copies import Witness
from aggregator.merger.blending.torn_words import mend_addresses
from aggregator.text import word_frequencies as words
from aggregator.text.tokens import Token, tokenise

# What the words of the language weigh beside sound witnesses; and, where they know none, that links are one word.
BY_WORDS = 0.8
BY_LETTERS = 0.4


def match_seams(witnesses: Sequence[Witness], language: str | None) -> None:
    """Splits "ofthe" and joins "web- site" in the witnesses that the others and the language's words speak against."""
    if len(witnesses) < 2:  # noqa: PLR2004 - one copy has nobody to speak against it
        return
    mend_addresses(witnesses)
    lines = [[token.bare for token in witness.tokens] for witness in witnesses]
    whole = [frozenset(line) for line in lines]
    doubtful = frozenset().union(*whole).difference(frozenset.intersection(*whole))  # what all have as one word is one
    twos = [_pairs(witness.tokens, line, doubtful) for witness, line in zip(witnesses, lines, strict=True)]
    apart = [_elsewhere(pairs, whole, number) for number, pairs in enumerate(twos)]
    disputed = {joined for pairs in apart for joined in pairs}
    disputed -= {
        joined
        for joined in disputed
        if not any(
            joined in apart[number] and joined not in whole[number]
            for number, witness in enumerate(witnesses)
            if not witness.cut
        )
        and any(joined in apart[number] and joined in whole[number] for number in range(len(witnesses)))
    }
    if not disputed:
        return
    as_one = {joined for joined in disputed if _is_one(joined, witnesses, whole, apart, language)}
    for number, witness in enumerate(witnesses):
        if any(joined in apart[number] for joined in as_one):
            witness.tokens = _joined(witness.tokens, as_one)
        if any(joined in whole[number] for joined in disputed - as_one):
            lengths = {
                joined: next(pairs[joined] for pairs in apart if joined in pairs) for joined in disputed - as_one
            }
            witness.tokens = _split(witness.tokens, lengths)


def _pairs(line: Sequence[Token], bare: Sequence[str], whole: frozenset[str]) -> dict[str, int]:
    """Neighbouring words that are one of these: the joined word, and the length of the first part."""
    if whole.isdisjoint(map(add, bare, bare[1:])):
        return {}
    return {
        before + after: len(before)
        for (before, after), token in zip(pairwise(bare), line[1:], strict=False)
        if before + after in whole and before and after and token.gap
    }


def _elsewhere(pairs: dict[str, int], whole: Sequence[frozenset[str]], number: int) -> dict[str, int]:
    """Those of a witness's pairs that another witness has as one word."""
    others = [words for other, words in enumerate(whole) if other != number]
    return {joined: first for joined, first in pairs.items() if any(joined in words for words in others)}


def _is_one(
    joined: str,
    witnesses: Sequence[Witness],
    whole: Sequence[frozenset[str]],
    apart: Sequence[dict[str, int]],
    language: str | None,
) -> bool:
    """Whether a word that some have as one and some as two is one."""
    votes = sum(
        witness.weight * ((joined in whole[number]) - (joined in apart[number]))
        for number, witness in enumerate(witnesses)
    )
    first = next(pairs[joined] for pairs in apart if joined in pairs)
    one = words.frequency(joined, language)
    two = words.frequency(joined[:first], language) * words.frequency(joined[first:], language)
    if one or two:
        votes += BY_WORDS if one > two else -BY_WORDS
    else:
        votes += BY_LETTERS if not joined.isalpha() else -BY_LETTERS / 2
    return votes > 0


def _joined(tokens: Sequence[Token], as_one: set[str]) -> list[Token]:
    result: list[Token] = []
    for token in tokens:
        fused = _fused(result[-1], token, as_one) if result else None
        if fused:
            result[-1] = fused
        else:
            result.append(token)
    return result


def _fused(last: Token, token: Token, as_one: set[str]) -> Token | None:
    """Two neighbours as one token, without the hyphen of a line's end between them, where they are one word."""
    one, other = last.bare, token.bare
    if not one or not other or one + other not in as_one:
        return None
    surface = last.surface[:-1] if last.surface.endswith("-") and token.word[:1].islower() else last.surface
    fused = tokenise(surface + token.surface)
    return fused[0]._replace(gap=last.gap) if len(fused) == 1 else None


def _split(tokens: Sequence[Token], lengths: dict[str, int]) -> list[Token]:
    result: list[Token] = []
    for token in tokens:
        first = lengths.get(token.bare)
        if first is None:
            result.append(token)
            continue
        at = _place(token.surface, first)
        result += [part._replace(gap=token.gap) for part in tokenise(token.surface[:at])]
        result += [part._replace(gap=" ") for part in tokenise(token.surface[at:])]
    return result


def _place(surface: str, letters: int) -> int:
    """Where in a surface the second word begins, when the first has so many letters; marks go with the first."""
    seen = 0
    for at, letter in enumerate(surface):
        if letter.isalnum():
            if seen == letters:
                return at
            seen += 1
    return len(surface)
