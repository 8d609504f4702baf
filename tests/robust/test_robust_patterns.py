"""No regular expression of ours takes more than its share on any string: time grows with length, not its square."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from patterns import SCANNING, attacks, inline, named, used

QUICK, THOROUGH = (300, 2_500), (300, 8_000)
"""Characters, in the fast suite and in the heavy one: few first, so that a cubic pattern does not take minutes."""

SECONDS = 0.004
"""What is looked at twice: a linear pattern takes 0.001 for 8,000 characters, a quadratic one 0.03 and more."""

GROWTH = 2.9
"""A double length may take so many times as long; a square takes 4 times."""

BOUNDED = {
    "generator.clean.TAGGED": "asked only of titles, cut to 16 times the length that is shown",
    "service.shelf.LINK": "asked only of the first HEAD bytes of our own files",
    "fetchers.swift.ENCODING": "feedparser's own, whose answers must be the same; asked in a child under limits",
    "fetchers.swift_people.EMAIL": "feedparser's own; asked in a child, of names that the preflight keeps short",
    "fetchers.listing.DATED": "asked only of lines of at most LONGEST_HEAD characters",
}
"""Patterns that may be quadratic, because what they are asked of is short, and where that is decided."""

USED = used()
PATTERNS = {
    name: (pattern, USED.get(re.sub(r"\[.*", "", name), SCANNING))
    for name, pattern in named().items()
    if name not in BOUNDED
} | inline()


def seconds(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, text: str) -> float:
    """Of processor time, for the one use."""
    given = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    begun = time.thread_time()
    if method in {"match", "fullmatch"}:
        getattr(pattern, method)(given)
    else:
        for _ in pattern.finditer(given):
            pass
    return time.thread_time() - begun


def slow(
    pattern: re.Pattern[str] | re.Pattern[bytes], methods: frozenset[str], sizes: tuple[int, ...] = THOROUGH
) -> str:
    """The first string for which a double length takes far more than double the time, empty where there is none."""
    for method in sorted({"search"} if methods & SCANNING else methods):
        for size in sizes:
            for text in attacks(pattern, size):
                if seconds(pattern, method, text) > SECONDS and (said := steep(pattern, method, text)):
                    return said
    return ""


def steep(pattern: re.Pattern[str] | re.Pattern[bytes], method: str, text: str) -> str:
    """What to say where the time grows with the square of the length."""
    once = min(seconds(pattern, method, text) for _ in range(3))
    twice = min(seconds(pattern, method, text[:-1] * 2 + text[-1]) for _ in range(2)) if once > SECONDS else 0.0
    if twice <= once * GROWTH:
        return ""
    return f"{method} of {text[:16]!r}...{text[-4:]!r}, {len(text)}: {once:.3f} s, double {twice:.3f} s"


@pytest.mark.parametrize("name", PATTERNS)
def test_time_grows_with_length_only(name: str) -> None:
    assert slow(*PATTERNS[name], QUICK) == ""


@pytest.mark.heavy
@pytest.mark.parametrize("name", PATTERNS)
def test_time_grows_with_length_only_thoroughly(name: str) -> None:
    assert slow(*PATTERNS[name], THOROUGH) == ""


def test_the_attack_finds_what_it_should() -> None:
    for careless in (r"(\S*)(\w)-\n(\w+)", r"\s*\.\.\.\s*$", r"<a [^>]*>", r"(?:a|b)*c"):
        assert slow(re.compile(careless), SCANNING), careless
    for careful in (r"(?<!\w)\w++-", r"(?<!\s)\s*$", "[a-z]", r"(?<![\s.])\s*+\.\.\."):
        assert slow(re.compile(careful), SCANNING) == "", careful
