"""Mistakes in the config as one line each: file and line, path of the key, what is wrong, the nearest known word."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from pydantic_core import ErrorDetails

from aggregator.config.masking import HIDDEN, mask, mask_step
from aggregator.config.parse import Path, format_path
from aggregator.errors import escape_line

_Schema = Mapping[str, object]

_WANTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "list_type": "a list",
    "dict_type": "a mapping of names to values",
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
}
_EMPTY = {"string_too_short", "too_short"}
_QUOTED = re.compile("'([^']*)'")  # each of the values that pydantic expects


def describe_errors(
    errors: Iterable[ErrorDetails], name: str, lines: Mapping[Path, int], schema: _Schema
) -> tuple[str, ...]:
    """Return one line for each error in the order of the file, as ``config.yaml:12: feeds.a.knd: unknown key; …``."""
    lines_found = []
    for error in errors:
        path = tuple(step for step in error["loc"] if step != "[key]")
        if path and path not in lines and isinstance(path[-1], int):
            path = path[:-1]  # a value alone in place of a list of one
        line = next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 0)
        place = f"{name}:{line}" if line else name
        key = format_path(tuple(map(mask_step, path)))
        lines_found.append((line, escape_line(f"{place}: {key}: {_describe(error, path, schema)}")))
    return tuple(text for _, text in sorted(lines_found))


def _describe(error: ErrorDetails, path: Path, schema: _Schema) -> str:
    """Describe what is wrong, without the place."""
    kind, given, context = error["type"], _hide(error, path), error.get("ctx", {})
    if kind in _WANTED:
        mistake = f"must be {_WANTED[kind]}, not {_quote(given)}"
    elif kind == "missing":
        mistake = "missing"
    elif kind == "extra_forbidden":
        mistake = f"unknown key; {suggest(str(path[-1]), _find_keys(schema, path[:-1]))}"
    elif kind == "literal_error":
        mistake = f"{_quote(given)} is not allowed here; {suggest(str(given), _QUOTED.findall(context['expected']))}"
    elif kind == "value_error":
        mistake = str(context["error"]).replace(f'"{str(error["input"]).strip()}"', f'"{given}"')
    elif kind in _EMPTY and not given:
        mistake = "must not be empty"
    elif kind == "string_pattern_mismatch":
        form = "a name: letters, digits, dot, dash and underscore" if given != HIDDEN else "of the form"
        mistake = f"{_quote(given)} is not {form} ({context['pattern']}){_describe_key(schema, path)}"
        if re.fullmatch(context["pattern"], str(given).lower()):
            mistake = (
                f'{_quote(given)} has capital letters, and the name is part of a URL; write "{str(given).lower()}"'
            )
    else:
        mistake = f"{error['msg'][0].lower()}{error['msg'][1:]}, not {_quote(given)}"
    return mistake


def _hide(error: ErrorDetails, path: Path) -> object:
    """Return what was given as the message may quote it."""
    given = error["input"]
    if given is None or isinstance(given, dict | list | bool):
        return given
    if "[key]" in error["loc"]:
        return mask_step(given)
    return mask(path, str(given).strip())


def _quote(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'  # noqa: PLR2004 - one line of a terminal


def _find_keys(schema: _Schema, path: Path) -> tuple[str, ...]:
    properties = _find_part(schema, path).get("properties")
    return tuple(properties) if isinstance(properties, dict) else ()


def _find_part(schema: _Schema, path: Path) -> _Schema:
    """Return the part of the JSON Schema for a path; empty if there is none."""
    here = _dereference(schema, schema)
    for step in path:
        properties = here.get("properties")
        if isinstance(step, int):
            below = here.get("items")
        elif isinstance(properties, dict) and step in properties:
            below = properties[step]
        else:
            named = here.get("patternProperties", {})
            below = next(iter(named.values()), None) if isinstance(named, dict) else None
            below = below or here.get("additionalProperties")
        if not isinstance(below, dict):
            return {}
        here = _dereference(schema, below)
    return here


def _describe_key(schema: _Schema, path: Path) -> str:
    """Return the end of a message: what the schema says of a key; empty if nothing."""
    properties = _find_part(schema, path[:-1]).get("properties")
    key = properties.get(path[-1]) if isinstance(properties, dict) else None
    text = key.get("description") if isinstance(key, dict) else None
    return f": {str(text).rstrip('.')}" if text else ""


def _dereference(schema: _Schema, part: _Schema) -> _Schema:
    """Follow a reference, and drop the alternative "null"."""
    either = part.get("anyOf")
    if isinstance(either, list):
        some = [one for one in either if isinstance(one, dict) and one.get("type") != "null"]
        return _dereference(schema, some[0]) if len(some) == 1 else part
    name = part.get("$ref")
    shared = schema.get("$defs")
    if isinstance(name, str) and isinstance(shared, dict):
        return _dereference(schema, shared[name.rpartition("/")[2]])
    return part


_ALIKE = 0.6
"""difflib's own default ratio; at 0.5 it offers words that share only letters, at 0.7 it misses two typos in six."""


def find_nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word most similar to the given one, ignoring case; ``None`` if none is similar.

    >>> find_nearest("sorces", ("state", "sources"))
    'sources'
    >>> find_nearest("Documentary", ("Arts", "Society & Culture > Documentary"))
    'Society & Culture > Documentary'
    """
    folded = {name.casefold(): name for name in known}
    tails = {name.rpartition(" > ")[2].casefold(): name for name in reversed(folded.values())}
    for names in (folded, tails):
        found = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=_ALIKE)
        if found:
            return names[found[0]]
    return None


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the end of a message: the nearest known word, else all of them.

    >>> suggest("knd", ("kind", "url"))
    'did you mean "kind"?'
    >>> suggest("zzz", ("kind", "url"))
    'known: kind, url'
    """
    names = tuple(known)
    near = find_nearest(word, names)
    return f'did you mean "{near}"?' if near else f"known: {', '.join(names)}"
