"""Emoji whose UTF-8 lost bytes are read where they can be one only, and are never taken for another."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.repair.fixers import repair_text
from aggregator.text.mojibake.lost_emoji import complete_emoji

COLOURED = "\ufe0f"
EVERY = [
    one if regex.match(r"\p{Emoji_Presentation}", one) else one + COLOURED
    for one in map(chr, (*range(0xA0, 0x3300), *range(0x1F000, 0x1FB00)))
    if regex.match(r"\p{Emoji}", one)
]
SKIPPED = f"\u23ed{COLOURED}"  # it lost what "⭐️", which is far more frequent, lost, too


def lose(text: str) -> str:
    """UTF-8 read as cp1252, without the bytes that it has no character for."""
    return "".join(bytes([byte]).decode("cp1252", "ignore") for byte in text.encode())


def ask(text: str) -> str:
    """The same with "?" for these bytes."""
    return text.encode().decode("cp1252", "replace").replace("\ufffd", "?")


@pytest.mark.parametrize(
    "text",
    [
        "I ❤️ this show",
        "⭐ Best of 2024 ⭐️",
        "🎙️ Interview: the long way home",
        "⚠️ Spoiler ahead",
        "☀️ Summer – ❄️ Winter",
        "Part 1️⃣ of three",
        "Fürs Wochenende ☕️ und ✈️",
        "Мосты ♥️ зимой",
        "👩🏽‍🚀 and 🤷🏻‍♀️",
        "She said “I ❤️ you” twice",
        "❤️‍🔥 live",
        "❌ No, ✔️ yes",
        "● First\n● Second",
    ],
)
def test_an_emoji_that_can_be_one_only_is_read(text: str) -> None:
    assert repair_text(lose(text)).text == text


@pytest.mark.parametrize("text", ["I ❤️ it", "👨‍👩‍👧 at home", "👩🏽‍🚀 above", "⁉️ Why", "❤️‍🔥 live"])
def test_an_emoji_with_a_question_mark_for_a_byte_is_read(text: str) -> None:
    assert complete_emoji(ask(text)).encode() == text.encode() or repair_text(ask(text)).text == text


@pytest.mark.parametrize(
    "text", ["ðŸ˜ here", "ðŸ˜", "Thanks ðŸ™ to all", "ðŸ• and ðŸ¶", "For 5 â¬ or 12 â³", "âªï¸ one"]
)
def test_an_emoji_that_may_be_several_stays_as_it_is(text: str) -> None:
    assert repair_text(text).text == text


def test_a_word_joiner_is_no_emoji() -> None:
    assert repair_text("theâ\x81 re, thatâ€™s it, the â€œroadâ€\x9d").text == "there, that’s it, the “road”"


@pytest.mark.parametrize("text", ["Le châ\u00adteau", "voilâ, câlin", "în â°b", "â“Bonjour”", "1 ï 2", "Ça â – non"])
def test_other_text_with_such_letters_is_unchanged(text: str) -> None:
    assert complete_emoji(text) == text


@pytest.mark.parametrize("damage", [lose, ask])
@pytest.mark.parametrize("around", ["We {} it", "Für {} über", "“{}” und Ü", "{}"])
def test_no_emoji_becomes_another(damage: Callable[[str], str], around: str) -> None:
    for one in EVERY[::20]:
        read = repair_text(damage(around.format(one))).text
        found = set(regex.findall(r"[\p{Emoji}--[#*0-9]]", read, regex.V1)) - {"™", "©", "®"}
        assert found <= set(one) or one == SKIPPED, (one, read)


@given(st.lists(st.sampled_from(EVERY), min_size=1, max_size=4), st.sampled_from([lose, ask]))
def test_what_was_read_is_not_read_again(emoji: list[str], damage: Callable[[str], str]) -> None:
    once = complete_emoji(damage(" ".join(emoji)))
    assert complete_emoji(once) == once
