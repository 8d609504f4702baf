"""Add sources and feeds to config.yaml, and change sources; its comments, order and quotes are kept."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString as Quoted

from aggregator.config.change import (
    Keys,
    change_source,
    copy_values,
    has_values,
    is_plain,
    make_digest,
    read_source,
)
from aggregator.config.load import check
from aggregator.config.parse import parse
from aggregator.errors import ConfigError

_WIDTH = 4096
"""Line width for ruamel.yaml, which folds longer lines."""

_writing: Final = Lock()
"""Held while a config file is read, changed and written: the desk may get two requests at once."""


class ChangedError(ConfigError):
    """The config was changed since the state that was seen."""


class Addition(Struct, frozen=True):
    """One source to add: its feed, its name, its keys and options; ``title`` is the title of a new feed."""

    feed: str
    source: str
    keys: tuple[tuple[str, str], ...]
    title: str | None = None
    options: tuple[tuple[str, str], ...] = ()


def add(path: Path, additions: Sequence[Addition]) -> None:
    """Add sources to a config file, which is created if it does not exist.

    The whole text is checked before and after. Raises ConfigError if it is wrong or cannot be written; the file is then
    unchanged.
    """
    with _writing:
        _write(path, lambda before: add_sources(before, additions)).replace(path.resolve())


def change(path: Path, feed: str, source: str, keys: Keys, *, seen: str) -> None:
    """Change keys of a source in a config file.

    Raises ConfigError if the result is wrong or cannot be written, ChangedError if the digest of the source's keys is
    not the one that was ``seen``; the file is then unchanged.
    """

    def edit(text: str) -> str:
        if make_digest(read_source(text, feed, source)) != seen:
            raise ChangedError(f"feeds.{feed}.sources.{source} was changed meanwhile. Nothing was written; look again.")
        return change_source(text, feed, source, keys)

    with _writing:
        _write(path, edit).replace(path.resolve())


def write_draft(path: Path, feed: str, source: str, keys: Keys, ending: str) -> Path:
    """Write a copy of a config file beside it, with keys of a source changed, and return its path; ConfigError."""
    return _write(path, lambda text: change_source(text, feed, source, keys), ending)


def _write(path: Path, edit: Callable[[str], str], ending: str = "partial") -> Path:
    """Write the edited text of a config into a file beside it; return its path. Raises ConfigError."""
    path = path.resolve()
    try:
        before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        if before.strip():
            check(before, str(path), allow_empty=True)
        after = edit(before)
        check(after, str(path))
        written = path.with_name(f".{path.name}.{ending}")
        written.write_text(after, encoding="utf-8")
        if path.exists():
            shutil.copymode(path, written)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error
    return written


def add_sources(text: str, additions: Sequence[Addition]) -> str:
    """Add sources to the text of a valid config; no other line changes.

    Only if feeds or sources are written in braces, or are missing, the whole text is rewritten by ruamel.yaml. Raises
    ConfigError if another value would change, as where the sources of two feeds are one by an alias.
    """
    wanted = copy_values(parse(text, "config.yaml").values) or {}
    wanted["feeds"] = wanted.get("feeds") or {}
    for each in additions:
        feed = wanted["feeds"].setdefault(each.feed, {"title": each.title or each.feed, "sources": {}})
        feed["sources"][each.source] = dict(each.keys) | ({"options": dict(each.options)} if each.options else {})
    try:
        after = _add_sources(text, additions)
    except YAMLError:
        after = ""
    if not has_values(after, wanted):
        names = ", ".join(sorted({f"feeds.{each.feed}" for each in additions}))
        raise ConfigError(f"{names} cannot be extended here as the config is written: edit the file")
    return after


def _add_sources(text: str, additions: Sequence[Addition]) -> str:
    for each in additions:
        document = _make_yaml().load(text) or CommentedMap()
        feeds = document.get("feeds")
        if feeds and each.feed in feeds:
            made = CommentedMap({each.source: _make_keys(each)})
            text = _insert(text, feeds[each.feed]["sources"], made) or _rewrite(text, [each])
    known = (_make_yaml().load(text) or {}).get("feeds") or CommentedMap()
    fresh = [each for each in additions if each.source not in known.get(each.feed, {}).get("sources", {})]
    made = CommentedMap()
    for each in fresh:
        _add(made, each)
    return (_insert(text, known, made) or _rewrite(text, fresh)) if fresh else text


def find_free_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, with the lowest number after it that makes it unused.

    >>> find_free_name("feed", {"feed", "feed-2"})
    'feed-3'
    """
    names = set(taken)
    tries = (name if number == 1 else f"{name}-{number}" for number in range(1, len(names) + 2))
    return next(each for each in tries if each not in names)


def _insert(text: str, mapping: CommentedMap, made: CommentedMap) -> str | None:
    """Append ``made`` to the lines of a mapping; return ``None`` if the mapping is not written in lines."""
    if not mapping or mapping.fa.flow_style():
        return None
    lines = text.splitlines()
    first, last = next(iter(mapping)), list(mapping)[-1]
    column: int = mapping.lc.key(first)[1]
    end: int = mapping.lc.key(last)[0]
    for at in range(end + 1, len(lines)):
        bare = lines[at].lstrip()
        if bare and not bare.startswith("#"):
            if len(lines[at]) - len(bare) <= column:
                break
            end = at
    new = (f"{' ' * column}{line}" for line in _dump(made).splitlines())
    return "\n".join((*lines[: end + 1], *new, *lines[end + 1 :])) + "\n"


def _rewrite(text: str, additions: Sequence[Addition]) -> str:
    """Add sources by letting ruamel.yaml rewrite the whole text."""
    document = _make_yaml().load(text) or CommentedMap()
    if not document.get("feeds"):
        document["feeds"] = CommentedMap()
    for each in additions:
        _add(document["feeds"], each)
    return _dump(document)


def _add(feeds: CommentedMap, addition: Addition) -> None:
    """Add one source, and its feed if that is new."""
    if addition.feed not in feeds:
        feeds[addition.feed] = CommentedMap(title=addition.title or addition.feed, sources=CommentedMap())
    feeds[addition.feed]["sources"][addition.source] = _make_keys(addition)


def _make_keys(addition: Addition) -> CommentedMap:
    """Make the keys of a source, in braces on one line."""
    keys = _make_flow_map(addition.keys)
    if addition.options:
        keys["options"] = _make_flow_map(addition.options)
    return keys


def _make_flow_map(pairs: Iterable[tuple[str, str]]) -> CommentedMap:
    made = CommentedMap((key, value if is_plain(value) else Quoted(value)) for key, value in pairs)
    made.fa.set_flow_style()
    return made


def _dump(document: CommentedMap) -> str:
    after = io.StringIO()
    _make_yaml().dump(document, after)
    return after.getvalue()


def _make_yaml() -> YAML:
    """Make a ruamel.yaml instance that keeps quotes and layout."""
    writer = YAML()
    writer.preserve_quotes = True
    writer.width = _WIDTH
    writer.indent(mapping=2, sequence=4, offset=2)
    return writer
