"""Find the copies that are cut, by comparing them with the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from aggregator.merger.blending.copies import PreparedCopy
from aggregator.text import alignment, truncation
from aggregator.text.tokens import Token, tokenise

# Share of a cut copy's words that the beginning of a longer one has in order. At .75 rewritten texts pass for cuts.
_WITHIN = 0.85
_WITHIN_DOTTED = 0.6
_LONGEST_TAIL = 30  # words that a source may add at the end; more are text that the other copy lacks
_SAME_END = 12  # tokens, at most, at the end of two copies that end alike
_LONG = 2000  # tokens of long texts that are compared


def mark_cut_copies(copies: Sequence[PreparedCopy], *, learning: bool = False) -> None:
    """Mark the copies that are cut without a sure mark; remove the dots and the incomplete word at their end.

    Another copy with dots at the same place does not go on there. While it is learned what sources add (``learning``),
    such dots are a cut, too: two sources have "Read more..." behind each text.
    """
    for copy in copies:
        if not copy.cut and truncation.ends_in_dots(copy.text):
            others = [other for other in copies if other is not copy and (learning or not _has_dots_there(copy, other))]
            _mark_if_dotted(copy, others)
    for copy in copies:
        if not copy.cut and not copy.finished:
            _mark_if_shorter(copy, copies)
    for copy in copies:
        if copy.cut:
            copy.tokens = _trim_cut_end(copy, copies)


def _trim_cut_end(copy: PreparedCopy, copies: Sequence[PreparedCopy]) -> list[Token]:
    """Return the tokens of a cut copy without an incomplete word or marks at their end."""
    tokens = _drop_last_marks(copy.tokens)
    keys = [token.key for token in tokens]
    if tokens and any(_is_torn_word(keys, other) for other in copies if other is not copy):
        return _drop_last_marks(tokens[:-1])
    return tokens


def _drop_last_marks(tokens: Sequence[Token]) -> list[Token]:
    end = len(tokens)
    while end > 1 and not tokens[end - 1].lexical:
        end -= 1
    return list(tokens[:end])


def _has_dots_there(copy: PreparedCopy, other: PreparedCopy) -> bool:
    """Return whether the other copy has dots behind the same words, or ends there and is trusted less."""
    last, end = _list_last_keys(copy.tokens), len(_drop_last_marks(other.tokens))
    theirs = other.keys
    for at in range(len(last), end + 1):
        if theirs[at - len(last) : at] == last:
            behind = other.tokens[at - 1].trail + "".join(token.surface for token in other.tokens[at : at + 1])
            if truncation.starts_with_dots(behind) or (at == end and other.trust < copy.trust):
                return True
    return False


def _list_last_keys(tokens: Sequence[Token]) -> list[str]:
    return [token.key for token in _drop_last_marks(tokens)[-_SAME_END:]]


def _mark_if_dotted(copy: PreparedCopy, others: Sequence[PreparedCopy]) -> None:
    uncut = truncation.strip_cut_mark(copy.text, known=True)
    text = truncation.strip_torn_word(uncut.text) if uncut.torn else uncut.text
    tokens = tokenise(text)
    keys = [token.key for token in tokens]
    if any(_goes_on(keys, other, _WITHIN_DOTTED) or _ends_in_half_a_word(keys, other) for other in others):
        copy.text, copy.tokens, copy.cut = text, tokens, True


def _mark_if_shorter(copy: PreparedCopy, copies: Sequence[PreparedCopy]) -> None:
    """Mark a copy that ends within a word of another, or where one that is trusted as much goes on for long.

    Notes often end in a name or a link: a source that is trusted less could write behind these whatever it wants.
    """
    keys = copy.keys
    others = [other for other in copies if other is not copy]
    if any(not other.cut and [token.key for token in other.tokens[-2:]] == keys[-2:] for other in others):
        return
    longer = [other for other in others if _goes_on(keys[:-1], other, _WITHIN)]
    torn = any(_is_torn_word(keys, other) for other in others if _goes_on(keys[:-1], other, _WITHIN_DOTTED))
    trusted = [other for other in longer if other.trust >= copy.trust]
    if torn or any(len(other.tokens) > len(keys) + _LONGEST_TAIL for other in trusted):
        copy.cut = True
        if torn:
            copy.tokens = copy.tokens[:-1]


def _goes_on(keys: Sequence[str], other: PreparedCopy, share: float) -> bool:
    """Return whether the other copy begins with a share of these keys in order, and has more behind them."""
    if not keys or len(other.tokens) < len(keys) + 1:
        return False
    stretch = len(keys) + len(keys) // 8 + 2
    known = keys[:_LONG]
    theirs = [token.key for token in other.tokens[: min(stretch, _LONG + _LONG // 8)]]
    return alignment.count_common(known, theirs) >= share * len(known)


def _ends_in_half_a_word(keys: Sequence[str], other: PreparedCopy) -> bool:
    """Return whether the other copy begins with the keys, and goes on with the word that the last key only begins."""
    theirs = [token.key for token in other.tokens[: len(keys)]]
    if len(keys) < 2 or len(theirs) < len(keys) or theirs[:-1] != list(keys[:-1]):  # noqa: PLR2004 - a word before it
        return False
    return theirs[-1] != keys[-1] and theirs[-1].startswith(keys[-1])


def _is_torn_word(keys: Sequence[str], other: PreparedCopy) -> bool:
    """Return whether the last key is only the beginning of a word that the other copy has behind the same word."""
    before, last = keys[-2:-1], keys[-1]
    theirs = other.keys
    same = [key for one, key in pairwise(theirs) if one == before[0]] if before else theirs[:1]
    return any(key.startswith(last) and key != last for key in same)
