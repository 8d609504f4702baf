"""Bytes that a page lost, or shows as "?": a word that has one reading comes back, what is hopeless stays."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from aggregator.merger.repair.fixers import repair_text
from aggregator.text.mojibake.known_words import complete_known_words

CONTROLS = re.compile("[\x80-\x9f]")
LOSSES: dict[str, Callable[[str], str]] = {
    "lost": lambda text: CONTROLS.sub("", text),
    "lost with soft hyphens": lambda text: CONTROLS.sub("", text).replace("\xad", ""),
    "?": lambda text: CONTROLS.sub("?", text),
    "U+FFFD": lambda text: CONTROLS.sub("\ufffd", text),
}
SENTENCES = {
    "ru": "Сегодня мы обсуждаем строительство станции и является ли оно выгодным",
    "uk": "Автор пояснює, яка освіта потрібна сьогодні",
    "bg": "Не се знае кога ще стане ясно",
    "el": "Πρέπει να μπορεί κανείς να χρησιμοποιεί το λογισμικό",
    "he": "אם אתם לא באים היום",
    "ar": "هذا الملف غير كاف لتعريف الموضوع",
    "hi": "इस समय क्षेत्र की स्थिति अच्छी नहीं है",
    "cs": "Příběh českého města, které čekalo na začátek",
    "sl": "Če možnost ni omogočena, se začetek preskoči",
}


def misread(text: str) -> str:
    """Return UTF-8 read as cp1252, undefined bytes as control characters."""
    undefined = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
    return "".join(chr(byte) if byte in undefined else bytes([byte]).decode("cp1252") for byte in text.encode())


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("language", SENTENCES)
def test_lost_bytes_come_back_where_words_tell_them(language: str, loss: str) -> None:
    sentence = SENTENCES[language]
    assert repair_text(LOSSES[loss](misread(sentence))).text == sentence


@pytest.mark.parametrize(
    ("damaged", "text"),
    [
        ("varovánÃ: hodnÄ› lidÃ", "varování: hodně lidí"),
        ("vyrovnávacÃ", "vyrovnávací"),
        ("La cittÃ", "La città"),
        ("Ãcone da aplicaÃ§Ã£o", "ícone da aplicação"),
        ("ÅŸunu gördüm", "şunu gördüm"),
        ("Ã…rets resultat", "Årets resultat"),
        ("moguÄe je", "moguće je"),
        ("Семья 👨‍👩‍👧".encode().decode("cp1252", "ignore"), "Семья 👨‍👩‍👧"),
        ("קטנים, גדולים".encode().decode("cp1252", "ignore").replace("‚", ","), "קטנים, גדולים"),
    ],
)
def test_single_words_come_back_if_a_language_has_one_such_word(damaged: str, text: str) -> None:
    assert repair_text(damaged).text == text


@pytest.mark.parametrize(
    "text",
    ["AMANHÃ?", "Você vem AMANHÃ? Não, três", "MÄLU VÕIMALIK", "Äänekoski?", "Qual é? É você?", "Ångström, Ästhetik"],
)
def test_sound_letters_that_look_like_half_of_another_stay(text: str) -> None:
    assert repair_text(text).text == text


@pytest.mark.parametrize(
    "text", ["Ваша версия устарела, нужна новая", "Το κείμενο δεν υπάρχει πια εδώ", "इस पते पर कुछ नहीं है"]
)
@pytest.mark.parametrize("shown", ["", "?", "\ufffd"])
def test_what_lost_every_third_letter_stays_as_it_is(text: str, shown: str) -> None:
    """Half of the last bytes of UTF-8 are control characters where it was read as Latin-1."""
    damaged = CONTROLS.sub(shown, text.encode().decode("latin-1"))
    assert repair_text(damaged).text == damaged


@pytest.mark.parametrize(
    "text", ["முன்னணி வண்ணம்", "Не бяха намерени валидни", "Σκούρο κείμενο", "배열을 만들기 위한 변수"]
)
def test_damaged_text_of_other_scripts_is_no_thai(text: str) -> None:
    for encoded in (text.encode(), text.encode("euc_kr", "ignore")):
        damaged = CONTROLS.sub("", encoded.decode("latin-1")).replace("\xad", "")
        assert not re.search("[\u0e00-\u0e7f]", repair_text(damaged).text)


def test_thai_read_as_western_comes_back() -> None:
    thai = "แก้ไขแฟ้มข้อมูลแหล่งแพกเกจ"
    assert repair_text(thai.encode("cp874").decode("latin-1")).text == thai


def test_a_word_with_several_likely_readings_stays() -> None:
    assert complete_known_words("kÃd", proved=True) == "kÃd"
