"""Propose selectors for a page by the elements that repeat in it, and by the content of most of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import html_page, xml
from aggregator.text.times import dates, durations
from aggregator.text.times.lines import find_date, find_duration, find_yearless, is_counted

Options: TypeAlias = tuple[tuple[str, str], ...]
_Row: TypeAlias = Mapping[str, str]

_CONTAINERS = ("article", "li", "div", "section", "tr", "a", "dd", "p", "details", "td")
_OUTSIDE = frozenset({"nav", "footer", "header", "aside", "form", "head", "script", "style", "template", "noscript"})
_CLASS = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"\d")
_TWO_NUMBERS = re.compile(r"\d{1,2}\s?[/.-]\s?\d{1,2}\.?")
_ENDINGS = ("mp3", "m4a", "m4b", "ogg", "oga", "opus", "aac", "wav", "flac", "mp4")
_MEDIA = re.compile(rf"\.({'|'.join(_ENDINGS)})(?:[?#]|$)", re.IGNORECASE)
_SIZE = re.compile(r"\d+(?:[.,]\d+)?\s?[KMG]B?")  # of a file
_BEHIND, _BEFORE = "./following-sibling::node()[1][self::text()]", "./preceding-sibling::node()[1][self::text()]"
_OWN_TEXT, _FIRST_TEXT = "./text()[normalize-space()]", "./node()[1][self::text()][normalize-space()]"
_ADDRESS = re.compile(r"https?://|/")
_NAMED_AUDIO = re.compile(
    r"(?:audio|source)[^@]*@src|[^@]*@data-[\w-]*(?:audio|mp3|enclosure)[\w-]*"
)  # without an ending
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LEAST, _SURE = 2, 3  # elements that make a list: two are one if they are articles, or have dates and audio
_MOST_GROUPS, _MOST_ROWS, _MOST = 60, 25, 3
_MOST_PLACES = 6  # behind a heading, at which its audio may stand
_BESIDE = 0.2  # of the score of elements in a sidebar, among comments or other posts
_USUAL = 0.8  # of the headings that have a date or audio
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


class _Group(Struct):
    """Elements that repeat, what most of them have, and how well that looks like a list of entries.

    ``others`` stands behind their selector: it leaves out elements that are no entries, such as advertisements.
    """

    elements: list[xml.Element]
    fields: dict[str, str]
    score: float
    others: str


def propose(root: xml.Element) -> tuple[Options, ...]:
    """Return the options of kind ``page`` for each list of entries found, the best first."""
    judged = [group for elements in _find_groups(root) if (group := _make_group(elements))]
    judged.sort(key=lambda group: -group.score)
    proposals = []
    for group in judged[: 2 * _MOST]:
        items = _select_items(root, group.elements, group.fields["title"])
        if items is not None:
            items = items if items.startswith("/") else items + group.others
            proposals.append(tuple(sorted({**group.fields, "items": items}.items())))
    proposals += _propose_headings(root)
    return tuple(dict.fromkeys(proposals))[:_MOST]


def propose_around(root: xml.Element, chosen: xml.Element) -> Options:
    """Return the options of kind ``page`` for the list of entries that an element is in; raise ReadError for none.

    Of lists within lists it is the one that looks most like a list of entries.
    """
    path = [chosen, *chosen.iterancestors()]
    groups = [group for group in _find_groups(root) if any(each is one for one in path for each in group)]
    judged = sorted((group for each in groups if (group := _make_group(each))), key=lambda group: -group.score)
    for group in judged:
        if (items := _select_items(root, group.elements, group.fields["title"])) is not None:
            return tuple(sorted({**group.fields, "items": items}.items()))
    for elements in groups:
        if (items := _select_items(root, elements, "./self::*")) is not None:
            return (("items", items),)
    raise ReadError("nothing like it repeats on the page: choose the text of another entry, or type a selector")


def find_selector(entries: Sequence[xml.Element], chosen: xml.Element, field: str) -> str:
    """Return the selector of a field that finds an element in its entry, and one in most others; raise ReadError."""
    path = [chosen, *chosen.iterancestors()]
    entry = next((each for each in path if any(each is one for one in entries)), None)
    if entry is None:
        raise ReadError("what was chosen is in no entry: choose in one that is marked")
    inside = path[: next(place for place, each in enumerate(path) if each is entry)] or [entry]
    attribute, target = _find_attribute(inside, field)
    named = sorted(_name_part(target), key=lambda name: (":" in name, "." not in name))
    names = ["./self::*"] if target is entry else [*named, _find_path(entry, target)]
    selectors = [f"{name}/@{attribute}" if name.startswith(".") else f"{name}@{attribute}" for name in names]
    selectors = selectors if attribute else names
    wanted = target.get(attribute) if attribute else target

    def rank(selector: str) -> tuple[int, int]:
        return sum(bool(xml.select(each, selector)) for each in entries[:_MOST_ROWS]), -selectors.index(selector)

    fitting = [name for name in selectors if xml.select(entry, name)[:1] == [wanted]]
    return max(fitting or selectors[-1:], key=rank)


def is_media(url: str) -> bool:
    """Return whether the address is that of a media file."""
    return _MEDIA.search(url) is not None


def _find_attribute(inside: Sequence[xml.Element], field: str) -> tuple[str, xml.Element]:
    """Return the attribute that has the value of a field, empty for the text, and its element: the innermost one."""
    names = {"audio": ("src", "href"), "link": ("href",), "image": ("src",), "date": ("datetime",)}.get(field, ())
    for element in inside:
        for name in names:
            if element.get(name) and (field != "audio" or is_media(element.get(name, ""))):
                return name, element
    return "", inside[0]


def _find_path(entry: xml.Element, target: xml.Element) -> str:
    steps = []
    while target is not entry and (parent := target.getparent()) is not None:
        same = [each for each in parent if each.tag == target.tag]
        steps.append(f"{target.tag}[{same.index(target) + 1}]")
        target = parent
    return "./" + "/".join(reversed(steps))


def _propose_headings(root: xml.Element) -> Iterator[Options]:
    """Yield the options for headings that are followed by what belongs to them, without an element round both."""
    parents: dict[object, list[xml.Element]] = {}
    for each, _ in _walk(root, ()):
        if each.tag in (*HEADINGS[1:], "dt"):
            parents.setdefault((id(each.getparent()), each.tag), []).append(each)
    for headings in (each for each in parents.values() if len(each) >= _SURE):
        items = _select_items(root, headings, "./self::*")
        if items is None:
            continue
        behind = [_find_behind(str(headings[0].tag), place) for place in range(1, _MOST_PLACES + 1)]
        date, text = _find_dates_behind(headings, behind[:2])
        audio = _find_audio_behind(headings, behind)
        if date or (audio and sum(bool(xml.select(each, audio)) for each in headings) >= _USUAL * len(headings)):
            options = {"items": items, "title": "./self::*"} | ({"audio": audio} if audio else {})
            yield tuple(sorted((options | ({"date": date, "length": date, "text": text} if date else {})).items()))


def _find_dates_behind(headings: Sequence[xml.Element], behind: Sequence[str]) -> tuple[str, str]:
    """Return the XPath of the dates behind headings, of a whole element or one in it, and of the texts; empty for none.

    It is the one that finds most dates.
    """
    found = dict(zip(behind, reversed(behind), strict=True))
    for place in behind:
        parts = (part for each in xml.select(headings[0], place) if not isinstance(each, str) for part in each)
        for tag in dict.fromkeys(str(part.tag) for part in parts if isinstance(part.tag, str)):
            found[f"{place}/{tag}[1]"] = f"{place}/node()[not(self::{tag})]"
    counts = {date: _count_dates(headings, date) for date in found}
    date = max(counts, key=lambda date: counts[date])
    return (date, found[date]) if counts[date] >= _USUAL * len(headings) else ("", "")


def _find_behind(tag: str, place: int) -> str:
    """Return the XPath of the element at a place behind a heading, if no other heading stands before it.

    >>> _find_behind("h3", 2)
    './following-sibling::*[2][not((self::*|preceding-sibling::*[position()<2])[self::h3])]'
    """
    others = f"(self::*|preceding-sibling::*[position()<{place}])[self::{tag}]" if place > 1 else f"self::{tag}"
    return f"./following-sibling::*[{place}][not({others})]"


def _count_dates(headings: Sequence[xml.Element], selector: str) -> int:
    found = (xml.select(each, selector)[:1] for each in headings)
    texts = [_get_text(each) for some in found for each in some]
    return sum(map(_says_when, texts))


def _find_audio_behind(headings: Sequence[xml.Element], behind: Sequence[str]) -> str:
    """Return the XPath of the audio at these places behind a heading, a player or a link to a file; empty for none."""
    files = [f'a/@href[contains(., ".{ending}")]' for ending in _ENDINGS]
    paths = [
        f"{place}/descendant-or-self::{file}" for place in behind for file in ("audio/@src", "source/@src", *files)
    ]
    used = [path for path in paths if any(xml.select(each, path) for each in headings)]
    return used[0] if len(used) == 1 else f"({' | '.join(used)})" if used else ""


def _get_text(found: xml.Element | str) -> str:
    return " ".join((found if isinstance(found, str) else xml.get_text(found)).split())


def _find_groups(root: xml.Element) -> list[list[xml.Element]]:
    """Return the elements of one name and class that stand in one parent, or at the same place all over the page."""
    groups: dict[object, list[xml.Element]] = {}
    for element, path in _walk(root, ()):
        if element.tag in _CONTAINERS and not (element.tag == "tr" and element.find("td") is None):
            groups.setdefault(path, []).append(element)
            groups.setdefault((id(element.getparent()), path[-1]), []).append(element)
            groups.setdefault((id(element.getparent()), element.tag), []).append(element)
            if element.tag in ("a", "tr") and _find_ending(element):
                groups.setdefault((id(element.getparent()), "media"), []).append(element)
                groups.setdefault((path, "media"), []).append(element)
    found = [group for group in groups.values() if len(group) >= _LEAST]
    unique = {tuple(map(id, group)): group for group in found}
    return sorted(unique.values(), key=lambda group: -len(group))[:_MOST_GROUPS]


def _find_ending(element: xml.Element) -> str:
    """Return the ending of the first media file that a link or the links in an element lead to; empty if none does."""
    found = (_MEDIA.search(each.get("href") or "") for each in element.iter("a"))
    return next((media[1] for media in found if media), "")


def _walk(element: xml.Element, above: tuple[str, ...]) -> Iterator[tuple[xml.Element, tuple[str, ...]]]:
    """Yield the elements in the page's order, each with the names and first classes down to it."""
    for child in element:
        if isinstance(child.tag, str) and child.tag not in _OUTSIDE and not html_page.is_of_comments(child):
            lasting = (name for name in _list_classes(child) if not _NUMBER.search(name))
            path = (*above, ".".join((child.tag, *islice(lasting, 1))))
            yield child, path
            yield from _walk(child, path)


