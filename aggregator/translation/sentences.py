"""Translate the sentences that the program says in English everywhere, such as why a poll failed.

It makes and stores them in one language, in which commands, JSON and logs say them, the errors that commands and the
desk share, too. A page recognises a sentence by the message that it was made of, takes out its values, and puts them
into the translation. The messages are in ``catalogues/sentences.txt``, which ``python -m tests.support.messages``
gathers from the program.

A text that was made otherwise, or in the words of another version, stays in English.
"""

from __future__ import annotations

import re
from functools import cache
from http.client import responses
from importlib import resources
from typing import Any, Final

from aggregator.translation.locale import Locale

_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
_QUOTED = re.compile(r'"%\(\w+\)s"|%\(quoted\)s')
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_CLAUSE = r'(?:"[^"]*"|(?!; )[^"])+?'  # what is quoted is part of it
_STATUS = re.compile(r"(\d{3}) (.+)")
_MOST_NAMES: Final = 4
_MAX_SENTENCE: Final = 1000
"""Characters of a text that is looked at; a message of an origin in it may be hostile."""


def translate_sentence(text: str, locale: Locale) -> str | None:
    """Return a text in the language of a page; ``None`` if a part of it is not recognised.

    Its sentences are joined by semicolons; each may stand behind an address, a path or a name, and before an address in
    brackets. Values that are sentences are translated, too, and names of fields. A text of one sentence may quote
    anything.
    """
    said, clauses = list[str](), text[: _MAX_SENTENCE + 1].split("; ")
    while clauses and len(text) <= _MAX_SENTENCE:
        ends = range(len(clauses), 0, -1)
        found = ((end, _translate_clause("; ".join(clauses[:end]), locale)) for end in ends)
        end, translated = next(((end, each) for end, each in found if each is not None), (0, ""))
        if not end:
            return _translate_clause(text, locale, quotes=True)
        said.append(translated)
        clauses = clauses[end:]
    return "; ".join(said) or None


def _translate_clause(text: str, locale: Locale, *, quotes: bool = False, names: int = _MOST_NAMES) -> str | None:
    """Return one sentence in the language of a page, with what stands around it; at most so many names before it."""
    if (translated := _translate_message(text, locale, quotes=quotes)) is not None:
        return translated
    name, colon, rest = text.partition(": ")
    is_place = " " not in name or name.startswith(("/", "feeds."))
    if colon and is_place and names:
        translated = _translate_clause(rest, locale, quotes=quotes, names=names - 1)
        if translated is not None:
            return f"{name}: {translated}"
    start, bracket, address = text.rpartition(" (")
    if bracket and " " not in address and (translated := _translate_message(start, locale)) is not None:
        return f"{translated} ({address}"
    return None


def _translate_message(text: str, locale: Locale, *, quotes: bool = False) -> str | None:
    """Return one sentence in the language of a page; ``quotes`` is whether it is one that quotes whatever it may be."""
    if (status := _STATUS.fullmatch(text)) and responses.get(int(status[1])) == status[2]:
        return text
    for forms, pattern in _read_messages(quotes=quotes):
        if (found := pattern.fullmatch(text)) is not None:
            said: dict[str, Any] = {
                name: locale.gettext(each) if name == "field" else _translate_value(each, locale)
                for name, each in found.groupdict().items()
            }
            if len(forms) == 1:
                return locale.gettext(forms[0]) % said
            return locale.ngettext(forms[0], forms[1], int(found["count"].replace(",", "")), **said)
    return None


def _translate_value(value: str, locale: Locale) -> str:
    if _GROUPED.fullmatch(value):
        return locale.format_number(int(value.replace(",", "")))
    return translate_sentence(value, locale) or value


@cache
def _read_messages(*, quotes: bool) -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Return the forms of each message with the pattern of one of them, the longest first.

    ``count`` is a number, ``quoted`` is in quotation marks or some words; any other value is as short as can be, and
    one clause unless the message has several. With ``quotes`` they are the messages with a value in quotation marks,
    which may then be any text.
    """
    path = resources.files("aggregator.translation") / "catalogues" / "sentences.txt"
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    found = sorted(
        ((form, tuple(row)) for row in rows for form in row), key=lambda each: -len(_PLACEHOLDER.sub("", each[0]))
    )
    return tuple(
        (forms, re.compile(_make_pattern(form, quotes=quotes)))
        for form, forms in found
        if not quotes or _QUOTED.search(form)
    )


def _make_pattern(message: str, *, quotes: bool) -> str:
    parts = _PLACEHOLDER.split(message.replace("%%", "%"))
    for at in range(1, len(parts), 2):
        is_inside = parts[at - 1] and parts[at + 1] and "; " in message
        is_quoted = quotes and parts[at - 1].endswith('"') and parts[at + 1].startswith('"')
        value = ".+?" if is_inside or is_quoted else _CLAUSE
        value = {"count": r"\d[\d,]*", "quoted": '".*"|[a-z ]+' if quotes else '"[^"]*"|[a-z ]+'}.get(parts[at], value)
        parts[at] = f"(?P<{parts[at]}>{value})"
    parts[::2] = map(re.escape, parts[::2])
    return "".join(parts)
