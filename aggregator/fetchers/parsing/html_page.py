"""Read an HTML page as a browser shows it: base address, lazy images, what stands beside, and JSON in its scripts.

Words in headings that a page has for screen readers alone ("opens in a new window") are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from html import escape
from typing import Any
from urllib.parse import unquote

from aggregator.fetchers.parsing import decoding, enclosures, xml
from aggregator.fetchers.parsing.broken_json import read_broken
from aggregator.model.source import Document

_PLACEHOLDER = re.compile(
    r"(?:data|about):|(?:.*/)?(?:blank|placeholder|spacer|pixel|transparent|lazy|loading|loader|1x1)[-_\d]*"
    r"\.(?:gif|png|svg|webp)(?:\?.*)?$",
    re.IGNORECASE,
)
"""Addresses of images that stand in for others until a script has loaded these."""

_ADDRESS_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([/_-])(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "dt", "legend", "summary", "th")
_YEAR = re.compile(r"(?:19|20)\d\d")

_BESIDE_TAGS = frozenset({"aside", "footer", "nav"})
_BESIDE = frozenset(
    {
        "ads", "advert", "advertisement", "comments", "popular", "recommendations", "recommended", "related",
        "review", "reviews", "sidebar", "similar", "sponsored", "suggested", "suggestions", "trending",
    }
)  # fmt: skip
_OTHER_LISTS = frozenset(
    {"event", "events", "members", "member", "product", "products", "shop", "team", "testimonials"}
)
_COMMENTS = re.compile(r"(?:^|\s)comments?(?:-?list|-area|-body|-section)?(?:\s|$)")
_CATEGORY = re.compile(r"(?<!\S)(?:category|cat|tag|term|topic)[-_]\S*")  # of a post, as WordPress has it
_UNSEEN = frozenset({"sr-only", "screen-reader-text", "visually-hidden", "visuallyhidden"})
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
    r"""(?:\[["'][\w$-]{1,60}["']\])?\s*=\s*(?:(?:JSON\.parse|decodeURIComponent)\(){0,2}(?=["']?(?:[\[{]|%[57]B))"""
)
"""The beginning of a value that a script keeps (``window.__INITIAL_STATE__ = {…}``), as players' pages have it.

It may be a text of JSON, such as ``JSON.parse("…")``, also percent-encoded.
"""
_MOST_ASSIGNED = 20
_MOST_RESOLVED = 200_000
_STRING = re.compile(r"""'((?>(?:[^'\\]|\\.)*))'""", re.DOTALL)
_IN_STRING = re.compile(r"""\\(.)|(")|(\n)""", re.DOTALL)

FLIGHT = "__next_f.push("
"""What stands before each piece of the data of a page of Next.js, of which one script has one."""


def parse(document: Document) -> xml.Element | None:
    """Return the root of an HTML page with its real images and seen headings; ``None`` for any other document."""
    root = xml.parse_html(decoding.decode(document)) if decoding.detect_type(document) == "html" else None
    for image in () if root is None else root.iter("img"):
        if (url := _find_lazy_image(image)) is not None:
            image.set("src", url)
        elif _PLACEHOLDER.match(image.get("src") or ""):
            del image.attrib["src"]
    for heading in () if root is None else root.iter("h1", "h2", "h3", "h4"):
        _remove_unseen_words(heading)
    return root


def _remove_unseen_words(heading: xml.Element) -> None:
    """Remove the words of a heading that are made for screen readers, unless there are no others."""
    unseen = [each for each in heading.iterdescendants() if not _UNSEEN.isdisjoint((each.get("class") or "").split())]
    if unseen and sum(len(xml.get_text(each).strip()) for each in unseen) < len(xml.get_text(heading).strip()):
        for element in unseen:
            tail = element.tail
            element.clear()
            element.tail = tail


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


def find_address_date(url: str) -> str | None:
    """Return the day in an address as ISO 8601 has it, ``None`` if there is none.

    >>> (
    ...     find_address_date("/2026/03/05/a-walk/"),
    ...     find_address_date("/audio/2026-03-05.mp3"),
    ...     find_address_date("/2026/03/"),
    ... )
    ('2026-03-05', '2026-03-05', None)
    """
    found = _ADDRESS_DATE.search(url)
    return f"{found[1]}-{found[3]}-{found[4]}" if found else None


def is_beside(element: xml.Element) -> bool:
    """Return whether an element stands in what a page shows beside its entries: a sidebar, comments, other posts."""
    above = [each for each in (element, *element.iterancestors()) if each.tag != "body"]
    names = " ".join(f"{each.get('class') or ''} {each.get('id') or ''}" for each in above)
    is_named = not (_BESIDE | _OTHER_LISTS).isdisjoint(_list_words(names))
    return is_named or any(each.tag in _BESIDE_TAGS or is_of_comments(each) for each in above)


