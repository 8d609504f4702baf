"""Central European, Turkish, Baltic and Mac text read as Western comes back; sound text of any language stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aggregator.merger.repair.fixers import repair_text
from aggregator.text import word_frequencies
from aggregator.text.mojibake.latin_pages import redecode_latin
from aggregator.text.mojibake.other_encodings import redecode_others
from aggregator.text.mojibake.word_choice import ALPHABETS

SAID = {
    "pl": "Dzisiaj rozmawiamy o tym, dlaczego książki są coraz droższe i kto na tym zarabia.",
    "cs": "Dnes mluvíme o tom, proč jsou knihy čím dál dražší a kdo na tom vydělává nejvíce.",
    "sk": "Dnes hovoríme o tom, prečo sú knihy čoraz drahšie a kto na tom zarába čoraz viac.",
    "hu": "Ma arról beszélünk, hogy a könyvek miért drágulnak, és kik a nyertesei az időszaknak, ki tűnik el.",
    "ro": "Astăzi vorbim despre cărți, de ce sunt tot mai scumpe și cine câștigă din această poveste.",
    "sl": "Danes govorimo o tem, zakaj so knjige čedalje dražje in kdo ima največ koristi od tega.",
    "sh": "Danas pričamo o tome zašto su knjige sve skuplje i ko će na kraju imati najviše koristi.",
    "tr": "Bugün kitapların neden pahalılaştığını ve bundan kimlerin kazançlı çıktığını konuşuyoruz.",
    "lt": "Šiandien kalbame apie tai, kodėl knygos brangsta ir kas iš to gauna daugiausia naudos, o kas ją praranda.",
    "lv": "Šodien runājam par to, kāpēc grāmatas kļūst dārgākas un kas no tā gūst vislielāko labumu.",
}
PAGES = {
    **dict.fromkeys(("pl", "cs", "sk", "hu", "ro", "sl", "sh"), ("cp1250", "iso8859_2")),
    "tr": ("cp1254", "iso8859_9"),
    **dict.fromkeys(("lt", "lv"), ("cp1257",)),
}
CEDILLAS = str.maketrans("șț", "şţ")


@pytest.mark.parametrize(("language", "page"), [(each, page) for each, pages in PAGES.items() for page in pages])
@pytest.mark.parametrize("western", ["cp1252", "latin_1"])
def test_what_was_read_as_western_comes_back(language: str, page: str, western: str) -> None:
    sound = SAID[language].translate(CEDILLAS)
    damaged = sound.encode(page).decode(western)
    assert damaged != sound
    assert redecode_latin(damaged) == sound
    assert repair_text(damaged).text == sound
    assert redecode_latin(f"{damaged} " * 400) == f"{sound} " * 400


MAC = {
    "es": "El presidente de México habló ayer de la educación y de los años difíciles que aún quedan",
    "fr": "Le Président de la République a été très étonné par l’été à Besançon",
    "de": "Grüße aus München: wir hören die schönsten Märchen für alle Größen",
    "pt": "A história da educação não está no início da lição dos irmãos",
    "it": "La città è più bella perché nessuno può dire di no",
    "sv": "Här är en fråga om hur två människor får höra på världen",
    "da": "Vi taler om børn, å, og æbler på en ø, og hvorfor de måske går",
    "ca": "Això és una lliçó d’història per a tothom, també avui",
}


@pytest.mark.parametrize("language", MAC)
@pytest.mark.parametrize("western", ["sloppy-windows-1252", "latin_1"])
def test_what_a_macintosh_wrote_comes_back(language: str, western: str) -> None:
    damaged = MAC[language].encode("mac_roman").decode(western)
    assert repair_text(damaged).text == MAC[language]
    assert repair_text(MAC[language]).text == MAC[language]


MARKED = (
    "“Hola” – dijo… y no puede ser—cero; por—la comunidad",
    "Il m’a dit qu’il l’a vu, et n’a rien fait: c’est l’été",
    "Direção para realizar—um duplo clique (“left”, “right”)",
    "It’s a dog’s life—isn’t it? 1990–1995 “wait—what”",
    "All’inizio dell’anno c’è un’altra città—la sua",
)


@pytest.mark.parametrize("text", MARKED)
def test_quotes_and_dashes_of_cp1252_are_no_letters_of_a_macintosh(text: str) -> None:
    assert redecode_latin(text) == text
    damaged = text.encode("cp1252").decode("latin_1")
    assert repair_text(damaged).text == text


@pytest.mark.parametrize("language", SAID)
def test_sound_text_stays(language: str) -> None:
    sound = SAID[language]
    assert redecode_latin(sound) == sound
    assert [repair_text(" ".join(sound.split()[:size])).text for size in (1, 2, 5)] == [
        " ".join(sound.split()[:size]) for size in (1, 2, 5)
    ]


READ_ELSEWHERE = (
    ("Une journée à la forêt: l'été des hérons", "cp1252", ("cp1251", "cp1250", "mac_roman")),
    ("Schöne Geschichten für die Küche: groß und weiß", "cp1252", ("cp1251", "mac_roman")),
    ("Não é tarde: lições sobre a maçã e o coração", "cp1252", ("cp1251", "cp1250", "mac_roman")),
    ("Después del almuerzo: mañana también habrá música", "cp1252", ("cp1251", "mac_roman")),
    ("Schöne Geschichten für die Küche und das Frühstück", "cp850", ("latin_1",)),
    ("Příběhy z města: večer u řeky", "cp1250", ("cp1251",)),
    ("Güneşli bir gün: çocuklar için öyküler", "cp1254", ("cp1251",)),
)


@pytest.mark.parametrize(
    ("sound", "page", "read_as"), [(*case, one) for *case, pages in READ_ELSEWHERE for one in pages]
)
def test_western_text_that_was_read_elsewhere_comes_back(sound: str, page: str, read_as: str) -> None:
    assert redecode_latin(sound.encode(page).decode(read_as)) == sound


WESTERN = (
    "À la crème brûlée, près de Besançon où naît l’œuvre",
    "A ¿qué hora? ¡Ahora mismo! 3ª edición, nº 12, 5 m², 20 °C",
    "Não há lições, só põe o pão na mesa; a maçã não é da irmã",
    "Þetta er ný saga um ævi og ástir á Íslandi, það er bara svona",
    "Täna räägime sellest, miks õun ja võrk on õhtul hõbedased",
    "Mañana, Ångström, Œuvre, Øre und Straße: £5, ¥300, 7¼ % ¾",
    "Blåbærsyltetøj på brødet",
    "Meksîkayê û Îngîlîzî a Herêma",
    "monitorâ",
    "Tenê pelên herêmî werin hilbijartin",
    "Rexhe on fitchî d’ tiestire",
    "IT-шник читает Python-код, vs. МТС’s",
)


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_stays_with_its_signs(text: str) -> None:
    assert redecode_latin(text) == text
    assert redecode_latin(text.upper()) == text.upper()


def _list_words(language: str) -> list[str]:
    words = list(word_frequencies.load_frequencies(language))[:4000]
    return [word for word in words if not word.isascii() and word.isalpha()]


@given(st.data())
def test_a_text_of_the_words_of_a_language_stays(data: st.DataObject) -> None:
    """Whatever they are: two languages at once have letters that none has together."""
    languages = data.draw(st.lists(st.sampled_from(sorted(ALPHABETS)), min_size=1, max_size=2))
    words = [data.draw(st.sampled_from(_list_words(language))) for language in languages for _ in range(3)]
    text = " ".join(data.draw(st.permutations(words)))
    assert redecode_latin(text) == text


@pytest.mark.parametrize("control", [chr(code) for code in range(0x80, 0xA0)])
def test_a_control_alone_among_sound_words_is_no_letter(control: str) -> None:
    for text in (f"Radio from the harbour {control}", f"the mill {control} the sea", f"{control} la carte"):
        assert redecode_latin(text) == text


def test_a_name_alone_is_no_proof() -> None:
    for name in ("Søren", "Ximénez³", "Þór", "Garção", "Nuñez-Pèrez"):
        assert redecode_latin(name) == name


@pytest.mark.parametrize(
    "sound", ["วันนี้เราจะคุยกันเรื่องหนังสือ", "ตอนที่ 12: ทะเลกับภูเขา (special)", "รายการวิทยุตอนเช้า กับเพื่อนเก่า"]
)
@pytest.mark.parametrize("western", ["cp1252", "latin_1"])
def test_thai_that_was_read_as_western_comes_back(sound: str, western: str) -> None:
    assert redecode_others(sound.encode("cp874").decode(western)) == sound
    assert redecode_others(sound) == sound
