"""Read from the XML the repeated, nested and unknown elements that feedparser drops or merges.

feedparser keeps one of several ``podcast:`` elements, knows only "yes" and "clean" of ``itunes:explicit``, and
flattens categories (6.0.14). Items are matched by their order, so their number must agree with feedparser's.
"""

from __future__ import annotations

import html
import re
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from aggregator.fetchers.parsing import xml
from aggregator.model.elements import CHILDREN, ELEMENTS
from aggregator.model.entry import Tag

# The namespace's own address, and its documents on GitHub, which feeds declare in many forms (branches master and main,
# the folder docs, the raw file).
_PODCAST = re.compile(
    r"https?://(?:www\.)?(?:podcastindex\.org/namespace(?:/1\.0)?|"
    r"(?:github\.com|raw\.githubusercontent\.com)/podcastindex-org/podcast-namespace(?:/[^\s?#]*)?)/?(?:[?#].*)?"
)
_SPACES = {  # by the address of the namespace in lower case, without scheme, www. and final slash
    **dict.fromkeys(
        (
            "", "purl.org/rss/1.0", "purl.org/rss/1.0/modules/rss091#", "my.netscape.com/rdf/simple/0.9",
            "blogs.law.harvard.edu/tech/rss", "w3.org/2005/atom", "purl.org/atom/ns#",
        ),
        "",
    ),
    "itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "purl.org/rss/1.0/modules/content": "content:",
    "purl.org/rss/1.0/modules/syndication": "sy:",
    "purl.org/dc/elements/1.1": "dc:",
    "purl.org/dc/terms": "dcterms:",
    "search.yahoo.com/mrss": "media:",
    "podlove.org/simple-chapters": "psc:",
    "rssnamespace.org/feedburner/ext/1.0": "feedburner:",
    "youtube.com/xml/schemas/2015": "yt:",
    "gdata.youtube.com/schemas/2007": "yt:",
    "w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
    "w3.org/1999/xhtml": "xhtml:",
}  # fmt: skip
_ATOM = {"w3.org/2005/atom"}
_TEXTS = {"", "itunes:", "content:", "sy:"}
_ITEMS = {"item", "entry"}
_CHANNELS = {"channel", "feed", "rdf"}
_SKIPS = {"skiphours", "skipdays"}
_DECLARATION = re.compile(rb"^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>)?\s*")
_DEEPEST = 6  # nested podcast: elements; podcast:value needs 3


def is_podcast(address: str) -> bool:
    """Return whether a namespace is the podcast namespace, whatever the case and form of its address.

    >>> is_podcast("http://podcastindex.org/Namespace/1.0/"), is_podcast("https://podcastindex.org/podcast/42")
    (True, False)
    """
    return _PODCAST.fullmatch(address.strip().lower()) is not None


def find_prefix(address: str) -> str | None:
    """Return the prefix that a namespace usually has, "" for those of RSS and Atom; ``None`` for an unknown one.

    >>> find_prefix("HTTPS://www.iTunes.com/DTDs/Podcast-1.0.dtd"), find_prefix("http://purl.org/rss/1.0/")
    ('itunes:', '')
    """
    bare = _strip_address(address)
    return "" if bare.startswith("backend.userland.com/rss") else _SPACES.get(bare)


@lru_cache(maxsize=256)
def _find_text_prefix(address: str) -> str | None:
    """Return the prefix of a text in FeedXml and ItemXml, ``None`` for one that is not kept there."""
    if _strip_address(address) in _ATOM:
        return "atom:"
    prefix = find_prefix(address)
    return prefix if prefix in _TEXTS and not address.startswith("http://purl.org/atom/") else None


def _strip_address(address: str) -> str:
    return re.sub(r"^https?://(?:www\.)?", "", address.strip().lower()).rstrip("/")


class ItemXml(NamedTuple):
    """The texts of one item by prefixed name, the first of each, and in order the elements that are passed on.

    A text with elements inside is left to feedparser, which keeps them. ``element`` is the digest of the item's own
    element, ``None`` if that is to be read each time.
    """

    texts: dict[str, str]
    tags: tuple[Tag, ...]
    element: str | None = None


class FeedXml(Struct):
    """Elements of the channel and its items, read from the XML beside feedparser."""

    channel: dict[str, str] = field(default_factory=dict)
    tags: list[Tag] = field(default_factory=list)
    categories: list[tuple[str, ...]] = field(default_factory=list)
    skipped: dict[str, list[str]] = field(default_factory=lambda: {"hour": [], "day": []})
    items: list[ItemXml] = field(default_factory=list)


