"""Long texts: mojibake is read to its end, and noise is not made into Chinese."""

from __future__ import annotations

import random

import pytest

from aggregator.text.mojibake.byte_sequences import ENCODINGS, list_choices, load_page, read_clear_run
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


@pytest.mark.parametrize("name", ENCODINGS)
def test_what_is_read_in_one_step_is_what_can_be_read_in_one_way_only(name: str) -> None:
    table, chance = load_page(name), random.Random(7)
    tails = [form for forms in table.tails.values() for form, _, _ in forms]
    met = 0
    for _ in range(20_000):
        before = chance.choice(("", "a", "1", " ", "é"))
        pieces = [chance.choice([*table.leads]) + "".join(chance.choices(tails, k=chance.randint(1, 3))) for _ in "abc"]
        text = f"{before}{''.join(pieces)}{chance.choice(('', '.', 'a', '…'))}"
        at = len(before)
        for read in read_clear_run(text, at, table):
            ways = list_choices(text, at, table, frozenset())
            assert [(read, len(read.encode()))] == [(way.character, way.size) for way in ways]
            at += ways[0].size
            met += 1
    assert met > 1_000
