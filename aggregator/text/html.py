"""Turn HTML into plain text: blocks as lines, entities unescaped, tags that were shown as text removed."""

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
_HIDDEN = re.compile("script|style|template|noscript|iframe|head|title|object|audio|video|svg|math|select")
_INLINE = "a|abbr|b|big|br|cite|code|del|em|font|i|img|ins|kbd|mark|q|s|small|span|strike|strong|sub|sup|tt|u|wbr"
_VOID = frozenset({"br", "hr", "img", "wbr"})  # of the void elements (15.1.2) those that stand in texts
_OPTIONAL_END = frozenset({"p", "li"})  # markup even without an end tag (13.1.2.4), if words follow directly
# Tags that format a text. One without its pair is a word of the text: "History of the <dialog> tag".
_FORMATTING = frozenset(
    f"{_INLINE}|p|div|h1|h2|h3|h4|h5|h6|ul|ol|li|dl|dt|dd|blockquote|pre|center|table|tbody|thead|tfoot|tr|td|th|"
    "section|article|figure|figcaption".split("|")
)
# In markup, a tag as a word of the text: between a word and a blank or a mark, without attributes.
_WORD_TAG = re.compile(r"(?<=[^\s>] )<(/?)([a-zA-Z][a-zA-Z0-9-]{0,30})>(?=[\s.,;:!?)]|\Z)")
_TAG_NAME = re.compile(r"</?[a-zA-Z][a-zA-Z0-9-]{0,30}")
_NEVER_WORDS = re.compile(
    "area|base|body|br|col|d[dt]|embed|head|hr|html|img|input|li|link|meta|option|p|param|source|tbody|td|tfoot|th|thead|"
    "tr|track|wbr"
)
_KNOWN_TAG = re.compile(
    rf"<(/?)({_BLOCKS.pattern}|{_HIDDEN.pattern}|{_INLINE})"
    r"((?:\s+[a-zA-Z][\w:-]*\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+))*)\s*/?>",
    re.IGNORECASE,
)
# The references that HTML parsers accept without a semicolon, too (Living Standard, 13.2.5.72).
_ENTITY = re.compile(
    r"&(?:(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|#\d{2,7}|(?:amp|quot|nbsp|shy|lt|gt)(?![\w=]))"
)
_SURROGATES = re.compile(
    r"&#(5[56]\d{3}|[xX][dD][89abAB][0-9a-fA-F]{2});&#(5[67]\d{3}|[xX][dD][c-fC-F][0-9a-fA-F]{2});"
)
_CDATA = re.compile(r"<!\[CDATA\[|\]\]>")
_ROUNDS = 4  # times that a text may be escaped
_PARAGRAPH, _LINE = "\x02", "\x01"  # borders of paragraphs and of other blocks, until blanks are collapsed
_BLANK = re.compile(
    f" [ \t\n{_PARAGRAPH}{_LINE}]+|[\t\n{_PARAGRAPH}{_LINE}][ \t\n{_PARAGRAPH}{_LINE}]*"
)  # not a single space
_SPACES = re.compile(r" \s+|[^\S ]\s*")  # not a single space
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
# For markup that lxml cannot parse (thousands of nested elements): anything that looks like a tag.
_ANY_TAG = re.compile(r"<[^<>]{0,2000}>")
_SCRIPT = re.compile(r"<(script|style)\b[^<]*(?:<(?!/\1)[^<]*)*")


def to_text(markup: str) -> str:
    r"""Return the visible text of HTML: paragraphs separated by an empty line, other blocks by a line end.

    Scripts, styles and comments are left out. Text without markup is only stripped.

    >>> to_text("<p>One &amp; two</p><p>three<br>four</p>")
    'One & two\n\nthree\nfour'
    """
    if "<" not in markup and "&" not in markup:
        return markup.strip()
    source = _CDATA.sub("", _CONTROLS.sub("", markup)).encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, no_network=True)
    root = etree.fromstring(source, parser) if source.strip() else None
    text = "" if root is None else _collapse_blanks("".join(_iterate_text(root)))
    return text or _collapse_blanks(unescape(_ANY_TAG.sub(" ", _SCRIPT.sub("", markup))))


def _iterate_text(root: etree._Element) -> Iterator[str]:
    """Yield the text in order, with borders where blocks begin and end; without recursion, as trees may be deep."""
    hidden: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = element.tag if isinstance(element.tag, str) else ""
        before, after, is_hidden = _find_borders(name)
        if event == "start":
            if hidden is None:
                yield before
                if is_hidden:
                    hidden = element
                elif text := element.text:
                    yield _SPACES.sub(" ", text) if name != "pre" else text
            continue
        if hidden is None:
            yield after
        elif hidden is element:
            hidden = None
        if hidden is None and (tail := element.tail):
            yield _SPACES.sub(" ", tail)


