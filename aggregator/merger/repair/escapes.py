r"""Unescape text that was escaped for another format: JSON, percent-encoding, quoted-printable, UTF-7.

Each fixer requires a sign that writers do not leave: escapes inside words, escapes that are valid UTF-8, or that
replace every space of a text. Escapes that a text mentions ("\u2019 is a quote", a link) stay.
"""

from __future__ import annotations

import binascii
import quopri
import re
import unicodedata
from collections.abc import Callable
from urllib.parse import unquote, unquote_plus

_UNICODE = re.compile(r"(?<!\\)\\+u(?:\{([0-9a-fA-F]{2,6})\}|([0-9a-fA-F]{4}))|%u([0-9a-fA-F]{4})")
# A single escape between spaces or quotes is one that the text mentions, unless it is a sign that stands between
# spaces: "&", which Go escapes, a dot, a dash.
_LONE_ESCAPE = re.compile(
    r"(?:^|[\s\"'`(])(?!(?<=\s)\\+u(?:0026|00[bB]7|201[345]|2022)\s)(?:\\+u\{?|%u)[0-9a-fA-F]{4,6}\}?(?=$|[\s\"'`),.;:])"
)
_CONTROLS = {"n": "\n", "r": "\n", "t": "\t", "/": "/", '"': '"', "'": "'", "\\": "\\"}
_JSON_ESCAPE = re.compile(r"(?<!\\)\\+([nrt/\"'\\])")
_ESCAPED_QUOTE = re.compile(r"(?<!\\)\\+([\"'])")
_BARE_QUOTE = re.compile(r"(?<!\\)\"")
_BARE_APOSTROPHE = re.compile(r"(?<!\\)'")
_ADDRESS = re.compile(r"(?<!\w)\w{1,20}://\S+|(?<!\S)www\.\S+")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_PERCENT_LATIN = re.compile(r"(?<=[^\W\d_])%[c-fC-F][0-9a-fA-F](?![0-9])|(?<!\d)(?<!\d )%[C-F][0-9A-F](?=[^\W\d_])")
_LATIN = re.compile(r"(?<!\d)(?<!\d )%[A-F][0-9A-F]")
_SOFT_BREAK = re.compile(r"=\r?\n")
_QUOTED_BYTES = re.compile(r"(?:=[0-9A-F]{2})+|(?:=[0-9a-f]{2})+")
_SHIFTED = re.compile(r"\+([A-Za-z0-9+/]+)-?")
_ENDED_SHIFT = re.compile(r"(?<![A-Za-z0-9+/])\+[A-Za-z0-9+/]{6,}-(?![A-Za-z0-9])")
_MIME_WORD = re.compile(r"=\?([A-Za-z][\w-]{1,20})(?:\*[\w-]{1,20})?\?([bBqQ])\?([!->@-~]{1,200})\?=")
_MIME_BLANK = re.compile(r"(?<=\?=)[ \t\r\n]{1,4}(?==\?[A-Za-z][\w-]{1,20}\?[bBqQ]\?)")
# Accents of TeX by their command; in formulas they have names.
_TEX_MARKS = {
    **dict(
        zip("`'^~\"=.uvHcr", "\u0300\u0301\u0302\u0303\u0308\u0304\u0307\u0306\u030c\u030b\u0327\u030a", strict=True)
    ),
    "grave": "\u0300",
    "acute": "\u0301",
    "hat": "\u0302",
    "tilde": "\u0303",
    "ddot": "\u0308",
    "bar": "\u0304",
    "dot": "\u0307",
    "breve": "\u0306",
    "check": "\u030c",
}
_TEX_MATH = re.compile(
    r"\$\\(grave|acute|hat|tilde|ddot|bar|dot|breve|check)\{(\\?[A-Za-z])\}\$(?:(?=[^\W\d_])|(?<=[^\W\d_]\$))"
)
_TEX_ACCENT = re.compile(r"\{?\\([`'^~\"=.]|[uvHcr](?=\{))\{?(\\?[A-Za-z])\}{0,2}")
# One inside a word that no escaped quote is: "d\'accord" and 'He said \"Oh\"' have quotes.
_TEX_SIGN = re.compile(r"(?<=[A-Za-z])\\(?:\"[aeiouAEIOU](?=[a-z])|[`'^~\"=.uvHcr]\{\\?[A-Za-z]\}|[`^~][A-Za-z])")
# Bytes as Python, C and Git write them: "\\xc3\\xa9", "\\303\\251".
_BYTES = re.compile(r"(?:\\{1,2}x[0-9a-fA-F]{2})+|(?:\\{1,2}[0-3][0-7]{2})+")
_BYTE = re.compile(r"x(..)|\\([0-7]{3})")
_PYTHON_BYTES = re.compile(r"b(['\"])(.*)\1", re.DOTALL)
_R_CODE_POINT = re.compile(r"<U\+([0-9A-F]{4,6})>")  # as R prints letters that its encoding lacks
_BARE_CODE_POINT = re.compile(r"u([0-9a-f]{4})")
_HAS_DIGIT = re.compile(r"[0-9]")
_WORD = re.compile(r"[^\W_]+")
# References without their semicolon, one at least inside a word: not "?a=1&eacute=2", "&uuml is a letter".
_REFERENCE_NAME = (
    r"&([AEIOUYaeiouy](?:acute|grave|circ|uml)|[ANOano]tilde|[Aa]ring|[Cc]cedil|[Ss]caron|szlig|[Oo]slash|(?:AE|ae)lig|"
    r"[lr][ads]quo|[nm]dash|hellip)(?!;|\w{0,30}=)"
)
_OPEN_REFERENCE = re.compile(_REFERENCE_NAME)
_OPEN_REFERENCE_IN_WORD = re.compile(rf"(?<=[^\W\d_]){_REFERENCE_NAME}|{_REFERENCE_NAME}(?=[a-z])")
_CODE = r"#(?:0?3[489]|1[6-9]\d|[2-9]\d\d|\d{4,7});"
_SPLIT_REFERENCE = re.compile(rf"& (?={_CODE}|(?:amp|apos|quot|nbsp);)")
_BARE_REFERENCE = re.compile(rf"(?<!&)(?={_CODE})")
_BARE_REFERENCE_IN_WORD = re.compile(rf"(?<=[^\W\d_]){_CODE}[^\W\d_]")
_LEAST_SHIFTED = 3  # letters of six bits that make one character
_HIGHEST_PLAIN = "\u206f"


