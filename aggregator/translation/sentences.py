"""Translate the sentences that the store keeps in English, such as why a poll failed.

The program makes and stores them in one language, in which commands, JSON and logs say them. A page recognises a
sentence by the message that it was made of, takes out its values, and puts them into the translation. The messages are
in ``catalogues/sentences.txt``, which ``python -m tests.support.messages`` gathers from the program.

A text that was made otherwise, or in the words of another version, stays in English.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from http.client import responses
from importlib import resources
from typing import Final

from aggregator.translation.locale import Locale

_PLACEHOLDER = re.compile(r"%\((\w+)\)s")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")
_STATUS = re.compile(r"(\d{3}) (.+)")
_LONGEST: Final = 1000
"""Characters of a text that is looked at; a message of an origin in it may be hostile."""


def translate_sentence(text: str, locale: Locale) -> str | None:
    """Return a text in the language of a page; ``None`` if a part of it is not recognised.

    Its sentences are joined by semicolons; each may stand behind an address or a name, and before an address in
    brackets. Values that are sentences are translated, too.
    """
    said, clauses = list[str](), text[: _LONGEST + 1].split("; ")
    while clauses and len(text) <= _LONGEST:
        ends = range(len(clauses), 0, -1)
        found = ((end, _translate_clause("; ".join(clauses[:end]), locale)) for end in ends)
        end, translated = next(((end, each) for end, each in found if each is not None), (0, ""))
        if not end:
            return None
        said.append(translated)
        clauses = clauses[end:]
    return "; ".join(said) or None


def _translate_clause(text: str, locale: Locale) -> str | None:
    """Return one sentence in the language of a page, with what stands around it."""
    if (translated := _translate_message(text, locale)) is not None:
        return translated
    name, colon, rest = text.partition(": ")
    if colon and " " not in name and (translated := _translate_clause(rest, locale)) is not None:
        return f"{name}: {translated}"
    start, bracket, address = text.rpartition(" (")
    if bracket and " " not in address and (translated := _translate_message(start, locale)) is not None:
        return f"{translated} ({address}"
    return None


def _translate_message(text: str, locale: Locale) -> str | None:
    if text and (translated := locale.gettext(text)) != text:
        return translated
    if (status := _STATUS.fullmatch(text)) and responses.get(int(status[1])) == status[2]:
        return text
    for message, names, parts in _read_messages():
        if (values := _find_values(text, parts)) is not None:
            said = {name: _translate_value(value, locale) for name, value in zip(names, values, strict=True)}
            return locale.gettext(message) % said
    return None


def _translate_value(value: str, locale: Locale) -> str:
    if _GROUPED.fullmatch(value):
        return locale.format_number(int(value.replace(",", "")))
    return translate_sentence(value, locale) or value


def _find_values(text: str, parts: Sequence[str]) -> list[str] | None:
    """Return what stands between the parts of a message, each as short as can be; ``None`` if it is another one.

    A value at the beginning or the end is one clause.
    """
    at, end, values = len(parts[0]), len(text) - len(parts[-1]), list[str]()
    if not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return None
    for part in parts[1:-1]:
        found = text.find(part, at + 1, end)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(part)
    values.append(text[at:end])
    is_joined = (not parts[0] and "; " in values[0]) or (not parts[-1] and "; " in values[-1])
    return values if values[-1] and not is_joined else None


@cache
def _read_messages() -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Return the messages with placeholders, their names, and what stands around these; the longest first."""
    path = resources.files("aggregator.translation") / "catalogues" / "sentences.txt"
    found = []
    for message in path.read_text("utf-8").splitlines():
        parts = _PLACEHOLDER.split(message.replace("%%", "%"))
        found.append((message, tuple(parts[1::2]), tuple(parts[::2])))
    return tuple(sorted(found, key=lambda each: -sum(map(len, each[2]))))
