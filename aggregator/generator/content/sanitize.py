"""Safe HTML: a source's markup sanitized, plain text as markup, and markup as plain text."""

from __future__ import annotations

import html
import re

import nh3

from aggregator.generator.content.plain_text import ELLIPSIS, TWICE, at_word, settled, text

# The longest show notes seen are below 60,000 characters; Android's database row is 2 MB at most, and 20 such
# items would exceed the 5 MB at which the W3C validator stops. 10 % more or less touches no known feed.
LONG = 200_000
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
# Two patterns, for a search that begins with a word is five times as fast as one that begins with a choice.
RELATIVE = tuple(re.compile(rf"""{name}\s*+=\s*+["']?+(?!\s*(?:https?:|mailto:))""") for name in ("href", "src"))
STRIPPER = nh3.Cleaner(tags=set())
CLEANER = nh3.Cleaner(tags=set(TAGS), attributes=ATTRIBUTES, url_schemes=SCHEMES, url_relative="deny")
BLOCK = re.compile(r"(?i)<(?:br|/p|/div|/li|/h[1-6]|/tr|/blockquote|/pre|/dt|/dd)\b[^>]*>")
ADDRESS = re.compile(r"https?://[^\s<>\"]*[^\s<>\".,;:!?'\)\]]")


def markup(value: str, base: str | None = None) -> str:
    """Return a source's markup safe to show: allowed tags, web and mail links only, cut near ``LONG`` characters.

    Relative addresses are resolved against ``base``, and dropped where there is none.
    """
    whole = text(value)
    kept = whole if len(whole) <= LONG else whole[:LONG].rsplit("<", 1)[0] + ELLIPSIS
    if base is None or not _relative(kept):
        return _once(text(CLEANER.clean(kept)))
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


def _relative(markup: str) -> bool:
    """Return whether an address of the markup may be a relative one."""
    low = markup.lower()
    return any(found.search(low) for found in RELATIVE)


def paragraphs(value: str) -> str:
    r"""Return plain text as markup: an empty line parts paragraphs, a line end is a break, an address is a link.

    >>> paragraphs("a < b\n\nhttps://example.org/x.")
    '<p>a &lt; b</p><p><a href="https://example.org/x">https://example.org/x</a>.</p>'
    """
    whole = text(value)
    kept = whole if len(whole) <= LONG else at_word(whole[:LONG]) + ELLIPSIS
    blocks = (block.strip() for block in re.split(r"\n[ \t]*\n", kept))
    return "".join(f"<p>{_linked(block)}</p>" for block in blocks if block)


def plain(value: str) -> str:
    r"""Return the text of markup, its blocks on lines of their own; for items that have no plain text.

    >>> plain("<p>One &amp; two</p><ul><li>three</li></ul>")
    'One & two\nthree'
    """
    spaced = BLOCK.sub("\n", text(value)[: 4 * LONG])
    return text(html.unescape(STRIPPER.clean(spaced)))


def _once(markup: str) -> str:
    """Return safe markup in which no entity but that for less-than (code shows it so) is escaped twice."""
    return settled(lambda once: TWICE.sub("&", once), markup)


def _linked(block: str) -> str:
    pieces: list[str] = []
    end = 0
    for found in ADDRESS.finditer(block):
        address = html.escape(found.group())
        pieces += [html.escape(block[end : found.start()], quote=False), f'<a href="{address}">{address}</a>']
        end = found.end()
    pieces.append(html.escape(block[end:], quote=False))
    return "".join(pieces).replace("\n", "<br>")
