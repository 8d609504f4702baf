"""YAML bytes become plain values; a key given twice is an error, and every key knows its line.

The scalars are YAML 1.2's core schema as far as a person needs it: ``no``, ``on``, ``12:30`` and ``2024-05-01`` stay
the strings that were written (YAML 1.1 makes them a boolean, a boolean, 750 and a date).
"""

from __future__ import annotations

import re

import yaml
from msgspec import Struct

from aggregator.errors import ConfigError, one_line

try:
    from yaml import CSafeLoader as Reader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as Reader  # type: ignore[assignment]  # the same interface, slower

Path = tuple[str | int, ...]


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


TEXT, MAPPING, SEQUENCE = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "map", "seq"))
SCALARS = frozenset({TEXT, *(f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float"))})


class UnusualError(Exception):
    """Something in the document is rare: PyYAML itself is to make its values."""


class Parsed(Struct, frozen=True):
    """The plain values of one YAML document, and what they were made of; ``root`` is ``None`` where it is empty."""

    values: object
    root: yaml.Node | None

    @property
    def lines(self) -> dict[Path, int]:
        """The line (from 1) on which each key or entry stands."""
        return {} if self.root is None else _walk(self.root)[0]


def parse(text: str, name: str) -> Parsed:
    """The values of a YAML text; ``name`` is how errors call the file. Raises ConfigError."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Parsed(None, None)
        try:
            return Parsed(_plain(node, loader, set()), node)
        except UnusualError:
            _check(node, name)
            return Parsed(loader.construct_document(node), node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise ConfigError(one_line(f"{name}:{line}: not YAML: {error.problem or error.context}")) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigError(one_line(f"{name}: not YAML: {' '.join(str(error).split())}")) from error
    finally:
        loader.dispose()


def spell(path: Path) -> str:
    """A key's path as a person writes it.

    >>> spell(("feeds", "talk", "hubs", 0))
    'feeds.talk.hubs[0]'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).removeprefix(".") or "(the whole file)"


def _plain(node: yaml.Node, loader: _Loader, met: set[int]) -> object:
    """The values of a node, as PyYAML makes them; UnusualError at a key that is no text or given twice, or an alias."""
    if isinstance(node, yaml.ScalarNode) and node.tag in SCALARS:
        return node.value if node.tag == TEXT else loader.construct_object(node)
    if id(node) in met:
        raise UnusualError
    met.add(id(node))
    if isinstance(node, yaml.SequenceNode) and node.tag == SEQUENCE:
        return [_plain(each, loader, met) for each in node.value]
    if not isinstance(node, yaml.MappingNode) or node.tag != MAPPING:
        raise UnusualError
    keys = {key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.tag == TEXT}
    if len(keys) < len(node.value):
        raise UnusualError
    return {key.value: _plain(value, loader, met) for key, value in node.value}


def _check(root: yaml.Node, name: str) -> None:
    """ConfigError where a key is given twice."""
    if twice := _walk(root)[1]:
        told = (one_line(f"{name}:{line}: {spell(path)}: given twice") for path, line in twice)
        raise ConfigError("\n".join(told))


def _walk(root: yaml.Node) -> tuple[dict[Path, int], list[tuple[Path, int]]]:
    """The line of every path, and the paths given twice. A node reached by several aliases is walked once."""
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
    """What stands directly below a node: its step, its line from 1, and its node."""
    if isinstance(node, yaml.MappingNode):
        return [
            (str(key.value), key.start_mark.line + 1, value)
            for key, value in node.value
            if key.tag != "tag:yaml.org,2002:merge"
        ]
    if isinstance(node, yaml.SequenceNode):
        return [(at, entry.start_mark.line + 1, entry) for at, entry in enumerate(node.value)]
    return []
