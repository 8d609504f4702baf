"""Kinds of damage for reporting: no repair is tuned on them, and no figure of one kind chooses a repair."""

from __future__ import annotations

import html
import json
import quopri
import re
import unicodedata
from random import Random
from urllib.parse import quote, quote_plus

from evaluation.text.kinds import (
    PAGE,
    TRANSPORT,
    WRITING,
    Kind,
    cut_before,
    is_writable,
    redecode,
    split_sentences,
    split_words,
    wrap,
)

READ_MORE = (
    *(
        "… Czytaj dalej",
        "... Citește mai mult",
        "… Читати далі",
        "…Zobrazit více",
        "... Pročitaj više",
        "… Baca selengkapnya",
    ),
    *(
        "… और पढ़ें",
        "…اقرأ المزيد",
        "... Loe edasi",
        "… Tovább olvasom",
        "… Прочети още",
        "…Skaityti daugiau",
        "… Okumaya devam et",
    ),
    *(
        "…続きを見る",
        " [Continua]",
        "… [mehr dazu]",
        "… Keep reading",
        "… Weiter lesen »",
        "... Lire l’article",
        "… View more details",
    ),
    *(
        "…展開全文",
        "… 자세히",
        "... Διαβάστε τη συνέχεια",
        "… Xem tiếp",
        "… [Read the rest]",
        "…(続く)",
        "… לקריאה נוספת",
    ),
)
COOKIES = (
    "This website uses cookies to ensure you get the best experience. Accept all Decline",
    "Wir verwenden Cookies, um Inhalte zu personalisieren. Alle akzeptieren Einstellungen",
    "Nous utilisons des cookies pour améliorer votre expérience. Accepter Refuser",
    "Мы используем файлы cookie. Принять",
    "このサイトではCookieを使用しています。同意する",
)
PLAYERS = (
    "Play Episode 00:00 / {m}:{s} 1x Download Subscribe",
    "▶ 0:00 {m}:{s} Speed 1× Volume",
    "Your browser does not support the audio element. {m}:{s}",
    "Jetzt anhören Herunterladen {m} Min.",
    "Écouter {m} min Télécharger",
)
STYLES = (
    "<style>.post-{n} p {{ margin: 0 0 1em; }} @media (max-width: 600px) {{ .post-{n} {{ display: none; }} }}</style>",
    '<style type="text/css"><!-- p.p1 {{font: {n}px Helvetica}} span.s1 {{letter-spacing: 0px}} --></style>',
)
SHORTCODES = {
    "🎉": ":tada:",
    "🔥": ":fire:",
    "😀": ":grinning:",
    "❤": ":heart:",
    "🎧": ":headphones:",
    "👉": ":point_right:",
    "🚀": ":rocket:",
}
LIGATURES = (("ffi", "ﬃ"), ("ffl", "ﬄ"), ("ff", "ﬀ"), ("fi", "ﬁ"), ("fl", "ﬂ"))


def _mac_roman(text: str, chance: Random) -> str:
    """UTF-8 read as Mac Roman, or Mac Roman read as a Western encoding."""
    if is_writable(text, "mac_roman") and chance.random() < 0.3:
        return redecode(text, "mac_roman", "cp1252")
    return redecode(text, "utf-8", "mac_roman")


def _koi8(text: str, chance: Random) -> str:
    """UTF-8 read as KOI8-R, or KOI8-R read as cp1251 or a Western encoding."""
    if is_writable(text, "koi8_r") and chance.random() < 0.6:
        return redecode(text, "koi8_r", chance.choice(("cp1251", "latin-1")))
    return redecode(text, "utf-8", "koi8_r")


def _shift_jis(text: str, chance: Random) -> str:
    """Shift-JIS read as a Western encoding, or UTF-8 read as Shift-JIS."""
    if is_writable(text, "cp932") and chance.random() < 0.5:
        return redecode(text, "cp932", "cp1252")
    return redecode(text, "utf-8", "cp932")


