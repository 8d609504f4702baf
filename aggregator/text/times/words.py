"""Cut a date or a length into numbers and words, and look words up in the tables of Unicode's CLDR.

The tables (``cldr.json``) are read when the first text needs them: dates of feeds and of ISO 8601 do not. In a row of
theirs meanings stand between bars, words of one meaning between commas, folded as by ``fold``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

LONGEST_PHRASE = 4
"""Words of the longest name in the tables: Vietnamese weekdays, Irish months."""

_TOKEN = re.compile(r"\d+|[^\W\d_](?:[^\W\d_]|(?:['’][^\W\d_])|[\u0900-\u0dff\u0e00-\u109f\u1780-\u17ff])*")
_CLOSED_WORDS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EXTRA_WORDS = (  # in dates of pages, beside the words of CLDR: endings of ordinals, "at", "hour", "of the year"
    *("st", "nd", "rd", "th", "er", "e", "o", "a", "d", "of", "the", "at", "on", "uhr", "um", "am", "vom", "den", "kl"),
    *("klo", "de", "del", "di", "do", "le", "les", "il", "el", "om", "op", "ob", "o", "v", "в", "от", "στις", "the"),
    *("uur", "horas", "hora", "saat", "godz", "hod", "ora", "h", "val", "plkst", "года", "року", "година", "години"),
    *("ngay", "nam"),
)


class DatePiece(Struct, frozen=True):
    """A number or a phrase, folded, and what stands between it and the one before."""

    text: str
    gap: str

    @property
    def is_number(self) -> bool:
        """Return whether it is a number."""
        return self.text.isdecimal()


class Tables(Struct, frozen=True):
    """The words of all languages, for each word each meaning with its languages.

    - ``months``, ``weekdays``: their number, Monday 0.
    - ``fillers``: words that stand in dates and mean nothing.
    - ``month_before``, ``month_behind``: words that make a month of the number before or behind them.
    - ``halves``: 0 before noon, 12 behind it.
    - ``units``, ``heads``: seconds, of words behind and before a number.
    - ``amounts``: seconds of words that are a whole length, such as the Arabic dual.
    - ``joints``: words between two parts of a length.
    - ``past``: seconds of the unit in "3 days ago", by the phrase with ``#`` for its number, ``ago``: seconds of one or
      two units in a phrase without a number, and ``days``: days before today of words such as "yesterday".
    - ``orders``: of the numbers in short dates, by language and region: "dmy", "mdy" or "ymd".
    - ``dotted_days``: languages that write a dot behind the number of a day.
    """

    months: Mapping[str, Mapping[int, frozenset[str]]]
    weekdays: Mapping[str, Mapping[int, frozenset[str]]]
    halves: Mapping[str, Mapping[int, frozenset[str]]]
    units: Mapping[str, Mapping[int, frozenset[str]]]
    heads: Mapping[str, Mapping[int, frozenset[str]]]
    amounts: Mapping[str, Mapping[int, frozenset[str]]]
    past: Mapping[str, Mapping[int, frozenset[str]]]
    ago: Mapping[str, Mapping[int, frozenset[str]]]
    days: Mapping[str, Mapping[int, frozenset[str]]]
    fillers: Mapping[str, frozenset[str]]
    month_before: Mapping[str, frozenset[str]]
    month_behind: Mapping[str, frozenset[str]]
    joints: Mapping[str, frozenset[str]]
    orders: Mapping[str, str]
    dotted_days: frozenset[str]


def fold(text: str) -> str:
    """Return the text in lower case without accents and marks of direction, with ASCII digits.

    >>> fold("12 Février"), fold("١٢")
    ('12 fevrier', '12')
    """
    if text.isascii():
        return text.lower()
    text = text.translate(_QUOTES)
    letters = unicodedata.normalize("NFKD", text.casefold())
    kept = (letter for letter in letters if not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf")
    digits = (str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in kept)
    return unicodedata.normalize("NFC", "".join(digits).translate(_PLAIN_LETTERS))


_QUOTES = str.maketrans("’ʼ‘׳′״″−–—‐", "'''''\"\"----")
_PLAIN_LETTERS = str.maketrans({"ı": "i", "ł": "l", "đ": "d", "ø": "o"})


def list_tokens(folded: str) -> Iterator[DatePiece]:
    """Yield the numbers and words of a folded text."""
    end = 0
    for match in _TOKEN.finditer(folded):
        yield DatePiece(match[0], folded[end : match.start()])
        end = match.end()


def split_words(text: str) -> str:
    """Return the words and numbers of a text, folded, a blank between two."""
    return " ".join(_TOKEN.findall(fold(text)))


def is_closed(word: str) -> bool:
    """Return whether a word is of a script that writes no blanks between words."""
    return _CLOSED_WORDS.match(word) is not None


@cache
def load() -> Tables:
    """Return the tables, made once in a process."""
    cldr = msgspec.json.decode(Path(__file__).with_name("cldr.json").read_bytes())
    found: dict[str, dict[str, dict[int, set[str]]]] = {}
    for language, rows in cldr["languages"].items():
        for name, row in rows.items():
            for number, names in enumerate(row.split("|"), start=_FIRST.get(name, 0)):
                meaning = _VALUES[name][number] if name in _VALUES else number
                for word in filter(None, names.split(",")):
                    found.setdefault(name, {}).setdefault(word, {}).setdefault(meaning, set()).add(language)
    tables = {
        name: {word: {key: frozenset(value) for key, value in each.items()} for word, each in table.items()}
        for name, table in found.items()
    }
    plain = {name: {word: each[0] for word, each in tables.pop(name).items()} for name in _PLAIN}
    plain["fillers"] |= {word: frozenset[str]() for word in _EXTRA_WORDS}
    return Tables(
        months=tables["months"], weekdays=tables["weekdays"], halves=tables["halves"], units=tables["units"],
        heads=tables["heads"],
        amounts=tables["amounts"], past=tables["past"], ago=tables["ago"], days=tables["days"],
        fillers=plain["fillers"],
        month_before=plain["month_before"], month_behind=plain["month_behind"], joints=plain["joints"],
        orders={name: order for order, names in cldr["orders"].items() for name in names.split()},
        dotted_days=frozenset(cldr["dotted_days"].split()),
    )  # fmt: skip


_PLAIN = ("fillers", "month_before", "month_behind", "joints")
_FIRST = {"months": 1}
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": 2629800, "year": 31557600}
_SECONDS = tuple(UNITS.values())
_VALUES = {
    "halves": (0, 12),
    "units": _SECONDS[:4],
    "heads": _SECONDS[:4],
    "amounts": tuple(unit * number for unit in _SECONDS[:4] for number in (1, 2)),
    "past": _SECONDS,
    "ago": tuple(unit * number for unit in _SECONDS for number in (1, 2)),
}


def find_order(language: str | None) -> str | None:
    """Return the order of the numbers in short dates of a language tag (BCP 47): "dmy", "mdy" or "ymd"."""
    orders = load().orders
    parts = (language or "").replace("_", "-").split("-")
    tags = (parts[0].lower(), *(f"{parts[0].lower()}-{part.upper()}" for part in parts[1:]))
    return next((orders[tag] for tag in reversed(tags) if tag in orders), None)
