"""Text in which every word is known in a language of its script stays as it is, whatever the marks around words."""

from __future__ import annotations

from functools import cache
from itertools import islice
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.repair import escapes, markup
from aggregator.text import html, word_frequencies
from aggregator.text.mojibake.lost_emoji import complete_emoji
from aggregator.text.mojibake.other_encodings import redecode_others
from aggregator.text.mojibake.redecode import redecode

READERS = (
    *(complete_emoji, redecode, redecode_others, html.unescape, html.strip_tags),
    *(markup.remove_silent_parts, escapes.unescape),
)
LANGUAGES = (("is", "cs"), ("pl", "ro"), ("uk",), ("el",), ("he",), ("hi",), ("ja",))
COMMONEST, LEAST_LETTERS = 20_000, 4  # lists have single letters of wrongly decoded text ("Ã") as words
MARKS = (
    " ",
    ", ",
    ". ",
    "! ",
    "? ",
    ": ",
    " – ",
    "-",
    " & ",
    "/",
    " (",
    ") ",
    "” ",
    "“ ",
    "« ",
    " »",
    "… ",
    "€ ",
    "™ ",
)


@cache
def list_words(language: str) -> list[str]:
    words = islice(word_frequencies.load_frequencies(language), COMMONEST)
    spaced = [word for word in words if word.isalpha() and normalize("NFC", word) == word]
    return [word for word in spaced if len(word) >= LEAST_LETTERS and not word.isascii()] or spaced


@pytest.fixture(scope="module", autouse=True)
def _load_words() -> None:
    for language in {one for several in LANGUAGES for one in several}:
        list_words(language)


@st.composite
def texts(draw: st.DrawFn) -> str:
    languages = draw(st.sampled_from(LANGUAGES))
    text = ""
    for _ in range(draw(st.integers(1, 6))):
        word = draw(st.sampled_from(list_words(draw(st.sampled_from(languages)))))
        change = draw(st.sampled_from((str, str.capitalize, str.upper, str.title)))
        text += (draw(st.sampled_from(MARKS)) if text else "") + normalize("NFC", change(word))
    return text


@given(texts())
def test_text_of_known_words_stays_as_it_is(text):
    assert {reader.__name__: read for reader in READERS if (read := reader(text)) != text} == {}


@pytest.mark.parametrize("text", [
    "Hún er í „MÓTMÆLTU“",
    "ÞJÓÐ« og TAKMARKAÐ™ nú",
    "У КЛІНІЦІ »наявність« місць",
    "Una volta la città™ più nota: Bogotá€ o Cali",
    "Čtvrtý den: rozkládá“ a končí",
])  # fmt: skip
def test_marks_behind_letters_are_no_bytes(text):
    assert redecode(text) == text


@pytest.mark.parametrize(("shown", "meant"), [
    ("cÅ“ur et sÅ“ur", "cœur et sœur"),
    ("GÃ\u00a0idhlig", "Gàidhlig"),
    ("Ã” meu Brasil, Ã¡gua", "Ô meu Brasil, água"),
])  # fmt: skip
def test_words_that_happen_to_be_known_prove_nothing_between_other_marks(shown, meant):
    assert redecode(shown) == meant
