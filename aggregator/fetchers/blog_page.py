"""A blog's front or category page as HTML: one post in each ``article``, its title a heading that links to it.

Seen: Hugo and Jekyll themes (the reference blog since 2025), WordPress themes with ``time``; h-entry classes
(microformats2). Pages without articles are read as text.
"""

from __future__ import annotations

import re

from aggregator.fetchers import blog_text, media, tree
from aggregator.fetchers.keys import titled
from aggregator.model.sighting import Listing, Moment, Show, Sighting
from aggregator.text import dates, markup
from aggregator.text.fold import fold

HEADINGS = ("h1", "h2", "h3", "h4")
ENTRY = re.compile(r"(?:^|\s)(?:h-entry|hentry|post|blog-post)(?:\s|$)")
DATED = re.compile(r"(?:^|[\s_-])(?:dt-published|published|post-?date|entry-date|date)(?:$|[\s_-])", re.IGNORECASE)
PARAGRAPHS = ("p", "ul", "ol", "blockquote", "pre")


def read(name: str, page: str, url: str) -> Listing | None:
    """The posts of the page at ``url`` in their order, always partial; ``None`` where none is found."""
    root = tree.html(page)
    if root is None:
        return None
    found: list[Sighting] = []
    for article in root.iter("article", "div", "li", "section"):
        is_entry = article.tag == "article" or ENTRY.search(article.get("class") or "")
        if is_entry and (sighting := _sighting(name, article, len(found), url)):
            found.append(sighting)
    unique = {sighting.key: sighting for sighting in reversed(found)}
    if not unique:
        return blog_text.read(name, markup.to_text(page))
    first = next(root.iter("h1"), None)
    title = " ".join(tree.text(first).split()) if first is not None else None
    posts = tuple(sighting for sighting in found if unique[sighting.key] is sighting)
    return Listing(posts, Show(title=title, link=media.address(url)), partial=True)


def _sighting(name: str, article: tree.Element, position: int, url: str) -> Sighting | None:
    """The post of one article; ``None`` where no heading of it links anywhere."""
    heading = next((element for element in article.iter(*HEADINGS) if next(element.iter("a"), None) is not None), None)
    if heading is None:
        return None
    anchor = next(heading.iter("a"))
    title, link = " ".join(tree.text(anchor).split()), media.absolute(url, anchor.get("href"))
    if not title:
        return None
    published = _date(article)
    lines = [_words(element) for element in article.iter(*PARAGRAPHS) if element.getparent() is not heading]
    cut = any(blog_text.READ_MORE.fullmatch(line) for line in lines)
    body = "\n\n".join(line for line in lines if line and not blog_text.READ_MORE.fullmatch(line))
    excerpt = blog_text.EXCERPT.search(body)
    return Sighting(
        source=name, key=link or titled(title, published), title=title, genre="post", position=position, link=link,
        description=(body[: excerpt.start()].rstrip() if excerpt else body) or None, cut=cut or excerpt is not None,
        published=published,
    )  # fmt: skip


def _words(element: tree.Element) -> str:
    return " ".join(tree.text(element).split())


def _date(article: tree.Element) -> Moment | None:
    """The first date that an element made for one carries."""
    for element in article.iter("time", "abbr", "span", "p", "div"):
        if element.tag == "time" or DATED.search(element.get("class") or ""):
            for text in (element.get("datetime"), element.get("title"), _words(element)):
                if text and (parsed := dates.parse(fold(text) and text.strip())):
                    return Moment(*parsed)
    return None
