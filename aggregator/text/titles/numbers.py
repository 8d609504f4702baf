"""The episode and season numbers that a title marks as such, at either end, and the title without them."""

from __future__ import annotations

import re

from aggregator.text.fold import fold

EDGE = " \t-:|,;·•~/>»«_"
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
    | {_WORD}[\s.#:]{{0,3}}(?P<n5>\d{{1,5}})(?:\s(?:of|von|de|/)\s\d{{1,4}})?
    | e(?P<n6>\d{{1,4}})
    | \#\s?(?P<n7>\d{{1,5}})
    | 第\s?(?P<n8>\d{{1,4}})\s?[回話集期]
    )(?![\d/])(?=\W|_|$)[\])]?""",
    re.IGNORECASE | re.VERBOSE,
)
_BARE = re.compile(
    r"""^(?:(?P<n1>\d{1,4})\s?(?:[)|]|:(?=\s)|\.(?=\s)|\s-\s|-(?=\D))(?=\s*[^\s.])(?!\s*\d{1,2}\.\s*\d)
    | (?P<n2>0\d{1,3})-(?=\S)
    | \[(?P<n3>\d{1,4})\](?=\s*\S)
    | \((?P<n4>\d{1,4})\)(?=\s*\S))""",
    re.VERBOSE,
)
_TRAILING = re.compile(
    rf"""(?:[\s(\[|-]|^|(?<=[）)】\]]))(?:
      s(?P<s1>\d{{1,3}})\s?[-:.,x]?\s?e(?:p(?:isode)?)?[\s.#:]{{0,2}}(?P<n1>\d{{1,4}})
    | {_WORD}[\s.#:]{{0,3}}(?P<n2>\d{{1,5}})(?:\s(?:of|von|de|/)\s\d{{1,4}})?
    | \#\s?(?P<n3>\d{{1,5}})
    | (?<=\|\s)[^\W\d]{{1,6}}\s?(?P<n4>\d{{1,5}})
    | 第\s?(?P<n5>\d{{1,4}})\s?[回話集期]
    )[\])]?$""",
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_ROUNDS = 4  # marks that a title may carry on one side: "Show #40 - 252: X" has two


def undressed(text: str, show: str = "") -> tuple[str, int | None, tuple[int, ...]]:
    """The text without the show's folded name and marked numbers at its ends; the season; the numbers taken off.

    >>> undressed("Example Cast #40 - 252: Soup", "example cast")
    ('Soup', None, (40, 252))
    >>> undressed("16.03.2022 - News")[0], undressed("10:30 in the morning")[0]
    ('16.03.2022 - News', '10:30 in the morning')
    """
    season: int | None = None
    numbers: list[int] = []
    for _ in range(_ROUNDS):
        before = text
        text = _without_show(text, show) if show else text
        for pattern in (_LEADING, _BARE, _TRAILING) if _DIGIT.search(text) else ():
            met = pattern.search(text)
            if met is None:
                continue
            groups = {name[0]: int(value) for name, value in met.groupdict().items() if value}
            numbers.append(groups["n"])
            season = groups.get("s", season)
            text = (text[: met.start()] + text[met.end() :]).strip(EDGE)
        if text == before:
            break
    return text, season, tuple(numbers)


_CUT = re.compile(r"(\s?[-:|]\s+|(?<!\s)\s++(?=[#\d]))")


def _without_show(text: str, show: str) -> str:
    """The text without the show's name before or after it, if more than that name is there."""
    if show not in fold(text):
        return text
    found = _CUT.split(text)
    for count in (1, 3, 5):
        if count < len(found) and fold("".join(found[:count])) == show:
            return "".join(found[count + 1 :]).strip(EDGE) or text
        if count < len(found) and fold("".join(found[-count:])) == show:
            return "".join(found[: -count - 1]).strip(EDGE) or text
    return text
