"""Replace look-alike letters of another script, ligatures and full-width forms; close spaced-out words.

Look-alikes are replaced only in a word that mixes scripts, by letters of the script of its text, and as a single letter
between words of the other script. Words of one script, compounds such as ``IT-шник``, words with an ending of another
language, such as ``Python’а`` and ``МТС’s``, and those of Caucasian languages, which write the palochka as a Latin I
(``КIант``), are unchanged.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain, zip_longest

_LATIN_OF = dict(
    zip(
        "аеорсухіѕјһԁԛԝАВЕНІКМОРСТУХЅЈԚԜοαινΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxisjhdqwABEHIKMOPCTYXSJQWoaivABEZHIKMNOPTYX",
        strict=True,
    )
)
_CYRILLIC_OF = {latin: other for other, latin in _LATIN_OF.items() if "\u0400" <= other <= "\u052f"}
_GREEK_OF = {latin: other for other, latin in _LATIN_OF.items() if "\u0370" <= other <= "\u03ff"}
_OTHER = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SINGLE = re.compile(r"(?<=[A-Za-z] )[аосуеАОСУ](?= [A-Za-z])")
_MOSTLY = 0.9  # share of Latin letters at which a single Cyrillic one is wrong; in Russian, "Go с Rust" is right
_LEAST_STEM = 2  # letters before an ending: one may be a look-alike, "B’ячеслав"
_LEAST_SPACED = 6  # letters of spaced-out words
_SPACED = re.compile(r"\s*\S(?: \S)*(?: {2,}\S(?: \S)*)*\s*")
_FULL_WIDTH = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_FORM = re.compile("[\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "ſt", "ﬆ": "st"}
_LIGATURE = re.compile(r"(?<=[^\W\d_])[ﬀ-ﬆ]|[ﬀ-ﬆ](?=[^\W\d_])")


def replace_homoglyphs(text: str) -> str:
    """Return the text with look-alike letters put back into the script of their word.

    >>> replace_homoglyphs("Hеllo"), replace_homoglyphs("IT-шник"), replace_homoglyphs("this is а test")
    ('Hello', 'IT-шник', 'this is a test')
    """
    if text.isascii() or not _OTHER.search(text) or not _LATIN.search(text):
        return text
    latin, other = len(_LATIN.findall(text)), len(_OTHER.findall(text))
    words = _WORD.findall(text)
    both = any(_OTHER.search(word) and not _LATIN.search(word) for word in words)
    mixed = [word for word in set(words) if not word.isascii() and _mixes_scripts(word)]
    mixed = [word for word in mixed if not _has_other_ending(word, both=both)]
    unified = {word: _unify_script(word, latin_text=latin >= other) for word in mixed}
    if any(word != whole for word, whole in unified.items()):
        pieces = zip_longest(_WORD.split(text), [unified.get(word, word) for word in words], fillvalue="")
        text = "".join(chain.from_iterable(pieces))
    if latin < _MOSTLY * (latin + other):
        return text
    return _SINGLE.sub(lambda found: _LATIN_OF[found.group()], text)


def _mixes_scripts(word: str) -> bool:
    """Return whether the word has letters of Latin and of Cyrillic or Greek."""
    return bool(_OTHER.search(word)) and bool(_LATIN.search(word))


def _has_other_ending(word: str, *, both: bool) -> bool:
    """Return whether an apostrophe parts a word from an ending of another language.

    "it’ѕ" has a look-alike, unless other words of the text are Cyrillic (``both``); no Cyrillic word has Latin letters
    behind an apostrophe.
    """
    stem, _, ending = word.replace("’", "'").rpartition("'")
    if len(stem) < _LEAST_STEM or _mixes_scripts(stem) or _mixes_scripts(ending):
        return False
    return both or bool(_LATIN.search(ending))


def _unify_script(word: str, *, latin_text: bool) -> str:
    """Return the mixed word in the script of its text, if every foreign letter of it has a look-alike there."""
    others = [letter for letter in word if _OTHER.match(letter)]
    foreign, twins = others, _LATIN_OF
    if not latin_text:
        foreign = [letter for letter in word if _LATIN.match(letter)]
        if set(foreign) == {"I"} and word[0] != "I" and not word.isupper():
            return word  # a capital inside of a word: the palochka
        twins = _GREEK_OF if unicodedata.name(others[0]).startswith("GREEK") else _CYRILLIC_OF
    return "".join(twins.get(letter, letter) for letter in word) if all(one in twins for one in foreign) else word


def replace_letter_forms(text: str) -> str:
    """Return the text with ligatures and full-width letters as ordinary ones, and spaced-out words closed.

    Full-width letters stay where East Asian ones are.

    >>> replace_letter_forms("ﬁnal oﬀer"), replace_letter_forms("Ｒａｄｉｏ"), replace_letter_forms("T h e  e n d")
    ('final offer', 'Radio', 'The end')
    """
    if not text.isascii() and _FORM.search(text):
        text = _LIGATURE.sub(lambda found: _LIGATURES[found.group()], text)
        if _FULL_WIDTH.search(text) and not _EAST_ASIAN.search(text):
            text = text.translate(_NARROW)
    if len(text) >= 2 * _LEAST_SPACED and text[1::2][:2] == "  " and _SPACED.fullmatch(text) and "  " in text.strip():
        text = re.sub(r" (?! )|(?<= ) (?= )", "", re.sub(r" {2,}", "  ", text.strip()))
    return text
