"""Read an HTML page as a browser shows it: base address, lazy images, what stands beside, and JSON in its scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from html import escape
from typing import Any

from aggregator.fetchers.parsing import decoding, enclosures, xml
from aggregator.model.source import Document

_PLACEHOLDER = re.compile(
    r"(?:data|about):|(?:.*/)?(?:blank|placeholder|spacer|pixel|transparent|lazy|loading|loader|1x1)[-_\d]*"
    r"\.(?:gif|png|svg|webp)(?:\?.*)?$",
    re.IGNORECASE,
)
"""Addresses of images that stand in for others until a script has loaded these."""

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "dt", "legend", "summary", "th")
_YEAR = re.compile(r"(?:19|20)\d\d")

_BESIDE_TAGS = frozenset({"aside", "footer", "nav"})
_BESIDE = frozenset(
    {
        "ads", "advert", "advertisement", "comment", "commentlist", "comments", "popular", "recommendations",
        "recommended", "related", "sidebar", "similar", "sponsored", "suggested", "suggestions", "trending",
    }
)  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z]+")  # of a name such as "related-posts" or "RelatedPosts_list__x1"

_LAZY = ("data-src", "data-lazy-src", "data-original", "data-lazy", "data-srcset", "data-lazy-srcset")
"""Attributes with the address of the image, or of it in several sizes (lazysizes, WordPress, jQuery Lazy Load)."""

_BETWEEN_SIZES = re.compile(r",\s+|(?<=\d[wx]),")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)[wx]")

_IMAGE = re.compile(r"""<img\b((?>(?:[^<>"']|"[^"]*"|'[^']*')*))>""", re.IGNORECASE)
_SRC = re.compile(r"""\ssrc\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)""", re.IGNORECASE)

_BEFORE = re.compile(
    r"(?:\s|\ufeff|(?://\s*)?<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/|<!--(?:[^{\[]{0,200}?-->)?|/\*[^{\[]{0,200}?\*/|//[^\n{\[]*)*"
)
_BEHIND = re.compile(r"(?>(?:[\s;]|\]\]>|-->|(?>/\*.*?\*/)|//[^\n]*+)*)", re.DOTALL)
_LENIENT = json.JSONDecoder(strict=False)
_ASSIGNED = re.compile(
    r"(?:^|[;\s])([A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){0,4})"
    r"""(?:\[["'][\w$-]{1,60}["']\])?\s*=\s*(?=[\[{])"""
)
"""The beginning of a value that a script keeps (``window.__INITIAL_STATE__ = {…}``), as players' pages have it."""
_MOST_ASSIGNED = 20


def parse(document: Document) -> xml.Element | None:
    """Return the root of an HTML page with its real images; ``None`` for any other document."""
    root = xml.parse_html(decoding.decode(document)) if decoding.detect_type(document) == "html" else None
    for image in () if root is None else root.iter("img"):
        if (url := _find_lazy_image(image)) is not None:
            image.set("src", url)
        elif _PLACEHOLDER.match(image.get("src") or ""):
            del image.attrib["src"]
    return root


def find_year_headings(root: xml.Element, entries: Sequence[xml.Element]) -> list[int | None]:
    """Return for each entry of a page the last heading before it that is a year; ``None`` if there is none."""
    places = {id(entry): at for at, entry in enumerate(entries)}
    found: list[int | None] = [None] * len(entries)
    year: int | None = None
    for element in root.iter():
        if element.tag in _HEADINGS and _YEAR.fullmatch(text := xml.get_text(element).strip()):
            year = int(text)
        if (at := places.get(id(element))) is not None:
            found[at] = year
    return found


def is_beside(element: xml.Element) -> bool:
    """Return whether an element stands in what a page shows beside its entries: a sidebar, comments, other posts."""
    above = (each for each in (element, *element.iterancestors()) if each.tag != "body")
    names = ((each.tag, f"{each.get('class') or ''} {each.get('id') or ''}") for each in above)
    return any(tag in _BESIDE_TAGS or is_name_beside(name) for tag, name in names)


def is_name_beside(name: str) -> bool:
    """Return whether a class, an id or a JSON field is named as what stands beside the entries of a page.

    >>> is_name_beside("relatedEpisodes"), is_name_beside("episodes")
    (True, False)
    """
    return not _BESIDE.isdisjoint(word.lower() for word in _WORD.findall(name))


def _find_lazy_image(image: xml.Element) -> str | None:
    """Return the address that a script puts in place of a placeholder; ``None`` for an image that shows itself.

    Of several sizes it is the largest one; these are named by the image or by ``picture`` around it.
    """
    texts = [image.get(name) or "" for name in _LAZY]
    src = (image.get("src") or "").strip()
    if not src or _PLACEHOLDER.match(src):
        texts.append(image.get("srcset") or "")
        sources = (each for picture in image.iterancestors("picture") for each in picture.iter("source"))
        texts += [each.get(name) or "" for each in sources for name in ("srcset", "data-srcset")]
    for text in texts:
        found = [
            (words[0], _SIZE.fullmatch(words[-1])) for each in _BETWEEN_SIZES.split(text) if (words := each.split())
        ]
        real = [(float(size[1]) if size else 0.0, url) for url, size in found if not _PLACEHOLDER.match(url)]
        if real:
            return max(real, key=lambda each: each[0])[1]
    return None


def show_lazy_images(markup: str) -> str:
    """Return HTML with the address of each lazy image in its ``src``.

    >>> show_lazy_images('<p><img src="data:image/gif;base64,R0" data-src="/a.jpg" alt="a"></p>')
    '<p><img src="/a.jpg" data-src="/a.jpg" alt="a"></p>'
    """
    return _IMAGE.sub(_show_image, markup) if "data-" in markup else markup


def _show_image(found: re.Match[str]) -> str:
    root = xml.parse_html(found[0])
    image = None if root is None else next(root.iter("img"), None)
    url = None if image is None else _find_lazy_image(image)
    return found[0] if url is None else f'<img src="{escape(url)}"{_SRC.sub("", found[1])}>'


def find_base(document: Document, root: xml.Element | None) -> str:
    """Return the base of a page's relative links: its ``base``, else its address (HTML Living Standard, 4.2.3)."""
    start = enclosures.find_base(document)
    named = () if root is None else (each.get("href") for each in root.iter("base"))
    return next(filter(None, (enclosures.resolve_url(start, each) for each in named)), start)


def load_script(text: str) -> Any | None:
    r"""Return the JSON value in an element of a page; ``None`` if there is none.

    Line breaks and tabs in texts, a comment or a CDATA section around it, and a semicolon behind it are accepted, as
    search engines accept them.

    >>> load_script('//<![CDATA[\n{"name": "One\ntwo"};\n//]]>')
    {'name': 'One\ntwo'}
    """
    value = decoding.load_json(text)
    if value is not None:
        return value
    start = _BEFORE.match(text)
    try:
        value, end = _LENIENT.raw_decode(text, start.end() if start else 0)
    except (ValueError, RecursionError):
        return None
    is_whole = isinstance(value, dict | list) and _BEHIND.fullmatch(text, end)
    return _make_strict(value) if is_whole else None


def _make_strict(value: Any) -> Any | None:
    """Return a value as ``decoding.load_json`` gives it; ``None`` for one that JSON has not, or nested too deeply."""
    with suppress(RecursionError):
        return decoding.load_json(json.dumps(value))
    return None


def find_assigned(text: str) -> tuple[str, Any] | None:
    """Return the largest JSON value that a script assigns to a name, with this name; ``None`` if it assigns none.

    >>> find_assigned('var n = [1]; window.__STATE__ = {"episodes": ["One", "Two"]}; render();')
    ('window.__STATE__', {'episodes': ['One', 'Two']})
    """
    best, longest, end = None, 0, 0
    for _ in range(_MOST_ASSIGNED):
        found = _ASSIGNED.search(text, end)
        if found is None:
            break
        start = end = found.end()
        with suppress(ValueError, RecursionError):
            value, end = _LENIENT.raw_decode(text, start)
            if end - start > longest:
                best, longest = (found[1], value), end - start
    return best and (best[0], _make_strict(best[1]))
