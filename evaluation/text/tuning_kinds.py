"""Kinds of damage that repairs may be tuned on."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from random import Random

from evaluation.text.kinds import (
    PAGE,
    TRANSPORT,
    WRITING,
    Kind,
    cut_before,
    is_writable,
    redecode,
    split_sentences,
    wrap,
)

READ_MORE = (
    *("…[Leer más]", "... (sigue leyendo)", "… Ler artigo completo", "…Ver descripción completa", "... Lisää aiheesta"),
    *(
        "… 계속 읽기",
        "…全文を読む",
        "... [全文]",
        "… Продолжить чтение",
        "… Les videre",
        "… Show full description",
        "...(cont.)",
    ),
    *("… Continua a leggere →", "… Artikel lesen", "... Afficher la description", "… क्लिक करें", "… المزيد من التفاصيل"),
)
SHARE_BARS = (
    *(
        "Share Tweet Pin Email",
        "Facebook Twitter WhatsApp Link kopieren",
        "Compartir Tuitear Guardar",
        "分享 微博 微信",
    ),
    *(
        "Поделиться ВКонтакте Одноклассники",
        "Partager sur Facebook Partager sur X",
        "Share this: Reddit LinkedIn Tumblr",
    ),
)
SCRIPTS = (
    '<script>window.dataLayer = window.dataLayer || []; gtag("config", "UA-{n}-1");</script>',
    '<script type="text/javascript">\n// <![CDATA[\nvar player = new Player({n});\n// ]]>\n</script>',
    "<noscript><iframe src='https://tags.example/ns.html?id={n}' height='0' width='0'></iframe></noscript>",
)
COMMENTS = ("wp:paragraph", "more", " /wp:paragraph ", "StartFragment", "[if !supportLists]", " ad slot 2 ")
SHORTCODES = (
    "[audio src='https://cdn.example/{n}.mp3']",
    "[embed]https://video.example/v/{n}[/embed]",
    '[gallery ids="{n}"]',
)


def _gbk(text: str, _: Random) -> str:
    """UTF-8 read as GBK."""
    return redecode(text, "utf-8", "gb18030")


def _dos(text: str, chance: Random) -> str:
    """UTF-8 read as the code page of a DOS window."""
    return redecode(text, "utf-8", chance.choice(("cp437", "cp850", "cp866")))


def _windows_as_dos(text: str, chance: Random) -> str:
    """Return a single-byte encoding read as another one of its script."""
    pairs = (
        ("cp1251", "cp866"),
        ("cp1251", "iso8859-5"),
        ("cp1253", "cp1252"),
        ("cp1252", "cp850"),
        ("cp1250", "cp1252"),
    )
    fitting = [pair for pair in pairs if is_writable(text, pair[0])]
    return redecode(text, *chance.choice(fitting)) if fitting else text


def _euc(text: str, chance: Random) -> str:
    """Return a multi-byte encoding of East Asia read as a Western one."""
    fitting = [name for name in ("euc_jp", "euc_kr", "big5", "gbk") if is_writable(text, name)]
    return redecode(text, chance.choice(fitting), chance.choice(("latin-1", "cp1252"))) if fitting else text


def _utf16(text: str, _: Random) -> str:
    """UTF-16 read byte by byte: a NUL beside each letter."""
    return text.encode("utf-16-le").decode("latin-1") if text.isascii() else text


def _slashes(text: str, _: Random) -> str:
    """Quotes behind backslashes, as for a database."""
    return re.sub(r"(['\"])", r"\\\1", text)


def _percent_u(text: str, _: Random) -> str:
    """Escape a text as JavaScript's ``escape`` does."""
    return "".join(
        one if one.isascii() else f"%u{ord(one):04X}" if ord(one) > 255 else f"%{ord(one):02X}" for one in text
    )


def _double_json(text: str, _: Random) -> str:
    """Return a JSON string within a JSON string."""
    return json.dumps(json.dumps(text)[1:-1])[1:-1]


def _lower(text: str, _: Random) -> str:
    return text.lower()


def _title_case(text: str, _: Random) -> str:
    return text.title() if text.upper() != text.lower() else text


def _unaccented(text: str, _: Random) -> str:
    """Letters without their marks."""
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(one for one in apart if not "\u0300" <= one <= "\u036f"))


def _replaced(text: str, chance: Random) -> str:
    """Bytes of a Western encoding read as UTF-8: U+FFFD for letters."""
    fitting = [name for name in ("cp1252", "cp1250", "cp1254", "cp1251") if is_writable(text, name)]
    return redecode(text, chance.choice(fitting), "utf-8") if fitting else text


def _flowed(text: str, _: Random) -> str:
    """format=flowed (RFC 3676): lines of 72 characters, each but the last ending in a space."""
    return " \n".join(wrap(text, 72))


def _shortcodes(text: str, chance: Random) -> str:
    """Codes of a blog's editor that its feed did not fill in."""
    code = chance.choice(SHORTCODES).format(n=chance.randint(100, 99999))
    return f"{code} {text}" if chance.random() < 0.5 else f"{text} {code}"


