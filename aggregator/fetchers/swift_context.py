"""What feedparser has made so far of an item or of the channel, and how a text finds its place there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct, field

from aggregator.fetchers.feed_xml import CHANNELS, ITEMS
from aggregator.fetchers.swift_names import REFUSED, IrregularError, Names, name
from aggregator.fetchers.tree import Element


class Context(Struct):
    """The values by feedparser's names, and the states on which the next one depends.

    ``depths`` says how deep below the item each text stood, and ``title_depth`` the first title that was not empty
    (-1 for none): a text that stands deeper replaces none. ``has_content`` is true once a second text was met.
    """

    names: Names
    is_entry: bool
    values: dict[str, Any] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)
    title_depth: int = -1
    has_content: bool = False


Step: TypeAlias = Callable[[Context, Element, str, int], None]
"""What one element changes: the context, the element, its text as it stands, how deep it is below the item."""


def store(context: Context, key: str, value: object, depth: int) -> None:
    """Put a text in its place: in an item unless what is there stood less deep, in the channel always."""
    if context.is_entry:
        if depth > context.depths.get(key, depth):
            return
        context.depths[key] = depth
    context.values[key] = value


def inside(context: Context, element: Element, depth: int, steps: Mapping[str, Step]) -> None:
    """Take the elements inside of one that only holds others together."""
    for child in element:
        if not isinstance(child.tag, str):
            continue
        called = name(context.names, child.tag)
        step = steps.get(called)
        if step is not None:
            step(context, child, child.text or "", depth + 1)
        else:
            harmless(context.names, child, steps)


def leaf(element: Element) -> None:
    """Nothing, where the element holds text and no more; else raises ``IrregularError``."""
    if len(element):
        raise IrregularError(f'markup or a comment inside of "{str(element.tag).rpartition("}")[2]}"')


def harmless(names: Names, element: Element, steps: Mapping[str, Step]) -> None:
    """Nothing, where neither the element nor what is inside says anything that is read."""
    for inner in element.iter("*"):
        called = name(names, str(inner.tag))
        if called in steps or called in REFUSED or called in CHANNELS or called in ITEMS:
            raise IrregularError(f'"{called}" at an unusual place')
        if called == "psc_chapter" and inner.get("start") is None:
            raise IrregularError("a chapter without a start")