@lru_cache(maxsize=256)
def _find_borders(name: str) -> tuple[str, str, bool]:
    """Return the borders before and after an element, and whether its content is hidden."""
    if _PARAGRAPHS.fullmatch(name):
        return _PARAGRAPH, _PARAGRAPH, False
    if _BLOCKS.fullmatch(name):
        return _LINE, _LINE, False
    if name == "br":
        return "\n", "", False
    return (" ", " ", False) if name in {"td", "th"} else ("", "", _HIDDEN.fullmatch(name) is not None)


def _collapse_blanks(text: str) -> str:
    """Return the text with each run of blanks and borders replaced by the widest of them."""
    return _BLANK.sub(lambda found: _choose_widest_blank(found.group()), text).strip()


def _choose_widest_blank(blank: str) -> str:
    if _PARAGRAPH in blank or blank.count("\n") > 1:
        return "\n\n"
    return "\n" if _LINE in blank or "\n" in blank else " "


def unescape(text: str) -> str:
    """Return the text with HTML character references replaced, also if they were escaped up to four times.

    >>> unescape("Q&amp;amp;A"), unescape("R&B"), unescape("a&b;c")
    ('Q&A', 'R&B', 'a&b;c')
    """
    for _ in range(_ROUNDS):
        if "&" not in text or not _ENTITY.search(text):
            break
        text = _SURROGATES.sub(_join_surrogates, text)
        text = _ENTITY.sub(lambda found: html.unescape(found.group()), text)
    return text


def _join_surrogates(found: re.Match[str]) -> str:
    """Return the character of two references to halves of a surrogate pair; the references if they are none."""
    first, second = (int(one[1:], 16) if one[0] in "xX" else int(one) for one in found.groups())
    if not (0xD800 <= first < 0xDC00 <= second < 0xE000):  # noqa: PLR2004 - Unicode, 3.8, D71 to D75
        return found[0]
    return chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))


def to_line(text: str) -> str:
    r"""Return a name on one line, without markup and entities.

    >>> to_line("Salt &amp;amp; <b>Pepper</b>\n&lt;i&gt;live&lt;/i&gt;"), to_line("History of the <dialog> tag")
    ('Salt & Pepper live', 'History of the <dialog> tag')
    """
    return " ".join(strip_tags(unescape(text)).split())


def strip_tags(text: str) -> str:
    r"""Return the text without paired formatting tags and void tags: a block becomes a line end, others nothing.

    >>> strip_tags("one <br /> CO<sub>2</sub>"), strip_tags("if a<b and c>d"), strip_tags("History of the <dialog> tag")
    ('one \n CO2', 'if a<b and c>d', 'History of the <dialog> tag')
    """
    if "<" not in text:
        return text
    paired = _find_paired_names(text) & _FORMATTING

    def replace(found: re.Match[str]) -> str:
        name = found[2].lower()
        if name not in paired and not _stands_alone(found):
            return found[0]
        return "\n" if _BLOCKS.fullmatch(name) or name == "br" else " " if name in {"img", "td", "th"} else ""

    return _KNOWN_TAG.sub(replace, text)


def escape_words(markup: str) -> str:
    """Return HTML with tags escaped that are words of its text.

    >>> escape_words("The <summary> tag, <b>at length</b>"), escape_words("<p>one <p> two <i> three</i>")
    ('The &lt;summary&gt; tag, <b>at length</b>', '<p>one <p> two <i> three</i>')
    """
    if "<" not in markup:
        return markup
    names = {name.lower() for name in _TAG_NAME.findall(markup)}

    def escape(tag: re.Match[str]) -> str:
        end, name = tag[1], tag[2].lower()
        paired = (f"<{name}" if end else f"</{name}") in names
        never = _NEVER_WORDS.fullmatch(name) or _HIDDEN.fullmatch(name)
        return tag[0] if paired or never else f"&lt;{end}{tag[2]}&gt;"

    return _WORD_TAG.sub(escape, markup)


def has_tags(text: str) -> bool:
    """Return whether the text is markup: it has a pair of tags, a tag that needs no pair, or one with an attribute.

    >>> has_tags("one<br>two"), has_tags("<i>one</i>"), has_tags("History of the <dialog> tag")
    (True, True, False)
    """
    if "<" not in text:
        return False
    alone = any(_stands_alone(found) or found[3] for found in _KNOWN_TAG.finditer(text))
    return alone or bool(_find_paired_names(text))


def _stands_alone(tag: re.Match[str]) -> bool:
    """Return whether a known tag is markup without its pair."""
    name = tag[2].lower()
    if tag[1] and name in _FORMATTING:  # directly behind a word; a tag as a word of the text follows a blank
        return tag.string[tag.start() - 1 : tag.start()].isalnum()
    return name in _VOID or (name in _OPTIONAL_END and not tag[1] and tag.string[tag.end() : tag.end() + 1].isalnum())


def _find_paired_names(text: str) -> set[str]:
    """Return the names of known elements that have an opening tag and a closing one behind it."""
    opened, paired = set[str](), set[str]()
    for found in _KNOWN_TAG.finditer(text):
        name = found[2].lower()
        if not found[1]:
            opened.add(name)
        elif name in opened:
            paired.add(name)
    return paired
