"""A command line of usual options, read without typer, whose every value goes through pydantic: 0.1 s to load it.

What is read here is what typer would read (``tests/cli/test_cli_usual.py`` compares both); whatever else stands on
the line, every mistake and every call for help among it, is left to typer, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import typer
from typer.models import OptionInfo

READERS: Mapping[object, Callable[[str], object]] = {str: str, Path: Path}
"""What makes a value of the words of the usual types; a time has a reader of its own."""


class DoubtError(Exception):
    """Something is not written as usual: typer is to look at it."""


@dataclass(frozen=True, slots=True)
class _Option:
    """An option: the name of its parameter, what reads its value (``None`` for one that has none), and if many come."""

    name: str
    read: Callable[[str], object] | None
    many: bool


def values(command: Callable[..., None], words: Sequence[str]) -> dict[str, object] | None:
    """What the words give to the command's parameters; ``None`` where anything is not plainly right."""
    taken: dict[str, Any] = {}
    rest = iter(words)
    try:
        known = _options(command)
        for word in rest:
            option = known.get(word)
            if option is None or (option.name in taken and not option.many):
                return None
            value = True if option.read is None else option.read(_following(rest))
            taken[option.name] = [*taken.get(option.name, ()), value] if option.many else value
    except (DoubtError, typer.BadParameter):
        return None
    return taken


def _following(rest: Iterator[str]) -> str:
    """The word that is an option's value."""
    word = next(rest, "-")
    if word.startswith("-"):
        raise DoubtError
    return word


def _options(command: Callable[..., None]) -> dict[str, _Option]:
    """The options of a command as they are written; DoubtError where it takes anything else."""
    known: dict[str, _Option] = {}
    for name, hint in get_type_hints(command, include_extras=True).items():
        if name == "return":
            continue
        kind, *said = get_args(hint) or (hint,)
        info = said[0] if said else None
        if not isinstance(info, OptionInfo) or info.envvar:
            raise DoubtError
        option = _option(name, _known(kind), info)
        known |= dict.fromkeys(_written(info), option)
    return known


def _written(info: OptionInfo) -> tuple[str, ...]:
    """How an option is written; within ``Annotated`` typer has the first of it where a default stands otherwise."""
    written = tuple(map(str, (info.default, *(info.param_decls or ()))))
    if not all(each.startswith("-") and "/" not in each for each in written):
        raise DoubtError
    return written


def _option(name: str, kind: Any, info: OptionInfo) -> _Option:
    """How one option is read; DoubtError for a type that is not usual."""
    many = get_origin(kind) is list
    (kind,) = get_args(kind) if many else (kind,)
    read = info.parser if kind is datetime else READERS.get(kind)
    if read is None and kind is not bool:
        raise DoubtError
    return _Option(name, read, many)


def _known(kind: Any) -> Any:
    """The type without its ``None``."""
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if get_origin(kind) is UnionType and len(parts) == 1 else kind