def unescape(text: str) -> str:
    r"""Return the text without escapes of JSON, programs, URLs, mail or UTF-7.

    >>> unescape(r"It\u2019s \"fine\""), unescape("Caf%C3%A9%20noir"), unescape("50% off"), unescape("Caf=C3=A9")
    ('It’s "fine"', 'Café noir', '50% off', 'Café')
    """
    if "#" in text or "&" in text:
        text = _complete_references(text)
    if "=?" in text:
        text = _MIME_WORD.sub(_read_mime_word, _MIME_BLANK.sub("", text))  # RFC 2047: blanks between two are not text
    if "\\" in text:
        text = _read_tex_accents(text)
    if "\\" in text or "%u" in text:
        text = _remove_backslashes(_read_code_points(_read_bytes(text)))
    if "<U+" in text:
        text = _read_escapes(text, _R_CODE_POINT, lambda found: _make_character(int(found[1], 16), found[0]))
    if _BARE_CODE_POINT.search(text):
        text = _read_bare_code_points(text)
    if "%" in text:
        text = _read_percent_encoding(text)
    if "=" in text:
        text = _read_quoted_printable(text)
    if "+" in text:
        text = _read_utf7(text)
    return text


def _complete_references(text: str) -> str:
    """Return the text with references to characters of HTML that lost a sign, or have a blank inside, whole.

    >>> _complete_references("It#8217;s caf#233;"), _complete_references("f&uumlr"), _complete_references("issue #233;")
    ('It&#8217;s caf&#233;', 'f&uuml;r', 'issue #233;')
    """
    text = _SPLIT_REFERENCE.sub("&", text)
    if _OPEN_REFERENCE_IN_WORD.search(text):
        text = _OPEN_REFERENCE.sub(r"&\1;", text)
    return _BARE_REFERENCE.sub("&", text) if _BARE_REFERENCE_IN_WORD.search(text) else text


def _read_mime_word(found: re.Match[str]) -> str:
    charset, form, coded = found.groups()
    try:
        if form in "bB":
            encoded = binascii.a2b_base64(coded + "=" * (-len(coded) % 4), strict_mode=False)
        else:
            encoded = quopri.decodestring(coded.encode("ascii"), header=True)
        read = encoded.decode(charset)
    except (LookupError, ValueError):
        return found[0]
    return read if read.isprintable() else found[0]


