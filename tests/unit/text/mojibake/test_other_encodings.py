"""Word lists take half a second each to load: only those of a script that a reading has are asked."""

import pytest

from aggregator.text import word_frequencies
from aggregator.text.mojibake import other_encodings


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