def _utf7(text: str, _: Random) -> str:
    """UTF-7 shown as it is."""
    return text.encode("utf-7").decode("ascii")


def _decomposed(text: str, _: Random) -> str:
    return unicodedata.normalize("NFD", text)


def _percent(text: str, chance: Random) -> str:
    """Percent-encoded as a query, as a path, or only beyond ASCII."""
    way = chance.randrange(3)
    if way == 2:
        return "".join(one if one.isascii() else quote(one) for one in text)
    return quote_plus(text) if way else quote(text, safe="")


def _json(text: str, _: Random) -> str:
    return json.dumps(text)[1:-1]


def _cdata(text: str, chance: Random) -> str:
    return f"<![CDATA[{text}]]>" if chance.random() < 0.6 else f"{text}]]>"


def _bare_entities(text: str, chance: Random) -> str:
    """Entities without their semicolon, or escaped twice and left so."""
    escaped = "".join(f"&#{ord(one)};" if ord(one) > 126 else html.escape(one) for one in text)
    return re.sub(r"(&#\d+);(?!\d)", r"\1", escaped) if chance.random() < 0.6 else html.escape(escaped)


def _upper(text: str, _: Random) -> str:
    return text.upper()


def _asked(text: str, chance: Random) -> str:
    """Return a question mark for what a small character set lacks."""
    return redecode(text, chance.choice(("ascii", "latin-1", "cp1252")), "cp1252")


def _quoted_mail(text: str, chance: Random) -> str:
    """As a mail quotes it."""
    return "\n".join(f"> {line}" for line in wrap(text, chance.randint(60, 76)))


def _quoted_printable(text: str, _: Random) -> str:
    """Quoted-printable (RFC 2045, section 6.7), shown as it is."""
    return quopri.encodestring(text.encode()).decode("ascii")


def _bbcode(text: str, chance: Random) -> str:
    """Tags of a forum round words."""
    words = text.split(" ")
    at = chance.randrange(len(words))
    name = chance.choice(("b", "i", "u", "color=#336699", "size=4", "url=https://forum.example/t/1"))
    words[at] = f"[{name}]{words[at]}[/{name.partition('=')[0]}]"
    return f"[quote]{' '.join(words)}[/quote]" if chance.random() < 0.3 else " ".join(words)


def _wiki(text: str, chance: Random) -> str:
    """Markup of a wiki round words."""
    words = text.split(" ")
    places = [at for at, word in enumerate(words) if word.isalpha()]
    for at in chance.sample(places, min(2, len(places))):
        way = chance.choice(("'''{}'''", "''{}''", "[[{}]]", "[[Article {}|{}]]"))
        words[at] = way.replace("{}", words[at])
    return " ".join(words)


def _read_more(text: str, chance: Random) -> str:
    return cut_before(text, chance) + chance.choice(READ_MORE)


def _timestamps(text: str, chance: Random) -> str:
    """Return the times of a transcript before sentences."""
    seconds, parts = chance.randint(0, 50), []
    for part in split_sentences(text):
        parts.append(f"{' ' * part.startswith(' ')}[{seconds // 60:02}:{seconds % 60:02}] {part.lstrip()}")
        seconds += chance.randint(3, 40)
    return "".join(parts)


def _full_width(text: str, _: Random) -> str:
    return text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})


def _reversed(text: str, _: Random) -> str:
    """Right-to-left text in the order in which it is painted."""
    return text[::-1] if re.search("[\u0590-\u06ff]", text) else text


def _columns(text: str, chance: Random) -> str:
    """Two columns of a page read line by line across."""
    lines = wrap(text, chance.randint(28, 40))
    half = (len(lines) + 1) // 2
    if len(lines) < 4:
        return text
    return "\n".join("\t".join(filter(None, pair)) for pair in zip(lines[:half], [*lines[half:], ""], strict=False))


def _twice(text: str, chance: Random) -> str:
    return text + chance.choice((" ", "\n\n", " ")) + text