def _list_classes(element: xml.Element) -> list[str]:
    return [name for name in (element.get("class") or "").split() if _CLASS.fullmatch(name)]


def _make_group(elements: list[xml.Element]) -> _Group | None:
    """Return a group with the selectors of its fields; ``None`` if it has no titles, or neither dates nor audio."""
    rows = [_read_texts(element) for element in elements[:_MOST_ROWS]]
    title = _find_title(rows)
    if title is None:
        return None
    fields = {"title": title}
    fields |= _find_link(rows, title, elements[0])
    for what, find in (("audio", _find_audio), ("date", _find_date), ("length", _find_length), ("text", _find_text)):
        if (selector := find(rows, title, fields.get("date", ""))) is not None:
            fields[what] = selector
    has_date_in_title = title == "./self::*" and not re.search(r"@|sibling", fields.get("date", "@"))
    if ("date" not in fields and "audio" not in fields) or has_date_in_title:
        return None
    if len(elements) < _SURE and elements[0].tag != "article" and not {"date", "audio"} <= fields.keys():
        return None
    if "date" in fields and dates.find_day_first(row.get(fields["date"], "") for row in rows):
        fields["day_first"] = "yes"
    weights = {"date": 2.0, "audio": 2.0, "length": 0.6, "text": 0.4, "link": 0.4}
    full = sum(title in row for row in rows) / len(rows)
    place = _BESIDE if html_page.is_beside(elements[0]) else 1.0
    entries = [element for element, row in zip(elements, rows, strict=False) if _is_entry(row, fields)]
    full *= place * len(entries) / len(rows)
    score = full * len(elements) ** 0.5 * (1 + sum(weights.get(each, 0) for each in fields))
    return _Group(elements, fields, score, _leave_out(elements[: len(rows)], entries))


