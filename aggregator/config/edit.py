"""config.yaml gains a source or a feed, and keeps its comments, its order and its quotes."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.scalarstring import DoubleQuotedScalarString as Quoted

from aggregator.config.load import check
from aggregator.errors import ConfigError

WIDTH = 4096
"""Wider than any line a person writes: ruamel.yaml would fold longer ones."""


PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9./_-]*(?::[A-Za-z0-9./_-]+)*")
"""What every YAML reader takes without quotes, in braces too; PyYAML's own does not take a question mark there."""


class Addition(Struct, frozen=True):
    """One source to write into the config: its feed, its name and its keys; ``title`` names a feed that is new."""

    feed: str
    source: str
    keys: tuple[tuple[str, str], ...]
    title: str | None = None


def add(path: Path, additions: Sequence[Addition]) -> None:
    """The config file with the sources added, made where there is none; raises ConfigError and changes nothing.

    The text is checked as a whole, before and after; then the new one takes the old one's place.
    """
    path = path.resolve()
    try:
        before = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        if before.strip():
            check(before, str(path), begun=True)
        after = added(before, additions)
        check(after, str(path))
        partial = path.with_name(f".{path.name}.partial")
        partial.write_text(after, encoding="utf-8")
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error


def added(text: str, additions: Sequence[Addition]) -> str:
    """The text of a sound config with the sources added; no other line of it changes.

    Only where feeds or sources are written in braces, or not at all, is the text written anew by ruamel.yaml.
    """
    for each in additions:
        document = _writer().load(text) or CommentedMap()
        feeds = document.get("feeds")
        if feeds and each.feed in feeds:
            made = CommentedMap({each.source: _keys(each)})
            text = _placed(text, feeds[each.feed]["sources"], made) or _rewritten(text, [each])
    known = (_writer().load(text) or {}).get("feeds") or CommentedMap()
    fresh = [each for each in additions if each.source not in known.get(each.feed, {}).get("sources", {})]
    made = CommentedMap()
    for each in fresh:
        _add(made, each)
    return (_placed(text, known, made) or _rewritten(text, fresh)) if fresh else text


def free(name: str, taken: Iterable[str]) -> str:
    """The name, with the first number after it that makes it free.

    >>> free("feed", {"feed", "feed-2"})
    'feed-3'
    """
    names = set(taken)
    tries = (name if number == 1 else f"{name}-{number}" for number in range(1, len(names) + 2))
    return next(each for each in tries if each not in names)


def _placed(text: str, mapping: CommentedMap, made: CommentedMap) -> str | None:
    """The text with what was made as the last lines of one of its mappings; ``None`` where that has no lines."""
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
    new = (f"{' ' * column}{line}" for line in _dumped(made).splitlines())
    return "\n".join((*lines[: end + 1], *new, *lines[end + 1 :])) + "\n"


def _rewritten(text: str, additions: Sequence[Addition]) -> str:
    """The text as ruamel.yaml writes it anew, with its comments, and the additions in their places."""
    document = _writer().load(text) or CommentedMap()
    if not document.get("feeds"):
        document["feeds"] = CommentedMap()
    for each in additions:
        _add(document["feeds"], each)
    return _dumped(document)


def _add(feeds: CommentedMap, addition: Addition) -> None:
    """Put one source in its place, with its feed where that is new."""
    if addition.feed not in feeds:
        feeds[addition.feed] = CommentedMap(title=addition.title or addition.feed, sources=CommentedMap())
    feeds[addition.feed]["sources"][addition.source] = _keys(addition)


def _keys(addition: Addition) -> CommentedMap:
    """The keys of a source, in braces on one line."""
    keys = CommentedMap((key, value if PLAIN.fullmatch(value) else Quoted(value)) for key, value in addition.keys)
    keys.fa.set_flow_style()
    return keys


def _dumped(document: CommentedMap) -> str:
    """A mapping as ruamel.yaml writes it."""
    after = io.StringIO()
    _writer().dump(document, after)
    return after.getvalue()


def _writer() -> YAML:
    """ruamel.yaml, set to give back what it was given."""
    writer = YAML()
    writer.preserve_quotes = True
    writer.width = WIDTH
    writer.indent(mapping=2, sequence=4, offset=2)
    return writer
