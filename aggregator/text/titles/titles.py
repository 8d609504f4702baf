"""Parse titles: their own words, season and numbers, part, re-run or extra.

A number counts as an episode number only where it is marked as one ("#12", "Ep. 7", "S02E05", "447. X"); any other
digit belongs to the title's own words, so that "race 1" is not "race 2".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aggregator.text.fold import fold, normalize
from aggregator.text.titles.frames import MIN_TITLES, NO_FRAMES, Frames, mine_frames
from aggregator.text.titles.markers import find_part, find_release_stages, find_tag, strip_numbers

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−－"), "-")
_MAX_TITLE = 500  # characters of a title that are looked at; the longest of the fixtures has 402
_TEASER = 3  # words of a segment that is removed because the description begins with it
_SENTENCE = re.compile(r"[.!?]\s+")
_DIGITS = re.compile(r"\d{1,9}")
_ROMANS = (
    *("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"),
    *("XI", "XII", "XIII", "XIV", "XV", "XVI", "XVII", "XVIII", "XIX", "XX"),
)
_ROMAN = re.compile(
    rf"(?<![A-Za-z0-9])(?:({'|'.join(sorted({*_ROMANS} - {'I', 'V', 'X'}, key=len, reverse=True))})(?!\w)|([IV])$)"
)


class Title(NamedTuple):
    """The typed pieces of a title.

    - ``core``: the folded title without the show's name, decoration, numbers and part; never empty if it has a word.
    - ``numbers``: all episode numbers, ascending.
    - ``part``: 2 for "Part 2 of 3".
    - ``tag``: ``replay``, ``companion``, ``bonus``, ``trailer`` or ``None``.
    - ``digits``: the numbers of a core that has words, ascending, with repetitions, then the stages of a release
      ("rc" of "3.5.0rc1", "final" of "3.5.0").
    - ``frames``: the decoration removed before and behind it, folded.
    """

    core: str
    season: int | None = None
    numbers: tuple[int, ...] = ()
    part: int | None = None
    tag: str | None = None
    digits: tuple[int | str, ...] = ()
    frames: tuple[str, ...] = ()


def parse_title(title: str, show: str = "", frames: Frames = NO_FRAMES) -> Title:
    """Return the typed pieces of a title, given the name of the show and the decoration of its listings.

    >>> parse_title("Example Cast #40 - 252: Notes on Soup (Part 2)", "Example Cast")[:4]
    ('notes on soup', None, (40, 252), 2)
    >>> parse_title("Practice 3: race 1").digits
    (1, 3)
    >>> parse_title("Anvil 3.5.0 RC 2").digits
    (0, 2, 3, 5, 'rc')
    """
    text = _clean(title)
    part, rest = find_part(text)
    name = fold(show)
    rest, season, numbers = strip_numbers(rest, name)
    taken: tuple[str, ...] = ()
    if frames != NO_FRAMES:
        rest, counted, taken = frames.strip(rest)
        rest, inner, further = strip_numbers(rest, name)
        numbers += counted + further
        season = inner if season is None else season
    core = fold(rest) or fold(text)
    if (numbers or part is not None) and (core == name or core in frames.alone):
        core = fold(text).removeprefix(f"{core} ").removesuffix(f" {core}")
    worded = any(letter.isalpha() for letter in core)
    figures = sorted([*map(int, _DIGITS.findall(core)), *_find_roman_numbers(rest)])
    digits: tuple[int | str, ...] = (*figures, *find_release_stages(rest)) if worded else ()
    tag = find_tag(rest) or find_tag(text)
    return Title(core, season, tuple(sorted(set(numbers))), part, tag, digits, taken)


def learn_frames(listings: Sequence[Sequence[str]], show: str = "") -> Frames:
    """Return the decoration of the titles of a show, given one list of titles for each listing."""
    name = fold(show)
    every = {title for titles in listings for title in titles}
    bare: dict[str, str] = {}
    numbered: set[str] = set()  # titles that are only a number or a part
    for title in every:
        text = _clean(title)
        part, rest = find_part(text)
        bare[title] = strip_numbers(rest, name)[0]
        if (part is not None and rest == text) or not any(map(str.isalpha, bare[title])):
            numbered.add(title)
    repeated = {bare[title] for titles in listings for title, times in Counter(titles).items() if times > 1}
    frames = mine_frames([[bare[title] for title in titles] for titles in listings], repeated)
    return frames._replace(alone=frozenset(_find_alone([{*titles} for titles in listings], bare, numbered, frames)))


def _find_alone(listings: Sequence[set[str]], bare: Mapping[str, str], numbered: set[str], frames: Frames) -> set[str]:
    """Return the words that one listing has beside numbers or parts, and another leaves out.

    They are a frame, or most titles of the listing have them; no title is these words alone.
    """
    if not any(len(titles & numbered) >= MIN_TITLES for titles in listings):
        return set()
    counts = [Counter(fold(bare[title]) for title in titles - numbered) for titles in listings]
    where = Counter(words for own in counts for words in own)
    whole = {fold(title) for title in bare}
    return {
        words
        for titles, own in zip(listings, counts, strict=True)
        for words, often in own.items()
        if words
        and where[words] == 1
        and words not in whole
        and not titles & numbered
        and often >= MIN_TITLES
        and (2 * often >= len(titles) or frames.has(words))
    }


def _find_roman_numbers(text: str) -> list[int]:
    """Return the roman numbers of a title, none if it is all in capitals; I and V only at its end, X never."""
    found = [match[0] for match in _ROMAN.finditer(text)]
    is_upper = bool(found) and not any(map(str.islower, text)) and any(map(str.isupper, _ROMAN.sub("", text)))
    return [] if is_upper else [_ROMANS.index(number) + 1 for number in found]


def strip_teaser(title: str, description: str) -> str:
    """Return the title without a last segment that repeats the beginning of the item's description.

    >>> strip_teaser("Copper Kettle: In this one we look", "In this one we look at copper kettles.")
    'Copper Kettle'
    >>> strip_teaser("Copper Kettle: A History", "In this one we look at copper kettles.")
    'Copper Kettle: A History'
    """
    head, colon, tail = title.partition(": ")
    teaser = fold(tail)
    if not colon or teaser.count(" ") < _TEASER - 1 or not any(word.isalpha() for word in fold(head).split()):
        return title
    starts = [match.end() for match in _SENTENCE.finditer(description[:_MAX_TITLE])][:2]
    return head if any(fold(description[at : at + _MAX_TITLE]).startswith(teaser) for at in (0, *starts)) else title


def _clean(title: str) -> str:
    """Return the first 500 characters of a title in compatibility form, with plain dashes and single spaces.

    A last ellipsis is removed: directories put it where they cut, and it would hide a number before it.
    """
    plain = normalize("NFKC", title[:_MAX_TITLE]).translate(_DASHES)
    return " ".join(plain.split()).removesuffix("...").rstrip() or title
