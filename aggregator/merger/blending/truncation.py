"""Stops: which witnesses end before the text does, seen by comparing them."""

from __future__ import annotations

from collections.abc import Sequence

from aggregator.merger.blending.copies import PreparedCopy
from aggregator.text import alignment, truncation
from aggregator.text.tokens import Token, tokenise

# A cut copy has its words in order within the first stretch of a longer one. At .75 rewritten texts pass for cuts.
_WITHIN = 0.85
_WITHIN_DOTTED = 0.6
# More than 30 words behind the end of a copy are text it lacks; fewer may be stuck to the other one.
_LONGEST_TAIL = 30
# The beginnings of long texts are compared by this many tokens.
_LONG = 2000


def mark_cut_copies(witnesses: Sequence[PreparedCopy]) -> None:
    """Marks the witnesses that are cut without a sure mark, and takes off their dots and the torn word at their end."""
    for witness in witnesses:
        if not witness.cut and truncation.ends_in_dots(witness.text):
            _mark_if_dotted(witness, witnesses)
    for witness in witnesses:
        if not witness.cut and not witness.finished:
            _mark_if_shorter(witness, witnesses)
    for witness in witnesses:
        if witness.cut:
            witness.tokens = _trim_cut_end(witness, witnesses)


def _trim_cut_end(witness: PreparedCopy, witnesses: Sequence[PreparedCopy]) -> list[Token]:
    """Return the tokens of a cut witness without a torn word or a loose mark at their end."""
    tokens = list(witness.tokens)
    while len(tokens) > 1 and not tokens[-1].lexical:
        tokens.pop()
    keys = [token.key for token in tokens]
    if len(tokens) > 1 and any(_is_torn_word(keys, other) for other in witnesses if other is not witness):
        tokens.pop()
        while len(tokens) > 1 and not tokens[-1].lexical:
            tokens.pop()
    return tokens


def _mark_if_dotted(witness: PreparedCopy, witnesses: Sequence[PreparedCopy]) -> None:
    uncut = truncation.strip_cut_mark(witness.text, known=True)
    text = truncation.strip_torn_word(uncut.text) if uncut.torn else uncut.text
    tokens = tokenise(text)
    keys = [token.key for token in tokens]
    others = [other for other in witnesses if other is not witness]
    if any(_goes_on(keys, other, _WITHIN_DOTTED) or (len(keys) > 1 and _ends_within(keys, other)) for other in others):
        witness.text, witness.tokens, witness.cut = text, tokens, True


def _mark_if_shorter(witness: PreparedCopy, witnesses: Sequence[PreparedCopy]) -> None:
    keys = witness.keys
    others = [other for other in witnesses if other is not witness]
    if any(not other.cut and other.keys[-2:] == keys[-2:] for other in others):
        return
    longer = [other for other in others if _goes_on(keys[:-1], other, _WITHIN)]
    torn = any(_is_torn_word(keys, other) for other in longer)
    if torn or any(len(other.tokens) > len(keys) + _LONGEST_TAIL for other in longer):
        witness.cut = True
        if torn:
            witness.tokens = witness.tokens[:-1]


def _goes_on(keys: Sequence[str], other: PreparedCopy, share: float) -> bool:
    """Whether the other witness begins with these keys, nearly in order, and has more behind them."""
    stretch = len(keys) + len(keys) // 8 + 2
    if not keys or len(other.tokens) < len(keys) + 1:
        return False
    known = keys[:_LONG]
    return alignment.count_common(known, other.keys[: min(stretch, _LONG + _LONG // 8)]) >= share * len(known)


def _ends_within(keys: Sequence[str], other: PreparedCopy) -> bool:
    """Whether the keys are the beginning of the other witness, the last of them the beginning of its word there."""
    theirs = other.keys[: len(keys)]
    return (
        len(theirs) == len(keys)
        and theirs[:-1] == list(keys[:-1])
        and theirs[-1] != keys[-1]
        and theirs[-1].startswith(keys[-1])
    )


def _is_torn_word(keys: Sequence[str], other: PreparedCopy) -> bool:
    """Whether the last key is the beginning of what the other witness has there."""
    before, last = keys[-2:-1], keys[-1]
    theirs = other.keys
    return any(
        theirs[i].startswith(last) and theirs[i] != last
        for i in range(len(theirs))
        if theirs[i - 1 : i] == before or (i == 0 and not before)
    )
