"""Join or split words that are one word in one copy and two in another, before copies are compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import add

from aggregator.merger.blending.copies import PreparedCopy
from aggregator.text import word_frequencies
from aggregator.text.tokens import Token, tokenise

_BY_WORDS = 0.8  # vote of the word list, where a sound copy has 1
_BY_LETTERS = 0.4  # vote without one: signs inside, as in links, are for one word
_SCHEME = "://"
_MOST_PIECES = 12  # of an address with blanks or line ends inside


def match_word_breaks(copies: Sequence[PreparedCopy], language: str | None) -> None:
    """Split "ofthe" and join "web- site" in the copies that are outvoted by the others and the word list."""
    if len(copies) < 2:  # noqa: PLR2004 - one copy has none to compare with
        return
    if any(_SCHEME in copy.text for copy in copies):
        _join_torn_addresses(copies)
    lines = [[token.bare for token in copy.tokens] for copy in copies]
    whole = [frozenset(line) for line in lines]
    doubtful = frozenset().union(*whole).difference(frozenset.intersection(*whole))
    if not doubtful:
        return
    pairs = [_find_pairs(copy.tokens, line, doubtful) for copy, line in zip(copies, lines, strict=True)]
    apart = [_joined_elsewhere(number, pairs[number], whole) for number in range(len(copies))]
    disputed = {joined for joined in frozenset().union(*apart) if _is_open(joined, lines, apart, whole)}
    as_one = {joined for joined in disputed if _is_one(joined, copies, whole, apart, language)}
    as_two = disputed - as_one
    for number, copy in enumerate(copies):
        if not as_one.isdisjoint(apart[number]):
            copy.tokens = _join_words(copy.tokens, as_one)
        if not as_two.isdisjoint(whole[number]):
            lengths = {joined: next(pairs[joined] for pairs in apart if joined in pairs) for joined in as_two}
            copy.tokens = _split_words(copy.tokens, lengths)


def _find_pairs(line: Sequence[Token], bare: Sequence[str], whole: frozenset[str]) -> dict[str, int]:
    """Return the neighbours that together are a word of ``whole``: the length of the first one by the joined word."""
    if whole.isdisjoint(map(add, bare, bare[1:])):
        return {}
    return {
        before + after: len(before)
        for (before, after), token in zip(pairwise(bare), line[1:], strict=False)
        if before + after in whole and before and after and token.gap
    }


def _joined_elsewhere(number: int, pairs: dict[str, int], whole: Sequence[frozenset[str]]) -> dict[str, int]:
    """Return the pairs of a copy that another copy has as one word."""
    others = frozenset().union(*(words for other, words in enumerate(whole) if other != number))
    return {joined: first for joined, first in pairs.items() if joined in others}


def _is_open(
    joined: str, lines: Sequence[Sequence[str]], apart: Sequence[dict[str, int]], whole: Sequence[frozenset[str]]
) -> bool:
    """Return whether a form may be wrong: no copy has both forms, or one has it as often, each time in two.

    A copy that has it less often may end before the word that another copy has as one: "it may be … Maybe".
    """
    both = [line for line, pairs, words in zip(lines, apart, whole, strict=True) if joined in pairs and joined in words]
    least = min((_count_forms(joined, line) for line in both), default=0)
    return not both or any(
        joined in pairs and joined not in words and _count_forms(joined, line) >= least
        for line, pairs, words in zip(lines, apart, whole, strict=True)
    )


def _count_forms(joined: str, line: Sequence[str]) -> int:
    """Return how often a word stands in a copy, as one or as two."""
    return line.count(joined) + sum(before + after == joined for before, after in pairwise(line))


def _is_one(
    joined: str,
    copies: Sequence[PreparedCopy],
    whole: Sequence[frozenset[str]],
    apart: Sequence[dict[str, int]],
    language: str | None,
) -> bool:
    """Return whether a disputed word is one, by the votes of the copies and the word list."""
    votes = sum(
        copy.weight * ((joined in whole[number]) - (joined in apart[number])) for number, copy in enumerate(copies)
    )
    first = next(pairs[joined] for pairs in apart if joined in pairs)
    frequency = word_frequencies.frequency
    one, two = frequency(joined, language), frequency(joined[:first], language) * frequency(joined[first:], language)
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
    """Return two neighbours as one token, without the hyphen of a line's end; ``None`` if they are not one word."""
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
    """Return where the second word of a surface begins, given the letters of the first; marks belong to the first."""
    places = [at for at, letter in enumerate(surface) if letter.isalnum()]
    return places[letters] if letters < len(places) else len(surface)


def _join_torn_addresses(copies: Sequence[PreparedCopy]) -> None:
    """Join the pieces of an address with blanks or line ends inside, where another copy has it without."""
    whole = [{token.word for token in copy.tokens if _SCHEME in token.word} for copy in copies]
    for number, copy in enumerate(copies):
        missing = frozenset().union(*whole) - whole[number]
        if missing and whole[number]:
            copy.tokens = _join_pieces(copy.tokens, missing)


def _join_pieces(tokens: Sequence[Token], missing: frozenset[str]) -> list[Token]:
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        size = 1
        if _SCHEME in tokens[at].surface:
            sizes = range(2, min(_MOST_PIECES, len(tokens) - at) + 1)
            size = next((size for size in sizes if _join_surfaces(tokens[at : at + size]) in missing), 1)
        surface = "".join(token.surface for token in tokens[at : at + size])
        joined += [token._replace(gap=tokens[at].gap) for token in tokenise(surface)] if size > 1 else [tokens[at]]
        at += size
    return joined


def _join_surfaces(tokens: Sequence[Token]) -> str:
    """Return the tokens without gaps, and without the marks before the first and behind the last."""
    surface = "".join(token.surface for token in tokens)
    return surface[len(tokens[0].lead) : len(surface) - len(tokens[-1].trail)]
