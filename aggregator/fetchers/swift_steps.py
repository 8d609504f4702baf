"""What each element of an item or a channel changes: feedparser's steps one by one, for plain and sound elements.

The names are feedparser's (``swift_names``); what needs another of its steps is refused, here by ``IrregularError``.
"""

from __future__ import annotations

import re

from aggregator.fetchers import swift_people
from aggregator.fetchers.swift_context import Context, Step, inside, leaf, store
from aggregator.fetchers.swift_names import IrregularError, name
from aggregator.fetchers.swift_words import KINDS, address, addressed, attributes, kind, told
from aggregator.fetchers.tree import Element

ITUNES = "http://www.itunes.com/"
MEDIA = "http://search.yahoo.com/mrss/category_schema"
PAGES = {"text/html", "application/xhtml+xml"}
REFERENCE = re.compile("&([A-Za-z0-9_]+);")
SOURCE = {
    "title", "dc_title", "subtitle", "id", "guid", "updated", "link", "icon", "logo", "rights", "generator",
    "author", "contributor", "category",
}  # fmt: skip


def text(key: str, otherwise: str = "") -> Step:
    """The step that keeps an element's text under the key; ``otherwise`` is the type where it may name its own."""

    def keep(context: Context, element: Element, said: str, depth: int) -> None:
        leaf(element)
        if otherwise:
            kind(element, otherwise)
        store(context, key, told(said), depth)

    return keep


def bare(key: str) -> Step:
    """The step for an element that feedparser knows nothing of: attributes take the place of its text."""

    def keep(context: Context, element: Element, said: str, depth: int) -> None:
        leaf(element)
        if element.attrib:
            context.values[key] = attributes(element)
        else:
            store(context, key, told(said), depth)

    return keep


def title(context: Context, element: Element, said: str, depth: int) -> None:
    """A title, unless one that stands less deep is there."""
    leaf(element)
    kind(element, "text/plain")
    value = told(said)
    if not -1 < context.title_depth <= depth:
        store(context, "title", value, depth)
    if value:
        context.title_depth = depth


def media_title(context: Context, element: Element, said: str, depth: int) -> None:
    """A title that gives way to the item's own."""
    before = context.title_depth
    title(context, element, said, depth)
    context.title_depth = before


def description(context: Context, element: Element, said: str, depth: int) -> None:
    """A description: the summary of an item, the subtitle of a channel; a second one is content."""
    if "summary" in context.values and not context.has_content:
        content(context, element, said, depth)
        return
    leaf(element)
    kind(element, "text/html")
    store(context, "summary" if context.is_entry else "subtitle", told(said), depth)


def summary(context: Context, element: Element, said: str, depth: int) -> None:
    """A summary; a second one is content."""
    if "summary" in context.values and not context.has_content:
        content(context, element, said, depth)
        return
    leaf(element)
    kind(element, "text/plain")
    store(context, "summary", told(said), depth)


def content(context: Context, element: Element, said: str, _: int) -> None:
    """Atom's content, and what is taken for it."""
    _content(context, element, said, "text/plain")


def encoded(context: Context, element: Element, said: str, _: int) -> None:
    """RSS's content:encoded."""
    _content(context, element, said, "text/html")


def _content(context: Context, element: Element, said: str, otherwise: str) -> None:
    leaf(element)
    context.has_content = True
    part = {"type": kind(element, otherwise), "value": told(said)}
    if context.is_entry:
        context.values.setdefault("content", []).append(part)
    context.values.setdefault("summary", part["value"])


def link(context: Context, element: Element, said: str, _: int) -> None:
    """A link by its attribute or as text; those to pages are also the item's own address."""
    leaf(element)
    values = context.values
    about = attributes(element) if element.attrib else {}
    about.setdefault("rel", "alternate")
    about.setdefault("type", "application/atom+xml" if about["rel"] == "self" else "text/html")
    about = addressed(about)
    values.setdefault("links", []).append(about)
    if "href" in about:
        about["href"] = address(about["href"])
        if about["rel"] == "alternate" and _page(about["type"]):
            values["link"] = about["href"]
        return
    value = address(told(said))
    if context.is_entry:
        value = value.replace("&amp;", "&")
    value = REFERENCE.sub(r"&\1", value) if "&" in value else value
    values["link"] = value
    if value or not context.is_entry:
        about["href"] = value


