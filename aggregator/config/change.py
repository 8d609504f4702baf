"""Add sources and change keys in the text of a config; every other character stays, comments, too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Final

import yaml
from msgspec import Struct

from aggregator.config.parse import ParsedYaml, parse
from aggregator.errors import ConfigError
from aggregator.translation.marks import N_

Keys = Mapping[str, Any]
"""Keys of a place and their values, as YAML has them; to change them, ``None`` or an empty value removes one."""

Place = tuple[str, ...]
"""The steps that lead to a mapping of the config: none to the config itself, ``feeds``, NAME to a feed, and so on."""

_Edit = tuple[int, int, str]
"""A piece of the text, from one place to another, and what takes its place."""

_INNER: Final = ("feeds", "sources")
"""The keys that hold further places."""

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9./_-]*(?::[A-Za-z0-9./_-]+)*")
"""Texts without characters that mean something in YAML, also in braces."""

_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
"""Texts that some YAML reader takes for something else."""


class Addition(Struct, frozen=True):
    """One source to add: its feed, its name, its keys and options; ``title`` is the title of a new feed.

    ``primary`` is the source that becomes the primary one of the feed, ``None`` to leave that as it is.
    """

    feed: str
    source: str
    keys: tuple[tuple[str, str | list[str]], ...]
    title: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    primary: str | None = None


def read_keys(config: ParsedYaml, place: Place) -> Keys:
    """Return the keys of a place, those of its feeds or sources left out; raise ConfigError if there is none."""
    return {name: value for name, value in _find(config.values, place).items() if name not in _INNER}


def make_digest(keys: Keys) -> str:
    """Return a digest of the keys of a place."""
    return blake2b(json.dumps(keys, sort_keys=True).encode(), digest_size=8).hexdigest()


def change_keys(before: ParsedYaml, place: Place, keys: Keys) -> ParsedYaml:
    """Return the config with keys of a place changed.

    Raises ConfigError if that cannot be done without changing another value, as where the source is an alias of another
    (YAML 1.2, section 7.1).
    """
    wanted = _copy(before.values)
    values = _find(wanted, place)
    for name, value in keys.items():
        if _is_empty(value):
            values.pop(name, None)
        else:
            values[name] = value
    node: Any = before.root
    for step in place:
        node = _child(node, step)
    after = _apply(before.text, _change(before.text, node, keys))
    return _check(after, wanted, N_(f"{'.'.join(place) or 'config.yaml'} cannot be changed here as it is written"))


def remove(before: ParsedYaml, feed: str, source: str | None = None) -> ParsedYaml:
    """Return the config without a source, or without a feed; no other line changes.

    Raises ConfigError if there is none of that name, or it is the only source of its feed, or it cannot be removed
    without changing another value.
    """
    wanted = _copy(before.values)
    edits = _cut(before, wanted, feed, source)
    if source is not None and not wanted["feeds"][feed]["sources"]:
        raise ConfigError(f"feeds.{feed}.sources.{source} is its only source; remove the feed: --feed {feed}")
    place = f"feeds.{feed}" if source is None else f"feeds.{feed}.sources.{source}"
    return _check(_apply(before.text, edits), wanted, N_(f"{place} cannot be removed here as the config is written"))


def move(before: ParsedYaml, feed: str, source: str, to: str, name: str) -> ParsedYaml:
    """Return the config with a source in another feed, after its sources and under that name.

    A feed without another source leaves the config. No other line changes. Raises ConfigError if there is no such
    source or feed, or another value would change.
    """
    wanted = _copy(before.values)
    there, keys = _find(wanted, ("feeds", to, "sources")), _find(wanted, ("feeds", feed, "sources", source))
    sources = _child(_child(_child(before.root, "feeds"), feed), "sources")
    is_last = len(sources.value) == 1
    cut = tuple(_cut(before, wanted, feed, None if is_last else source))
    there[name] = keys
    target = _child(_child(_child(before.root, "feeds"), to), "sources")
    for added in (_add_as_written(before.text, sources, source, target, name), _add(before.text, target, {name: keys})):
        with suppress(ConfigError):
            return _check(_apply(before.text, (*cut, added)), wanted, "")
    raise ConfigError(f"feeds.{feed}.sources.{source} cannot be moved here as the config is written: edit the file")


def _cut(before: ParsedYaml, wanted: dict[str, Any], feed: str, source: str | None) -> Iterator[_Edit]:
    """Return the edits that remove a source, or a feed, and remove it from the values; raise ConfigError."""
    node = _child(before.root, "feeds")
    if source is None:
        if feed not in (wanted.get("feeds") or {}):
            raise ConfigError(f"the config has no feeds.{feed}")
        del wanted["feeds"][feed]
        wanted["feeds"] = wanted["feeds"] or (None if not node.flow_style else {})
        return _change(before.text, node, {feed: None})
    _find(wanted, ("feeds", feed, "sources", source))
    del wanted["feeds"][feed]["sources"][source]
    return _change(before.text, _child(_child(node, feed), "sources"), {source: None})


def _add_as_written(text: str, sources: yaml.MappingNode, source: str, target: yaml.MappingNode, name: str) -> _Edit:
    """Return the edit that adds a source at the end of others with the lines that it has, comments, too."""
    key, value = next((key, value) for key, value in sources.value if key.value == source)
    end = _find_line_end(text, target)
    column = target.start_mark.column
    pad, indented = f"\n{' ' * column}", f"\n{' ' * sources.start_mark.column}"
    written = text[key.end_mark.index : _find_line_end(text, value)].replace(indented, pad)
    return end, end, f"{pad}{_write(name)}{written}"


def add_sources(before: ParsedYaml, additions: Sequence[Addition]) -> ParsedYaml:
    """Return a valid config with sources added, a new feed after the others; no other line changes.

    Raises ConfigError if another value would change, as where the sources of two feeds are one by an alias.
    """
    wanted = _copy(before.values) or {}
    wanted["feeds"] = wanted.get("feeds") or {}
    known = frozenset(wanted["feeds"])
    added: dict[str, dict[str, Any]] = {}
    for each in additions:
        feed = added.setdefault(each.feed, {"title": each.title or each.feed, "sources": {}})
        feed["sources"][each.source] = dict(each.keys) | ({"options": dict(each.options)} if each.options else {})
    for name, feed in added.items():
        wanted["feeds"].setdefault(name, {**feed, "sources": {}})["sources"].update(feed["sources"])
    edits = [*_add_to_feeds(before, {name: feed["sources"] for name, feed in added.items() if name in known})]
    if new := {name: feed for name, feed in added.items() if name not in known}:
        edits += _add_feeds(before, new)
    after = _apply(before.text, edits)
    names = ", ".join(sorted(f"feeds.{name}" for name in added))
    checked = _check(after, wanted, N_(f"{names} cannot be extended here as the config is written"))
    for each in (each for each in additions if each.primary):
        checked = change_keys(checked, ("feeds", each.feed), {"primary": each.primary})
    return checked


def _copy(values: Any) -> Any:
    """Return a copy of values in which no part is shared, as by an alias."""
    if isinstance(values, dict):
        return {key: _copy(value) for key, value in values.items()}
    return [_copy(value) for value in values] if isinstance(values, list) else values


def _check(text: str, wanted: object, refusal: str) -> ParsedYaml:
    """Return the parsed text; raise ConfigError if it does not have these values."""
    with suppress(ConfigError):
        after = parse(text, "config.yaml")
        if after.values == wanted:
            return after
    raise ConfigError(f"{refusal}: edit the file")


def _child(node: Any, step: str) -> Any:
    """Return the value of a key of a mapping, ``None`` if it has none of that name."""
    return next((value for key, value in node.value if key.value == step), None)


def _add_to_feeds(before: ParsedYaml, added: Mapping[str, Keys]) -> Iterator[_Edit]:
    feeds = {key.value: value for key, value in _child(before.root, "feeds").value} if added else {}
    for name, sources in added.items():
        yield _add(before.text, _child(feeds[name], "sources"), sources)


def _add_feeds(before: ParsedYaml, added: Mapping[str, Keys]) -> Iterator[_Edit]:
    """Yield the edits that add feeds after the others: in lines, or in braces where those are."""
    text, root = before.text, before.root
    rows = root.value if isinstance(root, yaml.MappingNode) else []
    key, feeds = next(((key, value) for key, value in rows if key.value == "feeds"), (None, None))
    if isinstance(feeds, yaml.MappingNode) and feeds.value:
        end, lines = _find_line_end(text, feeds), _write_feeds(added, feeds.start_mark.column)
        yield _add(text, feeds, added) if feeds.flow_style else (end, end, lines)
    elif key is not None and feeds is not None:
        if feeds.start_mark.index < feeds.end_mark.index:  # {} or null
            yield key.end_mark.index, feeds.end_mark.index, ":"
        end, lines = _find_line_end(text, key), _write_feeds(added, key.start_mark.column + 2)
        if isinstance(root, yaml.MappingNode) and root.flow_style:
            end, lines = feeds.end_mark.index, f" {_write(added)}"
        yield end, end, lines
    elif isinstance(root, yaml.MappingNode) and root.flow_style:
        yield _add(text, root, {"feeds": added})
    else:
        column = root.start_mark.column if root else 0
        pad = "" if text.endswith("\n") or not text else "\n"
        yield len(text), len(text), f"{pad}{' ' * column}feeds:{_write_feeds(added, column + 2)}\n"


def _write_feeds(feeds: Mapping[str, Keys], column: int) -> str:
    pad = f"\n{' ' * column}"
    return "".join(
        f"{pad}{_write(name)}:{pad}  title: {_write(feed['title'])}{pad}  sources:"
        + "".join(f"{pad}    {_write(source)}: {_write(keys)}" for source, keys in feed["sources"].items())
        for name, feed in feeds.items()
    )


def _find(values: Any, place: Place) -> dict[str, Any]:
    found: dict[str, Any] = values
    try:
        for step in place:
            found = found[step]
    except (KeyError, TypeError) as error:
        raise ConfigError(f"the config has no {'.'.join(place)}") from error
    return found


def _is_empty(value: object) -> bool:
    return value is None or value in ({}, [])


def _apply(text: str, edits: Iterable[_Edit]) -> str:
    """Return the text with the edits made; those at one place stay in their order."""
    parts, done = [], 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[done:start], new]
        done = end
    return "".join((*parts, text[done:]))


def _change(text: str, node: yaml.MappingNode, keys: Keys) -> Iterator[_Edit]:
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
    written = [f"{_write(name)}: {_write(value)}" for name, value in keys.items()]
    if node.flow_style:
        end = node.end_mark.index - 1
        start = len(text[:end].rstrip())
        return (
            start,
            end,
            (", " if text[start - 1] not in "{," else " " * (text[start - 1] == ",")) + ", ".join(written),
        )
    if node.start_mark.column == 0:  # before the feeds, where a person would write it
        return node.start_mark.index, node.start_mark.index, "".join(f"{line}\n" for line in written)
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


def _is_plain(text: str) -> bool:
    """Return whether a text needs no quotes for any YAML reader, also in braces."""
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _WORDS


def _write(value: Any) -> str:
    """Return a value in YAML on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_write(name)}: {_write(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_write, value))}]"
    if not isinstance(value, str):
        return json.dumps(value)  # JSON is YAML (YAML 1.2, section 1.3)
    return value if _is_plain(value) else f'"{"".join(map(_escape, value))}"'


def _escape(letter: str) -> str:
    """Return a character as it is written in double quotes (YAML 1.2, section 5.7)."""
    if letter in '"\\':
        return f"\\{letter}"
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"
