"""Learn the affixes that a show puts before and behind the words of its titles: "447. ", " | LUP 232".

An affix is the beginning or end of a title with every number written as #. Many titles of a show must have it, so that
"1984: A Novel" keeps its year and "Race 1: Harbour" its race. Affixes are not removed from published titles: they show
where the title's own words begin and end.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Sequence
from typing import NamedTuple

from aggregator.text.fold import fold
from aggregator.text.titles import titles
from aggregator.text.titles.frames import MAX_TITLES, MIN_SHARE, MIN_TITLES, Frames
from aggregator.text.titles.markers import strip_numbers

_WIDEST = 80  # characters of an affix, at most
_MOST_SEGMENTS = 20  # segments of one title that are examined, from its end
_DIGITS = re.compile(r"\d+")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―－"), "-")
_QUOTES = "»«"
_BREAK = re.compile(r"\s[-|~•]\s|\s[(\[]|:\s")


class Split(NamedTuple):
    """The three parts of a title; the outer two may be empty."""

    prefix: str
    own: str
    suffix: str


class Template(NamedTuple):
    """Affixes of a show in small letters, each number as #: ``heads`` before titles, ``tails`` behind them."""

    heads: frozenset[str] = frozenset()
    tails: frozenset[str] = frozenset()

    def split(self, title: str) -> Split:
        """Return the title split into its own words and the affixes around them; some words are always left.

        >>> Template(frozenset({"show #: "}), frozenset({" | live"})).split("Show 12: Bread | Live")
        Split(prefix='Show 12: ', own='Bread', suffix=' | Live')
        """
        plain = _simplify_letters(title)
        ends = range(min(_WIDEST, len(plain)), 0, -1) if self.heads else ()
        head = next((at for at in ends if mask_numbers(plain[:at]) in self.heads), 0)
        if not _has_letters(plain[head:]):
            head = 0
        ends = range(min(_WIDEST, len(plain) - head), 0, -1) if self.tails else ()
        tail = next((at for at in ends if mask_numbers(plain[len(plain) - at :]) in self.tails), 0)
        end = len(plain) - tail if _has_letters(plain[head : len(plain) - tail]) else len(plain)
        return Split(title[:head], title[head:end], title[end:])


NO_TEMPLATE = Template()


def learn_template(listings: Sequence[Sequence[str]], show: str = "") -> Template:
    """Return the template of a show, given one list of titles for each listing of it.

    >>> learn_template(
    ...     [[f"{at}. {word}" for at, word in enumerate(("Bread", "Copper", "Harbour"), 7)], ["1984: A Novel"]]
    ... )
    Template(heads=frozenset({'#. '}), tails=frozenset())
    """
    lists = [sorted(set(titles)) for titles in listings]
    lists = [texts[:: len(texts) // MAX_TITLES + 1] for texts in lists]
    name, frames = fold(show), titles.learn_frames(lists, show)
    heads: set[str] = set()
    tails: set[str] = set()
    for texts in lists:
        found = [_split_title(text, name, frames) for text in map(_simplify_letters, texts)]
        least = max(MIN_TITLES, MIN_SHARE * len(texts))
        heads |= _find_common([split.prefix for split in found], least)
        tails |= _find_common([split.suffix for split in found], least)
    return Template(frozenset(heads), frozenset(tails))


def _find_common(edges: Sequence[str], least: float) -> set[str]:
    counts = Counter(mask_numbers(edge) for edge in edges if any(letter.isalnum() for letter in edge[:_WIDEST]))
    return {edge for edge, count in counts.items() if count >= least and len(edge) <= _WIDEST}


def _split_title(text: str, name: str, frames: Frames) -> Split:
    """Return a plain title with the show's name, its frames and its marked numbers split off."""
    rest, _, _ = strip_numbers(text, name)
    rest, *_ = frames.strip(rest)
    rest, *_ = strip_numbers(rest, name)
    cuts = deque((match.start() for match in _BREAK.finditer(rest)), _MOST_SEGMENTS) if name else ()
    rest = next((rest[:cut] for cut in cuts if fold(_DIGITS.sub(" ", rest[cut:])) == name), rest)  # name and number
    if not _has_letters(rest):
        return Split("", text, "")
    at = len(text) - len(rest) if text.endswith(rest) else text.find(rest)
    head, tail = text[:at].rstrip(_QUOTES), text[at + len(rest) :].lstrip(_QUOTES)
    return Split(head, text[len(head) : len(text) - len(tail)], tail)


def mask_numbers(edge: str) -> str:
    """Return an affix in small letters with each number as #."""
    return _DIGITS.sub("#", edge.lower())


def _has_letters(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _simplify_letters(title: str) -> str:
    """Return a title of the same length with plain dashes and letters, and ordinary blanks."""
    if title.isascii() and title.isprintable():
        return title
    wide = (unicodedata.normalize("NFKC", letter) for letter in title)
    plain = "".join(one if len(one) == 1 else letter for one, letter in zip(wide, title, strict=True))
    return "".join(" " if letter.isspace() else letter for letter in plain.translate(_DASHES))
