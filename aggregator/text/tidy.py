"""HTML in which a sanitiser finds nothing: read in one pass over its tags, for show notes are mostly that simple.

nh3 builds a tree, walks it and writes it again, 40 µs for 2 kB. What consists of a few plain tags, well nested where
HTML's parser would leave them (Living Standard, 13.2.6.4.7), with no attribute but an address, comes back as it was,
but for what the sanitiser writes otherwise; that is known, and done here. Everything else is left to the sanitiser.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

INLINE = {name: f"/{name}" for name in ("b", "code", "em", "i", "small", "strong", "sub", "sup", "u")}
BLOCKS = {name: f"/{name}" for name in ("p", "ul", "ol", "blockquote")}
FLOOR = "<"  # what no tag is
AROUND = {FLOOR, "/ul", "/ol", "/li", "/blockquote"}  # what a block may stand in without ending it
LISTS = {"/ul", "/ol"}
BREAKS = {"br", "br/", "br /"}
PATH = r"[\w/?#=.~%+:,;@!$*()'-]*+"
ADDRESS = rf'a href="https?://[\w-]+(?:\.[\w-]++)*(?:[/?#]{PATH}(?:&amp;{PATH})*)?"'
LINK = re.compile(ADDRESS, re.ASCII)
LINK_END = re.compile('">')  # what an attribute ends in; a pattern replaces it in a third of the time of str.replace
TAG = re.compile("<([^<>]*)>")
TEXT, BREAK = "[^<]*+", "<br ?(?:(/))?>"
LINK_TOLD = '" rel="noopener noreferrer">'
REFERENCE = re.compile("&(?!(?:amp|lt|gt|nbsp);)")


def tidied(html: str) -> str | None:
    """What a sanitiser that allows these tags, and adds ``rel`` to links, makes of it; ``None`` where it must be asked.

    >>> tidied('<p>One &amp; <a href="https://example.org/">two</a><br/>three</p>')
    '<p>One &amp; <a href="https://example.org/" rel="noopener noreferrer">two</a><br>three</p>'
    >>> tidied("<p>One"), tidied('<p onclick="x">One</p>'), tidied("a > b")
    (None, None, None)
    """
    if html.count("<") != html.count(">") or "\r" in html or "\0" in html or "\ufeff" in html:
        return None
    if "&" in html and REFERENCE.search(html):
        return None
    flat = _flat().fullmatch(html)
    if flat is None and not _is_nested(html):
        return None
    if '"' in html:
        html = LINK_END.sub(LINK_TOLD, html)
    if flat is None or "/" in flat.groups():
        html = html.replace("<br/>", "<br>").replace("<br />", "<br>")
    return html.replace("\xa0", "&nbsp;") if "\xa0" in html else html


@cache
def _flat() -> re.Pattern[str]:
    """What most show notes are: paragraphs and lists of text with breaks, links and styles, two of these deep at most.

    It fits some of what is well nested, ten times faster than tag by tag, where no ">" stands but at the end of a tag.
    Compiled when first asked for: that takes two milliseconds.
    """
    items = rf"<li>{_run('item')}(?:<p>{_run('inner')}</p>{TEXT})?</li>{TEXT}"
    blocks = rf"<p>{_run('block')}</p>|<(?P<list>[uo]l)>{TEXT}(?:{items})*</(?P=list)>"
    return re.compile(rf"{TEXT}(?:(?:{blocks}|{_spans('bare')}){TEXT})*", re.ASCII)


def _run(name: str) -> str:
    """Text with breaks, links and styles; ``name`` begins those of the groups."""
    return rf"{TEXT}(?:(?:{_spans(name)}){TEXT})*"


def _spans(name: str) -> str:
    outer, inner, linked = f"{name}_outer", f"{name}_inner", f"{name}_linked"
    within = rf"{BREAK}|<{ADDRESS}>{TEXT}</a>|<(?!(?P={outer})>){_styled(inner)}"
    link = rf"<{ADDRESS}>{TEXT}(?:<{_styled(linked)}{TEXT})*</a>"
    return rf"{BREAK}|{link}|<{_styled(outer, within)}"


def _styled(name: str, within: str = "(?!)") -> str:
    """A style from behind its "<" on, with text and what may stand ``within`` it."""
    return rf"(?P<{name}>{'|'.join(INLINE)})>{TEXT}(?:(?:{within}){TEXT})*</(?P={name})>"


def _is_nested(html: str) -> bool:
    """Whether all that stands in it are tags of these, well nested, tag by tag."""
    tags = TAG.findall(html)
    ends = [FLOOR]
    for tag in tags:
        if tag == ends[-1]:
            ends.pop()
        elif not _opened(tag, ends):
            return False
    return len(ends) == 1 and len(tags) == html.count("<")


@lru_cache(maxsize=2048)
def _is_link(tag: str) -> bool:
    """Whether the tag is a link with a plain address; a show's notes have many of them in common."""
    return LINK.fullmatch(tag) is not None


def _opened(tag: str, ends: list[str]) -> bool:
    """Whether the tag may open where it stands, and what ends it is noted."""
    if end := INLINE.get(tag):
        if end in ends:
            return False
    elif end := BLOCKS.get(tag):
        if not AROUND.issuperset(ends):
            return False
    elif tag == "li":
        end = "/li"
        if ends[-1] not in LISTS:
            return False
    elif tag.startswith("a "):
        end = "/a"
        if end in ends or not _is_link(tag):
            return False
    else:
        return tag in BREAKS
    ends.append(end)
    return True
