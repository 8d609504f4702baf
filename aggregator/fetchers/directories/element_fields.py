"""Find the selectors of what elements that repeat have in common: title, link, date, audio, length and text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from aggregator.fetchers.parsing import html_page, xml
from aggregator.text.times import dates, durations
from aggregator.text.times.lines import find_date, find_duration, find_yearless, is_counted

Row: TypeAlias = Mapping[str, str]
"""The first text of an element by selector."""

CLASS_NAME = re.compile(r"[A-Za-z_][\w-]*")
_TWO_NUMBERS = re.compile(r"\d{1,2}\s?[/.-]\s?\d{1,2}\.?")
ENDINGS = ("mp3", "m4a", "m4b", "ogg", "oga", "opus", "aac", "wav", "flac", "mp4")
_MEDIA = re.compile(rf"\.({'|'.join(ENDINGS)})(?:[?#]|$)", re.IGNORECASE)
_NO_LENGTH = re.compile(r"\d+|\d+(?:[.,]\d+)?\s?[KMG]B?|[^$€£¥]*[$€£¥].*")  # a number, the size of a file, a price
_BEHIND, _BEFORE = "./following-sibling::node()[1][self::text()]", "./preceding-sibling::node()[1][self::text()]"
_OWN_TEXT, _FIRST_TEXT = "./text()[normalize-space()]", "./node()[1][self::text()][normalize-space()]"
_ADDRESS = re.compile(r"https?://|/")
_NAMED_AUDIO = re.compile(
    r"(?:audio|source)[^@]*@src|[^@]*@data-[\w-]*(?:audio|mp3|enclosure)[\w-]*"
)  # without an ending
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
USUAL = 0.8  # of the elements that have a date or audio
_MOST_PARTS = 200  # elements within one that are looked at
_LONGEST_TITLE = 200
_DISTINCT, _LEAST_DISTINCT = 0.85, 0.4  # of the values of a field; of titles such as "Episode 8" of each season
_NAMED, _MARKED = 1, 3  # the last ranks of elements that are named as titles, and of those that stand out as such

_COMPOSITE = "{}"  # behind a selector: its element has several texts
_PAGE_LINK = 'a:not([href*=".mp3"]):not([href*=".m4a"])@href'

_TITLE_CLASS = re.compile(r"title|titel|titre|titulo|titolo|headline|heading|name", re.IGNORECASE)
_DATE_CLASS = re.compile(r"date|datum|fecha|data|time|publish|posted|aired", re.IGNORECASE)
_LENGTH_CLASS = re.compile(r"duration|length|dauer|duree|runtime|minutes|laenge|time", re.IGNORECASE)
_TEXT_CLASS = re.compile(r"desc|summary|excerpt|teaser|intro|content|text|body|notes|abstract|blurb", re.IGNORECASE)


def find_fields(rows: Sequence[Row], element: xml.Element) -> dict[str, str] | None:
    """Return the selectors of what most elements have; ``None`` without titles, or with neither dates nor audio.

    ``rows`` are the texts of the elements, ``element`` is the first of them.
    """
    title = _find_title(rows)
    if title is None:
        return None
    fields = {"title": title}
    fields |= _find_link(rows, title, element)
    for what, find in (("audio", _find_audio), ("date", _find_date), ("length", _find_length), ("text", _find_text)):
        if (selector := find(rows, title, fields.get("date", ""))) is not None:
            fields[what] = selector
    has_date_in_title = title == "./self::*" and not re.search(r"@|sibling", fields.get("date", "@"))
    if ("date" not in fields and "audio" not in fields) or has_date_in_title:
        return None
    if "date" in fields and dates.find_day_first(row.get(fields["date"], "") for row in rows):
        fields["day_first"] = "yes"
    return fields


def is_entry(row: Row, fields: Mapping[str, str]) -> bool:
    """Return whether an element has the audio or the date that most have."""
    audio = row.get(fields.get("audio", ""), "")
    is_named = bool(audio) and _NAMED_AUDIO.fullmatch(fields["audio"]) is not None
    return is_named or _MEDIA.search(audio) is not None or says_when(row.get(fields.get("date", ""), ""))


def says_when(text: str) -> bool:
    """Return whether a text has a date, also one without a year, one that counts from today, or two numbers."""
    dated = html_page.find_address_date(text) or find_date(text) or is_counted(text) or _TWO_NUMBERS.fullmatch(text)
    return bool(dated) or find_yearless(text) is not None


def read_texts(element: xml.Element) -> dict[str, str]:
    """Return the first text, by selector, of the elements and attributes in an element."""
    found: dict[str, str] = {}
    _add_texts(found, element, ("./self::*",), "./")
    own = [" ".join((text or "").split()) for text in (element.text, *(each.tail for each in element))]
    if len(element) and any(own):
        found |= {_OWN_TEXT: next(filter(None, own))} | ({_FIRST_TEXT: own[0]} if own[0] else {})
    if element.tag == "a":
        before = element.getprevious()
        parent = element.getparent()
        text = before.tail if before is not None else parent.text if parent is not None else None
        texts = {_BEHIND: element.tail, _BEFORE: text}
        found |= {name: " ".join(text.split()) for name, text in texts.items() if text and text.strip()}
    for number, part in enumerate(element.iterdescendants()):
        if number == _MOST_PARTS:
            break
        if isinstance(part.tag, str):
            names = name_part(part)
            above = part.getparent()
            if above is not None and above is not element and above.tag in (*HEADINGS, "p"):
                names.append(f"{above.tag} {part.tag}")
            if above is not None and above.tag == "td" and part.tag == "a":
                names += [f"{name} a" for name in name_part(above) if ":" in name]
            _add_texts(found, part, tuple(names), "")
    return found


def name_part(part: xml.Element) -> list[str]:
    """Return the selectors of an element in an entry: its name, its classes, its place."""
    names = [str(part.tag), *(f"{part.tag}.{name}" for name in list_classes(part))]
    if part.tag in ("td", "th", "span", "div", "p") and (parent := part.getparent()) is not None:
        names.append(f"{part.tag}:nth-child({parent.index(part) + 1})")
    return names


def _add_texts(found: dict[str, str], part: xml.Element, selectors: tuple[str, ...], own: str) -> None:
    """Add the text of an element and its attributes; ``own`` is what stands before those of the entry's element."""
    text = get_text(part)
    is_composite = sum(1 for each in part.itertext() if str(each).strip()) > 1
    for selector in selectors if text else ():
        if selector not in found:
            found[selector] = text
            if is_composite:
                found[f"{selector}{_COMPOSITE}"] = ""
    attributes = {str(name): " ".join(str(value).split()) for name, value in part.attrib.items()}
    for name, value in attributes.items():
        if value and CLASS_NAME.fullmatch(name):
            for selector in (f"{own}@{name}",) if own else _list_attribute_selectors(part, name, value, selectors):
                found.setdefault(selector, value)