def _is_entry(row: _Row, fields: Mapping[str, str]) -> bool:
    """Return whether an element has the audio or the date that most have."""
    audio = row.get(fields.get("audio", ""), "")
    is_named = bool(audio) and _NAMED_AUDIO.fullmatch(fields["audio"]) is not None
    return is_named or _MEDIA.search(audio) is not None or _says_when(row.get(fields.get("date", ""), ""))


def _leave_out(elements: Sequence[xml.Element], entries: Sequence[xml.Element]) -> str:
    """Return the end of a selector that leaves out those of few elements that are no entries, by their classes."""
    if len(entries) < _USUAL * len(elements):
        return ""
    own = {name for element in entries for name in _list_classes(element)}
    others = {name for element in elements for name in _list_classes(element)} - own
    return "".join(f":not(.{name})" for name in sorted(others) if not _NUMBER.search(name))


def _says_when(text: str) -> bool:
    """Return whether a text has a date, also one without a year, one that counts from today, or two numbers."""
    dated = html_page.find_address_date(text) or find_date(text) or is_counted(text) or _TWO_NUMBERS.fullmatch(text)
    return bool(dated) or find_yearless(text) is not None


def _read_texts(element: xml.Element) -> dict[str, str]:
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
            names = _name_part(part)
            above = part.getparent()
            if above is not None and above is not element and above.tag in (*HEADINGS, "p"):
                names.append(f"{above.tag} {part.tag}")
            if above is not None and above.tag == "td" and part.tag == "a":
                names += [f"{name} a" for name in _name_part(above) if ":" in name]
            _add_texts(found, part, tuple(names), "")
    return found


