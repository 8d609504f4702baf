"""Sentences that the store keeps in English are recognised and translated, with their values as they are."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.translation.locale import SOURCE, Locale
from aggregator.translation.sentences import translate_sentence
from tests.support import messages

SENTENCES = [line.split("\t") for line in messages.SENTENCES.read_text("utf-8").splitlines()]
PLACEHOLDER = re.compile(r"%\((\w+)\)s")
JAPANESE, GERMAN = Locale("ja"), Locale("de")


def test_the_sentences_are_those_of_the_program() -> None:
    assert messages.SENTENCES.read_text("utf-8") == messages.render_sentences(), "run python -m tests.support.messages"


@given(st.sampled_from(SENTENCES), st.lists(st.from_regex(r"[a-z0-9./]{1,20}", fullmatch=True), min_size=5, max_size=5))
def test_a_sentence_is_translated_with_its_values(forms: list[str], given_values: list[str]) -> None:
    values = {**dict(zip(PLACEHOLDER.findall(forms[0]), given_values, strict=False)), "count": "7"}
    values = {name: f'"{value}"' if name == "quoted" else value for name, value in values.items()}
    for locale in (GERMAN, JAPANESE):
        translated = locale.ngettext(*forms, 7, **values) if len(forms) > 1 else locale.gettext(forms[0]) % values
        assert translate_sentence(forms[-1] % values, locale) == translated


@given(st.text(max_size=300) | st.lists(st.sampled_from([*map(max, SENTENCES), "; ", ": ", " (", "404"])).map("".join))
def test_no_text_is_an_error_and_english_stays_as_it_is(text: str) -> None:
    translate_sentence(text, JAPANESE)
    assert translate_sentence(text, Locale(SOURCE)) in (text, None)


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("https://a.example/feed: 404 Not Found", "https://a.example/feed: 404 Not Found"),
        ("https://a.example/: took longer than its deadline", "https://a.example/: dauerte zu lange"),
        (
            "a: the body is larger than 20,000,000 bytes; its snapshot: b.xml is not a file",
            "a: der Inhalt ist größer als 20.000.000 Bytes; ihre gespeicherte Kopie: b.xml ist keine Datei",
        ),
        (
            "an HTML page where a feed was expected (https://a.example/)",
            "eine HTML-Seite, erwartet wurde: ein Feed (https://a.example/)",
        ),
        (
            'a, b: 1 new item is held until another source lists them, at the latest 2024-05-01: "A: b; c"',
            'a, b: 1 neuer Eintrag wartet, bis ihn eine andere Quelle auflistet, längstens bis 2024-05-01: "A: b; c"',
        ),
        (
            'a: 12,345 new items are held as you decided: "Rye", "and 5 more", "text" and 12,342 more',
            'a: 12.345 neue Einträge warten, wie Sie entschieden haben: "Rye", "and 5 more", "text" und noch 12.342',
        ),
        (
            "https://a.example/hub: until 2026-12-07 00:10 UTC; last told of news 2026-11-27 00:10 UTC",
            "https://a.example/hub: bis 2026-12-07 00:10 UTC; zuletzt Neues gemeldet 2026-11-27 00:10 UTC",
        ),
        ('"two; "hours"" cannot be read as duration', '„two; "hours"“ lässt sich nicht als Länge lesen.'),
        (
            "/my feeds/c.yaml:1: feeds.a b: must be text, not an empty value",
            "/my feeds/c.yaml:1: feeds.a b: muss Text sein, nicht ein leerer Wert",
        ),
        ("https://a.example/: 404 Not Found; words of another version", None),
        ("an error of the past", None),
        ("404 Nothing here", None),
        ("", None),
    ],
)
def test_sentences_that_are_joined_or_stand_at_an_address(english: str, german: str | None) -> None:
    assert translate_sentence(english, GERMAN) == german


@pytest.mark.parametrize(
    "part", ["; ", ": ", " (", "its snapshot: ", "refused: a; if it is ", "x; not changed since: ", '"', '"; ', "1"]
)
def test_a_hostile_text_costs_little(part: str) -> None:
    began = time.process_time()
    for repeated in (part * (970 // len(part)), part * 100_000):
        translate_sentence(f"Apple answers: {repeated}", GERMAN)
        translate_sentence(repeated, GERMAN)
    assert time.process_time() - began < 2


def test_a_sentence_in_a_sentence_is_translated_too() -> None:
    english = (
        "a: refused: ::1 is not a public address; ::2 is not a public address; if it is the source's own, write X into "
        "the config, or add it with Y"
    )
    assert translate_sentence(english, GERMAN) == (
        "a: abgelehnt: ::1 ist keine öffentliche Adresse; ::2 ist keine öffentliche Adresse; wenn es die eigene der "
        "Quelle ist, schreiben Sie X in die Konfiguration, oder fügen Sie sie mit Y hinzu"
    )
