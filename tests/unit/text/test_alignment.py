from __future__ import annotations

import random
from itertools import pairwise

from aggregator.text import alignment
from aggregator.text.mojibake.byte_sequences import Choice
from aggregator.text.mojibake.redecode import redecode
from aggregator.text.mojibake.word_choice import MOST_WEIGHED, choose_characters
from aggregator.text.word_frequencies import familiarity, frequency


def test_similar_words_pair_up_and_others_do_not():
    assert alignment.align(["one", "twoo", "three"], ["one", "two", "three"]) == [(0, 0), (1, 1), (2, 2)]
    assert alignment.align(["a", "garden"], ["a", "-"]) == [(0, 0)]


def test_a_long_text_is_aligned_in_parts(monkeypatch):
    monkeypatch.setattr(alignment, "LARGEST", 2000)
    chance = random.Random(4)
    left = [f"w{chance.randrange(50)}" for _ in range(400)]
    right = [word for number, word in enumerate(left) if number % 37]
    pairs = alignment.align(left, right)
    assert len(pairs) >= 0.97 * len(right)
    assert all(before < after for before, after in pairwise(pairs))


def test_a_long_text_without_an_anchor_is_halved(monkeypatch):
    monkeypatch.setattr(alignment, "LARGEST", 50)
    assert len(alignment.align(["same"] * 40, ["same"] * 40)) == 40


def test_words_of_languages():
    assert frequency("garden", "en")
    assert not frequency("gardqn", "en")
    assert frequency("garden", None) > 0
    assert frequency("anything", "xx") > 0
    assert frequency("Weiße", "de") == frequency("weisse", "de") > 0
    assert familiarity("λόγος", "el") > 0
    assert familiarity("臺灣", "zh") == familiarity("台湾", "zh") > familiarity("啰灣", "zh")


def test_a_word_without_a_language_takes_the_cheapest_reading():
    pieces = ["a", (Choice("é", 2, 0.4, 0.4), Choice("è", 2, 0.5, 0.5)), "1"]
    assert "".join(choose_characters(pieces)) == "aé1"


def test_so_many_readings_are_weighed_in_a_text():
    word = ((Choice("л", 2, 0.4, 0.4), Choice("д", 2, 0.5, 0.5)), "ом")
    several = MOST_WEIGHED // 2
    assert "".join(choose_characters([*word, " "] * 3)) == "дом " * 3
    assert "".join(choose_characters([*word, " "] * several)) == "дом " * (several - 1) + "лом "


def test_chinese_of_many_readings_is_weighed_by_neighbours():
    pair = [
        (Choice("啰", 2, 0.4, 0.4), Choice("台", 2, 0.5, 0.5)),
        (Choice("繼", 2, 0.4, 0.4), Choice("灣", 2, 0.5, 0.5)),
    ]
    assert "".join(choose_characters(pair * 10)) == "台灣" * 10


def test_a_word_that_no_list_knows_is_chosen_by_its_letters():
    word = [(Choice("\ufffd", 2, 0.4, 0.4), Choice("ж", 2, 0.4, 0.4), Choice("з", 2, 0.5, 0.5)), "щщщъ"]
    assert "".join(choose_characters(word)) == "зщщщъ"


def test_a_word_longer_than_any_takes_the_likeliest_readings():
    letter = (Choice("л", 2, 0.4, 0.4), Choice("д", 2, 0.5, 0.5))
    assert "".join(choose_characters([letter, "ом", *["о"] * 60])) == "лом" + "о" * 60


def test_noise_stays_as_it_is():
    chance = random.Random(2)
    read = bytes(chance.randrange(0x80, 0x100) for _ in range(20_000)).decode("cp1252", "replace")
    noise = read.replace("\ufffd", "•")
    sound = redecode("Ð´ÐµÐ½ÑŒ " * 30)
    assert sound == "день " * 30
    assert len(redecode(noise)) > 0.9 * len(noise)


def test_lost_bytes_are_read_where_the_text_shows_the_rest():
    assert redecode("Ð³Ð¾Ð»Ð¾ÑÐ° Ð¸ Ð²Ñ‹Ð¿ÑƒÑÐºÐ¸") == "голоса и выпуски"
