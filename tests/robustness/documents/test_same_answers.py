"""The patterns that were made linear answer as those they replaced did, on texts made of what they look for."""

from __future__ import annotations

import random
import re

import pytest

from aggregator.fetchers.sandbox import limits
from aggregator.generator.content import feed_channel, sanitize
from aggregator.merger.blending import cross_repair
from aggregator.merger.matching.features import text_features
from aggregator.text import tokens
from aggregator.text.titles import markers

SPLIT_ID = r"(\S{2,}+)(?<=\d)(?=[^\S\n]*+\n)\s++(\d++)[^\S\n]*+(?:\n|$)"
SIGN = feed_channel._SIGN
YEARS = feed_channel._YEARS
TAGGED = re.compile(rf"(?is)<({sanitize._NAMES})(?:\s[^<>]*)?>(.*?)</\1\s*>")

# What it was, what it is, and the pieces of the texts on which both are asked.
PAIRS: dict[str, tuple[str, re.Pattern[str], list[str]]] = {
    "worded": (
        markers._WORDED.pattern.replace(r"(?<![\s\-:,|])[\s\-:,|]*+", r"[\s\-:,|]*"),
        markers._WORDED,
        [" ", "-", ":", "(", ")", "[", "part", "part 2", "Teil ii", "pt", ".", "2", "ii", "of", "/", "3", "x", "\n"],
    ),
    "numbered part": (
        markers._NUMBERED.pattern.replace(r"(?<![\s\-:,|])[\s\-:,|]*+", r"[\s\-:,|]*"),
        markers._NUMBERED,
        [" ", "-", ":", "(", ")", "2", ".", "e", "a", "Teil", "part", "x", "\n"],
    ),
    "spelt part": (
        markers._SPELT.pattern.replace(r"(?<![\s\-:,|(\[])(?>(?:\s*+[\-:,|(\[])+)", r"(?:\s*[\-:,|(\[])+"),
        markers._SPELT,
        [" ", "-", ":", "(", ")", "second half", "second", " half", "zweiter Teil", "x", "\n"],
    ),
    "piece of a title": (
        markers._PIECE.pattern.replace(r"(?<![\s\-])[\s\-]*+", r"[\s\-]*"),
        markers._PIECE,
        [" ", "-", "(", ")", "第", "二", "部", "分", "その", "2", "부", "下", "集", "話"],
    ),
    "fraction": (
        markers._FRACTION.pattern.replace(r"(?<!\s)\s*+", r"\s*"),
        markers._FRACTION,
        [" ", "(1/2)", "[2 of", "1/2", "(", "1", "/", " 3]", "x", "\n"],
    ),
    "half": (
        markers._HALF.pattern.replace(r"(?<![\s\-])[\s\-]*+", r"[\s\-]*"),
        markers._HALF,
        [" ", "-", "(", "（", "前半", "上", ")", "戦", "話", "】"],
    ),
    "cut": (
        r"(\s?[-:|]\s+|\s+(?=[#\d]))",
        markers._CUT,
        [" ", "-", ":", "|", "#", "1", "x", "\n"],
    ),
    "piece": (
        tokens.PIECE.pattern.removeprefix(r"(?<!\s)"),
        tokens.PIECE,
        [" ", "\n", "x", "字", "。", "\u0301", "e", "\u3000", "-", "ก", "\u0e31"],
    ),
    "marked": (r"\S*[?\ufffd]\S*", cross_repair.MARKED, ["?", "\ufffd", "x", "é", " ", "\n"]),
    "yeared": (r"\s*\((?:\d{4}|unknown)?\)$", text_features._YEARED, [" ", "(", ")", "1998", "unknown", "x", "\n"]),
    "address": (r"\S+://\S+|www\.\S+", text_features._ADDRESS, ["a", "://", ":", "/", "www.", " ", "\n"]),
    "xml": (
        limits._XML.pattern.decode("latin-1").replace("*+", "*").replace("?+", "?"),
        re.compile(limits._XML.pattern.decode("latin-1"), limits._XML.flags | re.UNICODE),
        [" ", "\n", "\xef\xbb\xbf", "<", "?xml", "rss", "feed", "x"],
    ),
    "split id": (r"(\S+\d)\s*\n\s*(\d+)\s*(?:\n|$)", re.compile(SPLIT_ID), ["a", "1", "23", " ", "\n", "i"]),
    "joined": (r"\s*\n\s*", re.compile(r"(?<!\s)[^\S\n]*+\n\s*+"), ["a", " ", "\n", "1"]),
    "marks": (
        rf"(?i)^{SIGN}(?:{SIGN}|{YEARS}|by\b|[-–—,.;:|/&\s])*|[,;\s]+{YEARS}$",
        feed_channel._COPYRIGHT_MARKS,
        ["©", "copyright", "2020", "-", " ", ",", ";", "by", "Ann", "present", "99"],
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_pattern_made_linear_answers_as_before(name: str) -> None:
    old, new, pieces = PAIRS[name]
    before = re.compile(old, new.flags & ~re.UNICODE)
    assert before.pattern != new.pattern
    dice = random.Random(name)
    met = 0
    for _ in range(6_000):
        text = "".join(dice.choices(pieces, k=dice.randint(0, 14)))
        expected = _answers(before, text)
        met += any(expected)
        assert _answers(new, text) == expected, repr(text)
    assert met > 100


def _answers(pattern: re.Pattern[str], text: str) -> list[object]:
    """Where it was found, and what its groups held; of the split id, which is only matched, the groups."""
    first = pattern.match(text)
    found = () if pattern.pattern.startswith(r"(\S") else pattern.finditer(text)
    return [first and first.groups(), *((each.span(), each.groups()) for each in found)]


def test_markup_is_found_as_by_the_one_pattern() -> None:
    pieces = ["<b>", "<B a=1>", "</b>", "</B >", "<i>", "</i>", "<b <", "x", "<br>", "</p>", "<p", ">"]
    dice, met = random.Random(7), 0
    for _ in range(6_000):
        text = "".join(dice.choices(pieces, weights=[3] * 8 + [1] * 4, k=dice.randint(0, 7)))
        expected = TAGGED.search(text) is not None or sanitize._VOID.search(text) is not None
        met += expected
        assert sanitize.has_markup(text) is expected, repr(text)
    assert 500 < met < 5_500
