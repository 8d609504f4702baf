"""No regular expression of ours takes more than its share on any string: time grows with length, not its square."""

from __future__ import annotations

import re
import time

import pytest
import regex

from tests.support.patterns import SCANNING, Attack, Pattern, attacks, inline, named, used

QUICK, THOROUGH = (200, 1_200), (300, 2_500, 10_000)
"""Characters, in the fast suite and in the heavy one: few first, so that a cubic pattern does not take minutes."""

SECONDS = 0.004
"""What is tried at larger sizes: a linear pattern takes 0.001 for 10,000 characters, a quadratic one 0.05 and more."""

GROWTH = 2.9
"""A double length may take so many times as long; a square takes 4 times."""

BOUNDED = {
    "text.urls._SIMPLECAST": "asked only of the first _MAX_ADDRESS characters of an address",
    "service.published_files._LINK": "asked only of the first _HEAD_BYTES of our own files",
    "text.times.lines._BEFORE": "asked only of lines of at most _LONGEST_LINE characters",
    "text.times.relative._TIME": "asked only of texts of at most _MAX_TEXT characters",
    "merger.matching.features.text_features._COUNTERS[1]": "asked only of the last _LONGEST_COUNTER characters",
    "fetchers.directories.listing._DATED": "asked only of lines of at most LONGEST_HEAD characters",
}
"""Patterns that may be quadratic, or take long, because what they are asked of is short, and where that is decided."""

PATTERNS = {name: (pattern, None) for name, pattern in named().items() if name not in BOUNDED} | inline()
"""Each with its methods, ``None`` where ``used`` knows them: to look through the whole package takes a second."""


def seconds(pattern: Pattern, method: str, text: str) -> float:
    """Of processor time, for the one use."""
    given = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    begun = time.thread_time()
    if method in {"match", "fullmatch"}:
        getattr(pattern, method)(given)
    else:
        for _ in pattern.finditer(given):
            pass
    return time.thread_time() - begun


def slowly(name: str, sizes: tuple[int, ...]) -> str:
    """Return what ``slow`` says of the pattern of that name."""
    pattern, methods = PATTERNS[name]
    return slow(pattern, methods or used().get(re.sub(r"\[.*", "", name), SCANNING), sizes)


def slow(pattern: Pattern, methods: frozenset[str], sizes: tuple[int, ...] = THOROUGH) -> str:
    """Return the first attack for which a double length takes far more than double the time, empty if there is none.

    The attack that takes longest at the largest size is tried at twice and four times that size in any case.
    """
    for method in sorted({"search"} if methods & SCANNING else methods):
        worst, most = None, 0.0
        for size in sizes:
            worst, most = None, 0.0
            for attack in attacks(pattern):
                took = seconds(pattern, method, attack.text(size))
                if took > SECONDS and (said := steep(pattern, method, attack, size)):
                    return said
                if took > most:
                    worst, most = attack, took
        if worst and (said := steep(pattern, method, worst, sizes[-1])):
            return said
    return ""


def steep(pattern: Pattern, method: str, attack: Attack, size: int) -> str:
    """Return what to say if the time grows with the square of the length: at this size, twice and four times it."""
    took = [min(seconds(pattern, method, attack.text(size)) for _ in range(3))]
    for double in (2 * size, 4 * size):
        took.append(min(seconds(pattern, method, attack.text(double)) for _ in range(2)))
        if took[-1] <= max(took[-2] * GROWTH, SECONDS):
            return ""
    figures = ", ".join(f"{each:.3f} s" for each in took)
    return f"{method} of {attack}: {figures} for {size:,}, {2 * size:,} and {4 * size:,} characters"


@pytest.mark.parametrize("name", PATTERNS)
def test_time_grows_with_length_only(name: str) -> None:
    assert slowly(name, QUICK) == ""


@pytest.mark.heavy
@pytest.mark.parametrize("name", PATTERNS)
def test_time_grows_with_length_only_thoroughly(name: str) -> None:
    assert slowly(name, THOROUGH) == ""


def test_the_attack_finds_what_it_should() -> None:
    for careless in (r"(\S*)(\w)-\n(\w+)", r"\s*\.\.\.\s*$", r"<a [^>]*>", r"(?:a|b)*c", r"^[\W_]+|[\W_]+$"):
        assert slow(re.compile(careless), SCANNING, (100, 1_000, 4_000)), careless
    for careless in (r"(?<a>\p{Emoji}+)\K!", r"[\p{L}--[a-c]]+$"):
        assert slow(regex.compile(careless, regex.V1), SCANNING, (100, 1_000, 4_000)), careless
    for careful in (r"(?<!\w)\w++-", r"(?<!\s)\s*$", "[a-z]", r"(?<![\s.])\s*+\.\.\."):
        assert slow(re.compile(careful), SCANNING, QUICK) == "", careful
