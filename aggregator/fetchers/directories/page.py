"""Any other page, by the selectors that the config gives as ``options``.

``items`` finds the element of each entry; ``title``, ``link``, ``date``, ``length``, ``text``, ``audio``, ``image`` and
``id`` find their values inside of it. A selector is CSS, or XPath where it begins with ``/``, ``.`` or ``(``; ``@name``
behind CSS takes an attribute. ``genre`` (episode or post), ``day_first`` (yes or no) and ``show`` are plain values.
"""

from __future__ import annotations

from collections.abc import Mapping

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures, xml
from aggregator.fetchers.parsing.entries import make_key
from aggregator.model.entry import Entry, Listing, Show
from aggregator.model.source import Document
from aggregator.text import dates, durations

_DEFAULTS = {
    "title": "h1, h2, h3, h4, a",
    "link": "a@href",
    "date": "time@datetime",
    "text": "p",
    "audio": "audio@src, audio source@src",
    "image": "img@src",
}
_SELECTORS = ("items", *_DEFAULTS, "length", "id")
_VALUES = ("genre", "day_first", "show")


def read(document: Document) -> Listing:
    """Return the entries that the selectors find, always partial.

    Raises ReadError if the document is no page, a selector is wrong, or no entry with a title is found.
    """
    name, options = document.source.name, _DEFAULTS | dict(document.source.options)
    if unknown := sorted(options.keys() - {*_SELECTORS, *_VALUES}):
        raise ReadError(f"{name}: kind page has no option {unknown[0]}; there are {', '.join((*_SELECTORS, *_VALUES))}")
    if "items" not in options:
        raise ReadError(f"{name}: kind page needs the option items: a selector that finds each entry")
    root = xml.parse_html(decoding.decode(document)) if decoding.detect_type(document) == "html" else None
    if root is None:
        raise decoding.unexpected_type(document, "an HTML page")
    found = _found(name, root, "items", options["items"])
    elements = [element for element in found if not isinstance(element, str)]
    entries = [one for at, element in enumerate(elements) if (one := _entry(document, element, at, options))]
    if not entries:
        raise ReadError(
            f"{name}: items finds {len(elements)} elements on the page and no title in them ({document.url})"
        )
    return Listing(tuple(entries), Show(title=options.get("show")), partial=True)


def _entry(document: Document, element: xml.Element, position: int, options: Mapping[str, str]) -> Entry | None:
    name, base = document.source.name, enclosures.find_base(document)
    words = {what: _first(name, element, what, options) for what in _SELECTORS[1:]}
    title = words["title"]
    if not title:
        return None
    link, audio = enclosures.resolve_url(base, words["link"]), enclosures.resolve_url(base, words["audio"])
    file = enclosures.choose(enclosures.Offer(audio, "audio/*"))
    published = dates.parse(words["date"], day_first=options.get("day_first", "").lower() in {"yes", "true"})
    return Entry(
        source=name, key=words["id"] or link or make_key(title, published, file.enclosure), title=title,
        position=position, genre="post" if options.get("genre") == "post" else "episode", link=link,
        ids=file.ids, description=words["text"], show=options.get("show"),
        published=published, duration=durations.parse(words["length"]),
        enclosure=file.enclosure, image=enclosures.resolve_url(base, words["image"]),
    )  # fmt: skip


def _first(name: str, entry: xml.Element, what: str, options: Mapping[str, str]) -> str | None:
    """Return the words of the first element that a selector finds, of all of them for the text; ``None`` for none."""
    if what not in options:
        return None
    found = [
        " ".join((one if isinstance(one, str) else xml.get_text(one)).split())
        for one in _found(name, entry, what, options[what])
    ]
    texts = [one for one in found if one]
    return ("\n\n".join(texts) if what == "text" else texts[0]) if texts else None


def _found(name: str, element: xml.Element, what: str, selector: str) -> list[xml.Element | str]:
    try:
        return xml.select(element, selector)
    except ValueError as error:
        raise ReadError(f"{name}: option {what}: {error}") from error
