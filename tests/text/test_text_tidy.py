"""What is tidied without a sanitiser is what the sanitiser makes of it, byte for byte."""

from __future__ import annotations

import random
import re
from pathlib import Path

import nh3
import pytest

from aggregator.generator.content import sanitize
from aggregator.text.tidy import tidied

FIXTURES = Path(__file__).parents[3] / "shared" / "fixtures"
SECTION = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
PIECES = (
    *("<p>", "</p>", "<b>", "</b>", "<i>", "</i>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>", "</li>", "<br>", "<br/>"),
    *("<br />", "</br>", "<blockquote>", "</blockquote>", "<em>", "</em>", "<code>", "</code>", "</a>", "</p >", "<P>"),
    *('<a href="https://example.org/a?b=c&amp;d=e">', '<a href="HTTP://x">', '<a href="http://x#y">', "<a href=x>"),
    *('<a href="javascript:x">', '<a href="http://x" title="y">', "<script>", "<!-- ", "-->", "<table>", "<td>"),
    *("text", " ", "\n", "&amp;", "&lt;", "&gt;", "&nbsp;", "\xa0", "&quot;", "&", ">", "<", '">', "é", "&notit;"),
    *("\x0b", "\x01", "\u2028", "\x7f", "\x80", "\ufeff", "\ufffe", "\t", "\x0c", "\r\n", "\0", "&#39;", "&copy;"),
)
NAMES = ("p", "b", "i", "ul", "ol", "li", "a", "em", "strong", "blockquote", "code", "u", "sub", "sup", "small")
TEXTS = ("x", " ", "\n", "&amp;", "&nbsp;", "é", "<br/>", "<br>", "<br />", "\xa0", "\x0c", "\x01", '"', "'", "&gt;")
PATHS = (
    "",
    "/",
    "?a=b&amp;c=d",
    "#y",
    "/%20",
    "/é",
    "/~a/b;c",
    "/a'b",
    "/(x)",
    "/&amp;amp;",
    ":80/",
    "/a b",
    "/&quot;",
)
DEEPEST = 5
EACH = 0.1  # of made-up texts at least are simple, so that the comparison is one


def nested(dice: random.Random, depth: int = 0) -> str:
    """Markup that is well nested, though not always as HTML's parser would have it."""
    said = ""
    for _ in range(dice.randint(0, 4)):
        if depth == DEEPEST or dice.random() < 0.4:
            said += dice.choice(TEXTS)
        else:
            name = dice.choice(NAMES)
            tag = f'a href="http://example.org{dice.choice(PATHS)}"' if name == "a" else name
            said += f"<{tag}>{nested(dice, depth + 1)}</{name}>"
    return said


def compared(count: int) -> int:
    """How many of so many texts were simple; each of these is as both sanitisers have it."""
    simple = 0
    for number in range(count):
        dice = random.Random(number)
        html = nested(dice) if number % 2 else "".join(dice.choices(PIECES, k=dice.randint(1, 9)))
        found = tidied(html)
        if found is not None:
            simple += 1
            assert found == nh3.clean(html), html
            assert found == sanitize.WASHER.clean(html), html
    return simple


def test_simple_markup_is_tidied_as_the_sanitisers_clean_it() -> None:
    assert compared(20_000) > EACH * 20_000


@pytest.mark.heavy
def test_simple_markup_is_tidied_as_the_sanitisers_clean_it_many_times() -> None:
    assert compared(3_000_000) > EACH * 3_000_000


@pytest.mark.shared
@pytest.mark.skipif(not FIXTURES.is_dir(), reason="../shared is not there")
def test_real_markup_is_tidied_as_the_sanitisers_clean_it() -> None:
    texts = simple = 0
    for path in sorted((FIXTURES / "feeds").rglob("*")):
        feed = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        for html in SECTION.findall(feed)[:200]:
            texts += 1
            found = tidied(html)
            if found is not None:
                simple += 1
                assert found == nh3.clean(html), html
                assert found == sanitize.WASHER.clean(html), html
    assert simple > texts // 2
    print(f"{simple} of {texts}")  # noqa: T201