def _read_tex_accents(text: str) -> str:
    r"""Return the text with accents of TeX as letters, if one stands inside a word.

    >>> _read_tex_accents(r"M\"unchen"), _read_tex_accents(r"M$\ddot{u}$nchen"), _read_tex_accents(r"d\'accord")
    ('München', 'München', "d\\'accord")
    """
    read = _TEX_MATH.sub(_read_tex_accent, text)
    return _TEX_ACCENT.sub(_read_tex_accent, read) if _TEX_SIGN.search(read) else read


def _read_tex_accent(found: re.Match[str]) -> str:
    letter = found[2].replace("\\", "")
    read = unicodedata.normalize("NFC", letter + _TEX_MARKS[found[1]])
    return read if len(read) == 1 else found[0]


def _read_code_points(text: str) -> str:
    r"""Return the text with ``\uXXXX`` as its character; with such escapes, all other escapes of JSON are read, too.

    >>> _read_code_points(r"Salt \u0026 Light"), _read_code_points(r"No\u00ebl"), _read_code_points(r"Use \u00e9 here")
    ('Salt & Light', 'Noël', 'Use \\u00e9 here')
    """
    found = _UNICODE.findall(text)
    if not found or (len(found) == 1 and _LONE_ESCAPE.search(text)):
        return text
    read = _UNICODE.sub(lambda one: chr(min(0x10FFFF, int(one[1] or one[2] or one[3], 16))), text)
    read = read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return _JSON_ESCAPE.sub(lambda one: _CONTROLS[one[1]], read) if "\\u" in text and "\\" in read else read


def _read_bytes(text: str) -> str:
    r"""Return the text with escaped bytes of UTF-8 as their characters, without the quotes of Python around them.

    >>> _read_bytes(r"b'Caf\xc3\xa9 noir'"), _read_bytes(r"caf\303\251"), _read_bytes(r"\xc3\xa9 is an accented e")
    ('Café noir', 'café', '\\xc3\\xa9 is an accented e')
    """
    read = _read_escapes(text, _BYTES, _read_byte_run)
    quoted = _PYTHON_BYTES.fullmatch(read.strip()) if read != text else None
    return _JSON_ESCAPE.sub(lambda one: _CONTROLS[one[1]], quoted[2]) if quoted else read


def _read_byte_run(found: re.Match[str]) -> str:
    values = [int(one[1], 16) if one[1] else int(one[2], 8) for one in _BYTE.finditer(found[0])]
    read = bytes(values).decode("utf-8", "replace")
    return found[0] if "\ufffd" in read or read.isascii() or not read.isprintable() else read


def _read_escapes(text: str, pattern: re.Pattern[str], read: Callable[[re.Match[str]], str]) -> str:
    """Return the text with escapes as their characters, if one stands beside a letter, or beside another one.

    Others are mentioned: "<U+FEFF> is a byte order mark".
    """
    edges = set()
    for found in pattern.finditer(text):
        start, end = found.span()
        readable = read(found)
        if readable != found[0]:
            beside = text[max(0, start - 1) : start] + text[end : end + 1]
            if len(readable) > 1 or start in edges or any(map(str.isalpha, beside)):
                return pattern.sub(read, text)
            edges.add(end)
    return text


def _make_character(code: int, otherwise: str) -> str:
    character = chr(min(0x10FFFF, code))
    return character if character.isprintable() and not character.isascii() else otherwise


def _read_bare_code_points(text: str) -> str:
    """Return the text with code points of JSON that lost their backslash, if they make a word of letters whole.

    >>> _read_bare_code_points("Itu2019s fu00fcr u201calleu201d"), _read_bare_code_points("the id au00e97, u2019")
    ('It’s für “alle”', 'the id au00e97, u2019')
    """
    masked = _ADDRESS.sub(lambda one: one[0].replace("u", "\x00"), text)
    words = {word: _read_bare_word(word) for word in _WORD.findall(masked)}
    changed = [read for word, read in words.items() if read != word]
    inside = any(len(read) > 1 and read[0].isalpha() and read[-1].isalpha() for read in changed)
    return _WORD.sub(lambda one: words[one[0]], masked).replace("\x00", "u") if inside else text


def _read_bare_word(word: str) -> str:
    """Return a word with its code points read; "subcadena" has none, because letters alone are no number.

    One sign of another script among letters is misread ("Nuc1car").
    """
    codes = _BARE_CODE_POINT.findall(word)
    if not any(map(_HAS_DIGIT.search, codes)):
        return word
    if len(codes) == 1 and len(word) > len("u0000") and chr(int(codes[0], 16)) > _HIGHEST_PLAIN:
        return word
    read = _BARE_CODE_POINT.sub(lambda one: chr(int(one[1], 16)), word)
    read = read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    whole = all(one.isalpha() if one.isascii() else unicodedata.category(one)[0] in "LMP" for one in read)
    return read if whole else word


