"""Read any page by the selectors in ``options`` of the config.

``items`` finds the element of each entry; ``title``, ``link``, ``date``, ``length``, ``text``, ``audio``, ``image`` and
``id`` find their values inside of it. A selector is CSS, or XPath where it begins with ``/``, ``.`` or ``(``; ``@name``
behind CSS takes an attribute. ``genre`` (episode or post), ``day_first`` (yes or no) and ``show`` are plain values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures, html_page, xml
from aggregator.fetchers.parsing.entries import make_key
from aggregator.model.entry import Duration, Entry, Listing, Moment, Show
from aggregator.model.source import Document
from aggregator.text.times import dates, durations

DEFAULTS = {
    "title": "h1, h2, h3, h4, a",
    "link": "a@href",
    "date": "time@datetime",
    "text": "p",
    "audio": "audio@src, audio source@src",
    "image": "img@src",
}
_LONGEST_LINE = 120  # characters of a text that a date or length is looked for in
_MOST_DATE_WORDS, _MOST_LENGTH_WORDS = 5, 4
_MARKS = re.compile(r"(?:(?<!\s)\s++)?[|·•–—●/]\s+|(?<!\s)\s++-\s+|\n")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d")
_SELECTORS = ("items", *DEFAULTS, "length", "id")
_VALUES = ("genre", "day_first", "show")


def read(document: Document) -> Listing:
    """Return the entries that the selectors find, always partial.

    Raises ReadError if the document is no page, a selector is wrong, or no entry with a title is found.
    """
    name, options = document.source.name, DEFAULTS | dict(document.source.options)
    if unknown := sorted(options.keys() - {*_SELECTORS, *_VALUES}):
        raise ReadError(f"{name}: kind page has no option {unknown[0]}; there are {', '.join((*_SELECTORS, *_VALUES))}")
    if "items" not in options:
        raise ReadError(f"{name}: kind page needs the option items: a selector that finds each entry")
    root = parse_page(document)
    found, base = _find_all(name, root, "items", options["items"]), html_page.find_base(document, root)
    elements = [element for element in found if not isinstance(element, str)]
    entries = [one for at, element in enumerate(elements) if (one := _make_entry(name, base, element, at, options))]
    if not entries:
        raise ReadError(
            f"{name}: items finds {len(elements)} elements on the page and no title in them ({document.url})"
        )
    return Listing(tuple(entries), Show(title=options.get("show"), language=root.get("lang")), partial=True)


def parse_page(document: Document) -> xml.Element:
    """Return the root of an HTML page; raises ReadError for any other document."""
    root = html_page.parse(document)
    if root is None:
        raise decoding.unexpected_type(document, "an HTML page")
    return root


def _make_entry(name: str, base: str, element: xml.Element, position: int, options: Mapping[str, str]) -> Entry | None:
    values = {what: _find_first(name, element, what, options) for what in _SELECTORS[1:]}
    title = values["title"]
    if not title:
        return None
    link, audio = enclosures.resolve_url(base, values["link"]), enclosures.resolve_url(base, values["audio"])
    file = enclosures.choose(enclosures.Offer(audio, "audio/*"))
    published = find_date(values["date"] or "", day_first=options.get("day_first", "").lower() in {"yes", "true"})
    return Entry(
        source=name, key=values["id"] or link or make_key(title, published, file.enclosure), title=title,
        position=position, genre="post" if options.get("genre") == "post" else "episode", link=link,
        ids=file.ids, description=values["text"], show=options.get("show"),
        published=published, duration=find_duration(values["length"] or ""),
        enclosure=file.enclosure, image=enclosures.resolve_url(base, values["image"]),
    )  # fmt: skip


def find_date(text: str, *, day_first: bool = False) -> Moment | None:
    """Return the date of a text, or the first one in it, such as of "Posted on May 1, 2024 by Ann".

    >>> find_date("Folge 12 | 01.05.2024 | 34 Min.").at.isoformat()
    '2024-05-01T00:00:00+00:00'
    """
    found = dates.parse(text, day_first=day_first)
    if found is None and len(text) <= _LONGEST_LINE and _YEAR.search(text):
        pieces = (piece for piece in _cut(text, _MOST_DATE_WORDS) if _YEAR.search(piece) and not _YEAR.fullmatch(piece))
        parsed = (dates.parse(piece, day_first=day_first) for piece in pieces)
        found = next((each for each in parsed if each and each.precision not in {"guess", "year"}), None)
    return found


def find_duration(text: str) -> Duration | None:
    """Return the length of a text, or the first one in it, such as of "May 1, 2024 · 34 min"."""
    found = durations.parse(text)
    if found is None and len(text) <= _LONGEST_LINE and _NUMBER.search(text):
        pieces = (piece for piece in _cut(text, _MOST_LENGTH_WORDS) if not piece.rstrip(".,").isdecimal())
        found = next((each for piece in pieces if (each := durations.parse(piece))), None)
    return found


def _cut(text: str, most: int) -> Iterator[str]:
    """Yield the pieces of so many words between the marks that divide a line, the longest of each first."""
    for part in _MARKS.split(text):
        words = part.split()
        for size in range(min(most, len(words)), 0, -1):
            yield from (" ".join(words[at : at + size]).strip(",;:()") for at in range(len(words) - size + 1))


def _find_first(name: str, entry: xml.Element, what: str, options: Mapping[str, str]) -> str | None:
    """Return the words of the first element that a selector finds, of all of them for the text; ``None`` for none."""
    if what not in options:
        return None
    found = [
        " ".join((one if isinstance(one, str) else xml.get_text(one)).split())
        for one in _find_all(name, entry, what, options[what])
    ]
    texts = [one for one in found if one]
    return ("\n\n".join(texts) if what == "text" else texts[0]) if texts else None


def _find_all(name: str, element: xml.Element, what: str, selector: str) -> list[xml.Element | str]:
    try:
        return xml.select(element, selector)
    except ValueError as error:
        raise ReadError(f"{name}: option {what}: {error}") from error