def read_feed_xml(body: bytes, encoding: str, items: int) -> FeedXml | None:
    """Read the XML; ``None`` if it is not well-formed, or has not as many items as feedparser found.

    ``encoding`` is the one that feedparser found; an unknown one is that of HTTP, for a document without a letter. With
    a wrong declaration libxml2 reads nothing, without an error, and blanks before it are the commonest mistake of all.
    """
    if encoding not in {"", "utf-8", "utf-8-sig", "us-ascii"}:
        with suppress(LookupError, ValueError):
            body = body.decode(encoding, "replace").encode("utf-8", "replace")
    found = FeedXml()
    for element in xml.iterate(_DECLARATION.sub(b"", body, count=1)):
        parent = element.getparent()
        local = xml.get_name(element)[1]
        above = xml.get_name(parent)[1].lower() if parent is not None else ""
        if local in _ITEMS and above in _CHANNELS:
            found.items.append(read_item(element))
            element.clear()
        elif above in _CHANNELS and local not in _CHANNELS:
            add_channel_element(found, element)
    return found if len(found.items) == items and (found.channel or items) else None


def add_channel_element(found: FeedXml, element: xml.Element) -> None:
    """Add one child of the channel to what was read."""
    namespace, local = xml.get_name(element)
    if local.lower() in _SKIPS:
        for child in element.iterchildren("*"):
            found.skipped.setdefault(xml.get_name(child)[1], []).append(xml.get_text(child).strip())
    elif (name := _find_passed_name(namespace, local)) and _is_passed(name, element):
        found.tags.append(_make_tag(element, name))
    elif find_prefix(namespace) == "itunes:" and local == "category":
        inner = next((child for child in element.iterchildren("*") if xml.get_name(child)[1] == "category"), None)
        found.categories.append(
            (*list_category_names(element), *(list_category_names(inner) if inner is not None else ()))
        )
    elif (prefix := _find_text_prefix(namespace)) is not None:
        _keep_first(found.channel, prefix + local, element)


def _keep_first(texts: dict[str, str], name: str, element: xml.Element) -> None:
    if not texts.get(name):
        texts[name] = xml.get_text(element).strip()


def read_item(item: xml.Element, digest: str | None = None) -> ItemXml:
    """Return the texts and tags of an item, with the digest of its element."""
    texts: dict[str, str] = {}
    tags: list[Tag] = []
    for element in item.iterchildren("*"):
        namespace, local = xml.get_name(element)
        if (name := _find_passed_name(namespace, local)) and _is_passed(name, element):
            tags.append(_make_tag(element, name))
        if (prefix := _find_text_prefix(namespace)) is not None and (len(element) == 0 or prefix == "itunes:"):
            _keep_first(texts, prefix + local, element)
    return ItemXml(texts, tuple(tags), digest)


@lru_cache(maxsize=1024)
def _find_passed_name(namespace: str, local: str) -> str | None:
    """Return the prefixed name of an element that is passed on; ``None`` of any other.

    >>> _find_passed_name("http://podlove.org/simple-chapters", "chapters"), _find_passed_name("", "title")
    ('psc:chapters', 'title')
    >>> _find_passed_name("", "pubDate") is None
    True
    """
    if is_podcast(namespace):
        return f"podcast:{local}"
    prefix = "atom:" if _strip_address(namespace) in _ATOM else find_prefix(namespace)
    name = None if prefix is None else prefix + local
    return name if name in ELEMENTS else None


def _is_passed(name: str, element: xml.Element) -> bool:
    """Return whether an element of this name is passed on as it stands here, not as a part of another one."""
    if name == "atom:link":
        return element.get("rel") == "payment"
    return name.startswith("podcast:") or bool(ELEMENTS[name].places)


def _make_tag(element: xml.Element, name: str, depth: int = 0) -> Tag:
    """Return an element with those within it that are passed on with it."""
    inside = CHILDREN.get(name, frozenset()) if depth < _DEEPEST else frozenset()
    children = ((_find_passed_name(*xml.get_name(child)), child) for child in element.iterchildren("*"))
    return Tag(
        name=name,
        text=(element.text or "").strip() or None,
        attributes=tuple(
            (str(name), str(value)) for name, value in element.attrib.items() if not str(name).startswith("{")
        ),
        children=tuple(_make_tag(child, named, depth + 1) for named, child in children if named in inside),
    )


def list_category_names(element: xml.Element) -> tuple[str, ...]:
    """Return the names that an ``itunes:category`` has as an attribute or as text: two in "Arts:Food"."""
    named = html.unescape(str(element.get("text") or element.text or ""))
    return tuple(name.strip() for name in re.split("[:>]", named) if name.strip())
