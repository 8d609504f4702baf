"""Make ``aggregator/text/times/cldr.json`` from Unicode's CLDR, as babel has it: ``python -m evaluation.times.tables``.

``days.json`` has the words for today, yesterday and the day before, ``at.json`` those between a day and a time, which
babel leaves out; they are ``dates/fields/day/relative-type`` and the ``dateTimeFormats-atTime`` of the Gregorian
calendar in the npm package cldr-dates-full 48.2.0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path

from babel import Locale, localedata
from babel.dates import format_date, format_skeleton, format_time

from aggregator.text.times.words import UNITS, split_words

LANGUAGES = (
    *("en", "de", "fr", "es", "pt", "it", "nl", "af", "lb", "sv", "da", "nb", "nn", "is", "fi", "et", "lv", "lt"),
    *("pl", "cs", "sk", "sl", "hr", "bs", "sr", "sr_Latn", "mk", "bg", "ru", "uk", "be", "ro", "hu", "el", "tr"),
    *("az", "kk", "ky", "uz", "mn", "ka", "hy", "sq", "mt", "ga", "cy", "eu", "ca", "gl", "ar", "he", "fa", "ur"),
    *("hi", "ne", "mr", "bn", "gu", "pa", "ta", "te", "ml", "kn", "si", "th", "lo", "km", "my", "vi", "id", "ms"),
    *("fil", "ja", "ko", "zh", "zh_Hant", "sw", "am"),
)
FILE = Path(__file__).parents[2] / "aggregator" / "text" / "times" / "cldr.json"
_DAYS = Path(__file__).with_name("days.json")
_AT = Path(__file__).with_name("at.json")
_YEAR, _DAY = 2025, 28
_SKELETONS = ("yMMMd", "yMMMEd", "yMMMMd", "yMMMMEEEEd", "GyMMMd")
_WIDTHS = ("wide", "abbreviated")
_REGIONS = {"ar": ("ar_SY", "ar_MA", "ar_DZ", "ar_TN")}  # with months of other names


def make_tables() -> str:
    """Return the text of the file; ``aggregator.text.times.words`` explains it."""
    from babel import __version__  # noqa: PLC0415
    from babel.core import get_cldr_version  # noqa: PLC0415

    languages: dict[str, dict[str, str]] = {}
    for name in LANGUAGES:
        rows = {what: "|".join(",".join(group) for group in groups) for what, groups in make_rows(name).items()}
        languages[name.replace("_", "-")] = {what: row for what, row in rows.items() if row.strip("|")}
    orders: dict[str, list[str]] = {}
    for name, order in _list_orders():
        orders.setdefault(order, []).append(name)
    dotted = [name.replace("_", "-") for name in LANGUAGES if "d." in Locale.parse(name).date_formats["long"].pattern]
    tables = {
        "source": f"Unicode CLDR {get_cldr_version()} (babel {__version__}), by python -m evaluation.times.tables",
        "languages": languages,
        "orders": {order: " ".join(names) for order, names in orders.items()},
        "dotted_days": " ".join(dotted),
    }
    return json.dumps(tables, ensure_ascii=False, indent=1) + "\n"


def make_rows(name: str) -> dict[str, list[list[str]]]:
    """Return the words of a language by table and meaning."""
    localedata._cache.clear()  # noqa: SLF001 -- babel 2.18 writes names of one language into what all inherit
    locale = Locale.parse(name)
    of_regions = [Locale.parse(each) for each in _REGIONS.get(name, ())]
    months = [
        set().union(*(_list_names(each.months, number) for each in (locale, *of_regions))) for number in range(1, 13)
    ]
    weekdays = [_list_names(locale.days, number) for number in range(7)]
    halves = _list_halves(locale)
    fillers: set[str] = set()
    before: set[str] = set()
    behind: set[str] = set()
    for text, month, weekday in _list_dates(locale):
        words = split_words(text).split()
        words, found = _take(words, months[month - 1])
        months[month - 1] |= found
        if not found and str(month) in words:
            at = words.index(str(month))
            if at + 1 < len(words) and not words[at + 1].isdecimal():
                behind.add(words.pop(at + 1))
            elif at and not words[at - 1].isdecimal() and words[at - 1] not in behind:
                before.add(words.pop(at - 1))
        words, days = _take(words, weekdays[weekday])
        weekdays[weekday] |= days
        fillers |= {word for word in words if not re.search(r"\d", word)}
    before = set() if behind else before
    at_words = split_words(json.loads(_AT.read_text("utf-8")).get(name, "")).split()
    fillers |= (_list_glue(locale) | set(at_words)) - set().union(*halves)
    named = set().union(*months, *weekdays, before, behind)
    days = [[split_words(day)] if day else [] for day in json.loads(_DAYS.read_text("utf-8"))[name]]
    units, heads, amounts = _list_units(locale)
    return {
        "months": _sort(months), "weekdays": _sort(weekdays), "fillers": [sorted(fillers - named - {""})],
        "month_before": [sorted(before)], "month_behind": [sorted(behind)], "halves": _sort(halves),
        "units": _sort(units), "heads": _sort(heads), "amounts": _sort(amounts),
        "joints": [sorted(_list_joints(locale))],
        "past": _sort(_list_past(locale)), "ago": _sort(_list_ago(locale)), "days": days,
    }  # fmt: skip


def _sort(groups: list[set[str]]) -> list[list[str]]:
    """Return the words that have one meaning in the language, sorted."""
    return [sorted(word for word in group if word and sum(word in other for other in groups) == 1) for group in groups]


def _list_names(table: dict[str, dict[str, dict[int, str]]], number: int) -> set[str]:
    names = (table[use][width].get(number, "") for use in ("format", "stand-alone") for width in _WIDTHS)
    return {name for each in names if (name := split_words(each)) and not re.search(r"\d", name)}


def _list_dates(locale: Locale) -> Iterator[tuple[str, int, int]]:
    """Yield dates as the language writes them, with their months and weekdays."""
    days = [date(_YEAR, month, _DAY) for month in range(1, 13)]
    days += [date(_YEAR, 9, 21) + timedelta(days=more) for more in range(7)]
    for day in days:
        for form in ("full", "long", "medium"):
            yield format_date(day, form, locale=locale), day.month, day.weekday()
        for skeleton in _SKELETONS:
            try:
                text = format_skeleton(skeleton, datetime.combine(day, time()), locale=locale)
            except KeyError:
                continue
            yield text, day.month, day.weekday()


def _take(words: list[str], names: set[str]) -> tuple[list[str], set[str]]:
    """Return the words without a name, and the name with what is written on to it, as in Hebrew and Basque."""
    for name in sorted(names, key=len, reverse=True):
        parts = name.split()
        for at in range(len(words) - len(parts) + 1):
            there = words[at : at + len(parts)]
            if len(parts) == 1:
                fits = name in there[0] and (len(name) > 1 or name == there[0])
            else:
                fits = there[1:-1] == parts[1:-1] and there[0].endswith(parts[0]) and there[-1].startswith(parts[-1])
            if fits:
                return words[:at] + words[at + len(parts) :], {" ".join(there)}
    return words, set()


def _list_halves(locale: Locale) -> list[set[str]]:
    """Return the words of the halves of a day, first those before noon."""
    found: tuple[set[str], set[str]] = set(), set()
    for hour in range(24):
        for pattern in ("a", "aaaa", "B", "BBBB"):
            found[hour // 12].add(split_words(format_time(time(hour), pattern, locale=locale)))
    return [half - other for half, other in (found, found[::-1])]


def _list_glue(locale: Locale) -> set[str]:
    """Return the words between a day and a time, and behind times."""
    formats = [str(each) for each in locale.datetime_formats.values()]
    formats += [each.pattern for each in locale.time_formats.values()]
    texts = (quoted for each in formats for quoted in re.findall(r"'([^']+)'", each))
    return {word for text in texts for word in split_words(text).split()}


def _list_units(locale: Locale) -> tuple[list[set[str]], list[set[str]], list[set[str]]]:
    """Return words of seconds to days, behind and before a number, and those of one and two of them."""
    units, heads, amounts = [], [], []
    for unit in ("second", "minute", "hour", "day"):
        words: set[str] = set()
        before: set[str] = set()
        alone: tuple[set[str], set[str]] = set(), set()
        for width in ("long", "short", "narrow"):
            patterns = locale._data["unit_patterns"].get(f"duration-{unit}", {}).get(width, {})  # noqa: SLF001
            for form, pattern in patterns.items():
                if "{0}" in pattern and form != "per":
                    (before if pattern.endswith("{0}") else words).add(split_words(pattern.replace("{0}", " ")))
                elif form in ("one", "two"):
                    alone[form == "two"].add(split_words(pattern))
        units.append(words)
        heads.append(before)
        amounts += alone
    return units, heads, amounts


def _list_joints(locale: Locale) -> set[str]:
    kinds = [locale.list_patterns.get(kind, {}) for kind in ("standard", "unit", "unit-short", "unit-narrow")]
    patterns = (kind.get(form, "") for kind in kinds for form in ("2", "end"))
    return {word for text in patterns for word in split_words(re.sub(r"\{\d\}", " ", text)).split()}


def _list_past(locale: Locale) -> list[set[str]]:
    """Return the phrases of a time ago by unit, ``#`` for the number, without those that only a sign distinguishes."""
    found = []
    for unit in UNITS:
        past, future = (
            {
                split_words(pattern.replace("{0}", " 0 ")).replace("0", "#")
                for width in ("", "-short", "-narrow")
                for pattern in locale._data["date_fields"].get(unit + width, {}).get(side, {}).values()  # noqa: SLF001
                if "{0}" in pattern
            }
            for side in ("past", "future")
        )
        found.append(past - future)
    return found


