"""Read emoji whose UTF-8 was decoded as cp1252 and lost the bytes that cp1252 has no character for: "â¤ï¸" is "❤️".

Four in five emoji with U+FE0F lose that character's last byte. Most other emoji that lost a byte could be several ones
("ðŸ˜" is each of 😁😍😏😐😝), and stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product

import regex

from aggregator.text.mojibake.byte_sequences import load_page

_PAGE = load_page("cp1252")
_BYTES: dict[str, tuple[int, ...]] = {
    character: (byte,) for found in _PAGE.tails.values() for character, byte, cost in found if not cost
}
_BYTES |= {"?": _PAGE.undefined, "\ufffd": _PAGE.undefined, "•": (0x95,)}  # as pages show them
_NAMES = "".join(map(regex.escape, sorted(_BYTES)))
_IN_COLOUR, _IN_EITHER = regex.compile(r"\p{Emoji_Presentation}"), regex.compile(r"\p{Emoji}")
# Forms that Latin-1 has, too, of which all controls may be lost: "âªï¸" is each of ⏪, ▪ and ☪.
_OF_LATIN_1, _CONTROLS = regex.compile("[\xa0-\xac\xae-\xbf]+"), tuple(range(0x80, 0xA0))
_TAKES_TONE = regex.compile(r"\p{Emoji_Modifier_Base}")
_COLOURED, _KEYCAP = "\ufe0f", "\ufe0f\u20e3"
_BLANK = " "  # shown for byte A0
_FOR_BYTE = r"[\x8f?\ufffd•]?"  # shown for a last byte, or nothing
# An emoji before U+FE0F without its last byte; one is read already, of another a byte may be lost, too.
_MARKED = regex.compile(
    rf"(?<read>[#*0-9])ï¸{_FOR_BYTE}âƒ£"
    rf"|(?:(?<read>[\p{{Emoji}}--[#*0-9]])|(?<lost>[Ââãð][{_NAMES}{_BLANK}]{{1,3}}))ï¸{_FOR_BYTE}",
    regex.V1,
)
_ALONE = regex.compile(
    rf"(?<![\w{_NAMES}])(?<lost>â[{_NAMES}&&[\xad\u0100-\uffff]--[‘-”–—•…]])(?![\w{_NAMES}€])", regex.V1
)
_BULLET = regex.compile(r"(?m)^[ \t]*\Kâ—(?= )")  # ● before an item of a list, whose last byte is lost
# A colour of skin, and a joiner between two emoji, that lost a byte or have "?" for it.
_TONED = regex.compile(rf"(?<base>ðŸ[{_NAMES}]{{2}}|\p{{Emoji_Modifier_Base}})ðŸ{_FOR_BYTE}(?<tone>[»¼½¾¿])", regex.V1)
_JOINED = regex.compile(
    rf"(?<=[\p{{Emoji}}\ufe0f--[#*0-9]]|ðŸ[{_NAMES}]{{2}}|ï¸{_FOR_BYTE})â€{_FOR_BYTE}"
    rf"(?=[âð][{_NAMES}]|[\p{{Emoji}}--[#*0-9]])",
    regex.V1,
)
_TONES = dict(zip("»¼½¾¿", "🏻🏼🏽🏾🏿", strict=True))


def complete_emoji(text: str) -> str:
    """Return the text with the emoji that can be only one.

    >>> complete_emoji("I â¤ï¸ radio, â­ and âš ï¸"), complete_emoji("ðŸ˜ Ça, câlin â")
    ('I ❤️ radio, ⭐ and ⚠️', 'ðŸ˜ Ça, câlin â')
    """
    if not any(lead in text for lead in ("â", "ðŸ", "ï¸")):
        return text
    text = _BULLET.sub("●", _TONED.sub(_read_tone, text))
    return _ALONE.sub(_read_alone, _MARKED.sub(_read_marked, _JOINED.sub("\u200d", text)))


def _read_tone(found: regex.Match[str]) -> str:
    base = found["base"] if len(found["base"]) == 1 else _choose(found["base"])
    return base + _TONES[found["tone"]] if base and _TAKES_TONE.match(base) else found[0]


def _read_marked(found: regex.Match[str]) -> str:
    if found["read"]:
        return found["read"] + (_KEYCAP if "âƒ£" in found[0] else _COLOURED)
    read = _choose(found["lost"].replace(_BLANK, "\xa0"))
    return read + _COLOURED if read else found[0]


def _read_alone(found: regex.Match[str]) -> str:
    read = _choose(found["lost"])
    return read if read and _IN_COLOUR.match(read) else found[0]


@lru_cache(maxsize=1 << 10)
def _choose(form: str) -> str | None:
    """Return the only emoji, or the only one always in colour, that a lead byte and what is left may be."""
    found = {one for one in _list_characters(form) if _IN_EITHER.match(one)}
    if not _OF_LATIN_1.fullmatch(form[1:]):
        found = {one for one in found if _IN_COLOUR.match(one)} or found
    return found.pop() if len(found) == 1 else None


def _list_characters(form: str) -> Iterator[str]:
    """Yield the characters of all bytes that the form shows and, in any places, of those that are lost."""
    lead, need, shown = _PAGE.leads[form[0]], _PAGE.needs[form[0]], [_BYTES[one] for one in form[1:]]
    if len(shown) > need:
        return
    lost = _CONTROLS if _OF_LATIN_1.fullmatch(form[1:]) else _PAGE.undefined
    for places in combinations(range(need), need - len(shown)):
        left = iter(shown)
        for tail in product(*(lost if at in places else next(left) for at in range(need))):
            try:
                yield bytes((lead, *tail)).decode()
            except UnicodeDecodeError:
                continue