def _tag_soup(text: str, chance: Random) -> str:
    """Tags with attributes, not well nested."""
    words = text.split(" ")
    at = chance.randrange(len(words))
    words[at] = f'<span data-mce-style="color: #{chance.randint(100, 999)};" lang=EN-US>{words[at]}</b></span>'
    return f'<div class="entry-content" dir="ltr"><p style="text-align:justify">{" ".join(words)}</div>'


def _style(text: str, chance: Random) -> str:
    return chance.choice(STYLES).format(n=chance.randint(11, 9999)) + text


def _cookies(text: str, chance: Random) -> str:
    banner = chance.choice(COOKIES)
    return f"{banner} {text}" if chance.random() < 0.5 else f"{text} {banner}"


def _player(text: str, chance: Random) -> str:
    words = chance.choice(PLAYERS).format(m=chance.randint(4, 95), s=f"{chance.randint(0, 59):02}")
    return f"{words} {text}" if chance.random() < 0.6 else f"{text} {words}"


def _ligatures(text: str, _: Random) -> str:
    for letters, one in LIGATURES:
        text = text.replace(letters, one)
    return text


def _emoji_names(text: str, _: Random) -> str:
    return "".join(SHORTCODES.get(one, one) for one in text)


def _marks_lost(text: str, _: Random) -> str:
    """Typographic marks dropped without a trace."""
    return re.sub("[‘’“”–—…„«»]", "", text)


def _invisible_inside(text: str, chance: Random) -> str:
    """Places where a line may break, shown as what they are called."""
    sign = chance.choice(("&shy;", "&#8203;", "\u00ad", "\u200b"))
    return re.sub(r"(?<=[^\W\d_]{4})(?=[^\W\d_]{3})", lambda _: sign * (chance.random() < 0.3), text)


def _shortened(text: str, chance: Random) -> str:
    """Addresses through a service that shortens them."""
    return re.sub(r"https?://[^\s)\]]+[\w/]", lambda _: f"https://t.co/{chance.randbytes(5).hex()}", text)


def _halves_doubled(text: str, _: Random) -> str:
    """Return the first half of the words said again at the end."""
    words = split_words(text)
    return f"{text} {' '.join(words[: len(words) // 2])}" if " " in text and len(words) > 8 else text


HELD_OUT: tuple[Kind, ...] = (
    Kind("mac roman", TRANSPORT, _mac_roman),
    Kind("koi8", TRANSPORT, _koi8),
    Kind("shift-jis", TRANSPORT, _shift_jis),
    Kind("utf-7", TRANSPORT, _utf7),
    Kind("nfd", WRITING, _decomposed),
    Kind("percent", TRANSPORT, _percent),
    Kind("json", TRANSPORT, _json),
    Kind("cdata", TRANSPORT, _cdata),
    Kind("bare entities", TRANSPORT, _bare_entities),
    Kind("upper case", WRITING, _upper),
    Kind("question marks", TRANSPORT, _asked),
    Kind("quoted mail", TRANSPORT, _quoted_mail),
    Kind("quoted-printable", TRANSPORT, _quoted_printable),
    Kind("bbcode", PAGE, _bbcode),
    Kind("wiki markup", PAGE, _wiki),
    Kind("read more", PAGE, _read_more, cuts=True),
    Kind("timestamps", PAGE, _timestamps),
    Kind("full width", WRITING, _full_width),
    Kind("reversed", WRITING, _reversed),
    Kind("columns", PAGE, _columns),
    Kind("twice", PAGE, _twice),
    Kind("tag soup", PAGE, _tag_soup),
    Kind("style", PAGE, _style),
    Kind("cookie banner", PAGE, _cookies),
    Kind("player", PAGE, _player),
    Kind("ligatures", WRITING, _ligatures),
    Kind("emoji names", WRITING, _emoji_names),
    Kind("marks lost", WRITING, _marks_lost),
    Kind("invisible inside", WRITING, _invisible_inside),
    Kind("shortened addresses", PAGE, _shortened),
    Kind("first half again", PAGE, _halves_doubled),
)
