"""Change keys of a source in the text of a config; every other character of the text stays, comments, too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final

import yaml

from aggregator.config.parse import parse
from aggregator.errors import ConfigError

Keys = Mapping[str, Any]
"""Keys of a source and their values, as YAML has them; to change them, ``None`` or an empty value removes one."""

_Edit = tuple[int, int, str]
"""A piece of the text, from one place to another, and what takes its place."""

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9./_-]*(?::[A-Za-z0-9./_-]+)*")
"""Texts without characters that mean something in YAML, also in braces."""

_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Texts that some YAML reader takes for something else."""


def is_plain(text: str) -> bool:
    """Return whether a text needs no quotes for any YAML reader, also in braces."""
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS


def read_source(text: str, feed: str, source: str) -> Keys:
    """Return the keys of a source; raise ConfigError if the text is no YAML or has no such source."""
    return _find(parse(text, "config.yaml").values, feed, source)


def make_digest(keys: Keys) -> str:
    """Return a digest of the keys of a source."""
    return blake2b(json.dumps(keys, sort_keys=True).encode(), digest_size=8).hexdigest()


def change_source(text: str, feed: str, source: str, keys: Keys) -> str:
    """Return the text with keys of a source changed.

    Raises ConfigError if that cannot be done without changing another value, as where the source is an alias of another
    (YAML 1.2, section 7.1).
    """
    parsed = parse(text, "config.yaml")
    wanted = copy_values(parsed.values)
    _update(_find(wanted, feed, source), keys)
    node: Any = parsed.root
    for step in ("feeds", feed, "sources", source):
        node = next(value for key, value in node.value if key.value == step)
    after = _apply(text, _change(text, node, keys))
    if not has_values(after, wanted):
        raise ConfigError(f"feeds.{feed}.sources.{source} cannot be changed here as it is written: edit the file")
    return after


def copy_values(values: object) -> Any:
    """Return a copy of the values of a config in which no part is shared, as by an alias."""
    return json.loads(json.dumps(values))


def has_values(text: str, wanted: object) -> bool:
    """Return whether the text is YAML of these values."""
    try:
        return bool(copy_values(parse(text, "config.yaml").values) == wanted)
    except ConfigError:
        return False


def _find(values: Any, feed: str, source: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = values["feeds"][feed]["sources"][source]
    except (KeyError, TypeError) as error:
        raise ConfigError(f"the config has no feeds.{feed}.sources.{source}") from error
    return found


def _update(values: dict[str, Any], keys: Keys) -> None:
    """Change keys in place."""
    for name, value in keys.items():
        if _is_empty(value):
            values.pop(name, None)
        else:
            values[name] = value


def _is_empty(value: object) -> bool:
    return value is None or value in ({}, [])


def _apply(text: str, edits: Iterator[_Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _change(text: str, node: yaml.MappingNode, keys: Keys) -> Iterator[_Edit]:
    """Yield the edits that change keys of a mapping."""
    known = {key.value: (key, value) for key, value in node.value}
    if node.flow_style and any(_is_empty(keys.get(name, "")) for name in known):
        yield node.start_mark.index, node.end_mark.index, _write_without(text, node, keys)
        return
    for name, (key, value) in known.items():
        new = keys.get(name, "")
        if name not in keys:
            continue
        if _is_empty(new):
            yield text.rfind("\n", 0, key.start_mark.index) + 1, _find_line_end(text, value) + 1, ""
        elif isinstance(new, Mapping) and isinstance(value, yaml.MappingNode):
            yield from _change(text, value, {**{each.value: None for each, _ in value.value}, **new})
        elif _read(value) != new:
            yield key.end_mark.index, _find_end(text, value), f": {_write(new)}"
    added = {name: value for name, value in keys.items() if name not in known and not _is_empty(value)}
    if added:
        yield _add(text, node, added)


def _read(node: yaml.Node) -> Any:
    """Return the value of a scalar or of a list of texts."""
    return parse(yaml.serialize(node), "value").values


def _add(text: str, node: yaml.MappingNode, keys: Keys) -> _Edit:
    """Return the edit that adds keys at the end of a mapping."""
    written = [f"{name}: {_write(value)}" for name, value in keys.items()]
    if node.flow_style:
        end = node.end_mark.index - 1
        start = len(text[:end].rstrip())
        return (
            start,
            end,
            (", " if text[start - 1] not in "{," else " " * (text[start - 1] == ",")) + ", ".join(written),
        )
    end = _find_line_end(text, node)
    return end, end, "".join(f"\n{' ' * node.start_mark.column}{line}" for line in written)


def _write_without(text: str, node: yaml.MappingNode, keys: Keys) -> str:
    """Return a mapping in braces without the keys that are removed, and with the others changed."""
    entries = []
    for key, value in node.value:
        new = keys.get(key.value, "")
        if _is_empty(new):
            continue
        is_same = key.value not in keys or _read(value) == new
        entries.append(
            text[key.start_mark.index : _find_end(text, value)] if is_same else f"{key.value}: {_write(new)}"
        )
    known = {key.value for key, _ in node.value}
    entries += [
        f"{name}: {_write(value)}" for name, value in keys.items() if name not in known and not _is_empty(value)
    ]
    return "{" + ", ".join(entries) + "}"


def _find_end(text: str, node: yaml.Node) -> int:
    """Return where a node ends; what follows of comments and blank lines is not of it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _find_end(text, last[1] if isinstance(last, tuple) else last)
    return len(text[: node.end_mark.index].rstrip())


def _find_line_end(text: str, node: yaml.Node) -> int:
    end = text.find("\n", _find_end(text, node))
    return len(text) if end < 0 else end


def _write(value: Any) -> str:
    """Return a value in YAML on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_write(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_write, value))}]"
    if isinstance(value, str) and is_plain(value):
        return value
    return json.dumps(
        value, ensure_ascii=isinstance(value, str) and not value.isprintable()
    )  # JSON is YAML (YAML 1.2, section 1.3)
