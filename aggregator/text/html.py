"""Turn markup into plain text: paragraphs as lines, entities read, tags that were shown as text removed."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

# HTML Living Standard, 15.3.3 "Flow content": elements that stand on lines of their own; ``br`` breaks a line.
_BLOCKS = re.compile(
    "address|article|aside|blockquote|body|center|d[dlt]|details|dialog|dir|div|fieldset|figcaption|figure|footer|form|"
    "h[1-6]|header|hgroup|hr|html|legend|li|listing|main|menu|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul"
)
_PARAGRAPHS = re.compile("p|h[1-6]|blockquote|[uod]l|pre|table")
_SILENT = re.compile("script|style|template|noscript|iframe|head|title|object|audio|video|svg|math|select")
_INLINE = "a|abbr|b|big|br|cite|code|del|em|font|i|img|ins|kbd|mark|q|s|small|span|strike|strong|sub|sup|tt|u|wbr"
_VOID = frozenset({"br", "hr", "img", "wbr"})  # of the void elements (15.1.2) those that stand in texts
_OPTIONAL_END = frozenset({"p", "li"})  # markup without an end tag, too (13.1.2.4), where words follow at once
# Tags that format a text. A text that has one alone speaks of it: "History of the <dialog> tag".
_FORMATTING = frozenset(
    f"{_INLINE}|p|div|h1|h2|h3|h4|h5|h6|ul|ol|li|dl|dt|dd|blockquote|pre|center|table|tbody|thead|tfoot|tr|td|th|"
    "section|article|figure|figcaption".split("|")
)
_KNOWN_TAG = re.compile(
    rf"<(/?)({_BLOCKS.pattern}|{_SILENT.pattern}|{_INLINE})"
    r"((?:\s+[a-zA-Z][\w:-]*\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))*)\s*/?>",
    re.IGNORECASE,
)
# Without its semicolon a reference is one where HTML's parsers read it, too (Living Standard, 13.2.5.72).
_ENTITY = re.compile(
    r"&(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|#\d{2,7}|(?:amp|quot|nbsp|shy|lt|gt)(?![\w=]))"
)
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_ROUNDS = 4
# Where a paragraph and where another block begins or ends, until blanks are squeezed.
_PARAGRAPH, _LINE = "\x02", "\x01"
_BLANK = re.compile(
    f" [ \t\n{_PARAGRAPH}{_LINE}]+|[\t\n{_PARAGRAPH}{_LINE}][ \t\n{_PARAGRAPH}{_LINE}]*"
)  # one blank stays
_SPACES = re.compile(r" \s+|[^\S ]\s*")  # the same
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
# For what the parser gives up on (thousands of nested elements): anything that looks like a tag.
_ANY_TAG = re.compile(r"<[^<>]{0,2000}>")
_SILENT_PART = re.compile(r"<(script|style)\b[^<]*(?:<(?!/\1)[^<]*)*")


def to_text(markup: str) -> str:
    r"""Return the text that a reader of the HTML sees: paragraphs divided by an empty line, other blocks by a line end.

    Scripts, styles and comments are left out; links leave their words. Text without any markup comes back as it is.

    >>> to_text("<p>One &amp; two</p><p>three<br>four</p>")
    'One & two\n\nthree\nfour'
    """
    if "<" not in markup and "&" not in markup:
        return markup.strip()
    source = _CDATA.sub("", _CONTROLS.sub("", markup)).encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, no_network=True)
    root = etree.fromstring(source, parser) if source.strip() else None
    text = "" if root is None else _squeeze_blanks("".join(_iterate_text(root)))
    return text or _squeeze_blanks(unescape(_ANY_TAG.sub(" ", _SILENT_PART.sub("", markup))))


def _iterate_text(root: etree._Element) -> Iterator[str]:
    """Return the text in order, with line ends where blocks begin and end; no recursion, however deep the tree."""
    silent: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            if silent is None:
                name = element.tag if isinstance(element.tag, str) else ""
                before, _, hidden = _find_borders(name)
                yield before
                if hidden:
                    silent = element
                elif text := element.text:
                    yield _SPACES.sub(" ", text) if name != "pre" else text
            continue
        if silent is None:
            yield _find_borders(element.tag if isinstance(element.tag, str) else "")[1]
        elif silent is element:
            silent = None
        if silent is None and (tail := element.tail):
            yield _SPACES.sub(" ", tail)


@lru_cache(maxsize=256)
def _find_borders(name: str) -> tuple[str, str, bool]:
    """Return what stands before and behind an element, and whether its content is left out."""
    if _PARAGRAPHS.fullmatch(name):
        return _PARAGRAPH, _PARAGRAPH, False
    if _BLOCKS.fullmatch(name):
        return _LINE, _LINE, False
    if name == "br":
        return "\n", "", False
    return (" ", " ", False) if name in {"td", "th"} else ("", "", _SILENT.fullmatch(name) is not None)


def _squeeze_blanks(text: str) -> str:
    """Return the text with each run of blanks and borders as the widest of them."""
    return _BLANK.sub(lambda found: _widest_blank(found.group()), text).strip()


def _widest_blank(blank: str) -> str:
    if _PARAGRAPH in blank or blank.count("\n") > 1:
        return "\n\n"
    return "\n" if _LINE in blank or "\n" in blank else " "


def unescape(text: str) -> str:
    """Return the text with its HTML entities read, also where they were escaped up to four times.

    >>> unescape("Q&amp;amp;A"), unescape("R&B"), unescape("a&b;c")
    ('Q&A', 'R&B', 'a&b;c')
    """
    for _ in range(_ROUNDS):
        if "&" not in text or not _ENTITY.search(text):
            break
        text = _ENTITY.sub(lambda found: html.unescape(found.group()), text)
    return text


def strip_tags(text: str) -> str:
    r"""Return the text without pairs of formatting tags and void tags: a block becomes a line end, others a blank.

    >>> strip_tags("one <br /> <b>two</b>"), strip_tags("if a<b and c>d"), strip_tags("History of the <dialog> tag")
    ('one \n  two ', 'if a<b and c>d', 'History of the <dialog> tag')
    """
    if "<" not in text:
        return text
    paired = _paired_names(text) & _FORMATTING

    def replaced(found: re.Match[str]) -> str:
        name = found[2].lower()
        if name not in paired and not _stands_alone(found):
            return found[0]
        return "\n" if _BLOCKS.fullmatch(name) or name == "br" else " "

    return _KNOWN_TAG.sub(replaced, text)


def has_tags(text: str) -> bool:
    """Return whether the text is markup by its tags: a pair, a void tag, one that needs no end, or an attribute.

    >>> has_tags("one<br>two"), has_tags("<i>one</i>"), has_tags("History of the <dialog> tag")
    (True, True, False)
    """
    if "<" not in text:
        return False
    alone = any(_stands_alone(found) or found[3] for found in _KNOWN_TAG.finditer(text))
    return alone or bool(_paired_names(text))


def _stands_alone(tag: re.Match[str]) -> bool:
    """Return whether a known tag is markup without another that closes it."""
    name = tag[2].lower()
    if tag[1] and name in _FORMATTING:  # a tag that a text is about stands apart: "closed by </b> at last"
        return tag.string[tag.start() - 1 : tag.start()].isalnum()
    return name in _VOID or (name in _OPTIONAL_END and not tag[1] and tag.string[tag.end() : tag.end() + 1].isalnum())


def _paired_names(text: str) -> set[str]:
    """Return the names of known elements that have an opening tag and a closing one behind it."""
    opened, paired = set[str](), set[str]()
    for found in _KNOWN_TAG.finditer(text):
        name = found[2].lower()
        if not found[1]:
            opened.add(name)
        elif name in opened:
            paired.add(name)
    return paired