def _remove_backslashes(text: str) -> str:
    """Return the text without backslashes before quotes, if every quote of the kind has one."""
    if '\\"' in text and not _BARE_QUOTE.search(text) and text.count('"') > 1:
        read = _JSON_ESCAPE.sub(lambda one: _CONTROLS[one[1]] if one[1] != "'" else one[0], text)
        text = read if "\\n" in text else _ESCAPED_QUOTE.sub(r"\1", text)
    if "\\'" in text and not _BARE_APOSTROPHE.search(text):
        text = _ESCAPED_QUOTE.sub(r"\1", text)
    return text


def _read_percent_encoding(text: str) -> str:
    """Return the text with percent-encoding decoded, except in addresses, or all of it if it replaces every space."""
    bare = _ADDRESS.sub("", text) if _PERCENT.search(text) else ""
    if not _PERCENT.search(bare):
        return text
    if not re.search(r"\s", text) and "%" in bare:
        read = unquote_plus(text) if "+" in text and "%20" not in text else unquote(text)
        return text if "\ufffd" in read or not re.search(r"\s|[^\x00-\x7f]", read) else read
    pieces, at = [], 0
    for address in [*_ADDRESS.finditer(text), None]:
        end = address.start() if address else len(text)
        pieces.append(_PERCENT.sub(_read_percents, text[at:end]))
        if address:
            pieces.append(address.group())
            at = address.end()
    return _read_latin_percents("".join(pieces))


def _read_percents(found: re.Match[str]) -> str:
    """Return percent-encoded bytes decoded, if they are UTF-8 beyond ASCII."""
    read = unquote(found.group())
    return found.group() if "\ufffd" in read or read.isascii() else read


def _read_latin_percents(text: str) -> str:
    """Return the text with ``%E9`` inside words as its letter of Latin-1, which JavaScript's ``escape`` writes so."""
    if "://" in text:
        return text
    read = _PERCENT_LATIN.sub(_read_latin, text)
    return read if read == text else _LATIN.sub(_read_latin, read)


def _read_latin(found: re.Match[str]) -> str:
    return unquote(found.group(), encoding="latin-1")


def _read_quoted_printable(text: str) -> str:
    """Return the text with quoted-printable decoded (RFC 2045, 6.7), if it has soft breaks or bytes of UTF-8."""
    if _SOFT_BREAK.search(text) and text.isascii():
        try:
            return quopri.decodestring(text.encode()).decode()
        except UnicodeDecodeError:
            return _SOFT_BREAK.sub("", text)
    if not _QUOTED_BYTES.search(text):
        return text
    masked = _ADDRESS.sub(lambda one: one.group().replace("=", "\x00"), text)
    read = _QUOTED_BYTES.sub(_read_quoted_bytes, masked)
    return (read if read == masked else read.replace("=3D", "=")).replace("\x00", "=")


def _read_quoted_bytes(found: re.Match[str]) -> str:
    read = bytes.fromhex(found.group().replace("=", "")).decode("utf-8", "replace")
    return found.group() if "\ufffd" in read or read.isascii() else read


def _read_utf7(text: str) -> str:
    """Return the text with UTF-7 decoded (RFC 2152), if it has several runs, or one with letters of an alphabet."""
    if not text.isascii():
        return text
    runs = [read for one in _SHIFTED.finditer(text) if (read := _read_shift(one)) != one.group()]
    if not runs or (len(runs) == 1 and max(runs[0]) > _HIGHEST_PLAIN and not _ENDED_SHIFT.search(text)):
        return text
    return _SHIFTED.sub(_read_shift, text).replace("+-", "+")


def _read_shift(found: re.Match[str]) -> str:
    """Return a run of UTF-7 decoded, if it is whole, printable characters beyond ASCII; else unchanged."""
    coded = found[1]
    if len(coded) < _LEAST_SHIFTED:
        return found.group()
    try:
        units = binascii.a2b_base64(coded + "=" * (-len(coded) % 4), strict_mode=False)
        read = units[: len(units) // 2 * 2].decode("utf-16-be")
    except (binascii.Error, UnicodeDecodeError):
        return found.group()
    whole = not any(units[len(units) // 2 * 2 :]) and read.isprintable()
    return read if whole and not read.isascii() else found.group()