def _list_ago(locale: Locale) -> list[set[str]]:
    """Return the phrases of one and two units ago that have no number, as in Arabic and Hebrew, by unit."""
    fields = locale._data["date_fields"]  # noqa: SLF001
    tables = {
        side: [fields.get(unit + width, {}).get(side, {}) for unit in UNITS for width in ("", "-short", "-narrow")]
        for side in ("past", "future")
    }
    future = {split_words(pattern) for table in tables["future"] for pattern in table.values()}
    found: list[set[str]] = []
    for at in range(0, len(tables["past"]), 3):
        for form in ("one", "two"):
            patterns = {table.get(form, "{0}") for table in tables["past"][at : at + 3]}
            found.append({split_words(pattern) for pattern in patterns if "{0}" not in pattern} - future)
    return found


def _list_orders() -> Iterator[tuple[str, str]]:
    """Yield the order of the numbers in short dates of each language, and of its regions where it is another one."""
    languages = {}
    for name in LANGUAGES:
        languages[name] = _find_order(name)
        yield name.replace("_", "-"), languages[name]
    for name in sorted(localedata.locale_identifiers()):
        language, _, region = name.partition("_")
        if region.isupper() and language in languages and (order := _find_order(name)) != languages[language]:
            yield name.replace("_", "-"), order


def _find_order(name: str) -> str:
    letters = re.sub(r"'[^']*'|[^dMy]", "", Locale.parse(name).date_formats["short"].pattern).lower()
    return "".join(dict.fromkeys(letters))


if __name__ == "__main__":
    FILE.write_text(make_tables(), "utf-8")
