"""Long texts are read to their end, noise is not made into Chinese, and letters that were just read stay."""

from __future__ import annotations

import random

import pytest

from aggregator.merger.repair.fixers import repair_text
from aggregator.text.mojibake.redecode import redecode

LONG = 12_000
PIECES = ("Ã", "â", "€", "•", "å", "ð", "ç", "-", " ", '"', "'", "Ð", "Đ", "Â", "i")


def chinese(text: str) -> int:
    return sum("\u4e00" <= letter <= "\u9fff" for letter in text)


def test_noise_is_not_made_into_chinese() -> None:
    noise = "".join(random.Random(7).choices(PIECES, k=LONG))
    assert chinese(redecode(noise)) < LONG / 500


def test_a_long_text_is_read_whole_though_worn() -> None:
    chance = random.Random(7)
    meant = "".join(chr(0x4E00 + chance.randrange(3000)) for _ in range(LONG // 3))
    shown = meant.encode().decode("cp1252", "replace").replace("\ufffd", "•")
    worn = "".join(letter for letter in shown if chance.random() > 0.03)
    assert chinese(redecode(worn)) > 0.8 * len(meant)


WRONGLY_DECODED = (
    ("Una sera in città", "latin_1"),
    ("Il mulino e la libertà", "cp1252"),
    ("Šetnja uz more i jezero", "latin_1"),
    ("Școala lângă râu: a coborâ, a urî și a tăcea", "latin_1"),
    ("Tornâ dal lât, une conte", "latin_1"),
    ("Cửa sổ mở ra biển", "cp1252"),
    ("Oʻzbek ertaklari: choʻl va togʻ", "cp1251"),
    ("Dəniz haqqında səhər söhbəti", "cp1251"),
)


@pytest.mark.parametrize(("sound", "page"), WRONGLY_DECODED)
def test_a_title_comes_back_though_blanks_at_its_ends_are_stripped(sound: str, page: str) -> None:
    read = "".join(_show(byte, page) for byte in sound.encode())
    assert repair_text(read).text == repair_text(read.strip()).text == sound


def _show(byte: int, page: str) -> str:
    try:
        return bytes([byte]).decode(page)
    except UnicodeDecodeError:
        return chr(byte)


@pytest.mark.parametrize("sound", ["Å\xa0ta det med ro", "Å\xa0leve på landet", "Til Å\xa0i Lofoten", "«ПАРК» и «ТИК»"])
def test_marks_and_letters_that_look_like_bytes_stay(sound: str) -> None:
    assert redecode(sound) == sound


@pytest.mark.parametrize("marker", "■□▪▫▲►▶▼◄◆◇○")
@pytest.mark.parametrize("page", ["cp1252", "latin_1", "cp1251"])
def test_a_marker_before_an_item_of_a_list_is_read(marker: str, page: str) -> None:
    text = f"{marker} Subscribe here"
    damaged = "".join(bytes([byte]).decode(page, "ignore") or chr(byte) for byte in text.encode())
    assert redecode(damaged) == text
