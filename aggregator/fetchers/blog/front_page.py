"""A blog's front or category page as HTML: one post in each ``article``, its title a heading that links to it.

Seen: Hugo and Jekyll themes (the reference blog since 2025), WordPress themes with ``time``; h-entry classes
(microformats2). Pages without articles are read as text.
"""

from __future__ import annotations

import re

from aggregator.fetchers.blog import front_page_text
from aggregator.fetchers.parsing import enclosures, xml
from aggregator.fetchers.parsing.entry_keys import titled
from aggregator.model.entry import Entry, Listing, Moment, Show
from aggregator.text import dates, html
from aggregator.text.fold import fold

HEADINGS = ("h1", "h2", "h3", "h4")
ENTRY = re.compile(r"(?:^|\s)(?:h-entry|hentry|post|blog-post)(?:\s|$)")
DATED = re.compile(r"(?:^|[\s_-])(?:dt-published|published|post-?date|entry-date|date)(?:$|[\s_-])", re.IGNORECASE)
PARAGRAPHS = ("p", "ul", "ol", "blockquote", "pre")


def read(name: str, page: str, url: str) -> Listing | None:
    """The posts of the page at ``url`` in their order, always partial; ``None`` where none is found."""
    root = xml.html(page)
    if root is None:
        return None
    found: list[Entry] = []
    for article in root.iter("article", "div", "li", "section"):
        is_entry = article.tag == "article" or ENTRY.search(article.get("class") or "")
        if is_entry and (entry := _entry(name, article, len(found), url)):
            found.append(entry)
    unique = {entry.key: entry for entry in reversed(found)}
    if not unique:
        return front_page_text.read(name, html.to_text(page))
    first = next(root.iter("h1"), None)
    title = " ".join(xml.text(first).split()) if first is not None else None
    posts = tuple(entry for entry in found if unique[entry.key] is entry)
    return Listing(posts, Show(title=title, link=enclosures.address(url)), partial=True)


def _entry(name: str, article: xml.Element, position: int, url: str) -> Entry | None:
    """The post of one article; ``None`` where no heading of it links anywhere."""
    heading = next((element for element in article.iter(*HEADINGS) if next(element.iter("a"), None) is not None), None)
    if heading is None:
        return None
    anchor = next(heading.iter("a"))
    title, link = " ".join(xml.text(anchor).split()), enclosures.absolute(url, anchor.get("href"))
    if not title:
        return None
    published = _date(article)
    lines = [_words(element) for element in article.iter(*PARAGRAPHS) if element.getparent() is not heading]
    cut = any(front_page_text.READ_MORE.fullmatch(line) for line in lines)
    body = "\n\n".join(line for line in lines if line and not front_page_text.READ_MORE.fullmatch(line))
    excerpt = front_page_text.EXCERPT.search(body)
    return Entry(
        source=name, key=link or titled(title, published), title=title, genre="post", position=position, link=link,
        description=(body[: excerpt.start()].rstrip() if excerpt else body) or None, cut=cut or excerpt is not None,
        published=published,
    )  # fmt: skip


def _words(element: xml.Element) -> str:
    return " ".join(xml.text(element).split())


def _date(article: xml.Element) -> Moment | None:
    """The first date that an element made for one carries."""
    for element in article.iter("time", "abbr", "span", "p", "div"):
        if element.tag == "time" or DATED.search(element.get("class") or ""):
            for text in (element.get("datetime"), element.get("title"), _words(element)):
                if text and (parsed := dates.parse(fold(text) and text.strip())):
                    return Moment(*parsed)
    return None
