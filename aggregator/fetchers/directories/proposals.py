"""Propose how an unknown page or JSON document can be read, the likeliest first.

In this order: feeds and Apple's page that the document links to, JSON in it (JSON-LD and data of the site's own
scripts), microdata and microformats, the API of WordPress, then elements that repeat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from aggregator.fetchers import addresses, discovery, registry
from aggregator.fetchers.directories import element_proposals, json_proposals
from aggregator.fetchers.parsing import decoding, enclosures, html_page, xml
from aggregator.model.source import Document, Proposals, Source

_FEED_TEXT = re.compile(r"[\s-]*+(?:(?:rss|atom|podcast)[\s-]*+)?(?:rss|feed|atom|xml)\s*+", re.IGNORECASE)
_SCRIPTS = (("JSON-LD", "application/ld+json"), ("data of the page", "application/json"))
_CODE = frozenset({"", "text/javascript", "application/javascript", "module"})
_ITEM_TYPES = ("PodcastEpisode", "RadioEpisode", "BlogPosting", "NewsArticle", "Article", "AudioObject")
_MOST_LINKS = 3
_SHORTEST_DATA = 100  # characters of an attribute with a list of entries
_ATTRIBUTE = re.compile(r"[a-z][\w-]*")
_SEPARATORS = re.compile(r"""[",@\\]""")  # characters that have a meaning in selectors


def propose(document: Document) -> Proposals:
    """Return how the document can be read; nothing for a document that is neither a page nor JSON."""
    match decoding.detect_type(document):
        case "json":
            value = decoding.load_json(decoding.decode(document))
            found = json_proposals.propose(value)
            title = json_proposals.find_title(value, found[0]) if found else None
            return Proposals(tuple(Source("JSON", "json", options=options) for options in found), title)
        case "html" if (root := html_page.parse(document)) is not None:
            texts = (" ".join(xml.get_text(each).split()) for each in root.iter("title", "h1"))
            title = next(filter(None, texts), None)
            return Proposals(tuple(_propose_for_page(root, html_page.find_base(document, root))), title)
    return Proposals()


def _propose_for_page(root: xml.Element, base: str) -> Iterator[Source]:
    yield from _find_links(root, base)
    for label, media_type in _SCRIPTS:
        scripts = [each for each in root.iter("script") if _find_type(each) == media_type]
        values = [value for each in scripts if (value := html_page.load_script(xml.get_text(each))) is not None]
        written = sorted({each.get("type", "") for each in scripts})
        selector = ", ".join(f'script[type="{each}"]' for each in written if not _SEPARATORS.search(each))
        yield from _propose_data(label, values, selector)
    yield from _propose_assigned(root)
    yield from _propose_attributes(root)
    yield from _propose_microdata(root)
    yield from _find_wordpress(root, base)
    for options in element_proposals.propose(root):
        yield Source("repeated elements", "page", options=options)


def _propose_data(label: str, values: list[Any], script: str) -> Iterator[Source]:
    """Yield the lists in the JSON that elements of a page hold, but for those of related shows and the like."""
    for options in map(dict, json_proposals.propose(values)):
        if not html_page.is_name_beside(options["items"]):
            yield Source(label, "json", options=_sort({**options, "script": script}))


def _propose_assigned(root: xml.Element) -> Iterator[Source]:
    """Yield the lists in values that the page's own code keeps, found by their name in it."""
    scripts = [xml.get_text(each) for each in root.iter("script")]
    if any(html_page.FLIGHT in each for each in scripts):
        selector = f'//script[contains(., "{html_page.FLIGHT}")]'
        yield from _propose_data("data of the page's code", [html_page.load_flight(scripts)], selector)
    for script in root.iter("script"):
        found = html_page.find_assigned(xml.get_text(script)) if _find_type(script) in _CODE else None
        if found is None:
            continue
        name, value = found
        yield from _propose_data("data of the page's code", [value], f'//script[contains(., "{name}")]')


def _propose_attributes(root: xml.Element) -> Iterator[Source]:
    """Yield the lists in JSON that elements have in an attribute, for the page's own code."""
    for element in root.iter("div", "main", "section", "script"):
        for name, text in ((str(name), str(text)) for name, text in element.attrib.items()):
            if len(text) < _SHORTEST_DATA or text[0] not in "{[" or not _ATTRIBUTE.fullmatch(name):
                continue
            yield from _propose_data("data of the page", [decoding.load_json(text)], f"{element.tag}[{name}]@{name}")


def _find_type(script: xml.Element) -> str:
    """Return the media type of a script in lower case, without parameters."""
    return (script.get("type") or "").partition(";")[0].strip().lower()


def _find_links(root: xml.Element, base: str) -> Iterator[Source]:
    """Yield the feeds that a page links to in its text, and the show's page of a known directory."""
    found: dict[str, Source] = {}
    for anchor in root.iter("a"):
        url = enclosures.resolve_url(base, anchor.get("href"))
        if url is None or url == base:
            continue
        known = registry.recognise(addresses.find_original(url))
        if known is not None:
            found.setdefault(known.show or url, known)
        elif discovery.is_feed_link(url) or _FEED_TEXT.fullmatch(xml.get_text(anchor)):
            found.setdefault(url, Source("link to a feed", "feed", url=url))
    yield from sorted(found.values(), key=lambda source: source.kind == "apple")[:_MOST_LINKS]


def _propose_microdata(root: xml.Element) -> Iterator[Source]:
    for name in _ITEM_TYPES:
        items = f'[itemtype$="/{name}"]'
        if xml.select(root, items):
            options = {
                "items": items,
                "title": _list_properties("headline", "name"),
                "date": _list_properties("datePublished", "dateCreated", "uploadDate"),
                "length": _list_properties("duration", "timeRequired"),
                "audio": f"{_list_properties('contentUrl', 'audio')}, audio@src, source@src",
                "link": '[itemprop="url"]@href, [itemprop="mainEntityOfPage"]@href, a@href',
                "text": '[itemprop="description"], [itemprop="articleBody"]',
            }
            yield Source("microdata", "page", options=_sort(options))
    if xml.select(root, ".h-entry"):
        options = {
            "items": ".h-entry",
            "title": ".p-name",
            "date": ".dt-published@datetime, .dt-published",
            "length": ".dt-duration@datetime, .p-duration, .dt-duration",
            "audio": ".u-audio@src, .u-audio@href, audio@src, source@src",
            "link": ".u-url@href, a@href",
            "text": ".p-summary, .e-content",
        }
        yield Source("microformats", "page", options=_sort(options))


def _list_properties(*names: str) -> str:
    places = ("@datetime", "@content", "@href", "@src", "")
    return ", ".join(f'[itemprop="{name}"]{place}' for name in names for place in places)


def _find_wordpress(root: xml.Element, base: str) -> Iterator[Source]:
    """Yield the posts of the WordPress REST API, if the page names it (developer.wordpress.org, "Discovery")."""
    for link in root.iter("link"):
        url = enclosures.resolve_url(base, link.get("href")) if link.get("rel") == "https://api.w.org/" else None
        if url is not None:
            options = {
                "items": "@", "id": "id", "title": "title.rendered", "date": "date_gmt", "link": "link",
                "text": "content.rendered", "genre": "post",
            }  # fmt: skip
            yield Source("WordPress", "json", url=f"{url.rstrip('/')}/wp/v2/posts?per_page=100", options=_sort(options))
            return


def _sort(options: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(options.items()))
