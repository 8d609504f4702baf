"""Markup to plain text: HTML with its paragraphs as lines, entities, and the debris that Markdown converters leave."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from functools import lru_cache

from lxml import etree

# HTML Living Standard, 15.3.3 "Flow content": elements that stand on lines of their own; ``br`` breaks a line.
BLOCKS = re.compile(
    "address|article|aside|blockquote|body|center|d[dlt]|details|dialog|dir|div|fieldset|figcaption|figure|footer|form|"
    "h[1-6]|header|hgroup|hr|html|legend|li|listing|main|menu|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul"
)
PARAGRAPHS = re.compile("p|h[1-6]|blockquote|[uod]l|pre|table")
SILENT = re.compile("script|style|template|noscript|iframe|head|title|object|audio|video|svg|math|select")
INLINE = "a|abbr|b|big|br|cite|code|del|em|font|i|img|ins|kbd|mark|q|s|small|span|strike|strong|sub|sup|tt|u|wbr"
VOID = frozenset({"br", "hr", "img", "wbr"})  # of the void elements (15.1.2) those that stand in texts
OPTIONAL_END = frozenset({"p", "li"})  # markup without an end tag, too (13.1.2.4), where words follow at once
# Tags that format a text. A text that has one alone speaks of it: "History of the <dialog> tag".
FORMATTING = frozenset(
    f"{INLINE}|p|div|h1|h2|h3|h4|h5|h6|ul|ol|li|dl|dt|dd|blockquote|pre|center|table|tbody|thead|tfoot|tr|td|th|"
    "section|article|figure|figcaption".split("|")
)
KNOWN_TAG = re.compile(
    rf"<(/?)({BLOCKS.pattern}|{SILENT.pattern}|{INLINE})"
    r"((?:\s+[a-zA-Z][\w:-]*\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))*)\s*/?>",
    re.IGNORECASE,
)
# Without its semicolon a reference is one where HTML's parsers read it, too (Living Standard, 13.2.5.72).
ENTITY = re.compile(
    r"&(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|#\d{2,7}|(?:amp|quot|nbsp|shy|lt|gt)(?![\w=]))"
)
CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
# A backslash before punctuation is an escape between word characters, or anywhere once the text has shown two.
ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~$&-])")
SURE_ESCAPE = re.compile(r"(?<!\S)\\([#*_\[(>~+-])(?=\w)|(?<=\w)\\([*_\[\](){}#.!|~-])(?=\w)")
BOLD = re.compile(r"(?<![*\\])\*\*(?![\s*])([^*\n]{0,200}?[^\s*])\*\*(?!\*)")
LINK = re.compile(r"!?\[([^\[\]\n]{1,300})\]\((?:https?://|/|\?|mailto:|www\.)[^\s()]*\)")
BROKEN_LINK = re.compile(r"\s?(?:\[\(|\]\()(?:https?://|/)[^\s()\[\]]*\)?(?=\s|$)|\s?\[\(https?\S*$")
BULLET = re.compile(r"\A {0,8}[-*•] {1,8}(?=\S)")
LINE_BULLET = re.compile(r"^ {0,8}[-*•]\s", re.MULTILINE)
ROUNDS = 4
# Where a paragraph and where another block begins or ends, until blanks are squeezed.
PARAGRAPH, LINE = "\x02", "\x01"
BLANK = re.compile(f" [ \t\n{PARAGRAPH}{LINE}]+|[\t\n{PARAGRAPH}{LINE}][ \t\n{PARAGRAPH}{LINE}]*")  # one blank stays
SPACES = re.compile(r" \s+|[^\S ]\s*")  # the same
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
# For what the parser gives up on (thousands of nested elements): anything that looks like a tag.
ANY_TAG = re.compile(r"<[^<>]{0,2000}>")
SILENT_PART = re.compile(r"<(script|style)\b[^<]*(?:<(?!/\1)[^<]*)*")


def to_text(markup: str) -> str:
    r"""The text a reader of the HTML sees: paragraphs divided by an empty line, other blocks by a line end.

    Scripts, styles and comments are silent; links leave their words. Text without any markup comes back as it is.

    >>> to_text("<p>One &amp; two</p><p>three<br>four</p>")
    'One & two\n\nthree\nfour'
    """
    if "<" not in markup and "&" not in markup:
        return markup.strip()
    source = CDATA.sub("", CONTROLS.sub("", markup)).encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, no_network=True)
    root = etree.fromstring(source, parser) if source.strip() else None
    text = "" if root is None else _squeezed("".join(_pieces(root)))
    return text or _squeezed(unescaped(ANY_TAG.sub(" ", SILENT_PART.sub("", markup))))


def _pieces(root: etree._Element) -> Iterator[str]:
    """The text in reading order, with line ends where blocks begin and end; no recursion, however deep the tree."""
    silent: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            if silent is None:
                name = element.tag if isinstance(element.tag, str) else ""
                before, _, hidden = _borders(name)
                yield before
                if hidden:
                    silent = element
                elif text := element.text:
                    yield SPACES.sub(" ", text) if name != "pre" else text
            continue
        if silent is None:
            yield _borders(element.tag if isinstance(element.tag, str) else "")[1]
        elif silent is element:
            silent = None
        if silent is None and (tail := element.tail):
            yield SPACES.sub(" ", tail)


@lru_cache(maxsize=256)
def _borders(name: str) -> tuple[str, str, bool]:
    """What stands before and behind an element, and whether it is silent."""
    if PARAGRAPHS.fullmatch(name):
        return PARAGRAPH, PARAGRAPH, False
    if BLOCKS.fullmatch(name):
        return LINE, LINE, False
    if name == "br":
        return "\n", "", False
    return (" ", " ", False) if name in {"td", "th"} else ("", "", SILENT.fullmatch(name) is not None)


def _squeezed(text: str) -> str:
    """The text with each run of blanks and borders as the widest of them."""
    return BLANK.sub(lambda found: _widest(found.group()), text).strip()


def _widest(blank: str) -> str:
    if PARAGRAPH in blank or blank.count("\n") > 1:
        return "\n\n"
    return "\n" if LINE in blank or "\n" in blank else " "


def unescaped(text: str) -> str:
    """The text with its HTML entities read, also where they were escaped twice or thrice.

    >>> unescaped("Q&amp;amp;A"), unescaped("R&B"), unescaped("a&b;c")
    ('Q&A', 'R&B', 'a&b;c')
    """
    for _ in range(ROUNDS):
        if "&" not in text or not ENTITY.search(text):
            break
        text = ENTITY.sub(lambda found: html.unescape(found.group()), text)
    return text


def untagged(text: str) -> str:
    r"""Return the text without pairs of formatting tags and void tags: a block becomes a line end, others a blank.

    >>> untagged("one <br /> <b>two</b>"), untagged("if a<b and c>d"), untagged("History of the <dialog> tag")
    ('one \n  two ', 'if a<b and c>d', 'History of the <dialog> tag')
    """
    if "<" not in text:
        return text
    paired = _paired(text) & FORMATTING

    def replaced(found: re.Match[str]) -> str:
        name = found[2].lower()
        if name not in paired and not _stands_alone(found):
            return found[0]
        return "\n" if BLOCKS.fullmatch(name) or name == "br" else " "

    return KNOWN_TAG.sub(replaced, text)


def has_tags(text: str) -> bool:
    """Return whether the text is markup by its tags: a pair, a void tag, one that needs no end, or an attribute.

    >>> has_tags("one<br>two"), has_tags("<i>one</i>"), has_tags("History of the <dialog> tag")
    (True, True, False)
    """
    if "<" not in text:
        return False
    alone = any(_stands_alone(found) or found[3] for found in KNOWN_TAG.finditer(text))
    return alone or bool(_paired(text))


def _stands_alone(tag: re.Match[str]) -> bool:
    """Return whether a known tag is markup without another that closes it."""
    name = tag[2].lower()
    return name in VOID or (name in OPTIONAL_END and not tag[1] and tag.string[tag.end() : tag.end() + 1].isalnum())


def _paired(text: str) -> set[str]:
    """Return the names of known elements that have an opening tag and a closing one behind it."""
    opened, paired = set[str](), set[str]()
    for found in KNOWN_TAG.finditer(text):
        name = found[2].lower()
        if not found[1]:
            opened.add(name)
        elif name in opened:
            paired.add(name)
    return paired


def unlinked(text: str) -> str:
    """The text with ``[words](address)`` as its words, and without the ruins ``[(https://…`` of such links."""
    if "[" not in text or ("](" not in text and "[(" not in text):
        return text
    return BROKEN_LINK.sub("", LINK.sub(r"\1", text))


def unbackslashed(text: str) -> str:
    r"""The text without Markdown's backslashes, where they are surely escapes.

    >>> unbackslashed(r"TORCH\_TRACE"), unbackslashed(r"¯\_(ツ)_/¯")
    ('TORCH_TRACE', '¯\\_(ツ)_/¯')
    """
    if "\\" not in text:
        return text
    if len(ESCAPE.findall(text)) > 1:
        return ESCAPE.sub(r"\1", text)
    return SURE_ESCAPE.sub(lambda found: found.group(1) or found.group(2), text)


def unbolded(text: str) -> str:
    """The text without pairs of ``**`` around words.

    >>> unbolded("using **Python** here"), unbolded("*args and **kwargs explained")
    ('using Python here', '*args and **kwargs explained')
    """
    return BOLD.sub(r"\1", text) if "*" in text and "**" in text else text


def unbulleted(text: str) -> str:
    r"""The text without the one bullet it begins with; a list keeps its bullets.

    >>> unbulleted("- Radio 801"), unbulleted("- one\n- two")
    ('Radio 801', '- one\n- two')
    """
    first = BULLET.match(text)
    return text[first.end() :] if first and len(LINE_BULLET.findall(text)) == 1 else text
