"""Make foreign text safe to publish: plain text, titles, names, and HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

import nh3

from aggregator.text.bidi import remove_unsafe_controls
from aggregator.text.characters import LOST, PROGRAM_WORDS, remove_forbidden

# Apple and the RSS Advisory Board's best practices: a description is at most 4,000 bytes.
LONGEST_SUMMARY = 4000
# PSP-1: a value is at most 255 characters.
LONGEST_LINE = 255
# How often a text is unescaped; three times is the most that was seen, and each layer costs as much as the text.
_ROUNDS = 16
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
_ELLIPSIS = "…"
# What AntennaPod holds to be one letter in titles (FeedItemDuplicateGuesser, 2026).
_SAME = str.maketrans("“”„—", '"""-')

# Text that was escaped once too often. In plain text "&lt;" may be what is meant, "&amp;" never is.
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ESCAPED = re.compile(r"&(?:amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
ESCAPED_TWICE = re.compile(r"&amp;(?=(?:amp|quot|apos|nbsp|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_NAMES = "b|i|em|strong|u|s|a|p|span|div|font|small|sup|sub|code|h[1-6]"
_OPENED = re.compile(rf"(?i)<({_NAMES})(?:\s[^<>]*)?>")
_CLOSED = re.compile(rf"(?i)</({_NAMES})\s*>")
_TAG = re.compile(r"(?i)<(/?)([a-z][\w:-]*)(?:[\s/][^<>]*)?(?:>|(?=<)|$)")
_FORMATTING = frozenset(_NAMES.replace("h[1-6]", "h1|h2|h3|h4|h5|h6").split("|"))
# What a reader that shows titles as HTML would run or load; of the first two the content is code.
_CODE = frozenset({"script", "style"})
_ACTIVE = frozenset({"iframe", "object", "embed", "svg", "style", "form"})
# Attributes by which a tag without ">" is told from text such as "a <b and c = d".
_LOADS = re.compile(
    r"""(?i)[\s/"'](?:on[a-z]+|(?:[a-z]+:)?href|src(?:doc|set)?|style|data|(?:form)?action|background|poster)\s*="""
)
# RFC 3986, section 3.2.1, read as browsers do: any number of slashes, also backslashes.
_LOGIN = re.compile(r"""(?i)((?:https?|ftps?):[/\\]*+)[^\s/\\?#"'<>]{1,300}@""")
_LIKE_TAG = re.compile(r"<(?=[a-zA-Z/!?])")  # HTML Living Standard, 13.2.5.6 and 13.2.5.7
_VOID = re.compile(r"(?i)<(?:br|hr|img)(?:\s[^<>]*)?/?>")


def clean_text(value: str) -> str:
    r"""Remove what XML forbids, what turns text around, and surrounding white space; line ends become ``\n``.

    >>> clean_text("a\x00b\ud800c\r\nd ")
    'abc\nd'
    """
    if LOST not in value and value.replace("\n", " ").isprintable():
        return value.strip()
    return remove_unsafe_controls(remove_forbidden(value).replace("\r\n", "\n").replace("\r", "\n")).strip()


def clean_passage(value: str, limit: int) -> str:
    r"""Remove what XML forbids and cut to ``limit`` characters; white space stays: a repair may have changed it alone.

    >>> clean_passage(" a\x00  b\n", 9), clean_passage("a b c", 3)
    (' a  b\n', 'a …')
    """
    whole = remove_unsafe_controls(remove_forbidden(value))
    return whole if len(whole) <= limit else whole[: limit - 1] + _ELLIPSIS


def clean_line(value: str, limit: int = LONGEST_LINE) -> str:
    r"""Put a text on one line of at most ``limit`` characters, cut at a word with an ellipsis.

    >>> clean_line(" one\n two ")
    'one two'
    """
    plain = LOST not in value and "  " not in value and value.isprintable()
    whole = value.strip() if plain else " ".join(clean_text(value).split())
    if len(whole) <= limit:
        return whole
    return remove_unsafe_controls(_cut_at_word(whole[: limit - 1])) + _ELLIPSIS


def clean_name(value: str | None, limit: int = LONGEST_LINE) -> str | None:
    """Clean a short value; ``None`` if it is empty or a program's word for nothing.

    >>> clean_name("None") is None
    True
    """
    cleaned = clean_title(value or "", limit)
    return None if cleaned in PROGRAM_WORDS else cleaned


@lru_cache(1024)
def clean_source_name(source: str) -> str:
    """Put a source's name on one line; cached, because the same few names occur at every field."""
    return clean_line(source)


def clean_language(value: str | None) -> str | None:
    """Clean a language tag (RFC 5646); ``None`` if it is none.

    >>> clean_language("en_us"), clean_language("English")
    ('en-us', None)
    """
    cleaned = clean_line(value or "").replace("_", "-")
    return cleaned if LANGUAGE_TAG.fullmatch(cleaned) else None


def clean_title(value: str, limit: int = LONGEST_LINE, *, plain: bool = False) -> str:
    """Put a title on one line without markup and entities; angle brackets that are no markup stay.

    With ``plain`` its tags are text, unless they are active: an element that runs or loads something, or attributes.

    >>> clean_title("All about <b>tensors</b> &amp;amp; <T>")
    'All about tensors & <T>'
    """
    whole = clean_text(value)[: 16 * limit]
    if "<" in whole or "&" in whole:
        whole = _repeat_until_stable(lambda bare: ENTITY.sub(_unescape, _drop_tags(bare, plain=plain)), whole)
    return clean_line(whole, limit)


def _drop_tags(value: str, *, plain: bool) -> str:
    """Return the text without active elements; if it is not ``plain``, without pairs of formatting tags and void ones.

    Tags with attributes and those of ``_ACTIVE`` are dropped alone too, others with the next closing tag of their name,
    sought in one walk: a pattern for both would go to the end of the text for each tag that nothing closes. A lone
    "<script>" is a word. A tag without ">" goes to the next tag or to the end: a browser (HTML, 13.2.5.33) would
    take what is written behind the title for its end.
    """
    paired = _CODE if plain else _CODE | _FORMATTING
    waiting: dict[str, re.Match[str]] = {}
    cut: list[tuple[int, int]] = []
    for found in _TAG.finditer(value):
        tag, is_active = found[2].lower(), found[2].lower() in _ACTIVE or "=" in found[0]
        if not found[0].endswith(">") and not (found[1] and tag in _CODE) and not _LOADS.search(found[0]):
            continue
        if is_active:
            cut.append(found.span())
        if not found[1] and (is_active or tag in paired):
            waiting.setdefault(tag, found)
        elif found[1] and (opened := waiting.pop(tag, None)):
            cut += [(opened.start(), found.end())] if tag in _CODE else [opened.span(), found.span()]
    kept, end = [], 0
    for start, after in sorted(cut):
        kept.append(value[end:start])  # empty within what is cut already
        end = max(end, after)
    whole = "".join((*kept, value[end:]))
    return whole if plain else _VOID.sub(" ", whole)


def fold_title(value: str) -> str:
    """Fold a title as apps do to compare it with another."""
    return value.strip().translate(_SAME)


def cut_logins(value: str) -> str:
    """Cut user names and passwords out of the web addresses of a text.

    >>> cut_logins("https://me:word@a.example/ https://a.example/@ann")
    'https://a.example/ https://a.example/@ann'
    """
    return _LOGIN.sub(r"\1", value) if "@" in value else value


def clean_prose(value: str) -> str:
    """Clean plain text of several lines and remove escaping and logins.

    >>> clean_prose("Q&amp;amp;A about &lt;p&gt;")
    'Q&A about &lt;p&gt;'
    """
    whole = clean_text(value)
    if "&" in whole:
        whole = _repeat_until_stable(lambda bare: clean_text(_ESCAPED.sub(_unescape, bare)), whole)
    return cut_logins(whole)


def escape_tags(value: str) -> str:
    """Write what looks like a tag in plain text so that a reader of HTML shows it: RSS descriptions are read as HTML.

    >>> escape_tags("a < b, and the <script> tag")
    'a < b, and the &lt;script> tag'
    """
    return _LIKE_TAG.sub("&lt;", value)


def shorten(value: str, limit: int = LONGEST_SUMMARY) -> str:
    """Cut plain text to ``limit`` bytes of UTF-8, at a word with an ellipsis.

    >>> shorten("one two three", 10)
    'one two…'
    """
    whole = clean_text(value)
    encoded = whole.encode()
    if len(encoded) <= limit:
        return whole
    kept = encoded[: limit - len(_ELLIPSIS.encode())].decode("utf-8", "ignore")
    return _cut_at_word(kept) + _ELLIPSIS


def has_markup(value: str) -> bool:
    """Return whether a text has markup for a browser; "vector<int>" has none."""
    if _VOID.search(value):
        return True
    ends: dict[str, int] = {}
    for found in _OPENED.finditer(value):
        ends.setdefault(found[1].lower(), found.end())
    return any(found.start() >= ends.get(found[1].lower(), len(value)) for found in _CLOSED.finditer(value))


def _unescape(found: re.Match[str]) -> str:
    return clean_text(html.unescape(found.group())) or " "


def _repeat_until_stable(step: Callable[[str], str], value: str) -> str:
    """Repeat a step until it changes nothing, at most ``_ROUNDS`` times."""
    for _ in range(_ROUNDS):
        before, value = value, step(value)
        if before == value:
            break
    return value


def _cut_at_word(kept: str) -> str:
    """Cut a text at its last white space if that keeps at least half of it."""
    found = max(kept.rfind(" "), kept.rfind("\n"))
    return (kept[:found] if found > len(kept) // 2 else kept).rstrip(" \n,;:-–—")


# The longest show notes seen are below 60,000 characters; Android's database row is 2 MB at most, and 20 such
# items would exceed the 5 MB at which the W3C validator stops. 10 % more or less touches no known feed.
_LONGEST_HTML = 200_000
# What show notes use, and what apps draw. No form, no frame, no script, no style, no id.
_TAGS = {
    "a", "abbr", "b", "blockquote", "br", "cite", "code", "dd", "del", "dfn", "div", "dl", "dt", "em", "figcaption",
    "figure", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre",
    "q", "s", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "tt",
    "u", "ul", "var",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_SCHEMES = {"http", "https", "mailto"}
# Two patterns, for a search that begins with a word is five times as fast as one that begins with a choice.
_RELATIVE = tuple(re.compile(rf"""{name}\s*+=\s*+["']?+(?!\s*(?:https?:|mailto:))""") for name in ("href", "src"))
_CLEANER = nh3.Cleaner(tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, url_relative="deny")
_ADDRESS = re.compile(r"(https?://[^\s<>\"]*[^\s<>\".,;:!?'\)\]}])")


def clean_html(value: str, base: str | None = None) -> str:
    """Return a source's markup safe to show: allowed tags, web and mail links without logins.

    Relative addresses are resolved against ``base``, and dropped where there is none. Markup over ``_LONGEST_HTML`` is
    cut before a tag.
    """
    whole = clean_text(value)
    kept = whole if len(whole) <= _LONGEST_HTML else whole[:_LONGEST_HTML].rsplit("<", 1)[0] + _ELLIPSIS
    cleaner = _CLEANER
    if base is not None and any(pattern.search(kept.lower()) for pattern in _RELATIVE):
        cleaner = nh3.Cleaner(
            tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, url_relative=("rewrite_with_base", base)
        )
    # No entity but that for less-than (code shows it so) stays escaped twice.
    cleaned = cut_logins(clean_text(cleaner.clean(kept)))
    return _repeat_until_stable(lambda once: ESCAPED_TWICE.sub("&", once), cleaned)


def text_to_html(value: str) -> str:
    r"""Return plain text as markup: an empty line parts paragraphs, a line end is a break, an address is a link.

    >>> text_to_html("a < b\n\nhttps://example.org/x.")
    '<p>a &lt; b</p><p><a href="https://example.org/x">https://example.org/x</a>.</p>'
    """
    whole = clean_text(value)
    kept = whole if len(whole) <= _LONGEST_HTML else _cut_at_word(whole[:_LONGEST_HTML]) + _ELLIPSIS
    blocks = (block.strip() for block in re.split(r"\n[ \t]*\n", kept))
    return "".join(f"<p>{_link_addresses(block)}</p>" for block in blocks if block)


def _link_addresses(block: str) -> str:
    pieces = (
        f'<a href="{html.escape(piece)}">{html.escape(piece)}</a>' if is_link else html.escape(piece, quote=False)
        for piece, is_link in split_links(block)
    )
    return "".join(pieces).replace("\n", "<br>")


def split_links(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a plain text, and whether each is a web address.

    >>> list(split_links("See https://a.example/x."))
    [('See ', False), ('https://a.example/x', True), ('.', False)]
    """
    for place, piece in enumerate(_ADDRESS.split(text)):
        if piece:
            yield piece, bool(place % 2)


# RFC 5321 section 4.5.3.1: 64 characters before the sign, labels of 63; at most nine labels.
_EMAIL: Final = re.compile(r"(?:mailto:)?[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_EMPTY: Final = re.compile(r"\(\s{0,9}\)|<\s{0,9}>|\[\s{0,9}\]")


def clean_field(field: str, value: str) -> str:
    """Return a value as it may be shown: of an author only the name."""
    return (clean_person(value) or "") if field == "author" else value


def clean_person(value: str | None) -> str | None:
    """Return a person's name without e-mail address; ``None`` if there is only an address.

    >>> (
    ...     clean_person("ann@rope.example (Ann Tide)"),
    ...     clean_person("Ann Tide <ann@rope.example>"),
    ...     clean_person("ann@rope.example"),
    ... )
    ('Ann Tide', 'Ann Tide', None)
    >>> clean_person("Ann (the second) Tide"), clean_person("The @ Show")
    ('Ann (the second) Tide', 'The @ Show')
    """
    if not value or "@" not in value:
        return clean_name(value)
    bare = _EMPTY.sub("", _EMAIL.sub("", value))
    if bare == value:
        return clean_name(value)
    bare = " ".join(bare.split()).strip(" ,;:-–")
    if bare.startswith("(") and bare.endswith(")"):
        bare = bare[1:-1]
    return clean_name(bare)
