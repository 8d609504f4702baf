"""The head of a sound feed: what feedparser would tell of the channel, and the XML's own account, child by child."""

from __future__ import annotations

from collections.abc import Mapping

from aggregator.fetchers import feed_xml, tree
from aggregator.fetchers.feed_xml import SKIPS, Beside
from aggregator.fetchers.swift_context import Context, Step, harmless, leaf
from aggregator.fetchers.swift_item import STEPS
from aggregator.fetchers.swift_names import REFUSED, IrregularError, name
from aggregator.fetchers.swift_words import address, told
from aggregator.fetchers.tree import Element

PICTURE = {"title", "link", "description", "url", "width", "height"}
SEARCH = {"title", "link", "description", "name"}


def take(context: Context, account: Beside, child: Element) -> None:
    """Add one child of the channel; raises ``IrregularError`` where feedparser could tell something else."""
    if not isinstance(child.tag, str):
        return
    called = name(context.names, child.tag)
    step = CHANNEL_STEPS.get(called)
    if called in REFUSED and step is None:
        raise IrregularError(f'"{called}" in the channel')
    if step is not None:
        step(context, child, child.text or "", 0)
    else:
        harmless(context.names, child, CHANNEL_STEPS)
    feed_xml.note(account, child)
    if tree.name(child)[1].lower() in SKIPS:
        for inner in child.iterchildren("*"):
            local = tree.name(inner)[1]
            if local in account.skipped:
                account.skipped[local].append(tree.text(inner).strip())


def aside(context: Context, child: Element) -> None:
    """Nothing, where what stands beside the channel of an RSS 1.0 feed says nothing that is read."""
    if isinstance(child.tag, str):
        _boxed(context, child, PICTURE | SEARCH)
        if name(context.names, child.tag) not in {"image", "textinput"}:
            raise IrregularError("an element beside the channel")


def _image(context: Context, element: Element, _said: str, depth: int) -> None:
    picture = context.values.setdefault("image", {})
    context.title_depth = -1
    for called, child in _boxed(context, element, PICTURE):
        if called == "url":
            picture["href"] = address(told(child.text))
        elif called == "title" and told(child.text):
            context.title_depth = depth + 1


def _textinput(context: Context, element: Element, _said: str, depth: int) -> None:
    context.title_depth = -1
    for called, child in _boxed(context, element, SEARCH):
        if called == "title" and told(child.text):
            context.title_depth = depth + 1


def _boxed(context: Context, element: Element, known: set[str]) -> list[tuple[str, Element]]:
    """The elements of a box by name; ``IrregularError`` where it holds any that feedparser takes out of it."""
    found = []
    for child in element:
        called = name(context.names, child.tag) if isinstance(child.tag, str) else ""
        if called not in known:
            raise IrregularError(f'"{called}" inside of "{name(context.names, str(element.tag))}"')
        leaf(child)
        found.append((called, child))
    return found


CHANNEL_STEPS: Mapping[str, Step] = {
    **STEPS,
    "image": _image,
    "textinput": _textinput,
}
