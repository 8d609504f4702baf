"""Read a show page of Apple Podcasts as text: damaged Markdown of a page converter.

An episode is ``N. [ MM/DD/YYYY TITLE TEXT N min ](URL)`` in one or several lines. Nothing separates the title from the
text: the title has the words of the address. Damage that occurs: lines broken anywhere, also in the address; ``[(`` for
``](``; a missing ``)``; an id without some of its digits; words displaced into ``17 is a min``. Reviews have dates and
lists of countries have numbers and links, but neither has an episode's address. The fields of the show are labels with
their values on the lines below.
"""

from __future__ import annotations

import re

from aggregator.fetchers.parsing.entries import make_key
from aggregator.model.entry import Duration, Entry, Listing, Note, Show
from aggregator.text.fold import fold
from aggregator.text.times import dates, durations
from aggregator.translation.marks import N_

_ITEM = re.compile(r"(?:[-*•]\s+)?\d{1,4}\\?\.\s*\\?\[\s")
_END = re.compile(r"#{1,6}\s|\[[^\]]*\(\d+\)\s*\]\(")  # a heading, or "[See All (83) ]("
_LINK = re.compile(r"(?:\]\s{0,9}\(|\[\s{0,9}\(|\]\s{0,9}\[)\s{0,9}(?=https?://)")
_ADDRESS = re.compile(
    r"https?://(?:podcasts|itunes)\.apple\.com/(?:(?P<store>[a-z]{2})/)?podcast/(?:(?P<slug>[^/\s?]+)/)?"
    r"id(?P<show>\d+)\?(?:[^\s)]*&)?i=(?P<id>\d+)"
)
_DATE = re.compile(
    r"\s*(?P<date>\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}|[^\W\d]{3,9}\.? \d{1,2}, \d{4}|\d{1,2}\.? [^\W\d]{3,9}\.? \d{4})\s+",
)
_UNIT = r"(?:min|mins|minutes?|sec|secs|seconds?|hrs?|hours?|std|мин)\.?"
_LENGTH = re.compile(
    rf"(?:^|\s)(?P<length>(?:\d+\s*(?:hrs?|hours?|std)\.?\s+)?\d+)(?P<between>(?:\s+(?!\d)\S+){{0,4}}?)\s*(?P<unit>{_UNIT})"
    r"(?P<behind>(?:\s+\S+){0,4})\s*$",
    re.IGNORECASE,
)
_MONTH_FIRST = {"us", "ca", "ph", None}  # storefronts whose dates put the month first (Unicode CLDR 46, short formats)
_WHOLE_ID = 13  # digits of every episode id that begins with 1000, as all new ones have since 2017
_OLD_ID = 9  # digits at least, before that
_LONGEST_TAIL = 200  # characters at the end of an item in which its length is looked for
_LONGEST_ADDRESS = 2000  # characters, broken over lines or not
_MOST_LINES = 60  # of one item; the longest description Apple shows on a show page has 4,000 characters


def read(name: str, text: str) -> Listing | None:
    """Return the episodes of the page, always partial; ``None`` if there are none.

    An entry with a cut id has neither id nor link, and a note with the address as it was.
    """
    lines = text.split("\n")
    show = _read_show(lines)
    found: list[Entry] = []
    remarks: list[str] = []
    items = _split_items(lines)
    day_first = dates.find_day_first(match["date"] for item in items if (match := _DATE.match(" ".join(item.split()))))
    for item in items:
        entry, more = _make_entry(name, item, len(found), day_first=day_first)
        remarks += more
        if entry:
            found.append(entry)
    return Listing(tuple(found), show, partial=True, remarks=tuple(remarks)) if found else None


def _split_items(lines: list[str]) -> list[str]:
    """Return the lines of each item, up to the next item or the end of the list of episodes."""
    items: list[list[str]] = []
    is_open = False
    for line in lines:
        if _ITEM.match(line.lstrip()):
            items.append([line[line.index("[") + 1 :]])
            is_open = True
        elif _END.match(line.lstrip()) or (is_open and len(items[-1]) > _MOST_LINES):
            is_open = False
        elif is_open:
            items[-1].append(line.strip())
    return ["\n".join(item) for item in items]


def _make_entry(name: str, item: str, position: int, *, day_first: bool | None) -> tuple[Entry | None, list[str]]:
    """Return the entry of one item, if it is an episode, and remarks.

    The day stands first in its date if the dates of the page say so, else as in the store of its address.
    """
    link = _LINK.search(item)
    if link is None:
        return None, []
    body, url, closed = " ".join(item[: link.start()].split()), *_join_address(item[link.end() :][:_LONGEST_ADDRESS])
    address = _ADDRESS.match(url)
    if address is None:
        return None, []
    date = _DATE.match(body + " ")
    if day_first is None and address["store"] not in _MONTH_FIRST:
        day_first = True
    published = dates.parse(date["date"], day_first=day_first) if date else None
    words, duration, displaced = _split_length(body[date.end() :] if date and published else body)
    title, description = _split_title(words, address["slug"] or "")
    if title is None:
        return None, [N_(f"an entry whose title cannot be told from its text is left out: {url}")]
    whole = _is_whole(address["id"], closed=closed)
    notes = [Note("duration", "displaced words", displaced, "")] if displaced else []
    notes += [] if whole else [Note("link", "cut id", url, "")]
    remarks = [N_(f"{title}: words displaced into the duration: {displaced}")] if displaced else []
    remarks += [] if whole else [N_(f"{title}: the address is cut and not used: {url}")]
    entry = Entry(
        source=name, key=address["id"] if whole else make_key(title, published), title=title, position=position,
        ids=(("apple", address["id"]),) if whole else (), link=url if whole else None,
        description=description or None, published=published,
        duration=duration, notes=tuple(notes),
    )  # fmt: skip
    return entry, remarks


