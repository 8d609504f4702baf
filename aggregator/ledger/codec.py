"""A writer and a reader for each record class, generated from its annotations.

Generated, for a loop over the fields of every record costs three times as much (docs/ledger.md has the figures), and
from the annotations, for a table written by hand forgets the field that was added last. The types known are those of
the model: text, numbers, truth values, times, closed sets, tuples, frozen sets, and records, also ones that hold
themselves. Any other type is a TypeError when the codec is first asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from json.encoder import encode_basestring_ascii
from threading import RLock
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

Writer = Callable[[Any], str]
Reader = Callable[..., Any]

PLAIN = (str, int, float, bool)

_space: dict[str, Any] = {
    "text": encode_basestring_ascii,
    "number": int.__repr__,
    "real": json.dumps,
    "moment": datetime.fromisoformat,
    "timedelta": timedelta,
}
"""What the generated functions see, themselves among it: so a class may hold itself."""

_writers: dict[tuple[type[Any], frozenset[str]], Writer] = {}
_readers: dict[tuple[type[Any], tuple[str, ...]], Reader] = {}
_one_at_a_time = RLock()


def writer(kind: type[Any], without: frozenset[str] = frozenset()) -> Writer:
    """What turns a record of the class into JSON, but for the fields left out."""
    known = _writers.get((kind, without))
    if known is None:
        with _one_at_a_time:
            known = _writers[kind, without] = _compile_writer(kind, without)
    return known


def reader(kind: type[Any], given: tuple[str, ...] = ()) -> Reader:
    """What makes a record of the class from a dict of plain values, and from the values of the fields given."""
    known = _readers.get((kind, given))
    if known is None:
        with _one_at_a_time:
            known = _readers[kind, given] = _compile_reader(kind, given)
    return known


def _compile_writer(kind: type[Any], without: frozenset[str]) -> Any:
    """Write the source of a writer and run it; its name is taken first, for a class that holds itself asks for it."""
    name = _name("write", kind, tuple(sorted(without)))
    _space.setdefault(name)
    lines = [f"def {name}(record):", "    parts = []"]
    for each in sorted(fields(kind), key=lambda each: each.name):
        if each.name not in without:
            lines += _write_field(name, each, each.type)
    lines.append("    return '{' + ','.join(parts) + '}'")
    return _run(name, lines)


def _write_field(name: str, each: FieldInfo, hint: Any) -> list[str]:
    """The lines that write one field where it does not have its default."""
    default = _default(each)
    value = _written(_inner(hint), "value")
    if default is not None and _optional(hint):
        value = f"('null' if value is None else {value})"
    lines = [f"    value = record.{each.name}"]
    add = f"parts.append({json.dumps(each.name) + ':'!r} + {value})"
    if default is NODEFAULT:
        return [*lines, f"    {add}"]
    if default is None:
        return [*lines, f"    if value is not None: {add}"]
    _space[f"{name}_{each.name}"] = default
    return [*lines, f"    if value != {name}_{each.name}: {add}"]


def _written(hint: Any, value: str) -> str:
    """The expression that writes a value of the type, which is not None."""
    if _is_record(hint):
        return f"{_nested_writer(hint)}({value})"
    simple = {
        str: f"text({value})",
        bool: f"('true' if {value} else 'false')",
        int: f"number({value})",
        float: f"real({value})",
        datetime: f"'\"' + {value}.isoformat() + '\"'",
        timedelta: f"real({value}.total_seconds())",
    }
    if hint in simple:
        return simple[hint]
    parts, each = get_args(hint), f"{value}_"
    if get_origin(hint) is frozenset:
        return f"'[' + ','.join([{_written(_inner(parts[0]), each)} for {each} in sorted({value})]) + ']'"
    if get_origin(hint) is tuple and parts[-1] is Ellipsis:
        return f"'[' + ','.join([{_written(_inner(parts[0]), each)} for {each} in {value}]) + ']'"
    if get_origin(hint) is tuple:
        told = [_written(_inner(part), f"{value}[{number}]") for number, part in enumerate(parts)]
        return "'[' + " + " + ',' + ".join(told) + " + ']'"
    raise TypeError(f"a record holds {hint!r}, which the ledger cannot write")


def _compile_reader(kind: type[Any], given: tuple[str, ...]) -> Any:
    """Write the source of a reader and run it."""
    name = _name("read", kind, given)
    _space.setdefault(name)
    _space[f"{name}_"] = kind
    lines = [f"def {name}({', '.join(('plain', *given))}):", "    get = plain.get", f"    return {name}_("]
    for each in fields(kind):
        value = each.name if each.name in given else _read_field(name, each, _inner(each.type))
        lines.append(f"        {each.name}={value},")
    lines.append("    )")
    return _run(name, lines)


def _read_field(name: str, each: FieldInfo, hint: Any) -> str:
    """The expression that reads one field, its default where it is missing."""
    default, key = _default(each), repr(each.name)
    if default is NODEFAULT:
        return _read(hint, f"plain[{key}]")
    _space[f"{name}_{each.name}"] = default
    if hint in PLAIN:
        return f"get({key})" if default is None else f"get({key}, {name}_{each.name})"
    return f"{name}_{each.name} if (value := get({key})) is None else {_read(hint, 'value')}"


def _read(hint: Any, value: str) -> str:
    """The expression that makes a value of the type from its plain form."""
    if hint in PLAIN:
        return value
    if _is_record(hint):
        return f"{_nested_reader(hint)}({value})"
    if hint is datetime:
        return f"moment({value})"
    if hint is timedelta:
        return f"timedelta(0, {value})"
    if get_origin(hint) is frozenset:
        return f"frozenset({value})"
    first = _inner(get_args(hint)[0])
    return f"tuple({value})" if first in PLAIN else f"tuple([{_read(first, 'each')} for each in {value}])"


def _nested_writer(kind: Any) -> str:
    """The name of the writer of a class met inside another."""
    name = _name("write", kind, ())
    if name not in _space:
        writer(kind)
    return name


def _nested_reader(kind: Any) -> str:
    """The name of the reader of a class met inside another."""
    name = _name("read", kind, ())
    if name not in _space:
        reader(kind)
    return name


def _name(verb: str, kind: type[Any], names: tuple[str, ...]) -> str:
    """The name of a generated function."""
    return "_".join((verb, *kind.__module__.split("."), kind.__name__, *names))


def _run(name: str, lines: list[str]) -> Any:
    """The function that the lines define; they are made of field and class names of this program alone."""
    exec("\n".join(lines), _space)  # noqa: S102 - from names of this program alone
    return _space[name]


def _is_record(hint: Any) -> bool:
    """Is the type a class of records?"""
    return isinstance(hint, type) and issubclass(hint, Struct)


def _default(each: FieldInfo) -> Any:
    """The field's default, ``NODEFAULT`` where it has none."""
    return each.default if each.default_factory is NODEFAULT else each.default_factory()


def _inner(hint: Any) -> Any:
    """The type without its ``None``; a closed set is the type of its words."""
    if _optional(hint):
        hint = next(each for each in get_args(hint) if each is not type(None))
    return str if get_origin(hint) is Literal else hint


def _optional(hint: Any) -> bool:
    """May the value be ``None``?"""
    return get_origin(hint) in {Union, UnionType} and type(None) in get_args(hint)
