"""Describe values and repairs in words: days, lengths, sizes, counts, and changes of a repair."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Final, NamedTuple

from msgspec import Struct
from rapidfuzz.distance import Postfix, Prefix

from aggregator.generator.content.sanitize import split_links
from aggregator.model.entry import Duration, Note
from aggregator.text import visible_whitespace
from aggregator.translation.locale import ENGLISH, Locale
from aggregator.translation.marks import N_

# Languages of scripts from right to left (ISO 639): Arabic, Central Kurdish, Divehi, Persian, Hebrew (two codes),
# Pashto, Sindhi, Uyghur, Urdu, Yiddish.
_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"})
# How much of a repaired text is shown: enough to see the word in its sentence, little enough for a phone.
_SHOWN = 90
_AROUND = 24
_MAX_LEAD = 280
# A first paragraph of this length is enough as a lead.
_MIN_LEAD = 120


class TextPiece(NamedTuple):
    """A piece of text, and the URL it links to (``None`` for plain text)."""

    text: str
    href: str | None = None


def format_length(duration: Duration, locale: Locale = ENGLISH) -> str:
    """Format a duration, with "about" if it is rounded.

    >>> [format_length(Duration(*given)) for given in ((3754,), (840, 60), (42,), (7200,))]
    ['1 h 3 min', 'about 14 min', '42 s', '2 h']
    """
    # Half a minute rounds up, so that "14 min" is at most half a minute wrong.
    hours, minutes = divmod((duration.seconds + 30) // 60, 60)
    if duration.seconds < 60:  # noqa: PLR2004 - seconds in a minute
        text = locale.gettext("%(seconds)s s", seconds=duration.seconds)
    elif hours and minutes:
        text = locale.gettext("%(hours)s h %(minutes)s min", hours=hours, minutes=minutes)
    elif hours:
        text = locale.gettext("%(hours)s h", hours=hours)
    else:
        text = locale.gettext("%(minutes)s min", minutes=minutes)
    return locale.gettext("about %(length)s", length=text) if duration.step > 1 else text


def format_size(count: int, locale: Locale = ENGLISH) -> str:
    """Format a number of bytes, in powers of ten.

    >>> format_size(23_456_789), format_size(900), format_size(48_000), format_size(74_500_000_000)
    ('23 MB', '900 bytes', '48 kB', '74 GB')
    """
    if count >= 10_000_000_000:  # noqa: PLR2004 - ten gigabytes
        return locale.gettext("%(size)s GB", size=count // 1_000_000_000)
    if count >= 1_000_000:  # noqa: PLR2004 - a megabyte
        return locale.gettext("%(size)s MB", size=round(count / 1_000_000))
    if count >= 1_000:  # noqa: PLR2004 - a kilobyte
        return locale.gettext("%(size)s kB", size=round(count / 1_000))
    return locale.ngettext("%(count)s byte", "%(count)s bytes", count)


def format_count(number: int, noun: str) -> str:
    """Format a number with its noun in English.

    >>> format_count(1, "episode"), format_count(0, "post")
    ('1 episode', '0 posts')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def count_items(episodes: int, posts: int, locale: Locale) -> list[str]:
    """Return the number of episodes and that of posts, each left out if it is 0."""
    return [
        *([locale.ngettext("%(count)s episode", "%(count)s episodes", episodes)] if episodes else []),
        *([locale.ngettext("%(count)s post", "%(count)s posts", posts)] if posts else []),
    ]


def find_direction(language: str | None) -> str | None:
    """Return ``rtl`` for a language written from right to left, else ``None``.

    >>> find_direction("ar-EG"), find_direction("en"), find_direction(None)
    ('rtl', None, None)
    """
    return "rtl" if (language or "").partition("-")[0].lower() in _RIGHT_TO_LEFT else None


def isolate(text: str) -> str:
    """Isolate a text with right-to-left letters within a sentence (UAX 9)."""
    turned = any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in text)
    return f"\u2068{text}\u2069" if turned else text


def isolate_words(text: str, direction: str | None) -> str:
    """Isolate words of the page in a right-to-left line, so that "15 min" does not become "min 15" (UAX 9)."""
    return f"\u2066{text}\u2069" if direction else text


def quote(text: str, locale: Locale) -> str:
    """Quote a text of a source."""
    return locale.gettext("“%(text)s”", text=isolate(text))


def split_paragraphs(text: str) -> tuple[tuple[tuple[TextPiece, ...], ...], ...]:
    r"""Split plain text into paragraphs, lines and pieces; URLs become links.

    >>> split_paragraphs("See https://a.example/x.\n\nBye")[0][0][1]
    TextPiece(text='https://a.example/x', href='https://a.example/x')
    """
    blocks = (block.strip("\n") for block in re.split(r"\n\s*\n", text.strip()))
    return tuple(
        tuple(
            tuple(TextPiece(text, text if is_link else None) for text, is_link in split_links(line))
            for line in block.split("\n")
        )
        for block in blocks
        if block
    )


