"""One sound sign or word in a wrongly decoded text does not keep the text from being read, in any encoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.repair.fixers import repair_text
from aggregator.text.mojibake.sound_signs import read_beside_signs

DAMAGED = (
    ("Поездка к морю и обратно", "cp1251", "cp1252"),
    ("Поездка к морю и обратно", "koi8_r", "cp1251"),
    ("Поездка к морю и обратно", "utf-8", "mac_roman"),
    ("Το καράβι και η θάλασσα", "cp1253", "cp1252"),
    ("ספינה על הים הגדול", "cp1255", "cp1252"),
    ("السفينة في البحر الكبير", "cp1256", "cp1252"),
    ("港の朝と海の話", "euc_jp", "latin_1"),
    ("关于港口的早晨", "gb18030", "latin_1"),
    ("Łódka na żółtym brzegu jeziora", "cp1250", "cp1252"),
    ("Gemi ve ışık: yağmurlu şehir", "cp1254", "cp1252"),
    ("Die Küche für große Gäste", "utf-8", "cp437"),
    ("Die Küche für große Gäste", "utf-8", "mac_roman"),
)
AROUND = ("🎧 {}", "{} ❤️", "★ {} ★", "“{}”", "{} – live", "🎙️ “{}” – live")


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("text", "page", "read_as"), DAMAGED)
def test_a_wrongly_decoded_text_is_read_beside_a_sound_sign(text: str, page: str, read_as: str, around: str) -> None:
    damaged = text.encode(page).decode(read_as)
    assert repair_text(damaged).text == text
    assert repair_text(around.format(damaged)).text == around.format(text)


@pytest.mark.parametrize("page", ["mac_roman", "cp437", "koi8_r", "gb18030"])
def test_a_wrongly_decoded_part_is_read_beside_sound_words(page: str) -> None:
    sound, meant = "Größe der Küche: ", "zwölf Gäste für übermorgen"
    assert repair_text(sound + meant.encode().decode(page)).text == sound + meant


@given(st.text("aäéП “”–🎧★❤\ufe0f\x1e.", max_size=12))
def test_a_reader_that_changes_nothing_changes_nothing(text: str) -> None:
    assert read_beside_signs(text, lambda read: read) == text