def _list_attribute_selectors(part: xml.Element, name: str, value: str, selectors: tuple[str, ...]) -> Iterator[str]:
    """Yield the selectors of an attribute: by its element, and of media and pages by what is in the address."""
    if name in ("href", "src", "datetime", "content", "title", "value") or name.startswith("data-"):
        yield from (f"{selector}@{name}" for selector in selectors)
    media = _MEDIA.search(value)
    if media is not None:
        yield f'{part.tag}[{name}*=".{media[1]}"]@{name}'
    elif name == "href" and part.tag == "a":
        yield _PAGE_LINK


def _list_selectors(rows: Sequence[Row], share: float, test: Callable[[str], object]) -> list[str]:
    """Return the selectors whose values pass a test in this share of the rows, in the order of the page."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if sum(bool(test(row[name])) for row in rows if name in row) >= share * len(rows)]


def _are_distinct(rows: Sequence[Row], selector: str, least: float = _DISTINCT) -> bool:
    """Return whether the values of a selector differ, parts of one file (``#t=60``) aside."""
    values = [row[selector].partition("#t=")[0] for row in rows if selector in row]
    return len(set(values)) >= max(least * len(values), min(len(values), 2))


def _find_title(rows: Sequence[Row]) -> str | None:
    """Return the selector of the titles: headings before classes named so, links, what is bold, and the rest.

    Titles may be repeated, or contain a date ("News of May 1, 2024"), where the element is a heading or named so, and,
    if there are no others, where it is a link or bold.
    """

    def is_title(text: str) -> bool:
        return is_worded(text) and find_date(text) is None and find_duration(text) is None and not is_counted(text)

    def is_worded(text: str) -> bool:
        bare = re.sub(r"[\W\d_]", "", text)
        is_short = len(bare) > 0 and len(text) <= _LONGEST_TITLE
        return is_short and dates.parse(text) is None and durations.parse(text) is None

    def rank(selector: str) -> int:
        tag, _, name = selector.partition(".")
        words = selector.split()
        orders = (
            tag in HEADINGS and not name,
            len(words) == 1 and _TITLE_CLASS.search(name),
            selector == "a" or (words[0] in HEADINGS and words[-1] == "a"),
            selector in ("strong", "b", "dt", "summary", "p strong"),
            ":nth-child" in selector and selector.startswith("td"),
            selector != "./self::*",
        )
        return next((place for place, fits in enumerate(orders) if fits), len(orders))

    def list_texts(test: Callable[[str], object], least: float) -> list[str]:
        found = (name for name in _list_selectors(rows, 0.9, test) if "@" not in name and name != _OWN_TEXT)
        return [name for name in found if _are_distinct(rows, name, least)]

    texts = list_texts(is_title, _DISTINCT)
    plain = [name for name in texts if not any(f"{name}{_COMPOSITE}" in row for row in rows)]
    loose = [name for name in list_texts(is_worded, _LEAST_DISTINCT) if rank(name) <= _MARKED]
    sure, named = [name for name in plain if rank(name) <= _MARKED], [name for name in loose if rank(name) <= _NAMED]
    return min(sure or named or plain or loose or texts, key=rank, default=None)


def _find_link(rows: Sequence[Row], title: str, element: xml.Element) -> dict[str, str]:
    def is_page(value: str) -> bool:
        return not _MEDIA.search(value) and not value.startswith(("#", "javascript:", "mailto:"))

    links = [
        name for name in _list_selectors(rows, 0.8, is_page) if name.endswith("@href") and _are_distinct(rows, name)
    ]
    wanted = (f"{title}@href", f"{title} a@href", "./@href", "a@href", _PAGE_LINK)
    best = next((name for name in wanted if name in links), links[0] if links else None)
    return {} if best is None or (best == "./@href" and element.tag != "a") else {"link": best}


def _find_audio(rows: Sequence[Row], _title: str, _date: str) -> str | None:
    found = [name for name in _list_selectors(rows, 0.5, _MEDIA.search) if "@" in name and _are_distinct(rows, name)]
    if not found:
        addresses = _list_selectors(rows, 0.5, _ADDRESS.match)
        found = [name for name in addresses if _NAMED_AUDIO.fullmatch(name) and _are_distinct(rows, name)]

    def rank(selector: str) -> tuple[bool, ...]:
        others = any(selector in row and not _MEDIA.search(row[selector]) for row in rows)
        return others, "[" in selector, not selector.startswith(("audio", "source"))

    return min(found, key=rank, default=None)


def _find_date(rows: Sequence[Row], title: str, _date: str) -> str | None:
    def is_date(text: str) -> bool:
        date = find_date(text) if len(text) <= _LONGEST_TITLE else None
        if date is None:
            return is_counted(text) or (len(text) <= _LONGEST_TITLE and find_yearless(text) is not None)
        return date.precision not in ("guess", "year")

    def rank(selector: str) -> tuple[bool, ...]:
        return (
            selector == "./self::*",
            not selector.endswith("@datetime"),
            not selector.startswith("time"),
            sum(dates.parse(row.get(selector, "")) is None for row in rows) > len(rows) / 2,
            not _DATE_CLASS.search(selector),
            "." not in selector,
        )

    def list_fitting(test: Callable[[str], object]) -> list[str]:
        found = _list_selectors(rows, USUAL, test)
        return [name for name in found if name != title and not name.endswith(("@href", "@src", "@title"))]

    def count(selector: str) -> int:
        return sum(is_date(row.get(selector, "")) for row in rows)

    numeric = (
        name
        for name in list_fitting(_TWO_NUMBERS.fullmatch)
        if dates.find_day_first(row.get(name, "") for row in rows) is not None
    )
    beside = max((_BEHIND, _BEFORE), key=count)
    in_address = _list_selectors(rows, USUAL, html_page.find_address_date)
    fitting = [name for name in list_fitting(is_date) if "sibling" not in name or name == beside]
    return (
        min(fitting, key=rank, default=None)
        or min(numeric, key=rank, default=None)
        or next((name for name in in_address if name.endswith(("@href", "@src"))), None)
    )


def _find_length(rows: Sequence[Row], title: str, date: str) -> str | None:
    def is_length(text: str) -> bool:
        return not _NO_LENGTH.fullmatch(text) and len(text) <= _LONGEST_TITLE and find_duration(text) is not None

    found = [
        name
        for name in _list_selectors(rows, 0.5, is_length)
        if name not in (title, "./self::*")
        and ("sibling" not in name or name == date)
        and not re.search(r"@(?:href|src|title|datetime)$", name)
        if not name.startswith("time") or _LENGTH_CLASS.search(name.partition(".")[2])
    ]
    alone = [name for name in found if sum(find_date(row.get(name, "")) is None for row in rows) > len(rows) / 2]
    return min(alone or found, key=lambda name: (not _LENGTH_CLASS.search(name), "." not in name), default=None)


def _find_text(rows: Sequence[Row], title: str, date: str) -> str | None:
    """Return the selector of the texts; ``None`` if it is that of every paragraph, which is the default."""

    def is_text(text: str) -> bool:
        return len(text) > 30  # noqa: PLR2004 - longer than what stands beside a text

    found = [
        name
        for name in _list_selectors(rows, 0.5, is_text)
        if "@" not in name and "sibling" not in name and name not in (title, date, "./self::*", "a", *HEADINGS)
        if name != _FIRST_TEXT and (name, title) != (_OWN_TEXT, _FIRST_TEXT)
    ]
    named = [name for name in found if _TEXT_CLASS.search(name.partition(".")[2])]
    return next(iter(named), None if "p" in found else next((name for name in found if name.startswith("td")), None))


def list_classes(element: xml.Element) -> list[str]:
    """Return the classes of an element that a selector can name."""
    return [name for name in (element.get("class") or "").split() if CLASS_NAME.fullmatch(name)]


def find_ending(element: xml.Element) -> str:
    """Return the ending of the first media file that a link or the links in an element lead to; empty if none does."""
    found = (_MEDIA.search(each.get("href") or "") for each in element.iter("a"))
    return next((media[1] for media in found if media), "")


def get_text(found: xml.Element | str) -> str:
    """Return the text of an element, or of an attribute, with single blanks."""
    return " ".join((found if isinstance(found, str) else xml.get_text(found)).split())


def is_media(url: str) -> bool:
    """Return whether the address is that of a media file."""
    return _MEDIA.search(url) is not None
