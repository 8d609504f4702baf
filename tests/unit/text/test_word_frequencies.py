"""The lists of words are small in memory and say of every word what wordfreq says."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import islice

import pytest
import wordfreq

from aggregator.text.word_frequencies import load_frequencies

MANY = [
    "ru",
    "uk",
    "bg",
    "mk",
    "el",
    "he",
    "ar",
    "fa",
    "pl",
    "cs",
    "hu",
    "tr",
    "lt",
    "lv",
    "de",
    "fr",
    "es",
    "pt",
    "it",
    "fi",
    "sv",
]


@pytest.mark.parametrize("language", ["de", "fa", "zh", "ko"])
def test_each_word_has_its_share(language: str) -> None:
    theirs = wordfreq.get_frequency_dict(language, "best")
    ours = load_frequencies(language)
    words = random.Random(language).sample(sorted(theirs), 2000)
    assert {word: ours.get(word) for word in words} == {word: pytest.approx(theirs[word]) for word in words}
    assert all(ours[word] and word in ours for word in words)
    assert list(islice(ours, 2000)) == list(islice(theirs, 2000))
    for word in ("", "qwxzqwxz", "\x00", "a" * 200, 7):
        assert (word in ours, ours.get(word, 0.5)) == (False, 0.5)
        with pytest.raises(KeyError):
            ours[word]


def test_a_language_without_a_list_has_none() -> None:
    assert not load_frequencies("th")
    assert not load_frequencies("pt-BR")


def test_texts_in_many_languages_fit_into_the_memory_of_a_feed() -> None:
    """A source whose texts are wrongly decoded in many scripts would else end the composition of its feed."""
    program = (
        "import re, sys; from aggregator.text.word_frequencies import load_frequencies\n"
        "for language in sys.argv[1:]: load_frequencies(language)\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run([sys.executable, "-c", program, *MANY], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 400_000
