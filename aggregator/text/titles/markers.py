"""Markers of a title: episode and season numbers, part, re-run or extra, stage of a release."""

from __future__ import annotations

import re

from aggregator.text.fold import fold

EDGE = " \t-:|,;·•~/>»«_"
_EPISODE_WORD = (
    r"(?:(?:episodes?|episodio|episódio|épisode|episod|epizod|epizoda|epizóda|epizód|ep|eps|folge|ausgabe|sendung"
    r"|aflevering|avsnitt|afsnit|jakso|odcinek|odc|bölüm|выпуск|эпизод|серия|випуск|епізод|серія|епизод|επεισόδιο|puntata"
    r"|الحلقة|حلقة|פרק|एपिसोड|tập|ตอนที่|에피소드|chapter|show)(?:[\s.:]{0,2}n[or]\b)?|no|nr|№)"
)
_CHINESE_NUMBER, _CHINESE_WORD = r"(?:\d{1,4}|[〇零一二三四五六七八九十百]{1,6})", "[回話话集期講讲課课弾弹夜章]"
_SEASON = r"(?:season|staffel|saison|temporada|series|sezon|seizoen)"
_LEADING = re.compile(
    rf"""^[\[(]?(?:
      s(?:eason\s?)?(?P<s1>\d{{1,3}})\s?[-:.,x]?\s?e(?:p(?:isode)?)?[\s.#:]{{0,2}}(?P<n1>\d{{1,4}})
    | {_SEASON}\s?(?P<s2>\d{{1,3}})[\s,:-]{{0,3}}{_EPISODE_WORD}[\s.#:]{{0,3}}(?P<n2>\d{{1,5}})
    | [a-z](?P<s3>\d{{1,2}})[a-z](?P<n3>\d{{1,4}})
    | (?P<s4>\d{{1,2}})x(?P<n4>\d{{1,3}})
    | {_EPISODE_WORD}[\s.#:]{{0,3}}(?P<n5>\d{{1,5}})(?:\s(?:of|von|de|/)\s\d{{1,4}})?
    | e(?P<n6>\d{{1,4}})
    | \#\s?(?P<n7>\d{{1,5}})
    | (?:第\s?(?P<s5>\d{{1,2}})\s?季\s?)?第\s?(?P<n8>{_CHINESE_NUMBER})\s?{_CHINESE_WORD}
    | (?:시즌\s?(?P<s6>\d{{1,2}})[\s,:-]{{0,3}}|제\s?)(?P<n9>\d{{1,4}})\s?[회화강]
    )(?![\d/])(?=\W|_|$)[\])]?""",
    re.IGNORECASE | re.VERBOSE,
)
_BARE = re.compile(
    r"""^(?:(?P<n1>\d{1,4})\s?(?:[)|]|:(?=\s)|\.(?=\s)|\s-\s|-(?=\D))(?=\s*[^\s.])(?!\s*\d{1,2}\.\s*\d)
    | (?P<n2>0\d{1,3})-(?=\S)
    | \[(?P<n3>\d{1,4})\](?=\s*\S)
    | \((?P<n4>\d{1,4})\)(?=\s*\S))""",
    re.VERBOSE,
)
_TRAILING = re.compile(
    rf"""(?:[\s(\[|-]|^|(?<=[）)】\]]))(?:
      s(?P<s1>\d{{1,3}})\s?[-:.,x]?\s?e(?:p(?:isode)?)?[\s.#:]{{0,2}}(?P<n1>\d{{1,4}})
    | {_EPISODE_WORD}[\s.#:]{{0,3}}(?P<n2>\d{{1,5}})(?:\s(?:of|von|de|/)\s\d{{1,4}})?
    | \#\s?(?P<n3>\d{{1,5}})
    | (?<=\|\s)[^\W\d]{{1,6}}\s?(?P<n4>\d{{1,5}})
    | 第\s?(?P<n5>\d{{1,4}})\s?[回話集期]
    )[\])]?$""",
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT = re.compile(r"[\d第]")
_CHINESE_FIGURES, _CHINESE_UNITS = "零一二三四五六七八九", {"十": 10, "百": 100}
_ROUNDS = 4  # marks that a title may carry on one side: "Show #40 - 252: X" has two


def strip_numbers(text: str, show: str = "") -> tuple[str, int | None, tuple[int, ...]]:
    """Return the text without marked numbers and the show's folded name at its ends, the season, and the numbers.

    >>> strip_numbers("Example Cast #40 - 252: Soup", "example cast")
    ('Soup', None, (40, 252))
    >>> strip_numbers("16.03.2022 - News")[0], strip_numbers("10:30 in the morning")[0]
    ('16.03.2022 - News', '10:30 in the morning')
    >>> strip_numbers("第二十四期 灯塔")
    ('灯塔', None, (24,))
    """
    season: int | None = None
    numbers: list[int] = []
    for _ in range(_ROUNDS):
        before = text
        text = _strip_show(text, show) if show else text
        for pattern in (_LEADING, _BARE, _TRAILING) if _DIGIT.search(text) else ():
            match = pattern.search(text)
            if match is None:
                continue
            groups = {name[0]: _read_figures(value) for name, value in match.groupdict().items() if value}
            numbers.append(groups["n"])
            season = groups.get("s", season)
            text = (text[: match.start()] + text[match.end() :]).strip(EDGE)
        if text == before:
            break
    return text, season, tuple(numbers)


def _read_figures(written: str) -> int:
    """Return a number in digits, or in Chinese figures: "24" is "二十四" or "二四"."""
    if written.isdecimal():
        return int(written)
    total = figure = 0
    for character in written:
        if character in _CHINESE_UNITS:
            total, figure = total + max(figure, 1) * _CHINESE_UNITS[character], 0
        else:
            figure = figure * 10 + max(_CHINESE_FIGURES.find(character), 0)
    return total + figure


_CUT = re.compile(r"(\s?[-:|»«•~]\s+|(?<!\s)\s++(?=[#\d]))")


def _strip_show(text: str, show: str) -> str:
    """Return the text without the show's name before or after it, unless it is nothing else."""
    if show not in fold(text):
        return text
    found = _CUT.split(text)
    for count in (1, 3, 5):
        if count < len(found) and fold("".join(found[:count])) == show:
            return "".join(found[count + 1 :]).strip(EDGE) or text
        if count < len(found) and fold("".join(found[-count:])) == show:
            return "".join(found[: -count - 1]).strip(EDGE) or text
    return text


_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_CARDINALS = (  # number words and letters behind the word for a part: "Part One", "Część pierwsza", "Μέρος Α"
    """one eins un uno um una een ett én yksi üks egy jedna jeden один bir unu ένα satu أول الأول یک א एक a α а""",
    """two zwei deux due dos dois twee två to kaksi kaks kettő dvě dwa два iki doi δύο dua الثاني دو ב दो b β б""",
    """three drei trois tre tres três drie kolme kolm három tři trzy три üç trei τρία tiga الثالث سه ג तीन c γ в""",
    """four vier quatre quattro cuatro quatro fyra fire neljä négy čtyři cztery четыре чотири dört patru empat الرابع
    d δ г""",
    """five fünf cinq cinque cinco fem viisi öt pět pięć пять beş cinci lima الخامس""",
    """six sechs sei seis sex seks kuusi hat šest sześć шесть altı șase enam السادس""",
)
_ORDINALS = (  # number words before it, and often behind it: "segunda parte", "Parte segunda"
    """first erster erste première prima primera primeira первая pierwsza eerste första første перша първа prva první
    prvá prvi ensimmäinen esimene első birinci întâi πρώτο pertama اول الأولى ראשון ראשונה पहला""",
    """second zweiter zweite deuxième seconde seconda segunda segona вторая друга втора druga druhý druhá drugi tweede
    andra anden andre toinen teine második ikinci İkinci doua δεύτερο kedua دوم الثانية שני שנייה दूसरा""",
    """third dritter dritte troisième terza tercera terceira третья третя трета trzecia treća třetí tretia treći derde
    tredje kolmas harmadik üçüncü treia τρίτο ketiga سوم الثالثة שלישי שלישית तीसरा""",
    """fourth vierter vierte quatrième quarta cuarta четвёртая четвертая четверта четвърта czwarta četvrta čtvrtý vierde
    fjärde fjerde neljäs negyedik dördüncü patra τέταρτο keempat چهارم الرابعة רביעי चौथा""",
)
_NUMBER_OF_ORDINAL = {word: at for at, words in enumerate(_ORDINALS, 1) for word in words.split()}
_NUMBER_OF_WORD = {word: at for at, words in enumerate(_CARDINALS, 1) for word in words.split()} | _NUMBER_OF_ORDINAL
_NUMBER_OF_FOLDED_WORD = {word.casefold(): at for word, at in _NUMBER_OF_WORD.items()}
_PART_WORDS = (
    *("part", "pt", "teil", "partie", "parte", "partea", "deel", "czesc", "część", "cz", "часть", "частина", "част"),
    *("ч", "osa", "bölüm", "kısım", "rész", "díl", "část", "časť", "diel", "dio", "dalis", "daļa", "μέρος", "パート"),
    *("الجزء", "بخش", "قسمت", "חלק", "भाग", "bagian", "bahagian", "phần", "hluti", "act", "akt"),
)
_AFTER = (
    "part|half|teil|hälfte|partie|parte|deel|delen|del|część|часть|частина|част|osa|bölüm|kısım|rész|díl|část|časť|diel"
    "|dio|deo|μέρος|भाग"
)
_VALUE = rf"(?P<n>\d{{1,2}}|{'|'.join(sorted({*_ROMAN, *_NUMBER_OF_WORD}, key=len, reverse=True))})"
_OF = r"(?:\s?(?:/|of|von|de|di|sur|van|av|af|z|из)\s?(?P<of>\d{1,2})(?!\d))?"
# Swedish "Del 2", but not Spanish "noticias del 5" or "Del 5 al 10 de mayo".
_DEL = r"(?<!\w\s)del(?=\s?\d{1,2}(?!\d|\s(?:al|de)\s)|\s(?:én|ett|to|två|tre|fire|fyra|fem)(?!\w))"
# "The part I played", "a parte dos homens": numbers only with punctuation, or an end of the title, on one side.
_WEAK = frozenset(("dos", "to", "um", "un", "una", "do", *"ivxabcdαβγδабвг"))
_WORDED = re.compile(
    rf"(?<![\s\-:,|])[\s\-:,|]*+[(\[]?\b(?:{'|'.join(_PART_WORDS)}|{_DEL})(?:\b|(?=\d))\.?\s?#?(?:a\s(?=doua|treia|patra))?{_VALUE}(?!\w|/(?!\d\d?\b)|[.:]\d){_OF}[)\]]?",
    re.IGNORECASE,
)
_SET_OFF = r"[)\]]?(?=\s*(?:$|[\-:,|)\]]))"
_NUMBERED = re.compile(  # "2. Teil", "2e partie", "2nd part"; in compatibility form "2ª parte" is "2a parte"
    rf"(?<![\s\-:,|])[\s\-:,|]*+[(\[]?(?<![\w.])(?P<n>\d{{1,2}})(?:\.|st|nd|rd|th|[eè]?re|er|[eè]me|e|a|o|-?я)?"
    rf"\s?(?:{_AFTER})\b{_SET_OFF}",
    re.IGNORECASE,
)
_SPELT = re.compile(  # " - zweiter Teil", "(segunda parte)": with punctuation on both sides, else it is a sentence
    rf"(?<![\s\-:,|(\[])(?>(?:\s*+[\-:,|(\[])+)\s?(?P<n>{'|'.join(_NUMBER_OF_ORDINAL)})\s(?:{_AFTER})\b{_SET_OFF}",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    r"(?<!\s)\s*+(?:[(\[](?P<n>\d{1,2})\s?(?:/|of|von|de|di|из)\s?(?P<of>\d{1,2})[)\]]|(?<!\S)(?P<n2>\d)/(?P<of2>\d)$)"
)
# Last parts are 3, whether of two or of three, so that they differ from the middle one.
_HALVES = {"前半": 1, "後半": 2, "前編": 1, "中編": 2, "後編": 3, "前篇": 1, "後篇": 3, "上": 1, "中": 2, "下": 3}
_HALVES |= {"상": 1, "중": 2, "하": 3}
_HALF = re.compile(
    r"(?<![\s\-])[\s\-]*+[(（\[【〈<]?(?P<h>前半|後半|前編|中編|後編|前篇|後篇)(?:戦)?[)）\]】〉>]?|[(（【]\s?(?P<b>[上中下상중하])\s?[)）】]"
)
_CHINESE = "一二三四五六七八九十"
_PIECE = re.compile(  # 第2部, 第二部分, 2부, 제2편, その2, （二）, 下集; 三部作 is a trilogy
    r"(?<![\s\-])[\s\-]*+[(（\[【]?(?:第\s?(?P<d>[\d一二三四五六七八九十])\s?部分?|제?\s?(?<!\d)(?P<k>\d)\s?[부편]|その(?P<s>[\d一二三四五]))"
    r"(?!\w)[)）\]】]?|[(（【]\s?(?P<c>[一二三四五])\s?[)）】]|(?<!\w)(?P<u>[上中下])集(?!\w)"
)


_EPISODE_OR_PART = re.compile("bölüm", re.IGNORECASE)
"""Words that count episodes if another word counts parts: "Bölüm 26: X (Kısım 1)"."""


def find_part(text: str) -> tuple[int | None, str]:
    """Return the number of the part that a title names, ``None`` if it names none, and the title without it.

    >>> find_part("The Long Way (Part 2 of 3)"), find_part("Pt. IV: Home")
    ((2, 'The Long Way'), (4, 'Home'))
    >>> find_part("Die lange Reise (2. Teil)"), find_part("Part time work")
    ((2, 'Die lange Reise'), (None, 'Part time work'))
    """
    for pattern in (_WORDED, _NUMBERED, _SPELT, _FRACTION):
        every = list(pattern.finditer(text))
        if not every:
            continue
        match = next((each for each in every if not _EPISODE_OR_PART.search(each[0])), every[0])
        groups = match.groupdict()
        number = read_number(groups.get("n") or groups.get("n2"))
        total = read_number(groups.get("of") or groups.get("of2"))
        weak = (groups.get("n") or "").casefold() in _WEAK
        if number and (total is None or number <= total) and not (weak and not _is_set_off(text, match)):
            return number, _remove_mark(text, match)
    return (None, text) if text.isascii() else _find_asian_part(text)


def _find_asian_part(text: str) -> tuple[int | None, str]:
    """Return the part in the forms of Japanese, Chinese and Korean titles, and the title without it."""
    if match := _HALF.search(text):
        return _HALVES[match["h"] or match["b"]], _remove_mark(text, match)
    if match := _PIECE.search(text):
        written = next(value for value in match.groups() if value)
        number = _HALVES.get(written) or (int(written) if written.isdecimal() else _CHINESE.index(written) + 1)
        return (number, _remove_mark(text, match)) if number else (None, text)
    return None, text


def _is_set_off(text: str, match: re.Match[str]) -> bool:
    """Return whether the mark begins or ends the text, or a mark of punctuation stands on one of its sides."""
    around = (text[: match.start()][-1:], match.group().lstrip()[:1], text[match.end() :].lstrip()[:1])
    return not around[0] or not around[2] or not all(map(str.isalnum, around[1:]))


def _remove_mark(text: str, match: re.Match[str]) -> str:
    """Return the text without the mark, the two sides one space apart."""
    return f"{text[: match.start()].rstrip()} {text[match.end() :].lstrip()}".strip(" :-,|") or text


def read_number(written: str | None) -> int | None:
    """Return a digit, roman numeral or number word as a number; ``None`` for any other word."""
    if written is None:
        return None
    low = written.casefold()
    return int(low) if low.isdecimal() else _ROMAN.get(low) or _NUMBER_OF_FOLDED_WORD.get(low)


_TAG_WORDS = {
    "replay": (
        r"re-?plays?|re-?broadcast|re-?runs?|encore|re-?air(?:ed|ing)?|re-?issue|re-?release"
        r"|from the (?:archives?|vaults?)|throwback|flashback"
        r"|wiederholung|best of|rediffusion|repetici[oó]n|再放送|classic episode"
    ),
    "companion": (
        r"discussing|after-?\s?show|re-?cap|the debrief|debrief(?:ing)?|reaction to|behind the scenes|making of"
        r"|talking about|post-?show|companion"
    ),
    "bonus": r"bonus|extra|unlocked|outtakes?|blooper reel|special episode|sonderfolge|番外編|おまけ",
    "trailer": r"trailer|teaser|preview|sneak peek|coming soon|予告",
}
_ABOUT = r"|[:|\-–—]\s(?:discussing|talking about|reaction to)\s"
_HEAD = (
    r"(?:^\W*|[:|\-–—]\s)(?:the\s)?(?:{})\b(?=\s*+(?:(?:episode|edition|show)\s*+)?(?:[:\]\)|\-–—!.]|$))"
    r"|^\W*(?:the\s)?(?:{})\b(?=\s)"
)
_TAIL = r"[\[(【|:\-–—]\s*(?:\w+\s){{0,2}}(?:{})(?:\s\w+)?\s*+(?:[\])】]\s*+)?$"
_EDGES = {
    tag: re.compile(
        _HEAD.format(words, words) + "|" + _TAIL.format(words) + (_ABOUT if tag == "companion" else ""), re.IGNORECASE
    )
    for tag, words in _TAG_WORDS.items()
}


def find_tag(text: str) -> str | None:
    """Return ``replay``, ``companion``, ``bonus`` or ``trailer`` if a title has such a word at its start or end.

    The same word inside a sentence does not count.

    >>> find_tag("Replay: The Long Way"), find_tag("The Long Way (Bonus)")
    ('replay', 'bonus')
    >>> find_tag("How the encore came to be")
    """
    for tag, pattern in _EDGES.items():
        if pattern.search(text):
            return tag
    return None


# Stages of PEP 440 and Semantic Versioning, with the words of blogs in other languages.
_STAGES = {
    "alpha": r"alpha|alfa|альфа|アルファ(?:版)?|알파",
    "beta": r"beta|бета|ベータ(?:版)?|베타|测试版|測試版",
    "rc": r"rc|release[ -]candidate|релиз-кандидат|リリース候補(?:版)?|候选版|候選版",
    "preview": r"preview|pre|vorschau|プレビュー(?:版)?|预览版",
    "dev": r"dev|nightly|snapshot|canary",
    "milestone": r"milestone",
}
_SHORT = {"a": "alpha", "b": "beta", "c": "rc", "m": "milestone"}  # only between two digits: "3.5.0b1"
_VERSION = re.compile(rf"\d\.\d|\d[ ._-]?(?:{'|'.join(_STAGES.values())})[ ._-]?\d", re.IGNORECASE)
_STAGE = re.compile(
    "|".join(rf"(?P<{name}>(?<![^\W\d_])(?:{words})(?![^\W\d_]))" for name, words in _STAGES.items())
    + rf"|(?<=\d)(?P<short>[{''.join(_SHORT)}])(?=\d)",
    re.IGNORECASE,
)


def find_release_stages(title: str) -> tuple[str, ...]:
    """Return the stages of a release in a title that has a version number, each once, sorted.

    >>> find_release_stages("Anvil 3.5.0b1"), find_release_stages("Anvil 5.0 release candidate 1 is out")
    (('beta',), ('rc',))
    >>> find_release_stages("Anvil 3.5.0")
    ('final',)
    >>> find_release_stages("The alpha wolf of 1950")
    ()
    """
    if not _VERSION.search(title):
        return ()
    found = {
        _SHORT[match[0].casefold()] if match.lastgroup == "short" else match.lastgroup
        for match in _STAGE.finditer(title)
    }
    return tuple(sorted(name for name in found if name)) or ("final",)
