"""Long texts: mojibake is read to its end, and noise is not made into Chinese."""

from __future__ import annotations

import random

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
