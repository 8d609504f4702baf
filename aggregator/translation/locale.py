"""A language and a time zone, in which a page is written.

Catalogues are ``catalogues/LANGUAGE.po``; ``python -m tests.support.messages`` brings them in step with the program and
compiles them. A message is a whole sentence with named placeholders; English is its own catalogue.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources
from typing import Final

from markupsafe import Markup, escape
from msgspec import Struct

from aggregator.model.entry import Moment
from aggregator.text.times.zones import find_zone, name_zone
from aggregator.translation.formats import FORMATS

SOURCE: Final = "en"
"""The language of the messages in the program."""

NAMES: Final = {
    "en": "English",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "pt": "Português",
    "ja": "日本語",
}
"""The languages of pages, each by its own name."""

_GROUPED: Final = 10_000
"""From here on digits stand in groups; four of them are read as they are in each of these languages."""


class Locale(Struct, frozen=True):
    """The language and the time zone of a page."""

    language: str = SOURCE
    timezone: str = "UTC"

    def gettext(self, message: str, **values: object) -> str:
        """Return a message in this language, with its placeholders filled if there are values."""
        text = _read_catalogue(self.language).gettext(message) if message else ""  # that of "" is the catalogue's head
        return text % values if values else text

    def ngettext(self, one: str, many: str, number: int, **values: object) -> str:
        """Return the form of a message for a number, which is its placeholder ``count``."""
        text = _read_catalogue(self.language).ngettext(one, many, number)
        return text % {"count": self.format_number(number), **values}

    def pgettext(self, context: str, message: str, **values: object) -> str:
        """Return a message that means something else in other places, in this language."""
        text = _read_catalogue(self.language).pgettext(context, message)
        return text % values if values else text

    def gettext_markup(self, message: str, **values: object) -> Markup:
        """Return a message for a page: it is escaped as its values are, except those that are markup."""
        text = escape(self.gettext(message))
        return text % values if values else text

    def ngettext_markup(self, one: str, many: str, number: int, **values: object) -> Markup:
        """Return the form of a message for a number, escaped as ``gettext_markup`` does."""
        text = escape(_read_catalogue(self.language).ngettext(one, many, number))
        return text % {"count": self.format_number(number), **values}

    def make_words(self) -> dict[str, object]:
        """Return what every template is given: this locale, and its messages by the names that Babel finds."""
        return {
            "locale": self,
            "_": self.gettext_markup,
            "ngettext": self.ngettext_markup,
            "pgettext": self._pgettext_markup,
            "npgettext": self._npgettext_markup,
        }

    def _pgettext_markup(self, context: str, message: str, **values: object) -> Markup:
        text = escape(self.pgettext(context, message))
        return text % values if values else text

    def _npgettext_markup(self, context: str, one: str, many: str, number: int, **values: object) -> Markup:
        text = escape(_read_catalogue(self.language).npgettext(context, one, many, number))
        return text % {"count": self.format_number(number), **values}

    def format_number(self, number: int) -> str:
        """Format a whole number.

        >>> Locale("en").format_number(9999), Locale("de").format_number(12345)
        ('9999', '12.345')
        """
        grouped = f"{number:,}".replace(",", FORMATS[self.language].group)
        return grouped if abs(number) >= _GROUPED else str(number)

    def format_decimal(self, number: float, form: str) -> str:
        """Format a number by a format specification (PEP 3101).

        >>> Locale("de").format_decimal(-0.25, "+.1f"), Locale("ja").format_decimal(99.9, ".3g")
        ('-0,2', '99.9')
        """
        return f"{number:{form}}".replace(".", FORMATS[self.language].decimal)

    def format_day(self, moment: Moment) -> str:
        """Format a day, only as precise as it is known: a time of day is of the time zone, a mere day of none.

        >>> from datetime import UTC
        >>> moment = Moment(datetime(2024, 8, 4, 8, tzinfo=UTC))
        >>> [Locale(language).format_day(moment) for language in ("en", "de", "pt", "ja")]
        ['4 Aug 2024', '4. Aug. 2024', '4 de ago. de 2024', '2024年8月4日']
        >>> Locale("ja").format_day(Moment(datetime(2024, 1, 1, tzinfo=UTC), "year"))
        '2024年'
        """
        formats, has_time = FORMATS[self.language], moment.zoned and moment.precision in {"minute", "second"}
        at = moment.at.astimezone(find_zone(self.timezone)) if has_time else moment.at
        if moment.precision in {"guess", "year"}:
            return formats.year.format(year=at.year)
        return formats.day.format(day=at.day, month=formats.months.split()[at.month - 1], year=at.year)

    def format_time(self, at: datetime) -> str:
        """Format a time to the minute.

        >>> from datetime import UTC
        >>> Locale("de", "Europe/Berlin").format_time(datetime(2024, 8, 4, 23, tzinfo=UTC))
        '5. Aug. 2024, 01:00 CEST'
        """
        local = at.astimezone(find_zone(self.timezone))
        day, clock = self.format_day(Moment(at)), f"{local:%H:%M} {name_zone(local)}"
        return FORMATS[self.language].time.format(day=day, time=clock)

    def join(self, names: Iterable[str]) -> str:
        """Join names for a sentence.

        >>> Locale("en").join(["apple", "blog", "casts"]), Locale("ja").join(["apple", "blog"]), Locale("en").join([])
        ('apple, blog and casts', 'apple、blog', '')
        """
        formats = FORMATS[self.language]
        *most, last = [*names] or [""]
        return f"{formats.comma.join(most)}{formats.last}{last}" if most else last

    @property
    def comma(self) -> str:
        """Return the mark between the items of a list that goes on: no "and" stands before the last one."""
        return FORMATS[self.language].comma


ENGLISH: Final = Locale()


def find_language(tag: str | None) -> str | None:
    """Return the language of pages that a language tag means, ``None`` if there is no catalogue of it.

    >>> find_language("pt-BR"), find_language("DE_at"), find_language("ar"), find_language(None)
    ('pt', 'de', None, None)
    """
    language = (tag or "").replace("_", "-").partition("-")[0].lower()
    return language if language in NAMES else None


@cache
def _read_catalogue(language: str) -> NullTranslations:
    if language == SOURCE:
        return NullTranslations()
    with (resources.files("aggregator.translation") / "catalogues" / f"{language}.mo").open("rb") as file:
        return GNUTranslations(file)
