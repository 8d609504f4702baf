"""A show page of Apple Podcasts as text: Markdown that a page converter made and broke (seed 002).

An episode is ``N. [ MM/DD/YYYY TITLE TEXT N min ](URL)`` in one or several lines. Nothing divides the title from the
text: the words of the address are the words of the title. Seen damage: lines broken anywhere, also in the address;
``[(`` for ``](``; a missing ``)``; an id of which digits are missing; words displaced into ``17 is a min``. A review
has a date too, and the lists of countries have numbers and links: neither has an episode's address.
"""

from __future__ import annotations

import re

from aggregator.fetchers.apple import page_lines
from aggregator.fetchers.parsing.entry_keys import titled
from aggregator.model.entry import Duration, Entry, Listing, Moment, Note
from aggregator.text import dates, durations
from aggregator.text.fold import fold

ITEM = re.compile(r"(?:[-*•]\s+)?\d{1,4}\\?\.\s*\\?\[\s")
END = re.compile(r"#{1,6}\s|\[[^\]]*\(\d+\)\s*\]\(")  # a heading, or "[See All (83) ]("
LINK = re.compile(r"(?:\]\s{0,9}\(|\[\s{0,9}\(|\]\s{0,9}\[)\s{0,9}(?=https?://)")
ADDRESS = re.compile(
    r"https?://(?:podcasts|itunes)\.apple\.com/(?:(?P<store>[a-z]{2})/)?podcast/(?:(?P<slug>[^/\s?]+)/)?"
    r"id(?P<show>\d+)\?(?:[^\s)]*&)?i=(?P<id>\d+)"
)
DATE = re.compile(
    r"\s*(?P<date>\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}|[^\W\d]{3,9}\.? \d{1,2}, \d{4}|\d{1,2}\.? [^\W\d]{3,9}\.? \d{4})\s+",
)
UNIT = r"(?:min|mins|minutes?|sec|secs|seconds?|hrs?|hours?|std|мин)\.?"
LENGTH = re.compile(
    rf"(?:^|\s)(?P<length>(?:\d+\s*(?:hrs?|hours?|std)\.?\s+)?\d+)(?P<between>(?:\s+(?!\d)\S+){{0,4}}?)\s*(?P<unit>{UNIT})"
    r"(?P<behind>(?:\s+\S+){0,4})\s*$",
    re.IGNORECASE,
)
MONTH_FIRST = {"us", "ca", "ph", None}  # storefronts whose dates put the month first (Unicode CLDR 46, short formats)
WHOLE_ID = 13  # digits of every episode id that begins with 1000, as all new ones have since 2017
OLD_ID = 9  # digits at least, before that
LONGEST_TAIL = 200  # characters at the end of an item in which its length is looked for
LONGEST_ADDRESS = 2000  # characters, broken over lines or not
MOST_LINES = 60  # of one item; the longest description Apple shows on a show page has 4,000 characters


def read(name: str, text: str) -> Listing | None:
    """The episodes of the page, always partial; ``None`` where the text holds none.

    A cut id is no id: the entry then has no id and no link, and a note with the address as it stood.
    """
    lines = text.split("\n")
    show = page_lines.show(lines)
    found: list[Entry] = []
    remarks: list[str] = []
    for item in _items(lines):
        entry, said = _entry(name, item, len(found))
        remarks += said
        if entry:
            found.append(entry)
    return Listing(tuple(found), show, partial=True, remarks=tuple(remarks)) if found else None


def _items(lines: list[str]) -> list[str]:
    """The lines of each item, up to the next item or the end of the list of episodes."""
    items: list[list[str]] = []
    open_ = False
    for line in lines:
        if ITEM.match(line.lstrip()):
            items.append([line[line.index("[") + 1 :]])
            open_ = True
        elif END.match(line.lstrip()) or (open_ and len(items[-1]) > MOST_LINES):
            open_ = False
        elif open_:
            items[-1].append(line.strip())
    return ["\n".join(item) for item in items]


def _entry(name: str, item: str, position: int) -> tuple[Entry | None, list[str]]:
    """The entry of one item, if it is an episode, and what there is to remark."""
    link = LINK.search(item)
    if link is None:
        return None, []
    body, url, closed = " ".join(item[: link.start()].split()), *_address(item[link.end() :][:LONGEST_ADDRESS])
    address = ADDRESS.match(url)
    if address is None:
        return None, []
    date = DATE.match(body + " ")
    moment = dates.parse(date["date"], day_first=address["store"] not in MONTH_FIRST) if date else None
    published = Moment(*moment) if moment else None
    said, length, displaced = _timed(body[date.end() :] if date and moment else body)
    title, description = _divided(said, address["slug"] or "")
    if title is None:
        return None, [f"an entry whose title cannot be told from its text is left out: {url}"]
    whole = _is_whole(address["id"], closed=closed)
    notes = [Note("duration", "displaced words", displaced, "")] if displaced else []
    notes += [] if whole else [Note("link", "cut id", url, "")]
    remarks = [f"{title}: words displaced into the duration: {displaced}"] if displaced else []
    remarks += [] if whole else [f"{title}: the address is cut and not used: {url}"]
    entry = Entry(
        source=name, key=address["id"] if whole else titled(title, published), title=title, position=position,
        ids=(("apple", address["id"]),) if whole else (), link=url if whole else None,
        description=description or None, published=published,
        duration=Duration(*length) if length else None, notes=tuple(notes),
    )  # fmt: skip
    return entry, remarks


def _address(rest: str) -> tuple[str, bool]:
    """The address, with the line ends inside it taken out, and whether its closing bracket stands.

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
        return len(id_) == WHOLE_ID
    return closed and OLD_ID <= len(id_) < WHOLE_ID


def _timed(said: str) -> tuple[str, durations.DurationReading | None, str]:
    """The words without the length that ends them, the length, and as it stood where words stood inside or behind."""
    match = LENGTH.search(said, max(0, len(said) - LONGEST_TAIL))
    length = durations.parse(f"{match['length']} {match['unit']}") if match else None
    if match is None or length is None:
        return said, None, ""
    displaced = " ".join(match[0].split()) if (match["between"] + match["behind"]).strip() else ""
    return said[: match.start()].rstrip(), length, displaced


def _divided(said: str, slug: str) -> tuple[str | None, str]:
    """Title and text: the title is the shortest beginning with the letters of the slug, else what is said twice."""
    words = said.split(" ")
    wanted, letters = _letters(slug.replace("-", " ")), ""
    for count, word in enumerate(words, start=1):
        letters += _letters(word)
        if wanted and letters == wanted:
            return " ".join(words[:count]), " ".join(words[count:])
        if len(letters) > len(wanted):
            break
    for count in range(len(words) // 2, 0, -1):
        if words[:count] == words[count : 2 * count]:
            return " ".join(words[:count]), " ".join(words[count:])
    return None, said


def _letters(text: str) -> str:
    return fold(text.replace("_", " ").replace("\\", " ")).replace(" ", "")
