"""Seams: words that one witness runs together and another keeps apart, brought to one form before they are compared."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from operator import add

from aggregator.merger.blending.copies import PreparedCopy
from aggregator.text import word_frequencies
from aggregator.text.tokens import Token, tokenise

# What the words of the language weigh beside sound witnesses; and, where they know none, that links are one word.
_BY_WORDS = 0.8
_BY_LETTERS = 0.4


def match_word_breaks(witnesses: Sequence[PreparedCopy], language: str | None) -> None:
    """Splits "ofthe" and joins "web- site" in the witnesses that the others and the language's words speak against."""
    if len(witnesses) < 2:  # noqa: PLR2004 - one copy has nobody to speak against it
        return
    _join_torn_addresses(witnesses)
    lines = [[token.bare for token in witness.tokens] for witness in witnesses]
    whole = [frozenset(line) for line in lines]
    doubtful = frozenset().union(*whole).difference(frozenset.intersection(*whole))  # what all have as one word is one
    twos = [_find_pairs(witness.tokens, line, doubtful) for witness, line in zip(witnesses, lines, strict=True)]
    apart = [_joined_elsewhere(pairs, whole, number) for number, pairs in enumerate(twos)]
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
            witness.tokens = _join_words(witness.tokens, as_one)
        if any(joined in whole[number] for joined in disputed - as_one):
            lengths = {
                joined: next(pairs[joined] for pairs in apart if joined in pairs) for joined in disputed - as_one
            }
            witness.tokens = _split_words(witness.tokens, lengths)


def _find_pairs(line: Sequence[Token], bare: Sequence[str], whole: frozenset[str]) -> dict[str, int]:
    """Neighbouring words that are one of these: the joined word, and the length of the first part."""
    if whole.isdisjoint(map(add, bare, bare[1:])):
        return {}
    return {
        before + after: len(before)
        for (before, after), token in zip(pairwise(bare), line[1:], strict=False)
        if before + after in whole and before and after and token.gap
    }


def _joined_elsewhere(pairs: dict[str, int], whole: Sequence[frozenset[str]], number: int) -> dict[str, int]:
    """Those of a witness's pairs that another witness has as one word."""
    others = [words for other, words in enumerate(whole) if other != number]
    return {joined: first for joined, first in pairs.items() if any(joined in words for words in others)}


def _is_one(
    joined: str,
    witnesses: Sequence[PreparedCopy],
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
    one = word_frequencies.frequency(joined, language)
    two = word_frequencies.frequency(joined[:first], language) * word_frequencies.frequency(joined[first:], language)
    if one or two:
        votes += _BY_WORDS if one > two else -_BY_WORDS
    else:
        votes += _BY_LETTERS if not joined.isalpha() else -_BY_LETTERS / 2
    return votes > 0


def _join_words(tokens: Sequence[Token], as_one: set[str]) -> list[Token]:
    result: list[Token] = []
    for token in tokens:
        fused = _fuse(result[-1], token, as_one) if result else None
        if fused:
            result[-1] = fused
        else:
            result.append(token)
    return result


def _fuse(last: Token, token: Token, as_one: set[str]) -> Token | None:
    """Two neighbours as one token, without the hyphen of a line's end between them, where they are one word."""
    one, other = last.bare, token.bare
    if not one or not other or one + other not in as_one:
        return None
    surface = last.surface[:-1] if last.surface.endswith("-") and token.word[:1].islower() else last.surface
    fused = tokenise(surface + token.surface)
    return fused[0]._replace(gap=last.gap) if len(fused) == 1 else None


def _split_words(tokens: Sequence[Token], lengths: dict[str, int]) -> list[Token]:
    result: list[Token] = []
    for token in tokens:
        first = lengths.get(token.bare)
        if first is None:
            result.append(token)
            continue
        at = _find_split(token.surface, first)
        result += [part._replace(gap=token.gap) for part in tokenise(token.surface[:at])]
        result += [part._replace(gap=" ") for part in tokenise(token.surface[at:])]
    return result


def _find_split(surface: str, letters: int) -> int:
    """Where in a surface the second word begins, when the first has so many letters; marks go with the first."""
    seen = 0
    for at, letter in enumerate(surface):
        if letter.isalnum():
            if seen == letters:
                return at
            seen += 1
    return len(surface)


_SCHEME = "://"
_MOST_PIECES = 12


def _join_torn_addresses(witnesses: Sequence[PreparedCopy]) -> None:
    """Joins the pieces of an address in each witness where another has exactly their sum."""
    if not any(_SCHEME in witness.text for witness in witnesses):
        return
    said = [{token.word for token in witness.tokens if _SCHEME in token.word} for witness in witnesses]
    for number, witness in enumerate(witnesses):
        missing = frozenset().union(*said[:number], *said[number + 1 :]) - said[number]
        if missing and said[number]:
            witness.tokens = _join_pieces(witness.tokens, sorted(missing))


def _join_pieces(tokens: Sequence[Token], whole: Sequence[str]) -> list[Token]:
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        size = _count_pieces(tokens, at, whole) if _SCHEME in tokens[at].surface else 1
        if size > 1:
            surface = "".join(token.surface for token in tokens[at : at + size])
            joined += [token._replace(gap=tokens[at].gap) for token in tokenise(surface)]
        else:
            joined.append(tokens[at])
        at += size
    return joined


def _count_pieces(tokens: Sequence[Token], at: int, whole: Sequence[str]) -> int:
    """How many tokens from a place on are the pieces of an address of a sorted list; 1 where they are none."""
    start = tokens[at].surface.removeprefix(tokens[at].lead)
    for size in range(2, min(_MOST_PIECES, len(tokens) - at) + 1):
        last = tokens[at + size - 1]
        said = start + last.lead + last.word
        if _find_prefix(whole, said) == said:
            return size
        start += last.surface
        if not _find_prefix(whole, start).startswith(start):
            return 1
    return 1


def _find_prefix(whole: Sequence[str], start: str) -> str:
    """Of a sorted list the first that is not before this beginning: it begins so, if any does."""
    at = bisect_left(whole, start)
    return whole[at] if at < len(whole) else ""
