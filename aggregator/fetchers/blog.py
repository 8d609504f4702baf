"""Blogs: posts from the blog's feed, or from a front or category page, as HTML or as plain text.

A post is known by the path of its address, which outlives what changes its guid: the reference blog went from
WordPress to Hugo with other guids, another scheme and the same paths.

HTML: a post in each ``article``, its title a heading that links to it (Hugo, Jekyll and WordPress themes, h-entry
classes of microformats2). Pages without articles are read as text.

Text has two shapes: since a move to Hugo each excerpt ends with a line ``Read more...``; under WordPress each ended in
``[…]`` with a line ``• May 5, 2021`` behind (2021 to 2024). The site's name, its motto and the category stand above the
first post; a picture is a line ``image``. There are no addresses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from aggregator.fetchers import discovery
from aggregator.fetchers.feeds import feed, jsonfeed
from aggregator.fetchers.parsing import decoding, enclosures, html_page, xml
from aggregator.fetchers.parsing.entries import make_key
from aggregator.model.entry import Entry, Listing, Moment, Show
from aggregator.model.source import Document
from aggregator.text import html
from aggregator.text.times import dates, relative
from aggregator.text.times.lines import Dating, find_yearless, learn_dating
from aggregator.text.times.yearless import YearlessDate, resolve
from aggregator.text.urls import canonical
from aggregator.translation.marks import N_

discover = discovery.find_feeds


def read(document: Document) -> Listing:
    """Return the posts; ReadError if the document is neither a feed nor a page with posts."""
    name = document.source.name
    listing: Listing | None = None
    match decoding.detect_type(document):
        case "feed":
            listing = feed.read(document)
        case "json":
            listing = jsonfeed.read(document)
        case "html":
            listing = _read_html(document)
        case "text":
            listing = _read_text(name, decoding.decode(document))
    if listing is None:
        raise decoding.unexpected_type(document, N_("a blog's feed or front page"))
    return replace(listing, entries=tuple(_make_post(entry) for entry in listing.entries))


def _make_post(entry: Entry) -> Entry:
    """Return the entry as a post, its key the path of its address if it has one."""
    path = canonical(entry.link).partition("://")[2].partition("/")[2] if entry.link else ""
    return replace(entry, genre="post", key=f"/{path}" if path else entry.key, element=None)


_HEADINGS = ("h1", "h2", "h3", "h4")
_ENTRY = re.compile(r"(?:^|\s)(?:h-entry|hentry|post|blog-post)(?:\s|$)")
_DATED = re.compile(r"(?:^|[\s_-])(?:dt-published|published|post-?date|entry-date|date)(?:$|[\s_-])", re.IGNORECASE)
_LEAST_WITHIN = 2  # articles in another one, which is then the list of them
_PARAGRAPHS = ("p", "ul", "ol", "blockquote", "pre")


def _read_html(document: Document) -> Listing | None:
    """Return the posts of a page in their order, always partial; ``None`` if there are none."""
    name, root = document.source.name, html_page.parse(document)
    if root is None:
        return None
    base = html_page.find_base(document, root)
    dating = learn_dating(_list_dates(root), language=root.get("lang"), now=document.polled)
    found: list[Entry] = []
    undated: list[YearlessDate | None] = []
    marked = [
        each
        for each in root.iter("article", "div", "li", "section")
        if each.tag == "article" or _ENTRY.search(each.get("class") or "")
    ]
    articles = [each for each in marked if not html_page.is_beside(each)] or marked
    around = Counter(above for each in articles for above in each.iterancestors())
    articles = [each for each in articles if around[each] < _LEAST_WITHIN]
    for article in articles:
        if entry := _make_entry(name, article, len(found), base, dating):
            found.append(entry)
            texts = () if entry.published else _list_dates(article)
            undated.append(next(filter(None, (find_yearless(text, dating) for text in texts)), None))
    if document.polled and any(undated):
        known = [entry.published or date for entry, date in zip(found, undated, strict=True)]
        found = [
            replace(entry, published=moment)
            for entry, moment in zip(found, resolve(known, document.polled.date()), strict=True)
        ]
    unique = {entry.key: entry for entry in reversed(found)}
    if not unique:
        return _read_text(name, html.to_text(decoding.decode(document)))
    title = _find_title(root, articles)
    posts = tuple(entry for entry in found if unique[entry.key] is entry)
    return Listing(posts, Show(title=title, link=enclosures.clean_url(enclosures.find_base(document))), partial=True)


def _find_title(root: xml.Element, articles: Sequence[xml.Element]) -> str | None:
    """Return the first heading outside of the posts, else the name of the site or the title of the page."""
    headings = (each for each in root.iter("h1") if not any(above in articles for above in each.iterancestors()))
    sites = (each.get("content") or "" for each in root.iter("meta") if each.get("property") == "og:site_name")
    texts = (*map(_get_text, headings), *sites, *map(_get_text, root.iter("title")))
    return next(filter(None, texts), None)


def _make_entry(name: str, article: xml.Element, position: int, url: str, dating: Dating) -> Entry | None:
    """Return the post of one article; ``None`` if none of its headings is a link."""
    heading = next((element for element in article.iter(*_HEADINGS) if next(element.iter("a"), None) is not None), None)
    if heading is None:
        return None
    anchor = next(heading.iter("a"))
    title, link = _get_text(anchor), enclosures.resolve_url(url, anchor.get("href"))
    if not title:
        return None
    in_link = dates.parse(html_page.find_address_date(link or ""))
    published = _find_date(article, dating) or in_link
    day = _find_date(article, replace(dating, now=None)) if published else None  # "3 days ago" is another day tomorrow
    lines = [_get_text(element) for element in article.iter(*_PARAGRAPHS) if element.getparent() is not heading]
    cut = any(_READ_MORE.fullmatch(line) for line in lines)
    body = "\n\n".join(line for line in lines if line and not _READ_MORE.fullmatch(line))
    excerpt = _EXCERPT.search(body)
    return Entry(
        source=name, key=link or make_key(title, day), title=title, genre="post", position=position,
        link=link,
        description=(body[: excerpt.start()].rstrip() if excerpt else body) or None, cut=cut or excerpt is not None,
        published=published,
    )  # fmt: skip


def _get_text(element: xml.Element) -> str:
    return " ".join(xml.get_text(element).split())


def _find_date(article: xml.Element, dating: Dating) -> Moment | None:
    """Return the first date in an element made for dates, before the first one that counts from the poll."""
    texts = list(_list_dates(article))
    parsed = (dates.parse(text, day_first=dating.day_first, language=dating.language) for text in texts)
    if (found := next(filter(None, parsed), None)) is not None or dating.now is None:
        return found
    return next((each for text in texts if (each := relative.parse(text, dating.now, language=dating.language))), None)


def _list_dates(root: xml.Element) -> Iterator[str]:
    for element in root.iter("time", "abbr", "span", "p", "div"):
        if element.tag == "time" or _DATED.search(element.get("class") or ""):
            yield from filter(None, (element.get("datetime"), element.get("title"), _get_text(element)))


_READ_MORE = re.compile(
    r"\[?(?:read more|continue reading|weiterlesen|mehr lesen|lire la suite|leer más)\b"
    r"(?:[^.!?…]{0,80}|.{0,120}?(?:\.\.\.|…|→|»|\]))",
    re.IGNORECASE,
)
_DATE_LINE = re.compile(r"[•·]\s*(?P<date>\S.{4,40})")
_PICTURE = re.compile(r"image|!\[[^\]]*\]\([^)]*\)", re.IGNORECASE)
_EXCERPT = re.compile(r"\[(?:…|\.\.\.)\]$")
_SENTENCE = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_LONGEST_TITLE = 120  # characters; a longer line is prose even without a full stop


def _read_text(name: str, text: str) -> Listing | None:
    """Return the posts of a page as text in their order, excerpts flagged as cut; ``None`` if there are none.

    The listing is partial, and its show is the first line of the page.
    """
    blocks, rest = _split_posts([line.strip() for line in text.split("\n")])
    found: list[Entry] = []
    show = None
    for lines, date in blocks:
        title = _find_first_title(lines) if not found else 0
        if title is None:
            continue
        if not found and title:
            show = lines[0]
        body = "\n\n".join(lines[title + 1 :])
        found.append(
            Entry(
                source=name, key=make_key(lines[title], date), title=lines[title], genre="post",
                position=len(found),
                description=_EXCERPT.sub("", body).rstrip() or None,
                cut=date is None or _EXCERPT.search(body) is not None,
                published=date,
            )
        )  # fmt: skip
    if not found:
        return None
    remarks = (N_(f"{rest} lines behind the last post belong to none"),) if rest else ()
    return Listing(tuple(found), Show(title=show), partial=True, remarks=remarks)


def _split_posts(lines: list[str]) -> tuple[list[tuple[list[str], Moment | None]], int]:
    """Return the lines of each post with the date that closes it, and how many lines follow the last one."""
    blocks: list[tuple[list[str], Moment | None]] = []
    block: list[str] = []
    day_first = dates.find_day_first(match["date"] for line in lines if (match := _DATE_LINE.fullmatch(line)))
    for line in lines:
        match = _DATE_LINE.fullmatch(line)
        date = dates.parse(match["date"], day_first=day_first) if match else None
        if date or _READ_MORE.fullmatch(line):
            if block:
                blocks.append((block, date))
            block = []
        elif line and not _PICTURE.fullmatch(line):
            block.append(line)
    return blocks, len(block)


def _find_first_title(lines: list[str]) -> int | None:
    """Return the place of the first post's title: above the prose that ends its block, below the page's own names."""
    at = len(lines)
    while at and _is_prose(lines[at - 1]):
        at -= 1
    return at - 1 if at else None


def _is_prose(line: str) -> bool:
    return len(line) > _LONGEST_TITLE or _SENTENCE.search(line) is not None
