"""Read single damaged letters of a text: "à" and "Š" with a lost blank, and "Â" and "Ã" that a text is about.

One sequence of bytes proves no wrong decoding; here the letters beside it do, and the words of languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import log

from aggregator.text import word_frequencies
from aggregator.text.mojibake.byte_sequences import Choice, list_choices, load_page

_PART = 10_000  # characters that tell the language
_WORD_AFTER = re.compile(r"[^\W\d_]{1,40}")
_LONE = re.compile(r"(?<=[a-zß-ÿ])Ã|(?<![^\W\d_])Ã(?=-[a-z])")
_LONE_INVISIBLE = re.compile(r"(?<=[A-Za-zß-ÿ,.])Â[-\u00ad]|â•(?![^\W\d_]?[\u0080-\u00bf])")
_ALONE = re.compile(r"(?<![^ ])(?<![^\w,] )[ÂÃ](?= [a-z])")
_STRANGE = re.compile(r"[^\x00-\x7f]")
_ASCII_WORD = re.compile(r"[a-z]+")
_RINGED = re.compile(r"(?<!\w)Å\xa0([^\W\d_]+)")  # "Š", or Scandinavian "Å" before a word
_WITH_RING, _WITH_CARON = ("nb", "da", "sv"), ("cs", "sk", "sh", "sl", "lt", "lv")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_WITHOUT_A, _WITH_A = ("en", "de", "es", "nl"), ("fr", "it", "pt")  # languages without and with the word "à"
_RARE_WORD = 1e-8  # share of a word that a list lacks
_FRENCH = re.compile(r"Ã[©¨ª´§]|\b(?:le|la|les|de|des|du|et|un|une|il|che|di|que|os|as)\b", re.IGNORECASE)
_VIETNAMESE_BYTES = re.compile("áº|á»|Ä‘|Æ°|Æ¡")


def is_about_letter(text: str) -> bool:
    """Return whether a text has nothing beyond ASCII but Â or Ã as a word among others: it is about the letter.

    A no-break space, decoded as "Â ", stands behind the end of a sentence; "à" only stands in languages that have it.
    """
    if _STRANGE.search(_ALONE.sub("", text)):
        return False
    if "Ã" not in text:
        return True
    words = [word for word in _ASCII_WORD.findall(text[:_PART].lower()) if len(word) > 1]
    return _rate_words(words, _WITHOUT_A) > _rate_words(words, _WITH_A)


def fix_lone_letter(text: str) -> str:
    """Return the text with single damaged letters read: a capital Ã or Â behind a small letter is no spelling."""
    text = _RINGED.sub(_read_caron, text)
    if "Ã" not in text and "Â" not in text and "â" not in text:
        return text
    text = _LONE_INVISIBLE.sub("", text)
    table = load_page("cp1252")
    pieces: list[str] = []
    done = 0
    for found in _LONE.finditer(text):
        at = found.start()
        initial = at == 0 or not text[at - 1].isalpha()
        letters = (one for one in list_choices(text, at, table) if one.character.isalpha())
        meant = next((one for one in letters if one.character.isupper() == initial), None)
        if meant:
            pieces += [text[done:at], meant.character, find_blank(text, at, meant)]
            done = at + meant.size
    return "".join([*pieces, text[done:]])


def find_blank(text: str, at: int, choice: Choice) -> str:
    """Return the blank behind "à" that is lost where its second byte is shown as a blank, too, else ""."""
    end = at + choice.size
    after = _WORD_AFTER.match(text, end) if choice.character == "à" and text[end - 1] == " " else None
    if after is None or not _is_french(text):
        return ""
    joined = f"à{after[0].lower()}"  # Portuguese has "às" and "àquela"; French goes on in "à s’asseoir"
    elided = text[after.end() : after.end() + 1] in {"'", "’"}
    return "" if not elided and joined in word_frequencies.load_frequencies("pt") else " "


@lru_cache(maxsize=4)
def _is_french(text: str) -> bool:
    """Return whether a text, by its first part, has "à" as a word and at the end of words, not inside of them."""
    return _FRENCH.search(text, 0, _PART) is not None and not _VIETNAMESE_BYTES.search(text, 0, _PART)


def _read_caron(found: re.Match[str]) -> str:
    """Return "Š" for "Å" and a no-break space where the text is rather of a language with that letter."""
    words = _WORDS.findall(found.string[:_PART].lower())
    behind = found[1].lower()
    with_a_ring = _rate_words([*words, behind], _WITH_RING)
    return f"Š{found[1]}" if _rate_words([*words, f"š{behind}"], _WITH_CARON) > with_a_ring else found[0]


def _rate_words(words: list[str], languages: Sequence[str]) -> float:
    """Return the logarithm of the chance of words in the likeliest of some languages."""
    return max(
        sum(log(word_frequencies.load_frequencies(language).get(word, _RARE_WORD)) for word in words)
        for language in languages
    )
