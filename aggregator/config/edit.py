"""config.yaml gains a source or a feed, and keeps its comments, its order and its quotes."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap

from aggregator.config.load import check
from aggregator.errors import ConfigError

WIDTH = 4096
"""Wider than any line a person writes: ruamel.yaml would fold longer ones."""


@dataclass(frozen=True, slots=True)
class Addition:
    """One source to write into the config: its feed, its name and its keys; ``title`` names a feed that is new."""

    feed: str
    source: str
    keys: tuple[tuple[str, str], ...]
    title: str | None = None


def add(path: Path, additions: Sequence[Addition]) -> None:
    """The config file with the sources added, made where there is none; raises ConfigError and changes nothing.

    The text is checked as a whole, before and after; then the new one takes the old one's place.
    """
    writer = _writer()
    path = path.resolve()
    try:
        text = path.read_text(encoding="utf-8-sig") if path.exists() else ""
        if text.strip():
            check(text, str(path))
        document = writer.load(text) or CommentedMap()
        feeds = document.setdefault("feeds", CommentedMap())
        for each in additions:
            _add(feeds, each)
        after = io.StringIO()
        writer.dump(document, after)
        check(after.getvalue(), str(path))
        partial = path.with_name(f".{path.name}.partial")
        partial.write_text(after.getvalue(), encoding="utf-8")
        if path.exists():
            shutil.copymode(path, partial)
        partial.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from error


def free(name: str, taken: Iterable[str]) -> str:
    """The name, with the first number after it that makes it free.

    >>> free("feed", {"feed", "feed-2"})
    'feed-3'
    """
    names = set(taken)
    tries = (name if number == 1 else f"{name}-{number}" for number in range(1, len(names) + 2))
    return next(each for each in tries if each not in names)


def _writer() -> YAML:
    """ruamel.yaml, set to give back what it was given."""
    writer = YAML()
    writer.preserve_quotes = True
    writer.width = WIDTH
    writer.indent(mapping=2, sequence=4, offset=2)
    return writer


def _add(feeds: CommentedMap, addition: Addition) -> None:
    """Put one source in its place, with its feed where that is new."""
    if addition.feed not in feeds:
        feeds[addition.feed] = CommentedMap(title=addition.title or addition.feed, sources=CommentedMap())
    sources = feeds[addition.feed]["sources"]
    keys = CommentedMap(addition.keys)
    keys.fa.set_flow_style()
    sources[addition.source] = keys
