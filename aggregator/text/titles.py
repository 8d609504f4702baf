"""What a title says of its item: its own words, season and numbers, part, and whether it is a re-run or an extra.

A number counts as an episode number only where it is marked as one ("#12", "Ep. 7", "S02E05", "447. X"); any other
digit belongs to the title's own words, so that "race 1" is not "race 2". Decoration that only a show's other titles
can reveal is learned in ``templates``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from aggregator.text.fold import fold
from aggregator.text.titleparts import part_of
from aggregator.text.titletags import tag_of

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−－"), "-")
_EDGE = " \t-:|,;·•~/>»«_"
_WORD = (
    r"(?:episodes?|episodio|episódio|épisode|episod|ep|eps|folge|ausgabe|sendung|aflevering|avsnitt|odcinek|bölüm"
    r"|no|nr|№|chapter|show)"
)
_SEASON = r"(?:season|staffel|saison|temporada|series|sezon|seizoen)"
_LEADING = re.compile(
    rf"""^[\[(]?(?:
      s(?:eason\s?)?(?P<s1>\d{{1,3}})\s?[-:.,x]?\s?e(?:p(?:isode)?)?[\s.#:]{{0,2}}(?P<n1>\d{{1,4}})
    | {_SEASON}\s?(?P<s2>\d{{1,3}})[\s,:-]{{0,3}}{_WORD}[\s.#:]{{0,3}}(?P<n2>\d{{1,5}})
    | [a-z](?P<s3>\d{{1,2}})e(?P<n3>\d{{1,4}})
    | (?P<s4>\d{{1,2}})x(?P<n4>\d{{1,3}})
    | {_WORD}[\s.#:]{{0,3}}(?P<n5>\d{{1,5}})
    | e(?P<n6>\d{{1,4}})
    | \#\s?(?P<n7>\d{{1,5}})
    | 第\s?(?P<n8>\d{{1,4}})\s?[回話集期]
    )(?![\d/])(?=\W|_|$)[\])]?""",
    re.IGNORECASE | re.VERBOSE,
)
_BARE = re.compile(
    r"^(?:(?P<n1>\d{1,4})\s?(?:[:)|]|\.(?=\s)|\s-\s|-(?=\D))|\[(?P<n2>\d{1,4})\]|\((?P<n3>\d{1,4})\))(?=\s*[^\s\d.])"
)
_TRAILING = re.compile(
    rf"""(?:[\s(\[|-]|^|(?<=[）)】\]]))(?:
      s(?P<s1>\d{{1,3}})\s?[-:.,x]?\s?e(?:p(?:isode)?)?[\s.#:]{{0,2}}(?P<n1>\d{{1,4}})
    | {_WORD}[\s.#:]{{0,3}}(?P<n2>\d{{1,5}})
    | \#\s?(?P<n3>\d{{1,5}})
    | (?<=\|\s)[^\W\d]{{1,6}}\s?(?P<n4>\d{{1,5}})
    | 第\s?(?P<n5>\d{{1,4}})\s?[回話集期]
    )[\])]?$""",
    re.IGNORECASE | re.VERBOSE,
)
_LONGEST = 500  # characters of a title that are looked at; the longest of the fixtures has 402


class Title(NamedTuple):
    """The typed pieces of a title.

    ``core`` is the folded rest once the show's name, numbers and part are gone (never empty where the title has a
    word); ``numbers`` are all episode numbers found, ascending; ``part`` and ``parts`` are 2 and 3 for "Part 2 of
    3"; ``tag`` is ``replay``, ``companion``, ``bonus``, ``trailer`` or ``None``; ``digits`` are the numbers left in
    the core, ascending.
    """

    core: str
    season: int | None = None
    numbers: tuple[int, ...] = ()
    part: int | None = None
    parts: int | None = None
    tag: str | None = None
    digits: tuple[int, ...] = ()


def pieces(title: str, show: str = "") -> Title:
    """The typed pieces of a title, the show's own name taken off where it leads or ends it.

    >>> pieces("Example Cast #40 - 252: Notes on Soup (Part 2)", "Example Cast")
    Title(core='notes on soup', season=None, numbers=(40, 252), part=2, parts=None, tag=None, digits=())
    >>> pieces("Practice 3: race 1").digits
    (1, 3)
    """
    text = clean(title)
    part, rest = part_of(text)
    rest, season, numbers = _undressed(rest, fold(show))
    core = fold(rest) or fold(text)
    found = tuple(sorted({int(run) for run in re.findall(r"\d{1,9}", core)}))
    return Title(core, season, tuple(sorted(numbers)), part.number, part.total, tag_of(text), found)


def clean(title: str) -> str:
    """A title in compatibility form with plain dashes and single spaces, at most 500 characters of it."""
    plain = unicodedata.normalize("NFKC", title[:_LONGEST]).translate(_DASHES)
    return " ".join(plain.split())


def _undressed(text: str, show: str) -> tuple[str, int | None, set[int]]:
    """The text without show name and marked numbers at either end, and the season and numbers taken off."""
    season: int | None = None
    numbers: set[int] = set()
    for _ in range(4):
        before = text
        text = _without_show(text, show)
        for pattern in (_LEADING, _BARE, _TRAILING):
            met = pattern.search(text)
            if met is None:
                continue
            rest = (text[: met.start()] + text[met.end() :]).strip(_EDGE)
            groups = {name[0]: int(value) for name, value in met.groupdict().items() if value}
            numbers.add(groups["n"])
            season = groups.get("s", season)
            text = rest
        if text == before:
            break
    return text, season, numbers


def _without_show(text: str, show: str) -> str:
    """The text without the show's name before or after it, if more than that name is there."""
    if not show:
        return text
    pieces_ = re.split(r"(\s?[-:|]\s+|\s+(?=[#\d]))", text)
    for count in (1, 3, 5):
        if count < len(pieces_) and fold("".join(pieces_[:count])) == show:
            return "".join(pieces_[count + 1 :]).strip(_EDGE) or text
        if count < len(pieces_) and fold("".join(pieces_[-count:])) == show:
            return "".join(pieces_[: -count - 1]).strip(_EDGE) or text
    return text