def _name_part(part: xml.Element) -> list[str]:
    """Return the selectors of an element in an entry: its name, its classes, its place."""
    names = [str(part.tag), *(f"{part.tag}.{name}" for name in _list_classes(part))]
    if part.tag in ("td", "th", "span", "div", "p") and (parent := part.getparent()) is not None:
        names.append(f"{part.tag}:nth-child({parent.index(part) + 1})")
    return names


def _add_texts(found: dict[str, str], part: xml.Element, selectors: tuple[str, ...], own: str) -> None:
    """Add the text of an element and its attributes; ``own`` is what stands before those of the entry's element."""
    text = _get_text(part)
    is_composite = sum(1 for each in part.itertext() if str(each).strip()) > 1
    for selector in selectors if text else ():
        if selector not in found:
            found[selector] = text
            if is_composite:
                found[f"{selector}{_COMPOSITE}"] = ""
    attributes = {str(name): " ".join(str(value).split()) for name, value in part.attrib.items()}
    for name, value in attributes.items():
        if value and _CLASS.fullmatch(name):
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


def _list_selectors(rows: Sequence[_Row], share: float, test: Callable[[str], object]) -> list[str]:
    """Return the selectors whose values pass a test in this share of the rows, in the order of the page."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [name for name in names if sum(bool(test(row[name])) for row in rows if name in row) >= share * len(rows)]


def _are_distinct(rows: Sequence[_Row], selector: str, least: float = _DISTINCT) -> bool:
    values = [row[selector] for row in rows if selector in row]
    return len(set(values)) >= max(least * len(values), min(len(values), 2))


def _find_title(rows: Sequence[_Row]) -> str | None:
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


def _find_link(rows: Sequence[_Row], title: str, element: xml.Element) -> dict[str, str]:
    def is_page(value: str) -> bool:
        return not _MEDIA.search(value) and not value.startswith(("#", "javascript:", "mailto:"))

    links = [
        name for name in _list_selectors(rows, 0.8, is_page) if name.endswith("@href") and _are_distinct(rows, name)
    ]
    wanted = (f"{title}@href", f"{title} a@href", "./@href", "a@href", _PAGE_LINK)
    best = next((name for name in wanted if name in links), links[0] if links else None)
    return {} if best is None or (best == "./@href" and element.tag != "a") else {"link": best}


def _find_audio(rows: Sequence[_Row], _title: str, _date: str) -> str | None:
    found = [name for name in _list_selectors(rows, 0.5, _MEDIA.search) if "@" in name and _are_distinct(rows, name)]
    if not found:
        addresses = _list_selectors(rows, 0.5, _ADDRESS.match)
        found = [name for name in addresses if _NAMED_AUDIO.fullmatch(name) and _are_distinct(rows, name)]

    def rank(selector: str) -> tuple[bool, ...]:
        others = any(selector in row and not _MEDIA.search(row[selector]) for row in rows)
        return others, "[" in selector, not selector.startswith(("audio", "source"))

    return min(found, key=rank, default=None)


def _find_date(rows: Sequence[_Row], title: str, _date: str) -> str | None:
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
        found = _list_selectors(rows, _USUAL, test)
        return [name for name in found if name != title and not name.endswith(("@href", "@src", "@title"))]

    def count(selector: str) -> int:
        return sum(is_date(row.get(selector, "")) for row in rows)

    numeric = (
        name
        for name in list_fitting(_TWO_NUMBERS.fullmatch)
        if dates.find_day_first(row.get(name, "") for row in rows) is not None
    )
    beside = max((_BEHIND, _BEFORE), key=count)
    in_address = _list_selectors(rows, _USUAL, html_page.find_address_date)
    fitting = [name for name in list_fitting(is_date) if "sibling" not in name or name == beside]
    return (
        min(fitting, key=rank, default=None)
        or min(numeric, key=rank, default=None)
        or next((name for name in in_address if name.endswith(("@href", "@src"))), None)
    )


def _find_length(rows: Sequence[_Row], title: str, date: str) -> str | None:
    def is_length(text: str) -> bool:
        return (
            not (text.isdecimal() or _SIZE.fullmatch(text))
            and len(text) <= _LONGEST_TITLE
            and find_duration(text) is not None
        )

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


def _find_text(rows: Sequence[_Row], title: str, date: str) -> str | None:
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


def _select_items(root: xml.Element, elements: Sequence[xml.Element], title: str) -> str | None:
    """Return the simplest selector that finds these elements and no others with a title; ``None`` if there is none."""
    wanted = {*map(id, elements)}
    classes = set.intersection(*(set(_list_classes(each)) for each in elements))
    for selector in _list_item_selectors(elements[0], [name for name in _list_classes(elements[0]) if name in classes]):
        found = [each for each in xml.select(root, selector) if not isinstance(each, str)]
        others = (each for each in found if id(each) not in wanted)
        if wanted <= {*map(id, found)} and not any(title in _read_texts(each) for each in others):
            return selector
    parent = elements[0].getparent()
    if parent is None or any(each.getparent() is not parent for each in elements):
        return None
    path = parent.getroottree().getpath(parent).removeprefix("/html")
    selector = f"/{path}/{elements[0].tag}"
    return selector if wanted <= {*map(id, xml.select(root, selector))} else None


def _list_item_selectors(element: xml.Element, classes: Sequence[str]) -> Iterator[str]:
    """Yield selectors of an element, the shortest first: its name, classes, and those of the elements above it."""
    own = [element.tag, *(f"{element.tag}.{name}" for name in classes)]
    ending = _find_ending(element)
    if ending and element.tag == "a":
        own.append(f'a[href*=".{ending}"]')
    own.append(".".join((str(element.tag), *classes)))
    own = [*own[1:], own[0]] if len(own) > 1 else own
    yield from map(str, own)
    tail = ""
    for above in element.iterancestors():
        names = [f"{above.tag}.{name}" for name in _list_classes(above)]
        if _CLASS.fullmatch(above.get("id") or ""):
            names.append(f"{above.tag}#{above.get('id')}")
        for name in names:
            yield from (f"{name}{tail} > {each}" for each in own)
            yield from (f"{name} {each}" for each in own)
        tail = f" > {above.tag}{tail}"
        yield from (f"{tail.removeprefix(' > ')} > {each}" for each in own[-1:])
    if ending and element.tag == "tr":
        yield f'//tr[.//a[contains(@href, ".{ending}")]]'
