"""Letters of another script that look the same (Cyrillic а in a Latin word), put back into the script of their word.

Only a word that mixes scripts is touched, and only towards the script of its text ("еmails" in a Russian text is its
author's keyboard), or a single letter between words of the other script. Words made wholly of look-alikes, and
compounds such as ``IT-шник``, are real.
"""

from __future__ import annotations

import re
import unicodedata

LATIN_OF = dict(
    zip(
        "аеорсухіѕјһԁԛԝАВЕНІКМОРСТУХЅЈԚԜοαινΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxisjhdqwABEHIKMOPCTYXSJQWoaivABEZHIKMNOPTYX",
        strict=True,
    )
)
CYRILLIC_OF = {latin: other for other, latin in LATIN_OF.items() if "\u0400" <= other <= "\u052f"}
GREEK_OF = {latin: other for other, latin in LATIN_OF.items() if "\u0370" <= other <= "\u03ff"}
OTHER = re.compile("[\u0370-\u03ff\u0400-\u052f]")
LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
SINGLE = re.compile(r"(?<=[A-Za-z] )[аосуеАОСУ](?= [A-Za-z])")
# In a Russian text "Go с Rust" is right: a lone letter is only foreign in a text that is nearly all Latin.
MOSTLY = 0.9


def unmasked(text: str) -> str:
    """The text with look-alike letters put back into the script of their word.

    >>> unmasked("Hеllo"), unmasked("IT-шник"), unmasked("this is а test")
    ('Hello', 'IT-шник', 'this is a test')
    """
    if text.isascii() or not OTHER.search(text) or not LATIN.search(text):
        return text
    latin, other = len(LATIN.findall(text)), len(OTHER.findall(text))
    several = filter(mixed, set(WORD.findall(text)))
    one_script = {word: made for word in several if (made := _one_script(word, latin_text=latin >= other)) != word}
    if one_script:
        text = WORD.sub(lambda found: one_script.get(found.group(), found.group()), text)
    if latin < MOSTLY * (latin + other):
        return text
    return SINGLE.sub(lambda found: LATIN_OF[found.group()], text)


def mixed(word: str) -> bool:
    """Whether the word holds letters of Latin and of Cyrillic or Greek."""
    return bool(OTHER.search(word)) and bool(LATIN.search(word))


def _one_script(word: str, *, latin_text: bool) -> str:
    """The mixed word in the script of its text, where every foreign letter of it has a twin there."""
    foreign = [letter for letter in word if OTHER.match(letter)]
    if latin_text:
        swaps = LATIN_OF if all(letter in LATIN_OF for letter in foreign) else {}
    else:
        home = GREEK_OF if unicodedata.name(foreign[0]).startswith("GREEK") else CYRILLIC_OF
        swaps = home if all(letter in home for letter in word if LATIN.match(letter)) else {}
    return "".join(swaps.get(letter, letter) for letter in word)
