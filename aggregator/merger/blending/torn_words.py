"""Torn addresses: what one witness has in pieces, by blanks or line ends, and another whole, brought to the whole form.

A blank inside an address is always a slip: the two halves of "web site" may be right, those of a link cannot. But only
another copy shows where it goes on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from aggregator.merger.blending.copies import Witness
from aggregator.text.tokens import Token, tokenise

SCHEME = "://"
MOST_PIECES = 12


def mend_addresses(witnesses: Sequence[Witness]) -> None:
    """Joins the pieces of an address in each witness where another has exactly their sum."""
    if not any(SCHEME in witness.text for witness in witnesses):
        return
    said = [{token.word for token in witness.tokens if SCHEME in token.word} for witness in witnesses]
    for number, witness in enumerate(witnesses):
        missing = frozenset().union(*said[:number], *said[number + 1 :]) - said[number]
        if missing and said[number]:
            witness.tokens = _joined(witness.tokens, sorted(missing))


def _joined(tokens: Sequence[Token], whole: Sequence[str]) -> list[Token]:
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        size = _pieces(tokens, at, whole) if SCHEME in tokens[at].surface else 1
        if size > 1:
            surface = "".join(token.surface for token in tokens[at : at + size])
            joined += [token._replace(gap=tokens[at].gap) for token in tokenise(surface)]
        else:
            joined.append(tokens[at])
        at += size
    return joined


def _pieces(tokens: Sequence[Token], at: int, whole: Sequence[str]) -> int:
    """How many tokens from a place on are the pieces of an address of a sorted list; 1 where they are none."""
    start = tokens[at].surface.removeprefix(tokens[at].lead)
    for size in range(2, min(MOST_PIECES, len(tokens) - at) + 1):
        last = tokens[at + size - 1]
        said = start + last.lead + last.word
        if _begins(whole, said) == said:
            return size
        start += last.surface
        if not _begins(whole, start).startswith(start):
            return 1
    return 1


def _begins(whole: Sequence[str], start: str) -> str:
    """Of a sorted list the first that is not before this beginning: it begins so, if any does."""
    at = bisect_left(whole, start)
    return whole[at] if at < len(whole) else ""
