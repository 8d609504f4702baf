"""Undo decoding with an encoding that ``redecode`` has no tables of: East Asian, DOS and others.

Two cases. UTF-8 decoded as another encoding: encoded again, all of the text must be valid UTF-8, which sound text
hardly ever is. A national encoding decoded as a Western one, or as another of its script: the text has sequences that
no writer makes (odd spots), and the reading without them that has the commonest letters of a language is taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice, product
from math import inf, log

import ftfy.bad_codecs  # noqa: F401 - registers "sloppy-windows-1252"

from aggregator.text import word_frequencies
from aggregator.text.mojibake.byte_sequences import ENCODINGS
from aggregator.text.mojibake.word_choice import is_cased, is_known, is_known_word

_READ_AS = (
    *("mac_roman", "cp437", "cp850", "cp852", "koi8_r", "koi8_u", "cp866", "mac_cyrillic", "iso8859_2", "iso8859_5"),
    *("cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
"""Encodings that UTF-8 may have been decoded as, beside those of ``redecode`` and ftfy."""
_LIKE_PAGES = ("iso8859_2", "cp1257", "iso8859_5", "iso8859_15")
"""Pages that share letters with those of ``redecode``, but not where UTF-8 has its last bytes."""
_WITH_BOXES = ("cp850", "cp852")  # lead bytes of Latin letters are boxes there; "Ôôô" alone is no sequence
_CYRILLIC = ("cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5")
_NATIONAL = (*_CYRILLIC, "cp1253", "cp1255", "cp1256", "cp932", "euc_jp", "gb18030", "big5", "cp949")
_WESTERN = ("sloppy-windows-1252", "latin_1", "mac_roman", "cp437", "cp850", "cp1250", "iso8859_2")
_LANGUAGES = ("ru", "uk", "bg", "mk", "el", "he", "ar", "fa", "ja", "zh", "ko")
_LETTERS = {
    **dict.fromkeys(("ru", "uk", "bg", "mk"), "[\u0400-\u052f]"),
    **dict.fromkeys(("ar", "fa"), "[\u0600-\u06ff]"),
    **dict.fromkeys(("ja", "zh"), "[\u3040-\u30ff\u3400-\u9fff]"),
    "el": "[\u0370-\u03ff\u1f00-\u1fff]",
    "he": "[\u0590-\u05ff]",
    "ko": "[\uac00-\ud7af]",
}
"""Patterns of the letters of each language."""
_LOST = "\ufffd"
_LOST_TWICE = "ï¿½"  # U+FFFD in UTF-8, decoded as cp1252: what it was is lost for good
_LETTER = r"[^\W\d_]"
_LATIN, _OTHER = "A-Za-z\u00c0-\u024f\u1e00-\u1eff", "\u0370-\u1dff\u1f00-\u1fff"
_MAC_TAILS = bytes(range(0x80, 0xC0)).decode("mac_roman")  # what is shown for all but the first byte of UTF-8
_ODD = re.compile(
    # What no text has: controls, digraphs as one letter, private use, boxes, half-width katakana.
    "[\u0080-\u009f\u01c4-\u01cc\u01f1-\u01f3\ue000-\uf8ff\u2500-\u259f\uff61-\uff9f]"
    # A capital inside a word behind a small letter, where one of them is no ASCII letter.
    "|[а-яёђ-џ](?=[А-ЯЁЂ-Џ])|[a-zß-öø-ÿ](?=[À-ÖØ-Þ])|[ß-öø-ÿ](?=[A-Z])|[α-ωά-ώ](?=[Α-Ω])"
    # A sign inside or at the end of a word, where writers have none.
    f"|(?<={_LETTER})[\u00a1-\u00a9\u00ab-\u00b1\u00b4-\u00b6\u00b8\u00bb-\u00bf\u00d7\u00f7‚„†‡‰‹›ˆ˜ˇ˘˙˚¸˝˛√-∫≈-≥◊⌐⌠⌡]"
    "(?=\\w)"
    f"|[√∂∆∏∑∫≈≠≤≥◊⌐⌠⌡¬¤¦]{{2}}|(?<={_LETTER})[\u00a1-\u00bf]{{2}}"
    f"|(?<={_LETTER})[№²³¹](?={_LETTER})"
    # Two scripts in a word, accented letters in a row.
    f"|[{_LATIN}](?=[{_OTHER}])|[{_OTHER}](?=[{_LATIN}])|[À-ÖØ-öø-ÿŠšŽžŸŒœƒ]{{3}}"
    # UTF-8 read as Mac Roman: "caf√©", a quote or an arrow "‚Äô", "‚Üí", and in Cyrillic and Devanagari "–Ω–µ", "‡§ï".
    f"|(?<=[A-Za-z])[√¬ƒ≈][{_MAC_TAILS}]|[√¬ƒ≈][{_MAC_TAILS}](?=[a-z])|√†"
    f"|[–—][{_MAC_TAILS}](?=[–—])|[‚‡][{_MAC_TAILS}]{{2}}"
    "|[\u0590-\u05ff](?=[\u0600-\u06ff])|[\u0370-\u03ff](?=[\u0400-\u06ff])|[\u0400-\u04ff](?=[\u0370-\u03ff\u0590-\u06ff])"
)
_IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ATTACHED = re.compile(f"(?<=[a-z]){_EAST_ASIAN.pattern}|{_EAST_ASIAN.pattern}(?=[a-z])")
# The inside of a run of ASCII: no pattern above, and none of ftfy's detector, looks further than two characters from
# one beyond ASCII.
_PLAIN_INSIDE = re.compile(r"(?<=[\x00-\x7f]{2})[\x00-\x7f]+(?=[\x00-\x7f]{2})")
# Thai vowels above and below, and tones, stand behind a consonant (Unicode Standard 15.0, section 16.1).
_THAI = re.compile("[\u0e01-\u0e4e]+")
_THAI_RUN = re.compile("[\u0e01-\u0e4e]{8}")
_LONE_THAI_MARK = re.compile("(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4d])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]")
# No vowel "a" begins a word, leading vowels stand before a consonant, and signs and digits not behind letters.
_NO_THAI = re.compile(
    "(?<![\u0e01-\u0e4e])\u0e30|[\u0e40-\u0e44](?![\u0e01-\u0e2e])|[\u0e01-\u0e4e][\u0e3f\u0e4f-\u0e5b]"
)
# Letters that are rare in Thai, and frequent where UTF-8 of Greek or Indic text is read as Thai; so is each leading
# vowel, as the first byte of three. Of 1,232 sentences of Thai catalogues none has more than .14 and .2 of them.
_RARE_THAI, _MOST_RARE_THAI = frozenset("ฃฅฆฌฎฏฐฑฒฬฮฯ"), 0.15
_LEADING_THAI_VOWELS, _MOST_LEADING = "เแโใไ", 0.2
_PUNCTUATION = frozenset("‘’“”–—…·«»")
_DRAWN = re.compile("[\u2500-\u25ff ]+")  # lines and blocks alone: a tree of folders, a table, unless in a word:
_BOX_IN_WORD = re.compile("(?<=[a-z])[\u2500-\u256c]|[\u2500-\u256c](?=[a-z])")
_SIGNED_TOKEN = re.compile(r"(?<!\S)(?=\S*[√¬ƒ≈‚├┬])\S+")  # with what a Macintosh or DOS shows for C2 to C5, and E2
_MOST_WORDS = 500  # of a text that are read one by one
_BEYOND = re.compile(r"[^\x00-\x7f]+")
_MARKED = re.compile("[\x00-\x7f‘’“”–—…•·«»→™©®°]+")
_BOX = re.compile("[\u2500-\u256c]")
_QUOTES_BESIDE_BOXES = "ÔÇ"  # of quotes and dashes
_LOSSES = re.compile(f"{_LOST}+")
_FEW = 0.2  # share of a text's characters below which East Asian ones are no words, and odd spots may be slips
_LEAST_SPOTS = 2  # odd spots that prove UTF-8: a single one may be chance
_LEFT = 0.1  # share of the odd spots that a right reading may leave: the page may have had some before
# Mean logarithm of the frequency of a text's letters: sound texts of eleven languages reach -3.5 (alphabets) and -7.5
# (ideographs), wrongly decoded ones stay below -4 and -9.
_LEAST_COMMON, _LEAST_COMMON_EAST_ASIAN = -3.7, -8.4
_UNKNOWN = -12.0
_LEAST_KNOWN = 0.25  # share of the characters beyond ASCII of a right reading that are letters of known words
_MANY_EAST_ASIAN = 5  # characters of unspaced text; with as many, their frequency tells more than a list of words
_SHORT, _COMMON = 3, 3e-5  # letters of a word that counts only if it has such a share of a language's words
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_GAIN = 0.3  # by which the letters of a right reading are commoner
_LEAST_LETTERS = 3  # different ones; one or two again and again are no words in any encoding
_PART = 10_000  # characters that prove an encoding
_LONGEST = 100_000  # characters; longer texts are left as they are
_COMMONEST = 40_000  # words of a language whose letters are counted


def redecode_others(text: str) -> str:
    """Return the text decoded with its own encoding; sound text comes back as it is.

    >>> redecode_others("cr猫me br没l茅e"), redecode_others("Ïðèâåò, ìèð"), redecode_others("L’été à la plage")
    ('crème brûlée', 'Привет, мир', 'L’été à la plage')
    """
    if text.isascii() or len(text) > _LONGEST:
        return text
    # the first part that has characters beyond ASCII, up to a blank, proves the encoding
    found = _BEYOND.search(text)
    begin = found.start() if found else 0
    end = text.rfind(" ", begin, begin + _PART) if len(text) > begin + _PART else -1
    part = text if end < 0 else text[begin:end]
    return text if part != text and _redecode_part(part) == part else _redecode_part(text)


def _redecode_part(text: str) -> str:
    """Return the text decoded with its own encoding, or as it is."""
    text = text.replace(_LOST_TWICE, _LOST)
    beyond = " ".join(_BEYOND.findall(text))
    if _DRAWN.fullmatch(beyond) and not _BOX_IN_WORD.search(text):
        return text
    if is_of_windows(text):
        return _undo_like_pages(text) or text  # any other is the task of ``redecode``
    spots = count_odd_spots(text)
    different = len({*beyond} - {" "})
    boxes = different > _LEAST_LETTERS or _QUOTES_BESIDE_BOXES in beyond or _BOX.search(beyond)
    names = _READ_AS if boxes else [name for name in _READ_AS if name not in _WITH_BOXES]
    encodings = [name for name in names if _may_be_utf8(beyond, name)]
    words = spots and different >= _LEAST_LETTERS
    national = (_undo_national(text, spots) or _undo_thai(text, spots)) if words else None
    return _undo_utf8(text, spots, encodings) or national or (_undo_words(text) if spots else text)


def _undo_words(text: str) -> str:
    """Return the text with single words as UTF-8 read as another encoding, where that makes known words of them."""
    return _SIGNED_TOKEN.sub(lambda found: _undo_word(found[0]), text, count=_MOST_WORDS)


@lru_cache(maxsize=1 << 12)
def _undo_word(token: str) -> str:
    spots = count_odd_spots(token)
    encodings = [name for name in _READ_AS if _may_be_utf8("".join(_BEYOND.findall(token)), name)] if spots else []
    read = _undo_utf8(token, spots, encodings)
    return read if read and (is_known(read) or _MARKED.fullmatch(read)) else token


def _undo_like_pages(text: str) -> str | None:
    """Return the text as UTF-8 read as a page that gives more known words than those of ``redecode``, else ``None``.

    Where UTF-8 has its last bytes the pages have different letters: "ĂŠ" is "é" of ISO 8859-2 and "Ê" of cp1250.
    """
    pages = (*_LIKE_PAGES, *(f"sloppy-windows-{encoding[2:]}" for encoding in ENCODINGS))
    encoded = [_encode(text, page) for page in pages]
    readings = [(_decode(one, "utf-8", 0) if one else None) or "" for one in encoded]
    like, others = readings[: len(_LIKE_PAGES)], [text, *readings[len(_LIKE_PAGES) :]]
    if not any(like):
        return None
    best = max(like, key=_rate_words)
    return best if _rate_words(best) > max(map(_rate_words, others)) else None


def _rate_words(text: str) -> tuple[int, int]:
    """Return how many words beyond ASCII are known, and how many have no capital behind a small letter."""
    cased = [word for word in _WORD.findall(text) if not word.isascii() and is_cased(word)]
    return sum(is_known_word(word.lower()) for word in cased), len(cased)


@lru_cache(maxsize=64)
def count_odd_spots(text: str, most: float = inf) -> int:
    """Return how many sequences of a text no writer makes in any language, of more than ``most`` only some.

    U+FFFD is not counted.
    """
    near = keep_beyond_ascii(text)
    found = 0
    for found, _ in enumerate(_ODD.finditer(near), 1):
        if found > most:
            return found
    if len(_EAST_ASIAN.findall(near)) < _FEW * len(text):
        found += len(_ATTACHED.findall(near))
    common = _list_common_ideographs()
    return found + sum([one not in common for one in _IDEOGRAPH.findall(near)])


def keep_beyond_ascii(text: str) -> str:
    """Return the text with each run of ASCII shortened to its first and last two characters."""
    return _PLAIN_INSIDE.sub("", text)


def is_of_windows(text: str) -> bool:
    """Return whether all of a text may be UTF-8 read as a page of Windows, which is the task of ``redecode``."""
    beyond = " ".join(_BEYOND.findall(text))
    return any(_may_be_utf8(beyond, f"sloppy-windows-{encoding[2:]}") for encoding in ENCODINGS)


def _may_be_utf8(beyond: str, encoding: str) -> bool:
    """Return whether characters beyond ASCII, but for lost ones, are UTF-8 once they are encoded again."""
    encoded = _encode(beyond, encoding)
    return encoded is not None and _decode(encoded, "utf-8", len(_LOSSES.findall(beyond))) is not None


@lru_cache(maxsize=1)
def _list_common_ideographs() -> frozenset[str]:
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
    """Return the text as the UTF-8 with the fewest odd spots, fewest unknown and most known words; or ``None``."""
    best: tuple[tuple[int, int, int], str] | None = None
    for encoding in encodings:
        encoded = _encode(text, encoding) or b""
        read = _decode(encoded, "utf-8", len(encoded))
        if read is None or read == text:
            continue
        left = count_odd_spots(read, _LEFT * spots)
        if left > _LEFT * spots or not _is_proved(text, read, spots):
            continue
        known = [is_known_word(word) for word in _WORD.findall(read.lower()) if not word.isascii()]
        rank = left, known.count(False), -known.count(True)
        if best is None or rank < best[0]:
            best = rank, read
    return best[1] if best else None


def _is_proved(text: str, read: str, spots: int) -> bool:
    """Return whether valid UTF-8 is no chance: there were enough odd spots, or only ideographs inside Latin words."""
    if spots >= _LEAST_SPOTS or (spots and len(_BEYOND.findall(text)) == spots):
        return True
    ideographs = len(_EAST_ASIAN.findall(text))
    return 0 < ideographs == len(_ATTACHED.findall(text)) and not _EAST_ASIAN.search(read)


def _decode(encoded: bytes, encoding: str, most: int) -> str | None:
    """Return decoded bytes, with one U+FFFD for each invalid stretch; ``None`` with more than ``most`` of these."""
    try:
        read = encoded.decode(encoding, "replace" if most else "strict")
    except UnicodeDecodeError:
        return None
    read = _LOSSES.sub(_LOST, read)
    return read if read.count(_LOST) <= most else None


def _encode(text: str, encoding: str) -> bytes | None:
    """Return the bytes of a text, FF (no byte of UTF-8) for each U+FFFD; ``None`` where the encoding lacks a letter."""
    try:
        return b"\xff".join([part.encode(encoding) for part in text.split(_LOST)])
    except UnicodeEncodeError:
        return None


def _undo_national(text: str, spots: int) -> str | None:
    """Return the reading in a national encoding that has the commonest letters, of those with few odd spots."""
    best: tuple[float, str] | None = None
    lost, left = len(_LOSSES.findall(text)), _LEFT * spots
    in_bytes = {wrong: _encode(text, wrong) for wrong in (*_WESTERN, *_CYRILLIC)}
    for wrong, right in chain(product(_WESTERN, _NATIONAL), product(_CYRILLIC, _CYRILLIC)):
        encoded = in_bytes[wrong]
        read = None if encoded is None or wrong == right else _decode(encoded, right, lost)
        if encoded is None or read is None or count_odd_spots(read, left) > left:
            continue
        has_letters = any(map(str.isalpha, "".join(_BEYOND.findall(read))))
        if not has_letters and len(encoded) == len(read):
            continue
        if has_letters and len(_EAST_ASIAN.findall(read)) < _MANY_EAST_ASIAN and _measure_known(read) < _LEAST_KNOWN:
            continue
        common = _measure_commonness(read)
        if best is None or common > best[0]:
            best = common, read
    few = spots < max(_LEAST_SPOTS, _FEW * sum(map(len, _BEYOND.findall(text))))
    return best[1] if best and best[0] > max(0.0, _measure_commonness(text) + _GAIN if few else 0.0) else None


def _undo_thai(text: str, spots: int) -> str | None:
    """Return the reading in Thai, which has no list of words: long runs of letters, each mark behind a letter."""
    encoded = _encode(text, "latin_1") or _encode(text, "sloppy-windows-1252")
    read = _decode(encoded, "cp874", 0) if encoded else None
    if read is None or not _THAI_RUN.search(read) or _LONE_THAI_MARK.search(read) or not _is_thai(read):
        return None
    if count_odd_spots(read) > _LEFT * spots:
        return None
    return read if all("\u0e01" <= one <= "\u0e5b" for one in _BEYOND.findall(read) if one.isalpha()) else None


def _is_thai(text: str) -> bool:
    """Return whether the Thai letters of a text are about as frequent as they are in Thai."""
    letters = Counter("".join(_THAI.findall(text)))
    rare = sum(letters[one] for one in _RARE_THAI)
    leading = max(letters[one] for one in _LEADING_THAI_VOWELS)
    total = letters.total()
    return not _NO_THAI.search(text) and rare <= _MOST_RARE_THAI * total and leading <= _MOST_LEADING * total


def _measure_known(text: str) -> float:
    """Return the share of the characters beyond ASCII that are letters of words known in one language."""
    beyond = len("".join(_BEYOND.findall(text)))
    words = [word for word in _WORD.findall(text.lower()) if not word.isascii()]
    counts = (sum(_count_known(word, language) for word in words) for language in _find_languages(text))
    return max(counts, default=0) / max(1, beyond)


def _count_known(word: str, language: str) -> int:
    """Return how many letters of a word are of known words; of unspaced text, of known words inside of it."""
    if not _EAST_ASIAN.search(word):
        return len(word) if _is_known(word, language) else 0
    covered: set[int] = set()
    for size in (2, 3):
        for at in range(len(word) - size + 1):
            if _is_known(word[at : at + size], language):
                covered.update(range(at, at + size))
    return len(covered)


def _is_known(word: str, language: str) -> bool:
    """Return whether a language has a word of two letters or more; a short one of an alphabet must be common."""
    share = word_frequencies.load_frequencies(language).get(word, 0.0) if len({*word}) > 1 else 0.0
    return share > (0.0 if len(word) > _SHORT or _EAST_ASIAN.search(word) else _COMMON)


def _measure_commonness(text: str) -> float:
    """Return how common the letters beyond ASCII are in the likeliest language, above the least of their script."""
    counts = Counter("".join(_BEYOND.findall(text)).lower())
    letters = Counter({one: count for one, count in counts.items() if one.isalpha() and not one.isascii()})
    if not letters:
        return 1.0 if _PUNCTUATION.issuperset("".join(_BEYOND.findall(text))) else -1.0
    least = _LEAST_COMMON_EAST_ASIAN if _EAST_ASIAN.search(text) else _LEAST_COMMON
    shares = map(_measure_letter_frequencies, _find_languages("".join(letters)))
    sums = (sum(share.get(letter, _UNKNOWN) * count for letter, count in letters.items()) for share in shares)
    return max(sums, default=_UNKNOWN * letters.total()) / letters.total() - least


def _find_languages(text: str) -> list[str]:
    """Return the languages whose letters a text has: the lists of the others are not loaded."""
    return [language for language in _LANGUAGES if re.search(_LETTERS[language], text)]


@lru_cache(maxsize=16)
def _measure_letter_frequencies(language: str) -> dict[str, float]:
    """Return the natural logarithm of each letter's share of the letters in a language's commonest words."""
    counts: dict[str, float] = {}
    for word, share in islice(word_frequencies.load_frequencies(language).items(), _COMMONEST):
        for letter in word:
            counts[letter] = counts.get(letter, 0.0) + share
    total = sum(counts.values()) or 1.0
    return {letter: log(count / total) for letter, count in counts.items()}
