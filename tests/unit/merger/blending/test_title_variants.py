from __future__ import annotations

import pytest

from aggregator.merger.blending.copies import Copy
from tests.support.texts import blend


@pytest.mark.parametrize(
    ("titles", "wanted"),
    [
        # Each source lost another word: two have each word of the title.
        (("8: Vår i norr", "Avsnitt 8: Vår norr", "Avsnitt 8 Vår i norr"), "Avsnitt 8: Vår i norr"),
        (("del norte 🎻", "Trenes del norte 🎻", "Trenes norte 🎻"), "Trenes del norte 🎻"),
        (("Hoofdstuk De brug", "Hoofdstuk 61 De brug", "Hoofdstuk 61: brug"), "Hoofdstuk 61: De brug"),
        (("dörr på ön", "Öppen dÃ¶rr Ã¶n | Havets ljud", "Öppen dÃ¶rr pÃ¥ Ã¶n | Radio Kobben"), "Öppen dörr på ön"),
        # Each lost another one of four words.
        (("Noite sem lua", "longa sem lua", "Noite longa sem"), "Noite longa sem lua"),
        # "yiizü" looks like "yüzü".
        (("Bölüm 57: Taşın yiizü", "Bölürn Taşın yüzü", "Bölüm 57 Taşın"), "Bölüm 57: Taşın yüzü"),
        # The first is cut inside "Schlitten".
        (("Nebel, Reime und Schli", "Nebel, Reime Schlitten: langer Winter", "Reime und Schlitten: langer Winter"),
         "Nebel, Reime und Schlitten: langer Winter"),
        # Half a word has no vote on what stands behind it.
        (("snow and tea", "Snow and tea", "S…[Leer más]", f"snow and tea {'n5Kq2LmPv9Rt' * 4}\ufffd Ler artigo"),
         "Snow and tea"),
        # Other titles are not mixed.
        (("Winter in Lund", "Winter in Bergen", "Winter in Bergen"), "Winter in Bergen"),
        (("Kapitel 3: Zeit der", "Kapitel 4: Zeit der Kraniche", "Kapitel 4: Zeit der Kraniche"),
         "Kapitel 4: Zeit der Kraniche"),
    ],
)  # fmt: skip
def test_words_that_most_titles_have_stay(titles, wanted):
    copies = [Copy(f"source {number}", title) for number, title in enumerate(titles)]
    assert blend(copies, title=True).text.partition(" | ")[0] == wanted


def test_a_trusted_title_does_not_take_words_of_others():
    others = [Copy(name, "Kapitel 19: Zeit der Kraniche", 0.8) for name in ("guide", "store")]
    assert blend([Copy("host", "Zeit der Kraniche", 0.9), *others], title=True).text == "Zeit der Kraniche"


def test_a_beginning_without_its_first_word_is_completed():
    lost = Copy("a", "asked a beekeeper why the hives are quiet this spring.")
    whole = [Copy(name, "We asked a beekeeper why the hives are quiet this spring.") for name in "bc"]
    assert blend([lost, Copy("d", lost.text), *whole]).text == whole[0].text
    added = "Later asked a beekeeper why the hives are quiet this spring."
    assert blend([lost, Copy("d", lost.text), Copy("e", added)]).text == lost.text