def is_of_comments(element: xml.Element) -> bool:
    """Return whether an element is by its class or id a comment, or the place of all of them."""
    return _COMMENTS.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None


def is_name_beside(name: str) -> bool:
    """Return whether a class, an id or a JSON field is named as what stands beside the entries of a page.

    >>> is_name_beside("relatedEpisodes"), is_name_beside("episodes")
    (True, False)
    """
    return not _BESIDE.isdisjoint(_list_words(name))


def _list_words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(_CATEGORY.sub("", name))]


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
    search engines accept them; other mistakes are repaired (`broken_json`).

    >>> load_script('//<![CDATA[\n{"name": "One\ntwo"};\n//]]>')
    {'name': 'One\ntwo'}
    """
    value = decoding.load_json(text)
    if value is not None:
        return unpack(value)
    start = _BEFORE.match(text)
    try:
        value, end = _LENIENT.raw_decode(text, start.end() if start else 0)
    except ValueError:
        value = read_broken(text) if text.startswith(("{", "["), start.end() if start else 0) else None
        return value if value is None else unpack(value)
    except RecursionError:
        return None
    is_whole = isinstance(value, dict | list) and _BEHIND.fullmatch(text, end)
    return _make_strict(value) if is_whole else None


def unpack(value: Any) -> Any:
    """Return a value with the answer that SvelteKit keeps in it as text, and without the references of Nuxt."""
    if isinstance(value, dict) and isinstance(body := value.get("body"), str) and body[:1] in {"{", "["}:
        return {**value, "body": decoding.load_json(body)}
    if isinstance(value, list) and value and _is_reference(value[0]):
        with suppress(RecursionError, LookupError, OverflowError):
            return _resolve(value, value[0][1], iter(range(_MOST_RESOLVED)))
    return value


def _is_reference(value: Any) -> bool:
    return isinstance(value, list) and value[:1] in (["ShallowReactive"], ["Reactive"]) and isinstance(value[-1], int)


def _resolve(values: list[Any], at: Any, left: Iterator[int]) -> Any:
    """Return the value at a place of a list in which objects and lists name others by their place (devalue)."""
    if next(left, None) is None:
        raise OverflowError
    if not isinstance(at, int) or at < 0:
        return None
    value = values[at]
    if isinstance(value, dict):
        return {name: _resolve(values, place, left) for name, place in value.items()}
    if not isinstance(value, list):
        return value
    if not value or not isinstance(value[0], str):
        return [_resolve(values, place, left) for place in value]
    return value[-1] if value[0] == "Date" else _resolve(values, value[-1], left)


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
            value, end = _read_value(text, start)
            if end - start > longest and isinstance(value, dict | list):
                best, longest = (found[1], value), end - start
    return best and (best[0], _make_strict(best[1]))


def _read_value(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value at a place of a script, or in the string there, and its end; raise ValueError for none."""
    if text[start] != "'":
        value, end = _LENIENT.raw_decode(text, start)
    elif (found := _STRING.match(text, start)) is not None:
        value, end = json.loads(f'"{_IN_STRING.sub(_escape, found[1])}"'), found.end()
    else:
        raise ValueError(text)
    return (
        (decoding.load_json(unquote(value) if value[:1] == "%" else value), end)
        if isinstance(value, str)
        else (value, end)
    )


def _escape(found: re.Match[str]) -> str:
    r"""Return a part of a string in single quotation marks as one in double ones: ``\'``, ``"`` and line breaks."""
    return "'" if found[1] == "'" else "" if found[1] == "\n" else f"\\{found[1] or found[2] or 'n'}"


def load_flight(scripts: Iterable[str]) -> dict[str, list[Any]]:
    """Return the lists of objects in the data of a page of Next.js, the longest of each name.

    The scripts of the page push pieces of a text, of which each line is a number and mostly JSON (React Server
    Components). Where a list stands in it changes with each version of the site.
    """
    pieces: list[str] = []
    for script in scripts:
        for part in script.split(FLIGHT)[1:]:
            with suppress(ValueError, RecursionError):
                value, _ = _LENIENT.raw_decode(part)
                if isinstance(value, list) and value[:1] == [1] and isinstance(value[-1], str):
                    pieces.append(value[-1])
    found: dict[str, list[Any]] = {}
    for line in "".join(pieces).replace('"$D', '"').split("\n"):
        with suppress(RecursionError):
            _collect_lists(decoding.load_json(line.partition(":")[2]), found)
    return found


def _collect_lists(value: Any, found: dict[str, list[Any]]) -> None:
    for name, each in value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, list) else ()):
        if isinstance(name, str) and isinstance(each, list) and all(isinstance(one, dict) for one in each):
            found[name] = max(found.get(name, []), each, key=len)
        _collect_lists(each, found)
