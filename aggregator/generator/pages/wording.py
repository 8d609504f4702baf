"""What the pages say in words: days, lengths, sizes, numbers, and what a repair did."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from aggregator.model.entry import Duration, Moment, Note
from aggregator.text import visible_whitespace

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
ADDRESS = re.compile(r"https?://[^\s<>\"]+[^\s<>\"'.,;:!?)\]}]")
# Languages of scripts from right to left (ISO 639): Arabic, Central Kurdish, Divehi, Persian, Hebrew (two codes),
# Pashto, Sindhi, Uyghur, Urdu, Yiddish.
RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"})
# How much of a repaired text is shown: enough to see the word in its sentence, little enough for a phone.
SHOWN = 90
AROUND = 24
LEAD = 280
# A first paragraph of this length says what the item is about: two lines on a desk, four on a phone.
ENOUGH = 120


class Piece(NamedTuple):
    """A stretch of text, and the address it links to (``None`` for plain text)."""

    text: str
    href: str | None = None


class Contrast(NamedTuple):
    """What differs between two texts: what stands before, what went, what came, what stands after; each cut short."""

    before: str
    gone: str
    come: str
    after: str


def day(moment: Moment) -> str:
    """The day as people read it, only as precise as it is known.

    >>> from datetime import UTC, datetime
    >>> day(Moment(datetime(2024, 8, 4, 8, tzinfo=UTC))), day(Moment(datetime(2024, 1, 1, tzinfo=UTC), "year"))
    ('4 Aug 2024', '2024')
    """
    at = moment.at
    return str(at.year) if moment.precision == "year" else f"{at.day} {MONTHS[at.month - 1]} {at.year}"


def machine_day(moment: Moment) -> str:
    """The value of ``<time datetime>`` (HTML, section 4.5.14) at the precision that is known."""
    if moment.precision == "year":
        return f"{moment.at.year:04d}"
    return moment.at.date().isoformat() if moment.precision == "day" else moment.at.strftime("%Y-%m-%dT%H:%M:%SZ")


def length(duration: Duration) -> str:
    """The length as people say it; "about" where the sources gave a rounded one.

    >>> length(Duration(3754)), length(Duration(840, 60)), length(Duration(42)), length(Duration(7200))
    ('1 h 3 min', 'about 14 min', '42 s', '2 h')
    """
    seconds = duration.seconds
    # Half a minute rounds up, so that "14 min" is at most half a minute wrong.
    minutes = (seconds + 30) // 60
    if seconds < 60:  # noqa: PLR2004 - seconds in a minute
        said = f"{seconds} s"
    else:
        hours, rest = divmod(minutes, 60)
        said = " ".join(part for part in (f"{hours} h" if hours else "", f"{rest} min" if rest else "") if part)
    return f"about {said}" if duration.step > 1 else said


def size(count: int) -> str:
    """A number of bytes as people say it, in powers of ten.

    >>> size(23_456_789), size(900), size(48_000)
    ('23 MB', '900 bytes', '48 kB')
    """
    if count >= 1_000_000:  # noqa: PLR2004 - a megabyte
        return f"{round(count / 1_000_000)} MB"
    return f"{round(count / 1_000)} kB" if count >= 1_000 else f"{count} bytes"  # noqa: PLR2004 - a kilobyte


def count(number: int, noun: str) -> str:
    """A number and its noun.

    >>> count(1, "episode"), count(0, "post")
    ('1 episode', '0 posts')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def direction(language: str | None) -> str | None:
    """``rtl`` where the language is written from right to left, else ``None``: the page's own direction.

    >>> direction("ar-EG"), direction("en"), direction(None)
    ('rtl', None, None)
    """
    return "rtl" if (language or "").partition("-")[0].lower() in RIGHT_TO_LEFT else None


def isolated(text: str) -> str:
    """A text to stand within a sentence: one with letters from right to left keeps its direction to itself (UAX 9)."""
    turned = any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in text)
    return f"\u2068{text}\u2069" if turned else text


def within(text: str, direction: str | None) -> str:
    """English words to stand in a line that runs the other way: "15 min" is not to become "min 15" (UAX 9)."""
    return f"\u2066{text}\u2069" if direction else text


def listed(names: Iterable[str]) -> str:
    """Names as a sentence lists them.

    >>> listed(["apple", "blog", "casts"]), listed([])
    ('apple, blog and casts', '')
    """
    *most, last = [*names] or [""]
    return f"{', '.join(most)} and {last}" if most else last


def paragraphs(text: str) -> tuple[tuple[tuple[Piece, ...], ...], ...]:
    r"""A plain text as paragraphs of lines of pieces, its web addresses made links.

    >>> paragraphs("See https://a.example/x.\n\nBye")[0][0][1]
    Piece(text='https://a.example/x', href='https://a.example/x')
    """
    blocks = (block.strip("\n") for block in re.split(r"\n\s*\n", text.strip()))
    return tuple(tuple(pieces(line) for line in block.split("\n")) for block in blocks if block)


def pieces(line: str) -> tuple[Piece, ...]:
    """One line as plain and linked stretches; joined they are the line."""
    found: list[Piece] = []
    at = 0
    for match in ADDRESS.finditer(line):
        found += [Piece(line[at : match.start()]), Piece(match[0], match[0])]
        at = match.end()
    return tuple(piece for piece in (*found, Piece(line[at:])) if piece.text)


def lead(text: str, most: int = LEAD) -> str:
    r"""The beginning of a text, cut between words with an ellipsis where it is longer than ``most`` characters.

    It ends with the first paragraph where that says enough: below it stand links and thanks.

    >>> lead("one two three", 8), lead("One. Two three", 6), lead("a " * 60 + "b.\n\nLinks")[-6:]
    ('one two…', 'One. …', 'a b. …')
    """
    flat = " ".join(text.split())
    first = " ".join(text.strip().partition("\n\n")[0].split())
    if not ENOUGH <= len(first) <= most:
        first = flat
    if first == flat and len(flat) <= most:
        return flat
    kept = first if len(first) <= most else flat[:most].rpartition(" ")[0] or flat[:most]
    kept = kept.rstrip(",;:–—- ")
    return f"{kept} …" if kept.endswith((".", "!", "?", "…")) else f"{kept}…"


def contrast(note: Note) -> Contrast:
    """What a repair changed, in its surroundings.

    >>> contrast(Note("title", "mojibake", "CafÃ© talk", "Café talk"))
    Contrast(before='Caf', gone='Ã©', come='é', after=' talk')
    >>> contrast(Note("title", "space", "late  talk", "late talk"))
    Contrast(before='late ', gone='␣', come='', after='talk')
    """
    old, new = note.before, note.after
    head = shared(old, new)
    tail = shared(old[head:][::-1], new[head:][::-1])
    ahead, behind = old[:head], old[len(old) - tail :]
    gone, come = visible_whitespace.show_difference(old[head : len(old) - tail], new[head : len(new) - tail])
    return Contrast(
        ahead if len(ahead) <= AROUND else "…" + ahead[-AROUND:],
        short(gone),
        short(come),
        behind if len(behind) <= AROUND else behind[:AROUND] + "…",
    )


def shared(left: str, right: str) -> int:
    """How many characters two texts begin with alike.

    >>> shared("night", "nine"), shared("a", "a"), shared("", "b")
    (2, 1, 0)
    """
    return next(
        (at for at, (one, two) in enumerate(zip(left, right, strict=False)) if one != two), min(len(left), len(right))
    )


def short(text: str, most: int = SHOWN) -> str:
    """A text of at most ``most`` characters: its two ends where it is longer."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"