def _page(named: str) -> bool:
    return named == "xhtml" or KINDS.get(named, named) in PAGES


def guid(context: Context, element: Element, said: str, depth: int) -> None:
    """An id, which is also the link unless there is one or it says that it is none."""
    leaf(element)
    is_link = not element.attrib or attributes(element).get("ispermalink", "true") == "true"
    value = address(told(said)) if is_link else told(said)
    store(context, "id", value, depth)
    context.values.setdefault("guidislink", is_link and "link" not in context.values)
    if is_link:
        context.values.setdefault("link", value)


def author(context: Context, element: Element, _: str, depth: int) -> None:
    """A person by name and address, or as one text."""
    store(context, "author", swift_people.author(context.values, element, context.names), depth)
    swift_people.agreed(context.values)


def contributor(context: Context, element: Element, _said: str, _: int) -> None:
    """A person that is not read."""
    swift_people.strangers(element, context.names)


def owner(context: Context, element: Element, _said: str, _: int) -> None:
    """The owner of a show."""
    swift_people.owner(context.values, element, context.names)


def category(context: Context, element: Element, said: str, _: int) -> None:
    """A category by its attributes, its text, or both."""
    leaf(element)
    about = attributes(element) if element.attrib else {}
    _tag(context, about.get("term"), about.get("scheme", about.get("domain")), about.get("label"))
    _tagged(context, said)


def media_category(context: Context, element: Element, said: str, _: int) -> None:
    """A category of Media RSS."""
    leaf(element)
    about = attributes(element)
    _tag(context, about.get("term"), about.get("scheme", MEDIA), about.get("label"))
    _tagged(context, said)


def itunes_category(context: Context, element: Element, said: str, depth: int) -> None:
    """A category of Apple's, with those inside."""
    _tag(context, attributes(element).get("text"), ITUNES, None)
    for child in element:
        if isinstance(child.tag, str) and name(context.names, child.tag) != "itunes_category":
            raise IrregularError("something else inside of a category")  # feedparser takes a title of it for its own
    inside(context, element, depth, {"itunes_category": itunes_category})
    _tagged(context, said + "".join(child.tail or "" for child in element))


def keywords(scheme: str | None) -> Step:
    """The step that takes a line of words divided by commas."""

    def keep(context: Context, element: Element, said: str, _: int) -> None:
        leaf(element)
        if not element.attrib:
            for word in told(said).split(","):
                if word.strip():
                    _tag(context, word.strip(), scheme, None)

    return keep


def tags(context: Context, element: Element, said: str, _: int) -> None:
    """A line of categories, as one system writes it."""
    leaf(element)
    for term in told(said).split(","):
        _tag(context, term.strip(), None, None)


def _tag(context: Context, term: str | None, scheme: str | None, label: str | None) -> None:
    known = context.values.setdefault("tags", [])
    tag = {"term": term, "scheme": scheme, "label": label}
    if (term or scheme or label) and tag not in known:
        known.append(tag)


def _tagged(context: Context, said: str) -> None:
    """A category's text, which completes one without a term."""
    value, known = told(said), context.values["tags"]
    if value and known and not known[-1]["term"]:
        known[-1]["term"] = value
    elif value:
        _tag(context, value, None, None)


def source(context: Context, element: Element, _said: str, depth: int) -> None:
    """Where an item was taken from: not read, but a title inside lets another title of the item through."""
    context.title_depth = -1
    for child in element:
        called = name(context.names, str(child.tag)) if isinstance(child.tag, str) else ""
        if not context.is_entry or called not in SOURCE:
            raise IrregularError("a source with more than its head")
        if called in {"author", "contributor"}:
            swift_people.strangers(child, context.names)
        else:
            leaf(child)
        if called.endswith("title") and called != "subtitle" and told(child.text):
            context.title_depth = depth + 1


def explicit(context: Context, element: Element, said: str, _: int) -> None:
    """Whether it is explicit, in the two words that feedparser knows."""
    leaf(element)
    context.values["itunes_explicit"] = None if element.attrib else {"yes": True, "clean": False}.get(said)
