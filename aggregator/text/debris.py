"""What other formats leave in a text: mail, forums, wikis, TeX, editors of blogs, forms of letters that print needs.

Each fixer asks for pairs, for every line, or for a place inside a word: what a text says about such signs stays.
"""

from __future__ import annotations

import re

from aggregator.text.whitespace import NARROWEST

COMMENT = re.compile(r"<!--(?:(?!<!--).){0,2000}?-->", re.DOTALL)
# At an end of a text they are left over; inside it they are what it is about.
SILENT_HEAD = re.compile(
    r"\s{0,80}<(script|style|noscript|template)\b[^<>]{0,500}>(?:(?!<\1\b).){0,20000}?</\1\s?>",
    re.DOTALL | re.IGNORECASE,
)
SILENT_TAIL = re.compile(r"</(script|style|noscript|template)\s?>\s{0,80}\Z", re.IGNORECASE)
LONGEST_TAIL = 120  # characters of a closing tag and what stands behind it
CDATA = re.compile(r"\A\s*<!\[CDATA\[|\]\]>\s*\Z")
FORUM_TAGS = "b|i|u|s|quote|url|img|size|color|font|center|left|right|code|list|email|youtube|spoiler"
FORUM = re.compile(
    rf"\[({FORUM_TAGS})(?:=[^\[\]\n]{{1,300}})?\]((?:(?!\[\1\b).){{0,5000}}?)\[/\1\]", re.DOTALL | re.IGNORECASE
)
CODE = re.compile(
    r"\[([a-z][\w-]{2,30})(?:\s{1,4}[\w-]{1,30}=(?:\"[^\"\n\[]{0,300}\"|'[^'\n\[]{0,300}'|[^\s\[\]\"']{1,300})){1,12}\s?/?\]"
    r"(?:[^\[\]\n]{0,300}\[/\1\])?"
    r"|\[(embed|gallery|audio|video|playlist)\](?:https?://[^\s\[\]]*)?\[/\2\]"
)
WIKI_BOLD = re.compile(r"(?<!')('{2,3}|'{5})(?=[^\s'])((?:[^'\n]|'(?!')){1,300}?)(?<=\S)\1(?!')")
WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|\n]{1,100}\|)?([^\s\[\]|](?:[^\[\]|\n]{0,100}[^\s\[\]|])?)\]\]")
TEX_QUOTES = re.compile(r"``(?=\S)([^`\n]{1,500}?)(?<=\S)''")
TEX_DOTS = re.compile(r"\\l?dots(?:\{\}|\b)")
QUOTED_LINE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
NUMBERED_LINE = re.compile(r"^[ \t]*(\d{1,5})[ \t:|]+(?=\S)")
LEAST_NUMBERED = 3
LEAST_SPACED = 6
SPACED = re.compile(r"\s*\S(?: \S)*(?: {2,}\S(?: \S)*)*\s*")
FULL_WIDTH = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ſt", "ﬆ": "st"}
LIGATURE = re.compile(r"(?<=[^\W\d_])[ﬀ-ﬆ]|[ﬀ-ﬆ](?=[^\W\d_])")
LEAST_TWICE = 30  # characters; shorter ones are names ("Duran Duran", "Boutros Boutros")
LEAST_WORDS_TWICE = 4


def without_silent_parts(text: str) -> str:
    """Return the text without comments, scripts and styles of HTML, and without the marks round a CDATA section.

    >>> without_silent_parts("<![CDATA[One<!-- ad --> two]]>"), without_silent_parts("a <!-- b")
    ('One two', 'a <!-- b')
    """
    if "<" not in text and "]]>" not in text:
        return text
    text = COMMENT.sub("", text)
    if head := SILENT_HEAD.match(text):
        text = text[head.end() :].lstrip()
    tail = SILENT_TAIL.search(text[-LONGEST_TAIL:])
    begin = text.lower().rfind(f"<{tail[1].lower()}") if tail else -1
    return CDATA.sub("", text if begin < 0 else text[:begin].rstrip())


def unquoted(text: str) -> str:
    r"""Return the text without the marks of a quoted mail, or the numbers of lines, where each line has one.

    >>> unquoted("> one\n> two"), unquoted("a > b\n> c")
    ('one\ntwo', 'a > b\n> c')
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if all(line.lstrip().startswith(">") for line in lines):
        return QUOTED_LINE.sub("", text)
    if len(lines) < LEAST_NUMBERED or max(map(len, lines)) < NARROWEST:
        return text
    numbers = [NUMBERED_LINE.match(line) for line in lines]
    told = [int(found[1]) for found in numbers if found]
    if len(told) < len(lines) or told != list(range(told[0], told[0] + len(told))):
        return text
    return "\n".join(NUMBERED_LINE.sub("", line) for line in lines)


def without_foreign_markup(text: str) -> str:
    """Return the text without pairs of tags of forums and wikis, and without codes that a blog's editor left unfilled.

    >>> without_foreign_markup("[b]One[/b] and '''two''' at [[Three|three]]"), without_foreign_markup("a[i] = [b]")
    ('One and two at three', 'a[i] = [b]')
    """
    if "[" in text:
        text = WIKI_LINK.sub(r"\1", FORUM.sub(r"\2", CODE.sub(" ", text)))
    if "'''" in text or "``" in text:  # two alone are also a typist's quotes
        text = WIKI_BOLD.sub(r"\2", TEX_QUOTES.sub(r"“\1”", text))
    if "dots" in text:
        text = TEX_DOTS.sub("…", text)
    return text


def with_plain_letters(text: str) -> str:
    """Return the text with ligatures and full-width letters as ordinary ones, and spaced-out words closed.

    Full-width letters stay where East Asian ones are.

    >>> with_plain_letters("ﬁnal oﬀer"), with_plain_letters("Ｒａｄｉｏ"), with_plain_letters("T h e  e n d")
    ('final offer', 'Radio', 'The end')
    """
    if not text.isascii():
        text = LIGATURE.sub(lambda found: LIGATURES[found.group()], text)
        if FULL_WIDTH.search(text) and not EAST_ASIAN.search(text):
            text = text.translate(NARROW)
    if len(text) >= 2 * LEAST_SPACED and text[1::2][:2] == "  " and SPACED.fullmatch(text) and "  " in text.strip():
        text = re.sub(r" (?! )|(?<= ) (?= )", "", re.sub(r" {2,}", "  ", text.strip()))
    return text


def once(text: str) -> str:
    """Return one half of a text that consists of two equal ones.

    >>> once("We talk about the long way home. " * 2), once("Duran Duran")
    ('We talk about the long way home.', 'Duran Duran')
    """
    whole = text.strip()
    half = len(whole) // 2
    for first, second in ((whole[:half], whole[half:]), (whole[:half], whole[half + 1 :])):
        same = first.strip()
        if (
            len(same) >= LEAST_TWICE
            and same == second.strip()
            and len(same.split()) >= LEAST_WORDS_TWICE * (" " in same)
        ):
            return same
    return text
