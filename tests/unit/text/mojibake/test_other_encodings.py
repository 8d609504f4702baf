"""UTF-8 read as many pages comes back; only the word lists of a script that a reading has are loaded."""

import pytest

from aggregator.merger.repair.fixers import repair_text
from aggregator.text import word_frequencies
from aggregator.text.mojibake import other_encodings
from aggregator.text.mojibake.redecode import redecode


@pytest.fixture
def loaded(monkeypatch):
    """Return the languages whose lists are asked for; nothing is remembered from before."""
    languages = []
    load = word_frequencies.load_frequencies

    def note(language):
        languages.append(language)
        return load(language)

    other_encodings._measure_letter_frequencies.cache_clear()
    monkeypatch.setattr(word_frequencies, "load_frequencies", note)
    return languages


@pytest.mark.parametrize("text", ["ââ âââ ââââ", "ÖÖÖÖ", "Ã", "çççç çç", "â" * 60])
def test_one_letter_again_and_again_is_no_word_and_asks_no_list(text, loaded):
    assert other_encodings.redecode_others(text) == text
    assert loaded == []


def test_a_text_asks_only_the_lists_of_its_script(loaded):
    assert other_encodings._measure_commonness("вечерние новости") > 0
    assert set(loaded) == {"ru", "uk", "bg", "mk"}


def test_a_reading_is_found_as_with_all_lists():
    wrong = "утренний выпуск".encode("koi8-r").decode("latin-1")
    assert other_encodings.redecode_others(wrong) == "утренний выпуск"


SENTENCES = (
    "Café y poesía: una tarde en la biblioteca de Málaga",
    "Zuhören im Gebäude: Gespräche über Brücken und Wälder",
    "L’hiver à la ferme, l’été à la plage",
    "Příběhy z hor: večerní vysílání pro děti",
    "A tengerész meséi: három könyv és egy történet",
    "Вечерние новости: погода на завтра и разговор о море",
    "Radio Quay — разговор о лодках",
    "Õhtune saade: külalised räägivad töödest ja mõtetest",
    "आज की बातचीत: नदी और पहाड़ की कहानियाँ",
)
PAGES = ("mac_roman", "cp437", "cp850", "cp852", "iso8859_2", "iso8859_5", "cp1257", "koi8_r", "cp866")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("sound", SENTENCES)
def test_utf_8_read_as_another_page_comes_back(sound: str, page: str) -> None:
    try:
        wrong = sound.encode().decode(page)
    except UnicodeDecodeError:
        return  # the page lacks a byte of it, so that it is not read as that page
    assert redecode(other_encodings.redecode_others(wrong)) == sound


NATIONAL = (
    ("Вечерние новости: погода на завтра и разговор о море", ("cp1251", "koi8_r", "cp866", "iso8859_5")),
    ("Вечірні новини: погода на завтра і розмова про їжаків", ("cp1251", "koi8_u")),
    ("Βραδινά νέα: ο καιρός αύριο και μια συζήτηση για τη θάλασσα", ("cp1253",)),
    ("今日の天気は晴れのち曇り、明日は雨が降るでしょう", ("shift_jis", "euc_jp")),
    ("오늘의 날씨와 내일의 바다 이야기를 나눕니다", ("cp949",)),
)


@pytest.mark.parametrize("read_as", ["latin_1", "cp1250", "cp850", "iso8859_2", "cp437"])
@pytest.mark.parametrize(("sound", "page"), [(sound, page) for sound, pages in NATIONAL for page in pages])
def test_a_national_encoding_read_as_a_western_or_central_one_comes_back(sound: str, page: str, read_as: str) -> None:
    try:
        wrong = sound.encode(page).decode(read_as)
    except UnicodeDecodeError:
        return  # the page lacks a byte of it
    assert other_encodings.redecode_others(wrong) == sound


DRAWN = (
    "├── src\n│   └── main.py",
    "│Name│Age│\n├────┼───┤",
    "Paris–Évry, Nice–Ürgüp",
    "f(x) = √2 ≈ 1.41, ≈ 20 °C, ¬ a, ƒ(x)",
    "† he died; ‡ see below",
    "Ôôô",
    "Třešť, Číčovice a Říp",
)


@pytest.mark.parametrize("sound", DRAWN)
def test_lines_signs_and_dashes_between_letters_stay(sound: str) -> None:
    assert other_encodings.redecode_others(sound) == sound


@pytest.mark.parametrize(
    ("damaged", "text"),
    [
        ("Une fête à l'√©cole d'été", "Une fête à l'école d'été"),
        ("São Paulo e o caf├® da manhã", "São Paulo e o café da manhã"),
        ("Größe und Stra├ƒe", "Größe und Straße"),
    ],
)
def test_one_damaged_word_among_sound_ones_comes_back(damaged: str, text: str) -> None:
    assert other_encodings.redecode_others(damaged) == text


@pytest.mark.parametrize("text", ["à √2 près, où √é", "São ├── src", "Ça fait ¼│½ là"])
def test_signs_beside_sound_words_stay(text: str) -> None:
    assert other_encodings.redecode_others(text) == text


@pytest.mark.parametrize(
    "text",
    ["Don’t miss it → subscribe", "Über • wir", "▶ Watch now", "Part 2 — “The road”", "♪ Ein Lied für alle ♪"],
)
def test_marks_read_as_those_of_a_macintosh_are_read(text: str) -> None:
    assert repair_text(text.encode().decode("mac_roman")).text == text


@pytest.mark.parametrize("text", ["‚Äpfel und Öle‘, sagt sie", "‚Älteres‘ – ‚Ärger‘", "‚ÖBB‘", "Das ‚Ä‘ in Äpfel"])
def test_german_quotes_before_an_umlaut_stay(text: str) -> None:
    assert repair_text(text).text == text
