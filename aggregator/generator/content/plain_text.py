"""What a reader may be given: text that XML allows, plain text of bounded size, markup that nothing hides in.

Every string of the output passes one of these functions. They are idempotent and never raise, whatever a source
wrote: Unicode of every category, lone surrogates and control characters included.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import lru_cache

# XML 1.0, production 2 (Char), without DEL and the C1 controls and the noncharacters (discouraged there) and without
# U+FFFD, which tells every reader that something was lost and no reader what. What is allowed is taken out of what is
# not: a class of all that is allowed takes 3 ms to compile, for Python goes through each of its characters.
ILLEGAL = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\U0010ffff](?<![\t\n\r])(?<![\ue000-\ufdcf\ufdf0-\ufffc"
    + "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 17))
    + "])"
)
LOST = "\ufffd"

# Apple and the RSS Advisory Board's best practices: a description is at most 4,000 bytes.
SHORT = 4000
# PSP-1: a value is at most 255 characters.
LINE = 255
# How often a text is unescaped; three times is the most that was seen, and each layer costs as much as the text.
ROUNDS = 16
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
# What programs write for a value they do not have; readers then show the word.
NOTHING = frozenset({"", "None", "nan", "NaN", "null", "NULL", "True", "False", "undefined"})
ELLIPSIS = "…"
# What AntennaPod holds to be one letter in titles (FeedItemDuplicateGuesser, 2026).
SAME = str.maketrans("“”„—", '"""-')

# Text that was escaped once too often. In plain text "&lt;" may be what is meant, "&amp;" never is.
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
ESCAPED = re.compile(r"&(?:amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
TWICE = re.compile(r"&amp;(?=(?:amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_NAMES = "b|i|em|strong|u|s|a|p|span|div|font|small|sup|sub|code|h[1-6]"
OPENED = re.compile(rf"(?i)<({_NAMES})(?:\s[^<>]*)?>")
CLOSED = re.compile(rf"(?i)</({_NAMES})\s*>")
VOID = re.compile(r"(?i)<(?:br|hr|img)(?:\s[^<>]*)?/?>")


def text(value: str) -> str:
    r"""The text without what XML forbids, line ends as ``\n``, no white space around it.

    >>> text("a\x00b\ud800c\r\nd ")
    'abc\nd'
    """
    if LOST not in value and value.replace("\n", " ").isprintable():
        return value.strip()
    return ILLEGAL.sub("", value).replace("\r\n", "\n").replace("\r", "\n").strip()


def passage(value: str, limit: int) -> str:
    r"""The text as it stands, at most ``limit`` characters with the ellipsis of a cut, without what XML forbids.

    >>> passage(" a\x00  b\n", 9), passage("a b c", 3)
    (' a  b\n', 'a …')
    """
    whole = ILLEGAL.sub("", value)
    return whole if len(whole) <= limit else whole[: limit - 1] + ELLIPSIS


def line(value: str, limit: int = LINE) -> str:
    r"""The text on one line, at most ``limit`` characters, cut at a word with an ellipsis.

    >>> line(" one\n two ")
    'one two'
    """
    whole = " ".join(text(value).split())
    if len(whole) <= limit:
        return whole
    return at_word(whole[: limit - 1]) + ELLIPSIS


def name(value: str | None, limit: int = LINE) -> str | None:
    """A short value on one line; ``None`` where it is empty or a program's word for nothing.

    >>> name("None") is None
    True
    """
    said = title(value or "", limit)
    return None if said in NOTHING else said


@lru_cache(1024)
def called(source: str) -> str:
    """A source's name on one line; remembered, for the few names of a feed stand at every field of every item."""
    return line(source)


def language(value: str | None) -> str | None:
    """A language tag as RSS and Atom take it (RFC 5646), ``None`` where it is none.

    >>> language("en_us"), language("English")
    ('en-us', None)
    """
    said = line(value or "").replace("_", "-")
    return said if LANGUAGE.fullmatch(said) else None


def title(value: str, limit: int = LINE) -> str:
    """A title on one line without markup; angle brackets that are no markup stay.

    A title is no markup, so an entity in it was escaped once too often.

    >>> title("All about <b>tensors</b> &amp;amp; <T>")
    'All about tensors & <T>'
    """
    whole = text(value)[: 16 * limit]
    if "<" in whole or "&" in whole:
        whole = settled(lambda bare: ENTITY.sub(_unescaped, VOID.sub(" ", _unpaired(bare))), whole)
    return line(whole, limit)


def _unpaired(value: str) -> str:
    """Return the text without pairs of formatting tags.

    A pair is an opening tag and the next closing one of its name behind it, sought in one walk over both: a pattern
    for both would go to the end of the text for each tag that nothing closes.
    """
    waiting: dict[str, re.Match[str]] = {}
    cut: list[tuple[int, int]] = []
    for found in sorted((*OPENED.finditer(value), *CLOSED.finditer(value)), key=re.Match.start):
        tag = found[1].lower()
        if not found[0].startswith("</"):
            waiting.setdefault(tag, found)
        elif tag in waiting:
            cut += (waiting.pop(tag).span(), found.span())
    if not cut:
        return value
    cut.sort()
    starts, ends = (0, *(end for _, end in cut)), (*(start for start, _ in cut), len(value))
    return "".join(value[start:end] for start, end in zip(starts, ends, strict=True))


def compared(value: str) -> str:
    """A title as apps compare it with another."""
    return value.strip().translate(SAME)


def prose(value: str) -> str:
    """Plain text of many lines, no part of it escaped.

    >>> prose("Q&amp;amp;A about &lt;p&gt;")
    'Q&A about &lt;p&gt;'
    """
    whole = text(value)
    return settled(lambda bare: text(ESCAPED.sub(_unescaped, bare)), whole) if "&" in whole else whole


def short(value: str, limit: int = SHORT) -> str:
    """Plain text of at most ``limit`` bytes of UTF-8, cut at a word with an ellipsis.

    >>> short("one two three", 10)
    'one two…'
    """
    whole = text(value)
    encoded = whole.encode()
    if len(encoded) <= limit:
        return whole
    kept = encoded[: limit - len(ELLIPSIS.encode())].decode("utf-8", "ignore")
    return at_word(kept) + ELLIPSIS


def marked(value: str) -> bool:
    """Does the text hold markup that a browser would take as such? "vector<int>" does not."""
    if VOID.search(value):
        return True
    ends: dict[str, int] = {}
    for found in OPENED.finditer(value):
        ends.setdefault(found[1].lower(), found.end())
    return any(found.start() >= ends.get(found[1].lower(), len(value)) for found in CLOSED.finditer(value))


def _unescaped(found: re.Match[str]) -> str:
    return text(html.unescape(found.group())) or " "


def settled(step: Callable[[str], str], value: str) -> str:
    """What is left when the step changes nothing more, or of a text that was made to keep us busy after ``ROUNDS``."""
    for _ in range(ROUNDS):
        before, value = value, step(value)
        if before == value:
            break
    return value


def at_word(kept: str) -> str:
    """The text up to its last white space, where that keeps at least half of it."""
    found = max(kept.rfind(" "), kept.rfind("\n"))
    return (kept[:found] if found > len(kept) // 2 else kept).rstrip(" \n,;:-–—")
