"""Repair one copy of a text by itself: named fixers in order, with each change noted so that it can be replayed.

Mojibake comes first, because soft hyphens, no-break spaces and control characters are bytes of it; the mark of a cut
comes last, when nothing stands behind it any more. Sound text is unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Postfix, Prefix

from aggregator.merger.repair import escapes, letters, markup, whitespace
from aggregator.text import html, truncation
from aggregator.text.mojibake import latin_pages, lost_emoji, other_encodings, redecode, sound_signs

_Fixer = Callable[[str], str]

_LEAST_TWICE = 30  # characters; shorter ones are names ("Duran Duran", "Boutros Boutros")
_LEAST_WORDS_TWICE = 4


def _drop_repeated_half(text: str) -> str:
    """Return one half of a text that consists of two equal halves.

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


def _redecode_pages(text: str) -> str:
    return text if text.isascii() else sound_signs.read_beside_signs(text, _read_in_pages)


def _read_in_pages(text: str) -> str:
    return latin_pages.redecode_latin(other_encodings.redecode_others(text))


FIXERS: tuple[tuple[str, _Fixer], ...] = (
    ("escape sequence", escapes.unescape),
    ("emoji", lost_emoji.complete_emoji),
    ("code page", _redecode_pages),
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
_CONTROL = re.compile("[\x80-\x9f\xad]")
_OF_TAGS = frozenset({"tag", "silent part"})
_ROUNDS = 6  # a fixer may give another one work (an entity in mojibake); four rounds were enough for all texts seen
_PASSAGE = 120
# Results are cached, because texts are repaired again when they are compared.
_SHORT = 2000  # characters; 8,192 results for such texts are cached: most sources of a show list the same
_LONGEST = 200_000  # characters; 8 results for such texts are cached, none for longer ones


class AppliedFix(NamedTuple):
    """Name of the fixer, and the passage before and after its change (at most 120 characters each)."""

    cause: str
    before: str
    after: str


class RepairedText(NamedTuple):
    """A repaired text, whether it is cut, and the changes in the order they were made."""

    text: str
    cut: bool
    changes: tuple[AppliedFix, ...]


def repair_text(text: str, *, cut: bool = False, literal: bool = False) -> RepairedText:
    r"""Return the text repaired; with ``cut`` it is known to be cut, with ``literal`` its angle brackets are text.

    A sure mark of truncation is removed with the incomplete word before it. Idempotent.

    >>> repair_text("TORCH\\_TRACE and  friends")[:2]
    ('TORCH_TRACE and friends', False)
    """
    function = _repair_short if len(text) <= _SHORT else _repair_long if len(text) <= _LONGEST else _repair
    return function(text, cut, literal)


def _repair(text: str, cut: bool, literal: bool) -> RepairedText:  # noqa: FBT001 - keys of the cache
    changes: list[AppliedFix] = []
    unchanged: dict[str, str] = {}  # text that a fixer did not change, by its name
    for _ in range(_ROUNDS):
        before = text
        for cause, fixer in FIXERS:
            if unchanged.get(cause) == text or (literal and cause in _OF_TAGS):
                continue
            repaired = fixer(text)
            if repaired == text:
                unchanged[cause] = text
            text = _note_change(cause, text, repaired, changes)
            if cause == "entity" and unchanged.get(cause) != text and _CONTROL.search(text):
                break  # it may be a byte of mojibake, which another fixer removes
        else:
            uncut = truncation.strip_cut_mark(text, known=cut)
            cut = uncut.cut
            shorter = truncation.strip_torn_word(uncut.text) if uncut.torn else uncut.text
            text = _note_change("cut", text, shorter, changes)
            if text == before:
                break
    return RepairedText(text, cut, tuple(changes))


_repair_short = lru_cache(maxsize=1 << 13)(_repair)
_repair_long = lru_cache(maxsize=8)(_repair)


def _note_change(cause: str, before: str, after: str, changes: list[AppliedFix]) -> str:
    if before != after:
        changes.append(AppliedFix(cause, *find_change(before, after)))
    return after


def find_change(before: str, after: str) -> tuple[str, str]:
    """Return the stretch in which two texts differ, as each has it, cut to 120 characters.

    >>> find_change("one twwo three", "one two three")
    ('w', '')
    """
    start = Prefix.similarity(before, after)
    end = Postfix.similarity(before[start:], after[start:])
    return before[start : len(before) - end][:_PASSAGE], after[start : len(after) - end][:_PASSAGE]