def make_lead(text: str, most: int = _MAX_LEAD) -> str:
    r"""Return the beginning of a text, cut between words to ``most`` characters.

    It ends after the first paragraph if that is long enough, because links and credits follow it.

    >>> make_lead("one two three", 8), make_lead("One. Two three", 6), make_lead("a " * 60 + "b.\n\nLinks")[-6:]
    ('one two…', 'One. …', 'a b. …')
    """
    flat = " ".join(text.split())
    first = " ".join(text.strip().partition("\n\n")[0].split())
    if not _MIN_LEAD <= len(first) <= most:
        first = flat
    if first == flat and len(flat) <= most:
        return flat
    kept = first if len(first) <= most else flat[:most].rpartition(" ")[0] or flat[:most]
    kept = kept.rstrip(",;:–—- ")
    return f"{kept} …" if kept.endswith((".", "!", "?", "…")) else f"{kept}…"


def shorten(text: str, most: int = _SHOWN) -> str:
    """Shorten a text to ``most`` characters by leaving out its middle."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"


# What was wrong or changed, by the cause in the note, which an address may follow; others are shown by their own name.
_CAUSES: Final[Mapping[str, str]] = {
    "blank": N_("unusual spaces"),
    "bold": N_("asterisks around words"),
    "bullet": N_("wrong bullet characters"),
    "chapters of the notes": N_("chapters of the notes"),
    "code page": N_("letters of another encoding"),
    "cut": N_("a word cut off at the end"),
    "cut id": N_("an address that was cut off"),
    "displaced word": N_("misplaced words"),
    "displaced words": N_("misplaced words"),
    "emoji": N_("wrongly decoded characters"),
    "entity": N_("HTML codes instead of characters"),
    "escape": N_("backslashes before characters"),
    "escape sequence": N_("escape codes of another format"),
    "foreign markup": N_("markup of a forum, wiki or editor"),
    "full text of the page": N_("full text of the page"),
    "hyphen": N_("a word hyphenated at the end of a line"),
    "invisible": N_("invisible characters"),
    "letter form": N_("unusual letter forms"),
    "link": N_("link notation"),
    "look alike": N_("look-alike letters of another alphabet"),
    "mojibake": N_("wrongly decoded characters"),
    "name of the show": N_("name of the show"),
    "quoted line": N_("quote marks before each line"),
    "rewritten": N_("rewritten"),
    "silent part": N_("hidden parts"),
    "space": N_("extra spaces"),
    "tag": N_("markup between words"),
    "told apart": N_("same title as another episode of that day"),
    "twice": N_("the whole text was there twice"),
    "wrap": N_("lines broken within a sentence"),
}


# Everyday names of fields, and values of theirs that are words.
FIELD_NAMES: Final = frozenset(
    {
        *(N_("title"), N_("date"), N_("length"), N_("audio"), N_("text"), N_("summary"), N_("link"), N_("picture")),
        *(N_("season"), N_("episode"), N_("number"), N_("part"), N_("author"), N_("explicit"), N_("categories")),
        *(N_("audio type"), N_("audio size"), N_("episode number"), N_("kind of episode"), N_("explicit mark")),
        *(N_("description"), N_("language"), N_("kind of show"), N_("end mark"), N_("address"), N_("updated")),
        *(N_("yes"), N_("no"), N_("full"), N_("trailer"), N_("bonus"), N_("episodic"), N_("serial")),
    }
)


LACKS: Final = (
    N_("no source gives artwork for the show; directories require it"),
    N_("no source gives an Apple category for the show; directories require it"),
    N_("no source gives a language for the show; directories require it"),
    N_("no source gives an author for the show; directories require it"),
)
"""What directories require of a show, as remarks where it is missing."""


class Repair(Struct, frozen=True):
    """One repair of a field: what was wrong, and the text before, removed, added and after, each shortened."""

    field: str
    cause: str
    before: str
    gone: str
    come: str
    after: str


def describe_repair(note: Note, field: str, locale: Locale = ENGLISH) -> Repair:
    """Describe a repair; ``field`` is the field's everyday name.

    >>> describe_repair(Note("title", "look-alike", "РyТоrсh", "PyTorch"), "title").cause
    'look-alike letters of another alphabet'
    >>> describe_repair(Note("title", "space", "late  talk", "late talk"), "title")
    Repair(field='title', cause='extra spaces', before='late ', gone='␣', come='', after='talk')
    """
    old, new = note.before, note.after
    head = Prefix.similarity(old, new)
    tail = Postfix.similarity(old[head:], new[head:])
    before, after = old[:head], old[len(old) - tail :]
    gone, come = visible_whitespace.show_difference(old[head : len(old) - tail], new[head : len(new) - tail])
    return Repair(
        field,
        describe_cause(note.cause, locale),
        before if len(before) <= _AROUND else "…" + before[-_AROUND:],
        shorten(gone),
        shorten(come),
        after if len(after) <= _AROUND else after[:_AROUND] + "…",
    )


def describe_cause(name: str, locale: Locale = ENGLISH) -> str:
    """Describe the cause of a repair, which an address may follow."""
    cause, _, address = name.partition(" http")
    cause = cause.replace("-", " ").replace("_", " ")
    named = locale.gettext(_CAUSES[cause]) if cause in _CAUSES else cause
    return f"{named} http{address}" if address else named