def _comments(text: str, chance: Random) -> str:
    """Comments of HTML between sentences."""
    parts = split_sentences(text)
    parts.insert(chance.randint(0, len(parts)), f"<!--{chance.choice(COMMENTS)}-->")
    return "".join([f"<!-- {COMMENTS[0]} -->", *parts])


def _base64_tail(text: str, chance: Random) -> str:
    """Return the beginning of an attachment behind the text."""
    return f"{text} {base64.b64encode(chance.randbytes(90)).decode()[: chance.randint(60, 118)]}"


def _latex(text: str, _: Random) -> str:
    """Quotes and dashes as TeX writes them."""
    text = re.sub(r'["“](?=\w)', "``", text).replace("”", "''").replace("’", "'").replace("“", "``")
    return re.sub(r"(?<=[\w.,!?])\"", "''", text).replace("–", "--").replace("—", "---").replace("…", r"\ldots{}")


def _numbered_lines(text: str, chance: Random) -> str:
    """Each line behind its number."""
    start = chance.randint(1, 90)
    lines = wrap(text, chance.randint(50, 70))
    return "\n".join(f"{start + at:3} {line}" for at, line in enumerate(lines)) if len(lines) > 2 else text


def _repeated_sentence(text: str, chance: Random) -> str:
    """One sentence of several said again at once."""
    parts = split_sentences(text)
    if len(parts) < 3:
        return text
    at = chance.randrange(len(parts))
    return "".join([*parts[: at + 1], " " * (at == 0 and text.count(" ") > 3), *parts[at:]])


def _tracked(text: str, chance: Random) -> str:
    """Addresses with the marks of a campaign."""
    way = chance.choice(
        ("utm_source=rss&utm_medium=web", "fbclid=IwAR2x{n}", "mc_cid={n}&mc_eid=a1b2", "ref=feed", "gclid=Cj0{n}")
    )
    way = way.format(n=chance.randint(10**8, 10**9))
    return re.sub(
        r"(https?://[^\s)\]]*?[\w/])(?=[.,;:!?)\]]*(?:\s|$))",
        lambda found: f"{found[1]}{'&' if '?' in found[1] else '?'}{way}",
        text,
    )


def _script(text: str, chance: Random) -> str:
    """Return a script that was left in."""
    script = chance.choice(SCRIPTS).format(n=chance.randint(10**5, 10**7))
    return f"{script}{text}" if chance.random() < 0.5 else f"{text}{script}"


def _read_more(text: str, chance: Random) -> str:
    """Cut, with the words of the button that shows the rest."""
    return cut_before(text, chance) + chance.choice(READ_MORE)


def _footnotes(text: str, chance: Random) -> str:
    """Add marks of footnotes after sentences."""
    count = iter(range(chance.randint(1, 20), 999))
    return re.sub(r"(?<=[^\W\d_])([.!?])(?= |$)", lambda found: f"{found[1]}[{next(count)}]", text)


def _share_bar(text: str, chance: Random) -> str:
    """Return the words of the buttons that share a page."""
    bar = chance.choice(SHARE_BARS)
    return f"{bar} {text}" if chance.random() < 0.3 else f"{text} {bar}"


def _spaced(text: str, _: Random) -> str:
    """Return a space behind each letter, as spaced-out headings are copied."""
    return "  ".join(" ".join(word) for word in text.split(" ")) if text.isascii() else text


TUNING: tuple[Kind, ...] = (
    Kind("gbk", TRANSPORT, _gbk),
    Kind("dos code page", TRANSPORT, _dos),
    Kind("code page of the script", TRANSPORT, _windows_as_dos),
    Kind("east asian as western", TRANSPORT, _euc),
    Kind("utf-16 bytes", TRANSPORT, _utf16),
    Kind("added slashes", TRANSPORT, _slashes),
    Kind("javascript escape", TRANSPORT, _percent_u),
    Kind("json twice", TRANSPORT, _double_json),
    Kind("lower case", WRITING, _lower),
    Kind("title case", WRITING, _title_case),
    Kind("unaccented", WRITING, _unaccented),
    Kind("replacement characters", TRANSPORT, _replaced),
    Kind("format flowed", TRANSPORT, _flowed),
    Kind("shortcodes", PAGE, _shortcodes),
    Kind("html comments", PAGE, _comments),
    Kind("base64 tail", PAGE, _base64_tail),
    Kind("latex", WRITING, _latex),
    Kind("line numbers", TRANSPORT, _numbered_lines),
    Kind("repeated sentence", PAGE, _repeated_sentence),
    Kind("tracked addresses", PAGE, _tracked),
    Kind("script", PAGE, _script),
    Kind("read more", PAGE, _read_more, cuts=True),
    Kind("footnote marks", PAGE, _footnotes),
    Kind("share bar", PAGE, _share_bar),
    Kind("spaced letters", WRITING, _spaced),
)
