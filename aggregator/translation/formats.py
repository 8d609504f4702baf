"""Dates, lists and numbers of each language, from Unicode CLDR (babel 2.18.0); a test compares them with it.

English has the forms of the United Kingdom with the months of the United States, and no comma before "and".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct


class Formats(Struct, frozen=True):
    """The forms of a language.

    - ``months``: abbreviated, from January on.
    - ``day``, ``year``: templates of a day and of a mere year.
    - ``time``: template of a day and a time of day.
    - ``comma``, ``last``: what stands between the parts of a list, and before its last.
    - ``group``: between groups of three digits.
    - ``decimal``: before the decimals.
    """

    months: str
    day: str
    last: str
    group: str
    decimal: str
    year: str = "{year}"
    time: str = "{day}, {time}"
    comma: str = ", "


FORMATS: Final[Mapping[str, Formats]] = {
    "en": Formats("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "{day} {month} {year}", " and ", ",", "."),
    "de": Formats(
        "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.", "{day}. {month} {year}", " und ", ".", ","
    ),
    "es": Formats("ene feb mar abr may jun jul ago sept oct nov dic", "{day} {month} {year}", " y ", ".", ","),
    "fr": Formats(
        "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "{day} {month} {year}", " et ", "\u202f", ","
    ),
    "pt": Formats(
        "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
        "{day} de {month} de {year}",
        " e ",
        ".",
        ",",
        time="{day} {time}",
    ),
    "ja": Formats(
        "1 2 3 4 5 6 7 8 9 10 11 12",
        "{year}年{month}月{day}日",
        "、",
        ",",
        ".",
        year="{year}年",
        time="{day} {time}",
        comma="、",
    ),
}
"""By language; these are the languages of pages."""
