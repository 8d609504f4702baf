"""Repair white space: invisible characters, no-break spaces, wrapped lines, hyphens at a line's end."""

from __future__ import annotations

import re
from itertools import pairwise

from aggregator.text.bidi import remove_unsafe_controls
from aggregator.text.fold import normalize

# Soft hyphen, zero-width space, word joiner, byte-order mark, Mongolian vowel separator, C0 and C1 controls except
# tab and line ends. ZWNJ and ZWJ (200C, 200D) stay: Persian, Indic scripts and emoji need them.
_INVISIBLE = re.compile(
    "[\u00ad\u200b\u2060-\u2064\ufeff\u180e\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufff9-\ufffb]+"
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_BIDI = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]+")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\t]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\x0b\x0c\x85]")
_SPACES = re.compile(" {2,}")
_AROUND_LINE_END = re.compile(" ?\n ?")
_MANY_LINES = re.compile("\n{3,}")
_HYPHEN_END = re.compile(r"(?<=(\w))-\n(\w+)")
_LONGEST_LINK = 300  # characters before a hyphen in which a link may begin
_SUSPENDED = frozenset(
    ("und", "oder", "bis", "and", "or", "to", "et", "ou", "e", "o", "y", "en", "of", "i", "och", "og")
)
_NARROWEST = 40  # columns of wrapped text, the narrowest seen; at 30, lists of titles would pass for it
_SENTENCE_END = tuple(".!?:;…")


def remove_invisibles(text: str) -> str:
    r"""Return the text without invisible characters; bidi controls stay in texts with right-to-left letters.

    >>> remove_invisibles("ze\u200bro\x07")
    'zero'
    """
    if _is_printable(text):
        return text
    text = _LONE_SURROGATE.sub("\ufffd", text)
    text = _INVISIBLE.sub("", text)
    if _RIGHT_TO_LEFT.search(text):
        return remove_unsafe_controls(text)
    return _BIDI.sub("", text)


def normalize_blanks(text: str) -> str:
    """Return the text in NFC with ordinary spaces and line ends; not in NFKC, which would change widths and styles."""
    plain = text if _is_printable(text) else _LINE_ENDS.sub("\n", _BLANKS.sub(" ", text))
    return plain if plain.isascii() else normalize("NFC", plain)


def _is_printable(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def join_hyphenated(text: str) -> str:
    r"""Return the text with words hyphenated at line ends joined; a hyphen before a capital or in a link stays.

    >>> join_hyphenated("devel-\noper"), join_hyphenated("Vor-\nund Nachteile"), join_hyphenated("Anglo-\nSaxon")
    ('developer', 'Vor- und Nachteile', 'Anglo-Saxon')
    """
    return _HYPHEN_END.sub(_join_hyphen, text) if "-\n" in text else text


def _join_hyphen(found: re.Match[str]) -> str:
    last, after = found.groups()
    if after.lower() in _SUSPENDED:
        return f"- {after}"
    before = found.string[max(0, found.start() - _LONGEST_LINK) : found.start()].split()[-1:]
    kept = after[0].isupper() or after[0].isdigit() or last.isdigit() or "/" in "".join(before)
    return f"{'-' if kept else ''}{after}"


def unwrap_lines(text: str) -> str:
    r"""Return the text as one line if it is wrapped at a fixed width; other texts keep their lines.

    >>> unwrap_lines("one\ntwo")
    'one\ntwo'
    """
    if "\n" not in text or "\n\n" in text:
        return text
    lines = text.split("\n")
    if "" in lines:
        return text
    width = max(len(line.rstrip()) for line in lines[:-1])
    if width < _NARROWEST:
        return text
    fits = any(len(line.rstrip()) + 1 + len(after.split(" ", 1)[0]) <= width for line, after in pairwise(lines))
    finished = sum(line.rstrip().endswith(_SENTENCE_END) for line in lines[:-1])
    if fits or finished * 2 >= len(lines):
        return text
    return " ".join(line.strip() for line in lines)


def squeeze_spaces(text: str) -> str:
    """Return the text with single spaces, at most one empty line between paragraphs, and nothing around it."""
    if "  " in text:
        text = _SPACES.sub(" ", text)
    if " \n" in text or "\n " in text:
        text = _AROUND_LINE_END.sub("\n", text)
    if "\n\n\n" in text:
        text = _MANY_LINES.sub("\n\n", text)
    return text.strip()
