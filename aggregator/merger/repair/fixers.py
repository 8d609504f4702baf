"""Repair one copy of a text by itself: named fixers in a measured order, each change kept so that it can be replayed.

Wrong decodings go first, because soft hyphens, no-break spaces and control characters are bytes of theirs; the mark of
a cut goes last, when nothing stands behind it any more. Sound text comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Postfix, Prefix

from aggregator.merger.repair import escapes, letters, markup, whitespace
from aggregator.text import html, truncation
from aggregator.text.mojibake import other_encodings, redecode

_Fixer = Callable[[str], str]

_LEAST_TWICE = 30  # characters; shorter ones are names ("Duran Duran", "Boutros Boutros")
_LEAST_WORDS_TWICE = 4


def _drop_repeated_half(text: str) -> str:
    """Return one half of a text that consists of two equal ones.

    >>> _drop_repeated_half("We talk about the long way home. " * 2), _drop_repeated_half("Duran Duran")
    ('We talk about the long way home.', 'Duran Duran')
    """
    whole = text.strip()
    half = len(whole) // 2
    for first, second in ((whole[:half], whole[half:]), (whole[:half], whole[half + 1 :])):
        same = first.strip()
        if (
            len(same) >= _LEAST_TWICE
            and same == second.strip()
            and len(same.split()) >= _LEAST_WORDS_TWICE * (" " in same)
        ):
            return same
    return text


FIXERS: tuple[tuple[str, _Fixer], ...] = (
    ("escape sequence", escapes.unescape),
    ("code page", other_encodings.redecode_others),
    ("mojibake", redecode.redecode),
    ("entity", html.unescape),
    ("silent part", markup.remove_silent_parts),
    ("tag", html.strip_tags),
    ("foreign markup", markup.remove_foreign_markup),
    ("quoted line", markup.remove_quote_marks),
    ("invisible", whitespace.remove_invisibles),
    ("blank", whitespace.normalize_blanks),
    ("letter form", letters.replace_letter_forms),
    ("link", markup.replace_links),
    ("escape", markup.remove_backslashes),
    ("bold", markup.remove_bold),
    ("bullet", markup.remove_lone_bullet),
    ("hyphen", whitespace.join_hyphenated),
    ("wrap", whitespace.unwrap_lines),
    ("space", whitespace.squeeze_spaces),
    ("twice", _drop_repeated_half),
    ("look-alike", letters.replace_homoglyphs),
)
_OF_TAGS = frozenset({"tag", "silent part"})
# Fixers uncover work for each other (an entity that hides mojibake); four rounds settle all that was seen.
_ROUNDS = 6
_PASSAGE = 120
# What learns from texts reads them again after that: thousands of up to so many characters are remembered with what
# they became (16 MB at most), and the copies of one item or two that are longer.
_LONGEST_KNOWN = 2000
_LONGEST = 200_000  # characters of a text that is remembered at all


class Change(NamedTuple):
    """The name of the fixer, the passage before and after it (at most 120 characters each)."""

    cause: str
    before: str
    after: str


class RepairedText(NamedTuple):
    """A repaired text, whether it is cut, and the changes in the order they were made."""

    text: str
    cut: bool
    changes: tuple[Change, ...]


def repair_text(text: str, *, cut: bool = False, literal: bool = False) -> RepairedText:
    r"""Return the text repaired as far as it can be by itself; ``cut`` says that it is known to be cut.

    ``literal`` says that its angle brackets are text: no fixer of tags runs.

    A mark of truncation is taken off where it is sure, with the torn word before it. Idempotent.

    >>> repair_text("TORCH\\_TRACE and  friends")[:2]
    ('TORCH_TRACE and friends', False)
    """
    return (_known if len(text) <= _LONGEST_KNOWN else _long if len(text) <= _LONGEST else _repair)(text, cut, literal)


def _repair(text: str, cut: bool, literal: bool) -> RepairedText:  # noqa: FBT001 - keys of the cache
    changes: list[Change] = []
    sound: dict[str, str] = {}  # by fixer the text that it left as it was
    for _ in range(_ROUNDS):
        before = text
        for cause, fixer in FIXERS:
            if sound.get(cause) == text or (literal and cause in _OF_TAGS):
                continue
            mended = fixer(text)
            if mended == text:
                sound[cause] = text
            text = _note_change(cause, text, mended, changes)
        uncut = truncation.strip_cut_mark(text, known=cut)
        cut = uncut.cut
        shorter = truncation.strip_torn_word(uncut.text) if uncut.torn else uncut.text
        text = _note_change("cut", text, shorter, changes)
        if text == before:
            break
    return RepairedText(text, cut, tuple(changes))


_known = lru_cache(maxsize=1 << 10)(_repair)
_long = lru_cache(maxsize=8)(_repair)


def _note_change(cause: str, before: str, after: str, changes: list[Change]) -> str:
    if before != after:
        changes.append(Change(cause, *find_change(before, after)))
    return after


def find_change(before: str, after: str) -> tuple[str, str]:
    """Return the changed stretch of two texts, each cut to 120 characters.

    >>> find_change("one twwo three", "one two three")
    ('w', '')
    """
    start = Prefix.similarity(before, after)
    end = Postfix.similarity(before[start:], after[start:])
    return before[start : len(before) - end][:_PASSAGE], after[start : len(after) - end][:_PASSAGE]
