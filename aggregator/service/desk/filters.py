"""Show values on pages: filters of the templates, for times, sizes, sentences and words in the visitor's language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from aggregator.generator.content.sanitize import clean_line
from aggregator.generator.pages import subscribe, wording
from aggregator.model.entry import Moment
from aggregator.service.desk import charts
from aggregator.service.desk.words import WORDS
from aggregator.text.times.zones import format_time
from aggregator.translation.locale import SOURCE, Locale
from aggregator.translation.marks import nN_
from aggregator.translation.sentences import translate_sentence


def format_exact(at: datetime, locale: Locale, *, seconds: bool = False) -> str:
    """Return a time: in English, which programs read too, in the order of ISO 8601, else as the language has it."""
    if locale.language == SOURCE:
        return format_time(at, locale.timezone, seconds=seconds)
    return locale.format_time(at)


def _quote(value: object, most: int = 300) -> Markup:
    """Return a text of a source on one line, cut and isolated, so that it changes nothing around it."""
    return Markup("<bdi>{}</bdi>").format(clean_line(str(value), most))


@pass_context
def _translate_sentence(context: Context, value: object, most: int = 300) -> Markup:
    """Return a line of the program in the language of the page; one that is not known is marked as English."""
    locale: Locale = context["locale"]
    translated = str(value) if locale.language == SOURCE else translate_sentence(str(value), locale)
    if translated or not value:
        return _quote(translated or "", most)
    return Markup('<bdi lang="en">{}</bdi>').format(clean_line(str(value), most))


def _mark_code(text: str) -> Markup:
    """Return a text whose words between backquotes are commands or keys."""
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


_UNITS: Final = ((86_400, 172_800), (3600, 3600), (60, 60))
"""Seconds of a day, an hour and a minute, and those from which on it is the unit."""
_AGO: Final[Mapping[int, tuple[str, str]]] = {
    86_400: nN_("%(count)s day ago", "%(count)s days ago"),
    3600: nN_("%(count)s h ago", "%(count)s h ago"),
    60: nN_("%(count)s min ago", "%(count)s min ago"),
}
_AHEAD: Final[Mapping[int, tuple[str, str]]] = {
    86_400: nN_("in %(count)s day", "in %(count)s days"),
    3600: nN_("in %(count)s h", "in %(count)s h"),
    60: nN_("in %(count)s min", "in %(count)s min"),
}


@pass_context
def _format_ago(context: Context, at: datetime | None) -> Markup:
    """Return a time for people, with the exact one beside it."""
    locale: Locale = context["locale"]
    if at is None:
        return escape(locale.gettext("never"))
    return _show_distance(at, int((datetime.now(UTC) - at).total_seconds()), locale)


@pass_context
def _format_due(context: Context, at: datetime) -> Markup:
    """Return a time at which something is due: now if it is over."""
    return _show_distance(at, min(-1, int((datetime.now(UTC) - at).total_seconds())), context["locale"])


def _show_distance(at: datetime, seconds: int, locale: Locale) -> Markup:
    shown, exact = _format_distance(seconds, locale), format_exact(at, locale, seconds=True)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(at.isoformat(), exact, shown)


def _format_distance(seconds: int, locale: Locale) -> str:
    """Return how long ago a time was, or, if it is negative, when it will be, in its largest unit.

    >>> [_format_distance(seconds, Locale("en")) for seconds in (30, 90, 7200, 200_000, -90, -30)]
    ['now', '1 min ago', '2 h ago', '2 days ago', 'in 1 min', 'now']
    >>> _format_distance(200_000, Locale("fr")), _format_distance(-90, Locale("ja"))
    ('il y a 2 jours', '1分後')
    """
    size = next((size for size, least in _UNITS if abs(seconds) >= least), 0)
    if not size:
        return locale.pgettext("past", "now") if seconds >= 0 else locale.pgettext("future", "now")
    forms = (_AGO if seconds >= 0 else _AHEAD)[size]
    return locale.ngettext(*forms, abs(seconds) // size)


@pass_context
def _format_day(context: Context, day: datetime | date | str) -> str:
    """Return a day, given as itself or as ISO 8601 has it; empty if it is."""
    locale: Locale = context["locale"]
    if not day:
        return ""
    at = day if isinstance(day, datetime) else datetime.fromisoformat(str(day))
    return locale.format_day(Moment(at, "day"))


@pass_context
def _translate(context: Context, word: str) -> Markup:
    """Return a word of a record in the language of the page; one that is not known there is marked as English."""
    locale: Locale = context["locale"]
    is_known = word in WORDS or locale.gettext(word) != word
    return locale.gettext_markup(word) if is_known else _translate_sentence(context, word, 400)


@pass_context
def _format_size(context: Context, size: int) -> str:
    return wording.format_size(size, context["locale"])


def _make_environment() -> Environment:
    """Make the template engine: values are escaped, and an undefined name is an error."""
    made = Environment(
        loader=PackageLoader("aggregator.service.desk"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "quote": _quote,
        "code": _mark_code,
        "sentence": _translate_sentence,
        "bars": charts.draw_bars,
        "tile": subscribe.draw_tile,
    }
    made.filters |= {
        "ago": _format_ago,
        "due": _format_due,
        "day": _format_day,
        "size": _format_size,
        "word": _translate,
    }
    made.filters["count"] = wording.format_count
    return made


ENVIRONMENT = _make_environment()
