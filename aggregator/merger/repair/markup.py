"""Remove markup that was shown as text: of HTML, mail, forums, wikis, TeX, Markdown, blog editors.

Each fixer requires pairs of marks, a mark in every line, or one inside a word: signs that a text mentions stay.
"""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--(?:(?!<!--).){0,2000}?-->", re.DOTALL)
# At an end of a text they are left over; inside it the text mentions them.
_SILENT_HEAD = re.compile(
    r"\s{0,80}<(script|style|noscript|template)\b[^<>]{0,500}>(?:(?!<\1\b).){0,20000}?</\1\s?>",
    re.DOTALL | re.IGNORECASE,
)
_SILENT_TAIL = re.compile(r"</(script|style|noscript|template)\s?>\s{0,80}\Z", re.IGNORECASE)
_LONGEST_TAIL = 120  # characters of a closing tag and the blanks behind it
_CDATA = re.compile(r"\A\s*<!\[CDATA\[|\]\]>\s*\Z")
_FORUM_TAGS = "b|i|u|s|quote|url|img|size|color|font|center|left|right|code|list|email|youtube|spoiler"
_FORUM = re.compile(
    rf"\[({_FORUM_TAGS})(?:=[^\[\]\n]{{1,300}})?\]((?:(?!\[\1\b).){{0,5000}}?)\[/\1\]", re.DOTALL | re.IGNORECASE
)
_SHORTCODE = re.compile(
    r"\[([a-z][\w-]{2,30})(?:\s{1,4}[\w-]{1,30}=(?:\"[^\"\n\[]{0,300}\"|'[^'\n\[]{0,300}'|[^\s\[\]\"']{1,300})){1,12}\s?/?\]"
    r"(?:[^\[\]\n]{0,300}\[/\1\])?"
    r"|\[(embed|gallery|audio|video|playlist)\](?:https?://[^\s\[\]]*)?\[/\2\]"
)
_WIKI_BOLD = re.compile(r"(?<!')('{2,3}|'{5})(?=[^\s'])((?:[^'\n]|'(?!')){1,300}?)(?<=\S)\1(?!')")
_WIKI_LINK = re.compile(
    r"\[\[(?=[^\[\]\n]{0,200}?[^\W\d_])(?:[^\[\]|\n]{1,100}\|)?([^\s\[\]|](?:[^\[\]|\n]{0,100}[^\s\[\]|])?)\]\]"
)
_TEX_QUOTES = re.compile(r"``(?=\S)([^`\n]{1,500}?)(?<=\S)''")
_TEX_DOTS = re.compile(r"(?<=\w)\\l?dots(?:\{\}|\b)")
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_NUMBERED_LINE = re.compile(r"^[ \t]*(\d{1,5})[ \t:|]+(?=\S)")
_NARROWEST = 40  # columns of wrapped text; shorter lines are a list
_LEAST_NUMBERED = 3
# A backslash before punctuation is an escape between word characters, or anywhere if the text has two.
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~$&-])")
_SURE_ESCAPE = re.compile(r"(?<!\S)\\([#*_\[(>~+-])(?=\w)|(?<=\w)\\([*_\[\](){}#.!|~-])(?=\w)")
# A path of Windows, a pattern of sed or vim, a command of TeX: there a backslash is no escape of Markdown.
_CODE = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\|\\\\\w|\\[a-zA-Z]{2,}|\bs/[^\s/]{0,80}\\|\\[.*+?$^dwsbn]['/]")
_BOLD = re.compile(r"(?<![*\\])\*\*(?![\s*])([^*\n]{0,200}?[^\s*])\*\*(?!\*)")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,300})\]\((?:https?://|/|\?|mailto:|www\.)[^\s()]*\)")
_BROKEN_LINK = re.compile(r"\s?(?:\[\(|\]\()(?:https?://|/)[^\s()\[\]]*\)?(?=\s|$)|\s?\[\(https?\S*$")
_BULLET = re.compile(r"\A {0,8}[-*•] {1,8}(?=[^\s\d])")
_LINE_BULLET = re.compile(r"^ {0,8}[-*•]\s", re.MULTILINE)


def remove_silent_parts(text: str) -> str:
    """Return the text without comments, scripts and styles of HTML, and without the marks around a CDATA section.

    >>> remove_silent_parts("<![CDATA[One<!-- ad --> two]]>"), remove_silent_parts("a <!-- b")
    ('One two', 'a <!-- b')
    """
    if "<" not in text and "]]>" not in text:
        return text
    text = _COMMENT.sub("", text)
    if head := _SILENT_HEAD.match(text):
        text = text[head.end() :].lstrip()
    tail = _SILENT_TAIL.search(text[-_LONGEST_TAIL:])
    begin = text.lower().rfind(f"<{tail[1].lower()}") if tail else -1
    return _CDATA.sub("", text if begin < 0 else text[:begin].rstrip())


def remove_quote_marks(text: str) -> str:
    r"""Return the text without the quote marks of a mail, or line numbers, if each line has one.

    >>> remove_quote_marks("> one\n> two"), remove_quote_marks("a > b\n> c")
    ('one\ntwo', 'a > b\n> c')
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith(">") for line in lines):
        return _QUOTED_LINE.sub("", text)
    if len(lines) < _LEAST_NUMBERED or max(map(len, lines)) < _NARROWEST:
        return text
    numbers = [_NUMBERED_LINE.match(line) for line in lines]
    values = [int(found[1]) for found in numbers if found]
    if len(values) < len(lines) or values != list(range(values[0], values[0] + len(values))):
        return text
    return "\n".join(_NUMBERED_LINE.sub("", line) for line in lines)


def remove_foreign_markup(text: str) -> str:
    """Return the text without pairs of tags of forums and wikis, and without shortcodes of blog editors.

    >>> remove_foreign_markup("[b]One[/b] and '''two''' at [[Three|three]]"), remove_foreign_markup("a[i] = [b]")
    ('One and two at three', 'a[i] = [b]')
    """
    if "[" in text:
        text = _WIKI_LINK.sub(r"\1", _FORUM.sub(r"\2", _SHORTCODE.sub(" ", text)))
    if "'''" in text or "``" in text:  # '' alone may be a quotation mark
        text = _WIKI_BOLD.sub(r"\2", _TEX_QUOTES.sub(r"“\1”", text))
    if "dots" in text:
        text = _TEX_DOTS.sub("…", text)
    return text


def replace_links(text: str) -> str:
    """Return the text with ``[words](address)`` as its words, and without remains of such links (``[(https://…``)."""
    if "[" not in text or ("](" not in text and "[(" not in text):
        return text
    return _BROKEN_LINK.sub("", _LINK.sub(r"\1", text))


def remove_backslashes(text: str) -> str:
    r"""Return the text without the backslashes of Markdown.

    >>> remove_backslashes(r"TORCH\_TRACE"), remove_backslashes(r"¯\_(ツ)_/¯")
    ('TORCH_TRACE', '¯\\_(ツ)_/¯')
    """
    if "\\" not in text or _CODE.search(text):
        return text
    if len(_ESCAPE.findall(text)) > 1:
        return _ESCAPE.sub(r"\1", text)
    return _SURE_ESCAPE.sub(lambda found: found.group(1) or found.group(2), text)


def remove_bold(text: str) -> str:
    """Return the text without pairs of ``**`` around words.

    >>> remove_bold("using **Python** here"), remove_bold("*args and **kwargs explained")
    ('using Python here', '*args and **kwargs explained')
    """
    return _BOLD.sub(r"\1", text) if "*" in text and "**" in text else text


def remove_lone_bullet(text: str) -> str:
    r"""Return the text without a bullet at its start; a list, also in one line, keeps its bullets, a number its sign.

    >>> remove_lone_bullet("- Radio 801"), remove_lone_bullet("- one\n- two"), remove_lone_bullet("- 5 degrees")
    ('Radio 801', '- one\n- two', '- 5 degrees')
    >>> remove_lone_bullet("• one • two"), remove_lone_bullet("- one - two")
    ('• one • two', 'one - two')
    """
    first = _BULLET.match(text)
    if not first or len(_LINE_BULLET.findall(text)) > 1 or ("•" in first[0] and "•" in text[first.end() :]):
        return text
    return text[first.end() :]
