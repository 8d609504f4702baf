"""Mistakes in the config as one line each: file and line, path of the key, what is wrong, the nearest known word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from pydantic_core import ErrorDetails

from aggregator.config.masking import mask, mask_step
from aggregator.config.parse import Path, format_path
from aggregator.config.suggestions import suggest
from aggregator.errors import escape_line
from aggregator.translation.marks import N_

_Schema = Mapping[str, object]

_SWITCH = N_("must be true or false, not %(quoted)s")
_WHOLE = N_("must be a whole number, not %(quoted)s")
_NUMBER = N_("must be a number, not %(quoted)s")
_MAPPING = N_("must be a mapping of keys, not %(quoted)s")
_TEMPLATES: Final = {
    "string_type": N_("must be text, not %(quoted)s"),
    "bool_type": _SWITCH,
    "bool_parsing": _SWITCH,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "list_type": N_("must be a list, not %(quoted)s"),
    "dict_type": N_("must be a mapping of names to values, not %(quoted)s"),
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "greater_than_equal": N_("must be %(ge)s or more, not %(quoted)s"),
    "less_than_equal": N_("must be %(le)s or less, not %(quoted)s"),
    "string_too_long": N_("has more than %(max_length)s characters: %(quoted)s"),
    "missing": N_("missing"),
}
"""Messages by the types of pydantic's errors, with their context."""

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
        parts = (place, format_path(tuple(map(mask_step, path))), _describe(error, path, schema))
        lines_found.append((line, escape_line(": ".join(filter(None, parts)))))
    return tuple(text for _, text in sorted(lines_found))


def _describe(error: ErrorDetails, path: Path, schema: _Schema) -> str:
    """Describe what is wrong, without the place."""
    kind, given, context = error["type"], _hide(error, path), error.get("ctx", {})
    quoted = _quote(given)
    if kind in _TEMPLATES:
        limits = {name: f"{limit:g}" for name, limit in context.items() if isinstance(limit, int | float)}
        mistake = _TEMPLATES[kind] % {**limits, "quoted": quoted}
    elif kind == "extra_forbidden":
        mistake = N_(f"unknown key; {suggest(str(path[-1]), _find_keys(schema, path[:-1]))}")
    elif kind == "literal_error":
        known = suggest(str(given), _QUOTED.findall(context["expected"]))
        mistake = N_(f"{quoted} is not allowed here; {known}")
    elif kind == "value_error":
        mistake = str(context["error"]).replace(f'"{str(error["input"]).strip()}"', f'"{given}"')
    elif kind in _EMPTY and not given:
        mistake = N_("must not be empty")
    elif kind == "string_pattern_mismatch":
        mistake = N_(f"{quoted} is not a name: letters, digits, dot, dash and underscore ({context['pattern']})")
        if re.fullmatch(context["pattern"], lower := str(given).lower()):
            mistake = N_(f'{quoted} has capital letters, and the name is part of a URL; write "{lower}"')
    else:
        mistake = f"{error['msg'][0].lower()}{error['msg'][1:]}, not {quoted}"
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
        return N_("an empty value")
    if isinstance(value, dict):
        return N_("a mapping")
    if isinstance(value, list):
        return N_("a list")
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
