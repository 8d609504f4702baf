"""What a reader may be given: text that XML allows, plain text of bounded size, markup that nothing hides in.

Every string of the output passes one of these functions. They are idempotent and never raise, whatever a source
wrote: Unicode of every category, lone surrogates and control characters included.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import nh3

# XML 1.0, production 2 (Char), without DEL and the C1 controls and the noncharacters (discouraged there) and without
# U+FFFD, which tells every reader that something was lost and no reader what.
ILLEGAL = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffc"
    + "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 17))
    + "]"
)
LOST = "\ufffd"

# Apple and the RSS Advisory Board's best practices: a description is at most 4,000 bytes.
SHORT = 4000
# PSP-1: a value is at most 255 characters.
LINE = 255
# How often a text is unescaped; three times is the most that was seen, and each layer costs as much as the text.
ROUNDS = 16
# The longest show notes seen are below 60,000 characters; Android's database row is 2 MB at most, and 20 such
# items would exceed the 5 MB at which the W3C validator stops. 10 % more or less touches no known feed.
LONG = 200_000
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
# What programs write for a value they do not have; readers then show the word.
NOTHING = frozenset({"", "None", "nan", "NaN", "null", "NULL", "True", "False", "undefined"})
ELLIPSIS = "…"
# What AntennaPod holds to be one letter in titles (FeedItemDuplicateGuesser, 2026).
SAME = str.maketrans("“”„—", '"""-')

