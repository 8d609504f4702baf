"""Read text again that was decoded with an encoding that ``redecode`` has no table of: East Asian, DOS and others.

Two cases. UTF-8 read as another encoding: written back and read as UTF-8, all of the text must be valid, which sound
text hardly ever is. A national encoding read as a Western one, or as another of its script: the text shows spots that
no writer makes, and the reading that is without them and has the commonest letters of a language is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice, product
from math import log

import ftfy.bad_codecs  # noqa: F401 - Python then knows "sloppy-windows-1252"

from aggregator.text import word_frequencies
from aggregator.text.mojibake.byte_sequences import ENCODINGS

_READ_AS = (
    *("mac_roman", "cp437", "cp850", "koi8_r", "koi8_u", "cp866", "mac_cyrillic", "iso8859_2", "iso8859_5", "cp1253"),
    *("cp1254", "cp1255", "cp1256", "cp1257", "cp874", "cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
"""What UTF-8 is read as, where ``redecode`` and ftfy have not undone it."""
_CYRILLIC = ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic")
_NATIONAL = (*_CYRILLIC, "cp1253", "cp1255", "cp1256", "cp932", "euc_jp", "gb18030", "big5", "cp949")
_WESTERN = ("sloppy-windows-1252", "latin_1", "mac_roman", "cp437", "cp850")
_LANGUAGES = ("ru", "uk", "bg", "mk", "el", "he", "ar", "fa", "ja", "zh", "ko")
LOST = "\ufffd"
_LETTER = r"[^\W\d_]"
_LATIN, _OTHER = "A-Za-z\u00c0-\u024f\u1e00-\u1eff", "\u0370-\u1dff\u1f00-\u1fff"
_ODD = re.compile(
    # What no text has: controls, private use, boxes, half-width katakana.
    "[\u0080-\u009f\ue000-\uf8ff\u2500-\u259f\uff61-\uff9f]"
    # A capital inside a word behind a small letter, where one of them is no ASCII letter.
    "|[а-яёђ-џ](?=[А-ЯЁЂ-Џ])|[a-zß-öø-ÿ](?=[À-ÖØ-Þ])|[ß-öø-ÿ](?=[A-Z])|[α-ωά-ώ](?=[Α-Ω])"
    # A sign inside or at the end of a word, where writers have none.
    f"|(?<={_LETTER})[\u00a1-\u00a9\u00ab-\u00b1\u00b4-\u00b6\u00b8\u00bb-\u00bf\u00d7\u00f7‚„†‡‰‹›ˆ˜ˇ˘˙˚¸˝˛√-∫≈-≥◊⌐⌠⌡]"
    "(?=\\w)"
    f"|[√∂∆∏∑∫≈≠≤≥◊⌐⌠⌡¬¤¦]{{2}}|(?<={_LETTER})[\u00a1-\u00bf]{{2}}"
    f"|(?<={_LETTER})[№²³¹](?={_LETTER})"
    # Two scripts in a word, accented letters in a row.
    f"|[{_LATIN}](?=[{_OTHER}])|[{_OTHER}](?=[{_LATIN}])|[À-ÖØ-öø-ÿŠšŽžŸŒœƒ]{{3}}"
    "|[\u0590-\u05ff](?=[\u0600-\u06ff])|[\u0370-\u03ff](?=[\u0400-\u06ff])|[\u0400-\u04ff](?=[\u0370-\u03ff\u0590-\u06ff])"
)
_IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ATTACHED = re.compile(f"(?<=[a-z]){_EAST_ASIAN.pattern}|{_EAST_ASIAN.pattern}(?=[a-z])")
# The inside of a run of ASCII: no pattern above, and none of ftfy's detector, looks further than two characters from
# one beyond ASCII.
_PLAIN_INSIDE = re.compile(r"([\x00-\x7f]{2})[\x00-\x7f]+(?=[\x00-\x7f]{2})")
_PUNCTUATION = frozenset("‘’“”–—…·«»")
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_LOSSES = re.compile(f"{LOST}+")
# Of the characters of a text: fewer East Asian ones are no words of their own, fewer odd spots may be slips.
_FEW = 0.2
# Two sequences are the least that is taken for UTF-8: a single one may be chance.
_LEAST_SPOTS = 2
# What a right reading may leave of the odd spots of the text, for the page may have had some before.
_LEFT = 0.1
# The mean logarithm of how common its letters are: sound texts of eleven languages reach -3.5 (alphabets) and -7.5
# (characters), what was read wrong stays below -4 and -9.
_LEAST_COMMON, _LEAST_COMMON_EAST_ASIAN = -3.7, -8.4
_UNKNOWN = -12.0
_GAIN = 0.3  # by which the letters of a right reading are commoner
_LONGEST = 100_000  # characters; longer texts are left as they are
_COMMONEST = 40_000  # words of a list whose letters are counted


def redecode_others(text: str) -> str:
    """Return the text in the encoding that it was written in; sound text comes back as it is.

    >>> redecode_others("cr猫me br没l茅e"), redecode_others("Ïðèâåò, ìèð"), redecode_others("L’été à la plage")
    ('crème brûlée', 'Привет, мир', 'L’été à la plage')
    """
    if text.isascii() or len(text) > _LONGEST:
        return text
    beyond = " ".join(_BEYOND.findall(text))
    if any(_may_be_utf8(beyond, f"sloppy-windows-{encoding[2:]}") for encoding in ENCODINGS):
        return text  # what ``redecode`` reads
    spots = count_odd_spots(text)
    encodings = [encoding for encoding in _READ_AS if _may_be_utf8(beyond, encoding)]
    return _undo_utf8(text, spots, encodings) or (_undo_national(text, spots) if spots else None) or text


def count_odd_spots(text: str) -> int:
    """Return how many spots of a text no writer makes, in any language; U+FFFD is not counted."""
    near = keep_beyond_ascii(text)
    found = len(_ODD.findall(near))
    if len(_EAST_ASIAN.findall(near)) < _FEW * len(text):
        found += len(_ATTACHED.findall(near))
    return found + sum(one not in _common_ideographs() for one in _IDEOGRAPH.findall(near))


def keep_beyond_ascii(text: str) -> str:
    """Return the characters beyond ASCII, each run of them with the two characters of ASCII before and behind it."""
    return _PLAIN_INSIDE.sub(r"\1", text)


def _may_be_utf8(beyond: str, encoding: str) -> bool:
    """Return whether characters beyond ASCII, but for what was lost, were UTF-8 before an encoding read them."""
    written = _write_back(beyond, encoding)
    return written is not None and _read_utf8(written).count(LOST) <= len(_LOSSES.findall(beyond))


@lru_cache(maxsize=1)
def _common_ideographs() -> frozenset[str]:
    """Return the ideographs that the standards of China, Taiwan and Japan have in their first, common level."""
    levels = (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("euc_jp", 0xB0, 0xCF))
    pairs = (
        (encoding, bytes((row, cell)))
        for encoding, first, last in levels
        for row in range(first, last + 1)
        for cell in range(0x40, 0xFF)
    )
    return frozenset(pair.decode(encoding, "ignore") for encoding, pair in pairs)


def _undo_utf8(text: str, spots: int, encodings: Iterable[str]) -> str | None:
    """Return the text as UTF-8 that was read in the encoding that makes it soundest, where one makes it sounder."""
    best: tuple[int, str] | None = None
    for encoding in encodings:
        read = _read_utf8(_write_back(text, encoding) or b"")
        if read == text:
            continue
        left = count_odd_spots(read)
        if left <= _LEFT * spots and _is_proved(text, read, spots) and (best is None or left < best[0]):
            best = left, read
    return best[1] if best else None


def _is_proved(text: str, read: str, spots: int) -> bool:
    """Return whether what is read as UTF-8 is no chance: odd spots are gone, or ideographs in Latin words."""
    if spots >= _LEAST_SPOTS or (spots and len(_BEYOND.findall(text)) == spots):
        return True
    ideographs = len(_EAST_ASIAN.findall(text))
    return 0 < ideographs == len(_ATTACHED.findall(text)) and not _EAST_ASIAN.search(read)


def _read_utf8(written: bytes) -> str:
    """Return what bytes say as UTF-8, one U+FFFD for each stretch that says nothing."""
    return _LOSSES.sub(LOST, written.decode("utf-8", "replace"))


def _write_back(text: str, encoding: str) -> bytes | None:
    """Return the bytes of a text, FF (no byte of UTF-8) for each loss; ``None`` where the encoding lacks a letter."""
    try:
        return b"\xff".join([part.encode(encoding) for part in text.split(LOST)])
    except UnicodeEncodeError:
        return None


def _undo_national(text: str, spots: int) -> str | None:
    """Return the reading in a national encoding that leaves no odd spots and has the commonest letters."""
    best: tuple[float, str] | None = None
    for read_as, meant in chain(product(_WESTERN, _NATIONAL), product(_CYRILLIC, _CYRILLIC)):
        written = _write_back(text, read_as) if read_as != meant else None
        if written is None:
            continue
        read = _LOSSES.sub(LOST, written.decode(meant, "replace"))
        if read.count(LOST) > len(_LOSSES.findall(text)) or count_odd_spots(read) > _LEFT * spots:
            continue
        common = _measure_commonness(read)
        foreign = "".join(_BEYOND.findall(read))
        worded = any(map(str.isalpha, foreign))
        if not worded and len(written) == len(read):
            continue
        if best is None or common > best[0]:
            best = common, read
    few = spots < max(_LEAST_SPOTS, _FEW * sum(map(len, _BEYOND.findall(text))))
    return best[1] if best and best[0] > max(0.0, _measure_commonness(text) + _GAIN if few else 0.0) else None


def _measure_commonness(text: str) -> float:
    """Return how much above the least for its script the letters of a text are common in the likeliest language."""
    letters = [
        one for one in _BEYOND.sub(lambda found: found.group().lower(), text) if one.isalpha() and not one.isascii()
    ]
    if not letters:
        return 1.0 if _PUNCTUATION.issuperset("".join(_BEYOND.findall(text))) else -1.0
    least = _LEAST_COMMON_EAST_ASIAN if _EAST_ASIAN.search(text) else _LEAST_COMMON
    return (
        max(
            sum(_letter_frequencies(one).get(letter, _UNKNOWN) for letter in letters) / len(letters)
            for one in _LANGUAGES
        )
        - least
    )


@lru_cache(maxsize=16)
def _letter_frequencies(language: str) -> dict[str, float]:
    """Return the natural logarithm of how often each letter occurs in a language, by its commonest words."""
    counts: dict[str, float] = {}
    for word, often in islice(word_frequencies.load_frequencies(language).items(), _COMMONEST):
        for letter in word:
            counts[letter] = counts.get(letter, 0.0) + often
    total = sum(counts.values()) or 1.0
    return {letter: log(count / total) for letter, count in counts.items()}
