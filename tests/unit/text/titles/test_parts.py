"""Parts, numbers and replaced words of titles in many languages."""

from __future__ import annotations

import pytest

from aggregator.text.titles.replaced_words import find_replaced_word
from aggregator.text.titles.titles import parse_title

PARTS = [
    ("The Salt Road, Part One", "The Salt Road (2/2)"),
    ("The Salt Road - Act I", "The Salt Road, Act Two"),
    ("The Salt Road, Part A", "The Salt Road: Part B"),
    ("Die Salzstraße, Teil eins", "Die Salzstraße - zweiter Teil"),
    ("Saltvejen – første del", "Saltvejen, del 2"),
    ("Saltveien, del én", "Saltveien, del to"),
    ("Suolatie – ensimmäinen osa", "Suolatie, osa 2"),
    ("Soolatee – esimene osa", "Soolatee, osa kaks"),
    ("Sóút – első rész", "Sóút, 2. rész"),
    ("Solná stezka – první díl", "Solná stezka, 2. díl"),
    ("Soľná cesta – prvá časť", "Soľná cesta, časť 2"),
    ("Szlak solny, część pierwsza", "Szlak solny cz. 2"),
    ("Соляной путь. Часть первая", "Соляной путь, ч. 2"),
    ("Соляний шлях. Частина перша", "Соляний шлях, частина 2"),
    ("Солният път – част първа", "Солният път, част втора"),
    ("Drumul sării - partea întâi", "Drumul sării, partea a doua"),
    ("Ο δρόμος του αλατιού – Μέρος Α΄", "Ο δρόμος του αλατιού, μέρος 2"),
    ("Tuz Yolu - Birinci Bölüm", "Tuz Yolu - İkinci Bölüm"),
    ("Jalan Garam, Bagian Pertama", "Jalan Garam (bagian 2)"),
    ("Đường muối - Phần 1", "Đường muối, phần 2"),
    ("طريق الملح - الجزء الأول", "طريق الملح - الجزء الثاني"),
    ("جاده نمک، بخش اول", "جاده نمک، بخش دوم"),
    ("דרך המלח - חלק ראשון", "דרך המלח, חלק ב"),
    ("नमक का रास्ता, भाग एक", "नमक का रास्ता, भाग २"),
    ("La ruta de la sal, primera part", "La ruta de la sal (segona part)"),
]


@pytest.mark.parametrize(("first", "second"), PARTS)
def test_parts_are_read_in_any_language(first: str, second: str) -> None:
    one, two = parse_title(first), parse_title(second)
    assert (one.part, two.part) == (1, 2)
    assert one.core == two.core


def test_the_last_of_three_forms_has_a_number_of_its_own() -> None:
    assert [parse_title(f"소금길 ({form})").part for form in "상중하"] == [1, 2, 3]


@pytest.mark.parametrize(
    "title",
    ["A Part to Play", "The part a man plays", "An act to remember", "Vivir del dos", "A maior parte dos homens"],
)
def test_a_sentence_names_no_part(title: str) -> None:
    assert parse_title(title).part is None


@pytest.mark.parametrize(
    "title",
    [
        *("Выпуск 12: Соль", "Выпуск № 12. Соль", "Випуск 12 – Соль", "Епизод 12: Соль", "Соль (выпуск 12)"),
        *("الحلقة ١٢: ملح", "פרק 12: מלח", "Επεισόδιο 12: Αλάτι", "Jakso 12: Suola", "Afsnit 12: Salt"),
        *(
            "Odc. 12 – Sól",
            "Tập 12: Muối",
            "에피소드 12: 소금",
            "एपिसोड १२: नमक",
            "Epizoda 12 - Sůl",
            "Folge Nr. 12: Salz",
        ),
    ],
)
def test_the_number_of_an_episode_is_read_in_any_language(title: str) -> None:
    read = parse_title(title)
    assert read.numbers == (12,)
    assert " " not in read.core


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the salt road morning", "the salt road evening"),
        ("die salzstrasse mit anna", "die salzstrasse mit bernd"),
        ("the salt road act i", "the salt road act ii"),
        ("the salt road hour 1", "the salt road hour 2"),
        ("the salt road us edition", "the salt road uk edition"),
        ("соляной путь утро", "соляной путь вечер"),
    ],
)
def test_another_word_in_the_same_place_is_found(one: str, other: str) -> None:
    assert find_replaced_word(one, other) in one.split()
    assert find_replaced_word(other, one) in other.split()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the salt road", "the salt road again"),
        ("the salt road to rome", "the salt road to r"),
        ("the salt road and its merchants", "the salt road and its merchnats"),
        ("the salt road volume 2", "the salt road vol two"),
        ("the 4th salt road", "the fourth salt road"),
        ("the old salt road 4th day", "the old salt road fourth day"),
        ("rome vs carthage", "rome versus carthage"),
        ("with dr salt", "with doctor salt"),
        ("listen now the salt road", "new episode the salt road"),
        ("the salt road αθήνα", "the salt road athens"),
        ("the salt road", "a road made of salt"),
        ("", "the salt road"),
    ],
)
def test_forms_of_one_word_and_decorations_are_not_found(one: str, other: str) -> None:
    assert find_replaced_word(one, other) is None
    assert find_replaced_word(other, one) is None


@pytest.mark.parametrize(
    ("title", "part", "numbers"),
    [
        ("Bölüm 26: Deniz (Kısım 1)", 1, (26,)),
        ("Kısım 2 - Bölüm 4: Deniz", 2, (4,)),
        ("Deniz, Bölüm 2", 2, ()),
        ("Deniz (Kısım 3)", 3, ()),
    ],
)
def test_of_a_word_for_episodes_and_one_for_parts_the_latter_is_the_part(title, part, numbers) -> None:
    assert (parse_title(title, "").part, parse_title(title, "").numbers) == (part, numbers)
