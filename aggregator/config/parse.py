"""Parse YAML to plain values with the line of each key; duplicate keys are an error.

Scalars follow the core schema of YAML 1.2: ``no``, ``on``, ``12:30`` and ``2024-05-01`` are strings (in YAML 1.1 they
are a boolean, a boolean, 750 and a date).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml
from msgspec import Struct

from aggregator.errors import ConfigError, escape_line
from aggregator.translation.marks import N_

try:
    from yaml import CSafeLoader as Reader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as Reader  # type: ignore[assignment]  # the same interface, slower

Path = tuple[str | int, ...]

_TWICE = N_("given twice")

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
"""What a message of the parser quotes: a sign, or a piece of the text, which may be a secret (an alias, a tag)."""


class _Loader(Reader):
    """The safe loader with the scalars of YAML 1.2."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - PyYAML's own class attribute


for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), _first)


class ParsedYaml(Struct, frozen=True):
    """A YAML document: its text, its values and its nodes; ``root`` is ``None`` if it is empty."""

    text: str
    values: object
    root: yaml.Node | None

    @property
    def lines(self) -> dict[Path, int]:
        """Return the line (from 1) of each key and list entry."""
        return {} if self.root is None else _walk(self.root)[0]


def parse(text: str, name: str) -> ParsedYaml:
    """Parse a YAML text; raise ConfigError if it is wrong. ``name`` is the file's name in messages."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return ParsedYaml(text, None, None)
        if twice := _walk(node)[1]:
            mistakes = (escape_line(f"{name}:{line}: {format_path(path)}: {_TWICE}") for path, line in twice)
            raise ConfigError("\n".join(mistakes))
        return ParsedYaml(text, loader.construct_document(node), node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        why = _explain(error, text)
        raise ConfigError(escape_line(f"{name}:{line}: {N_(f'not YAML: {why}')}")) from error
    except (yaml.YAMLError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise ConfigError(escape_line(f"{name}: {N_(f'not YAML: {why}')}")) from error
    finally:
        loader.dispose()


class _Level(Struct):
    """A mapping or list while its events come: its path, and the key or the index that it is at."""

    path: Path
    is_mapping: bool
    step: str | int | None


def iterate_scalars(text: str) -> Iterator[tuple[Path, bool, int, int]]:
    """Yield each scalar of a YAML text, up to its first mistake: path, whether it is a key, start and end."""
    levels: list[_Level] = []
    try:
        for event in yaml.parse(text, Loader=Reader):
            if isinstance(event, yaml.CollectionEndEvent):
                levels.pop()
            if not isinstance(event, yaml.NodeEvent):
                continue
            is_key = bool(levels) and levels[-1].is_mapping and levels[-1].step is None
            path = _advance(levels[-1], str(getattr(event, "value", "")), is_key=is_key) if levels else ()
            if isinstance(event, yaml.ScalarEvent):
                start, end = event.start_mark, event.end_mark
                yield path, is_key, start.index if start else 0, end.index if end else 0
            elif isinstance(event, yaml.CollectionStartEvent):
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                levels.append(_Level(path, is_mapping, None if is_mapping else -1))
    except (yaml.YAMLError, RecursionError):
        return


def _advance(level: _Level, value: str, *, is_key: bool) -> Path:
    """Go on to the next part of a mapping or list, and return its path."""
    if is_key:
        level.step = value
        return (*level.path, value)
    if isinstance(level.step, int):
        level.step += 1
        return (*level.path, level.step)
    path = (*level.path, level.step or "")
    level.step = None
    return path


def _explain(error: yaml.MarkedYAMLError, text: str) -> str:
    """Return what is wrong; a tab in an indentation, which cannot be seen, by its name (YAML 1.2, section 6.1)."""
    start = error.problem_mark.line if error.problem_mark else 0
    if any(re.match(r" *\t", line) for line in text.split("\n")[start : start + 1]):
        return N_("the line is indented with a tab where spaces must be")
    return _QUOTED.sub(_hide_quoted, error.problem or error.context or "unreadable")


def _hide_quoted(found: re.Match[str]) -> str:
    quoted = found[0]
    is_sign = len(quoted) <= len("'x'") or quoted[1] == "<"
    return quoted if is_sign else f"{quoted[0]}…{quoted[0]}"


def format_path(path: Path) -> str:
    """Format the path of a key; that of the whole file is empty.

    >>> format_path(("feeds", "talk", "hubs", 0))
    'feeds.talk.hubs[0]'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def _walk(root: yaml.Node) -> tuple[dict[Path, int], list[tuple[Path, int]]]:
    """Return the line of every path, and the paths given twice; a node with several aliases is visited once."""
    lines: dict[Path, int] = {}
    twice: list[tuple[Path, int]] = []
    seen: set[int] = set()
    ahead: list[tuple[Path, yaml.Node]] = [((), root)]
    while ahead:
        path, node = ahead.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for step, mark, below in _children(node):
            here = (*path, step)
            if here in lines:
                twice.append((here, mark))
            lines[here] = mark
            ahead.append((here, below))
    return lines, sorted(twice, key=lambda entry: entry[1])


def _children(node: yaml.Node) -> list[tuple[str | int, int, yaml.Node]]:
    """Return the children of a node: step, line from 1, node."""
    if isinstance(node, yaml.MappingNode):
        return [
            (str(key.value), key.start_mark.line + 1, value)
            for key, value in node.value
            if key.tag != "tag:yaml.org,2002:merge"
        ]
    if isinstance(node, yaml.SequenceNode):
        return [(at, entry.start_mark.line + 1, entry) for at, entry in enumerate(node.value)]
    return []
