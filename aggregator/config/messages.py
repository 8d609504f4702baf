"""What pydantic found wrong, as a person would say it: key path, what is wrong, and the nearest known word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic_core import ErrorDetails

from aggregator.config.nearest_word import hint
from aggregator.config.parse import Path, spell
from aggregator.errors import one_line

Schema = Mapping[str, object]

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


def tell(errors: Iterable[ErrorDetails], name: str, lines: Mapping[Path, int], schema: Schema) -> tuple[str, ...]:
    """One line for each error, in the order of the file: ``config.yaml:12: feeds.a.knd: unknown key; did you …``."""
    told = []
    for error in errors:
        path = tuple(step for step in error["loc"] if step != "[key]")
        line = next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 0)
        place = f"{name}:{line}" if line else name
        told.append((line, one_line(f"{place}: {spell(path)}: {_say(error, path, schema)}")))
    return tuple(text for _, text in sorted(told))


def _say(error: ErrorDetails, path: Path, schema: Schema) -> str:
    """What is wrong, without the place."""
    kind, given, context = error["type"], error["input"], error.get("ctx", {})
    if kind in _WANTED:
        said = f"must be {_WANTED[kind]}, not {_quote(given)}"
    elif kind == "missing":
        said = "missing"
    elif kind == "extra_forbidden":
        said = f"unknown key; {hint(str(path[-1]), _known(schema, path[:-1]))}"
    elif kind == "literal_error":
        said = f"{_quote(given)} is not one of them; {hint(str(given), _allowed(schema, path, key=_is_key(error)))}"
    elif kind == "value_error":
        said = str(context["error"])
    elif kind in _EMPTY and not given:
        said = "must not be empty"
    elif kind == "string_pattern_mismatch":
        said = f"{_quote(given)} is not a name: letters, digits, dot, dash and underscore ({context['pattern']})"
    else:
        said = f"{error['msg'][0].lower()}{error['msg'][1:]}, not {_quote(given)}"
    return said


def _is_key(error: ErrorDetails) -> bool:
    """Whether the error is about a mapping's key, not about a value."""
    return error["loc"][-1] == "[key]"


def _quote(value: object) -> str:
    """A value as it may be shown: short, on one line."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'  # noqa: PLR2004 - one line of a terminal


def _known(schema: Schema, path: Path) -> tuple[str, ...]:
    """The keys known at a path."""
    properties = _at(schema, path).get("properties")
    return tuple(properties) if isinstance(properties, dict) else ()


def _allowed(schema: Schema, path: Path, *, key: bool) -> tuple[str, ...]:
    """The values allowed at a path, or the keys where ``key``."""
    here = _at(schema, path[:-1] if key else path)
    if key and isinstance(names := here.get("propertyNames"), dict):
        here = names
    allowed = here.get("enum")
    return tuple(map(str, allowed)) if isinstance(allowed, list) else ()


def _at(schema: Schema, path: Path) -> Schema:
    """The part of the JSON Schema that speaks of a path; empty where none does."""
    here = _deref(schema, schema)
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
        here = _deref(schema, below)
    return here


def _deref(schema: Schema, part: Schema) -> Schema:
    """The part itself, through a reference and past "or nothing"."""
    either = part.get("anyOf")
    if isinstance(either, list):
        some = [one for one in either if isinstance(one, dict) and one.get("type") != "null"]
        return _deref(schema, some[0]) if len(some) == 1 else part
    name = part.get("$ref")
    shared = schema.get("$defs")
    if isinstance(name, str) and isinstance(shared, dict):
        return _deref(schema, shared[name.rpartition("/")[2]])
    return part