# What show notes use, and what apps draw. No form, no frame, no script, no style, no id.
TAGS = frozenset(
    {
        "a", "abbr", "b", "blockquote", "br", "cite", "code", "dd", "del", "dfn", "div", "dl", "dt", "em", "figcaption",
        "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre",
        "q", "s", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "tt",
        "u", "ul", "var",
    }
)  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
SCHEMES = {"http", "https", "mailto"}
RELATIVE = re.compile(r"""(?i)\b(?:href|src)\s*=\s*["']?(?!\s*(?:https?:|mailto:))""")
WASHER = nh3.Cleaner(tags=set(TAGS), attributes=ATTRIBUTES, url_schemes=SCHEMES, url_relative="deny")
# Text that was escaped once too often. In plain text "&lt;" may be what is meant, "&amp;" never is.
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
ESCAPED = re.compile(r"&(?:amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
TWICE = re.compile(r"&amp;(?=(?:amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
BLOCK = re.compile(r"(?i)<(?:br|/p|/div|/li|/h[1-6]|/tr|/blockquote|/pre|/dt|/dd)\b[^>]*>")
_NAMES = "b|i|em|strong|u|s|a|p|span|div|font|small|sup|sub|code|h[1-6]"
OPENED = re.compile(rf"(?i)<({_NAMES})(?:\s[^<>]*)?>")
CLOSED = re.compile(rf"(?i)</({_NAMES})\s*>")
TAGGED = re.compile(rf"(?is)<({_NAMES})(?:\s[^<>]*)?>(.*?)</\1\s*>")
VOID = re.compile(r"(?i)<(?:br|hr|img)(?:\s[^<>]*)?/?>")
ADDRESS = re.compile(r"https?://[^\s<>\"]*[^\s<>\".,;:!?'\)\]]")


def text(value: str) -> str:
    r"""The text without what XML forbids, line ends as ``\n``, no white space around it.

    >>> text("a\x00b\ud800c\r\nd ")
    'abc\nd'
    """
    if LOST not in value and value.replace("\n", " ").isprintable():
        return value.strip()
    return ILLEGAL.sub("", value).replace("\r\n", "\n").replace("\r", "\n").strip()


def line(value: str, limit: int = LINE) -> str:
    r"""The text on one line, at most ``limit`` characters, cut at a word with an ellipsis.

    >>> line(" one\n two ")
    'one two'
    """
    whole = " ".join(text(value).split())
    if len(whole) <= limit:
        return whole
    return _at_word(whole[: limit - 1]) + ELLIPSIS


def name(value: str | None, limit: int = LINE) -> str | None:
    """A short value on one line; ``None`` where it is empty or a program's word for nothing.

    >>> name("None") is None
    True
    """
    said = title(value or "", limit)
    return None if said in NOTHING else said


def language(value: str | None) -> str | None:
    """A language tag as RSS and Atom take it (RFC 5646), ``None`` where it is none.

    >>> language("en_us"), language("English")
    ('en-us', None)
    """
    said = line(value or "").replace("_", "-")
    return said if LANGUAGE.fullmatch(said) else None


def title(value: str, limit: int = LINE) -> str:
    """A title on one line without markup; angle brackets that are no markup stay.

    A title is no markup, so an entity in it was escaped once too often.

    >>> title("All about <b>tensors</b> &amp;amp; <T>")
    'All about tensors & <T>'
    """
    whole = text(value)[: 16 * limit]
    return line(_settled(lambda bare: ENTITY.sub(_unescaped, VOID.sub(" ", TAGGED.sub(r"\2", bare))), whole), limit)


def compared(value: str) -> str:
    """A title as apps compare it with another."""
    return value.strip().translate(SAME)


def prose(value: str) -> str:
    """Plain text of many lines, no part of it escaped.

    >>> prose("Q&amp;amp;A about &lt;p&gt;")
    'Q&A about &lt;p&gt;'
    """
    return _settled(lambda bare: text(ESCAPED.sub(_unescaped, bare)), text(value))


def short(value: str, limit: int = SHORT) -> str:
    """Plain text of at most ``limit`` bytes of UTF-8, cut at a word with an ellipsis.

    >>> short("one two three", 10)
    'one two…'
    """
    whole = text(value)
    encoded = whole.encode()
    if len(encoded) <= limit:
        return whole
    kept = encoded[: limit - len(ELLIPSIS.encode())].decode("utf-8", "ignore")
    return _at_word(kept) + ELLIPSIS


def markup(value: str, base: str | None = None) -> str:
    """A source's markup, safe to show: allowed tags, web and mail links only, at most ``LONG`` characters and a bit.

    Relative addresses are resolved against ``base``, and dropped where there is none.
    """
    whole = text(value)
    kept = whole if len(whole) <= LONG else whole[:LONG].rsplit("<", 1)[0] + ELLIPSIS
    if RELATIVE.search(kept) is None or base is None:
        return _once(text(WASHER.clean(kept)))
    return _once(
        text(
            nh3.clean(
                kept,
                tags=set(TAGS),
                attributes=ATTRIBUTES,
                url_schemes=SCHEMES,
                url_relative=("rewrite_with_base", base),
            )
        )
    )


def paragraphs(value: str) -> str:
    r"""Plain text as markup: an empty line parts paragraphs, a line end is a break, an address is a link.

    >>> paragraphs("a < b\n\nhttps://example.org/x.")
    '<p>a &lt; b</p><p><a href="https://example.org/x">https://example.org/x</a>.</p>'
    """
    whole = text(value)
    kept = whole if len(whole) <= LONG else _at_word(whole[:LONG]) + ELLIPSIS
    blocks = (block.strip() for block in re.split(r"\n[ \t]*\n", kept))
    return "".join(f"<p>{_linked(block)}</p>" for block in blocks if block)


def marked(value: str) -> bool:
    """Does the text hold markup that a browser would take as such? "vector<int>" does not."""
    if VOID.search(value):
        return True
    ends: dict[str, int] = {}
    for found in OPENED.finditer(value):
        ends.setdefault(found[1].lower(), found.end())
    return any(found.start() >= ends.get(found[1].lower(), len(value)) for found in CLOSED.finditer(value))


def plain(value: str) -> str:
    r"""The text of markup, its blocks on lines of their own; for items of which nobody gave plain text.

    >>> plain("<p>One &amp; two</p><ul><li>three</li></ul>")
    'One & two\nthree'
    """
    spaced = BLOCK.sub("\n", text(value)[: 4 * LONG])
    return text(html.unescape(nh3.clean(spaced, tags=set())))


def _unescaped(found: re.Match[str]) -> str:
    return text(html.unescape(found.group())) or " "


def _once(markup: str) -> str:
    """Safe markup in which no entity is escaped twice; an entity for less-than may be, as code shows it so."""
    return _settled(lambda once: TWICE.sub("&", once), markup)


def _settled(step: Callable[[str], str], value: str) -> str:
    """What is left when the step changes nothing more, or of a text that was made to keep us busy after ``ROUNDS``."""
    for _ in range(ROUNDS):
        before, value = value, step(value)
        if before == value:
            break
    return value


def _linked(block: str) -> str:
    pieces: list[str] = []
    end = 0
    for found in ADDRESS.finditer(block):
        address = html.escape(found.group())
        pieces += [html.escape(block[end : found.start()], quote=False), f'<a href="{address}">{address}</a>']
        end = found.end()
    pieces.append(html.escape(block[end:], quote=False))
    return "".join(pieces).replace("\n", "<br>")


def _at_word(kept: str) -> str:
    """The text up to its last white space, where that keeps at least half of it."""
    found = max(kept.rfind(" "), kept.rfind("\n"))
    return (kept[:found] if found > len(kept) // 2 else kept).rstrip(" \n,;:-–—")
