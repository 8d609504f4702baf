"""Read any page by the selectors in ``options`` of the config.

``items`` finds the element of each entry; ``title``, ``link``, ``date``, ``length``, ``text``, ``audio``, ``image`` and
``id`` find their values inside of it. A selector is CSS, or XPath where it begins with ``/``, ``.`` or ``(``; ``@name``
behind CSS takes an attribute. ``day_first`` (yes or no) and ``show`` are plain values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures, html_page, xml
from aggregator.fetchers.parsing.entries import make_key, make_title
from aggregator.model.entry import Entry, Listing, Moment, Show
from aggregator.model.source import Document
from aggregator.text.times.lines import Dating, find_date, find_dates, find_duration, learn_dating
from aggregator.text.urls import strip_tracking

DEFAULTS = {
    "title": "h1, h2, h3, h4, a",
    "link": "a@href",
    "date": "time@datetime",
    "text": "p",
    "audio": "audio@src, audio source@src",
    "image": "img@src",
}
_SHARED_BY = 3  # entries with one link, which is then that of their show
_SELECTORS = ("items", *DEFAULTS, "length", "id")
_VALUES = ("day_first", "genre", "show")


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
    rows = [{what: _find_first(name, each, what, options) for what in _SELECTORS[1:]} for each in elements]
    links = Counter(row["link"] for row in rows)
    for row in rows:
        row["date"] = _find_address_date(row["date"])
        row["link"] = row["link"] if links[row["link"]] < _SHARED_BY else None
    language = root.get("lang") or root.get("xml:lang")
    dating = learn_dating((row["date"] for row in rows), options.get("day_first"), language, document.polled)
    texts, headings = [row["date"] or "" for row in rows], html_page.find_year_headings(root, elements)
    found_dates = find_dates(texts, dating, headings)
    entries = [
        one
        for at, (row, published) in enumerate(zip(rows, found_dates, strict=True))
        if (one := _make_entry(name, base, row, at, options, dating, published))
    ]
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


def _make_entry(  # noqa: PLR0913, PLR0917  # what an entry is made of
    name: str,
    base: str,
    values: Mapping[str, str | None],
    position: int,
    options: Mapping[str, str],
    dating: Dating,
    published: Moment | None,
) -> Entry | None:
    link, audio = enclosures.resolve_url(base, values["link"]), enclosures.resolve_url(base, values["audio"])
    title = _name_file(values["title"], audio)
    if not title:
        return None
    file = enclosures.choose(enclosures.Offer(audio, "audio/*"))
    written = replace(dating, now=None)  # the day of "3 days ago", or of "May 3", depends on the poll
    day = find_date(values["date"] or "", written) if published else None
    return Entry(
        source=name, key=values["id"] or (link and strip_tracking(link)) or make_key(title, day, file.enclosure),
        title=title,
        position=position, link=None if link == audio else link,
        ids=file.ids, description=values["text"], show=options.get("show"),
        published=published, duration=find_duration(values["length"] or "", language=dating.language),
        enclosure=file.enclosure, image=enclosures.resolve_url(base, values["image"]),
    )  # fmt: skip


def _name_file(title: str | None, audio: str | None) -> str | None:
    """Return a title; of the name of a file, which an index cuts as ``A long na..>``, what stands before its ending."""
    if title and audio and title.endswith("..>"):
        title = make_title("", audio)
    stem, _, ending = (title or "").rpartition(".")
    return stem if stem and ending.lower() in enclosures.TYPES else title


def _find_address_date(text: str | None) -> str | None:
    """Return the text of a date; of an address the day in it."""
    return (html_page.find_address_date(text) if text and " " not in text else None) or text


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