def _join_address(rest: str) -> tuple[str, bool]:
    """Return the address without the line ends inside it, and whether it has its closing bracket.

    Without one it ends at the first blank or line end, unless only digits follow there: those are of its id.
    """
    before, bracket, _ = rest.partition(")")
    joined = re.sub(r"(?<!\s)[^\S\n]*+\n\s*+", "", before.strip())
    if bracket and " " not in joined:
        return joined, True
    split = re.match(r"(\S{2,}+)(?<=\d)(?=[^\S\n]*+\n)\s++(\d++)[^\S\n]*+(?:\n|$)", rest)
    return ("".join(split.groups()) if split else rest.split(maxsplit=1)[0]), False


def _is_whole(id_: str, *, closed: bool) -> bool:
    if id_.startswith("1000"):
        return len(id_) == _WHOLE_ID
    return closed and _OLD_ID <= len(id_) < _WHOLE_ID


def _split_length(body: str) -> tuple[str, Duration | None, str]:
    """Return the words before the length, the length, and its text if words were displaced into it."""
    match = _LENGTH.search(body, max(0, len(body) - _LONGEST_TAIL))
    length = durations.parse(f"{match['length']} {match['unit']}") if match else None
    if match is None or length is None:
        return body, None, ""
    displaced = " ".join(match[0].split()) if (match["between"] + match["behind"]).strip() else ""
    return body[: match.start()].rstrip(), length, displaced


def _split_title(body: str, slug: str) -> tuple[str | None, str]:
    """Return title and text: the title has the letters of the slug, else it is what is repeated."""
    words = body.split(" ")
    wanted, letters = _keep_letters(slug.replace("-", " ")), ""
    for count, word in enumerate(words, start=1):
        letters += _keep_letters(word)
        if wanted and letters == wanted:
            return " ".join(words[:count]), " ".join(words[count:])
        if len(letters) > len(wanted):
            break
    for count in range(len(words) // 2, 0, -1):
        if words[:count] == words[count : 2 * count]:
            return " ".join(words[:count]), " ".join(words[count:])
    return None, body


def _keep_letters(text: str) -> str:
    return fold(text.replace("_", " ").replace("\\", " ")).replace(" ", "")


_HEADING = re.compile(r"#\s+(?P<name>\S.*)")
_HEAD_END = re.compile(r"#{2,6}\s|(?:[-*•]\s+)?\d{1,4}\\?\.\s*\\?\[")  # a section, else the first episode
_GENRE = re.compile(r"[*-]\s*(?P<genre>[^\W\d_][^\d(\[]{2,40})")
_TOTAL = re.compile(r"\[[^\]]*\((?P<total>[\d.,]+)\)\s*\]\((?P<link>https?://[^)\s]*?)(?:/episodes)?\)")
_LABEL = re.compile(r"[*-]\s+(?P<label>[^\W\d_][^\[\]()]{1,30})")
_LABEL_LENGTH = 40  # letters at most of a button or a label, in any store's language; lines of text are wrapped at 78
_EXPLICIT = {"clean": False, "explicit": True}
_MOST_DIGITS = 9  # of a number of episodes


def _read_show(lines: list[str]) -> Show:
    """Return the show: name, author, text, genre, total, rating of content, copyright, address."""
    lines = [line.strip() for line in lines]
    start = next((at for at, line in enumerate(lines) if _HEADING.fullmatch(line)), None)
    if start is None:
        return Show()
    end = next((at for at in range(start + 1, len(lines)) if _HEAD_END.match(lines[at])), len(lines))
    head = [line for line in lines[start + 1 : end] if line]
    labelled = _find_labels(lines[end:])
    total = next((match for line in lines if (match := _TOTAL.match(line))), None)
    text = total["total"] if total else labelled.get("episodes", "")
    digits = re.sub(r"[.,\s]", "", text)
    return Show(
        title=lines[start].lstrip("# "),
        link=total["link"] if total else None,
        description=" ".join(_list_prose(head[1:])) or None,
        author=head[0] if head and not head[0].startswith(("*", "-", "!", "[")) else labelled.get("creator"),
        copyright=labelled.get("copyright"),
        explicit=_EXPLICIT.get(labelled.get("rating", "").lower()),
        categories=tuple((match["genre"].strip().title(),) for line in head if (match := _GENRE.fullmatch(line))),
        total=int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None,
    )


def _list_prose(lines: list[str]) -> list[str]:
    """Return the lines of the show's own text: no list, picture or link, and no button before or behind."""
    lines = [line for line in lines if not line.startswith(("*", "-", "!", "["))]
    while lines and _is_label(lines[0]):
        lines = lines[1:]
    while lines and _is_label(lines[-1]):
        lines = lines[:-1]
    return lines


def _is_label(line: str) -> bool:
    return len(line) < _LABEL_LENGTH and not line.endswith((".", "!", "?", "…", ")", "”", '"'))


def _find_labels(lines: list[str]) -> dict[str, str]:
    """Return each label of the page in lower case with the first line that follows it."""
    found: dict[str, str] = {}
    label = None
    for line in lines:
        if match := _LABEL.fullmatch(line):
            label = match["label"].strip().lower()
        elif line and label:
            found.setdefault(label, line)
            label = None
    return found
