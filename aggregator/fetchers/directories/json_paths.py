"""Read any JSON by the paths in ``options`` of the config (JMESPath, jmespath.org).

``items`` finds the list of entries; ``title``, ``link``, ``date``, ``length``, ``text``, ``audio``, ``image``, ``id``,
``guid``, ``season``, ``episode``, ``type`` and ``category`` find their values in each. ``next`` finds the address of
the next page, or with ``next_query`` the value of that query parameter of its address. ``script`` is a selector of the
elements of a page that hold the JSON: paths begin at the list of what is in them. ``day_first`` (yes or no), ``show``
(its name) and ``unit`` (of lengths: seconds, milliseconds or minutes) are plain
values. A ``$`` before a path, as JSONPath has it, is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jmespath
from jmespath.exceptions import JMESPathError
from msgspec.structs import replace

from aggregator.errors import ReadError
from aggregator.fetchers.parsing import decoding, enclosures, html_page, xml
from aggregator.fetchers.parsing.entries import make_key, make_title
from aggregator.fetchers.parsing.json_fields import JsonObject
from aggregator.model.entry import Entry, EpisodeType, Listing, Moment, Show
from aggregator.model.source import Document
from aggregator.text.html import escape_words, has_tags, to_text
from aggregator.text.times import dates, durations
from aggregator.text.times.lines import Dating, find_date, find_dates, learn_dating
from aggregator.text.urls import strip_tracking
from aggregator.translation.marks import N_

_DEFAULTS = {"title": "title", "id": "id"}
_UNITS = {"seconds": 1.0, "milliseconds": 0.001, "minutes": 60.0}
_PLAIN = Dating()
_DECIMAL = re.compile(r"\d{1,18}(?:\.\d+)?")
_MILLISECONDS = re.compile(r"milli|ms\b", re.IGNORECASE)
_DAY = 86400
_NEWEST_EPOCH = 1e11  # seconds, the year 5138: a greater number is milliseconds, microseconds or nanoseconds
_MAX_NUMBER = 2**63
_TYPES: Mapping[str, EpisodeType] = {"full": "full", "trailer": "trailer", "bonus": "bonus"}

_Values = Mapping[str, Any]


def read(document: Document) -> Listing:
    """Return the entries that the paths find, always partial; ReadError if there is none or a path is wrong."""
    name, options = document.source.name, _DEFAULTS | dict(document.source.options)
    if "items" not in options:
        raise ReadError(f"{name}: kind json needs the option items: a path that finds the list of entries")
    value, base, mistake = _load(document, options.get("script"))
    found = _find(name, value, "items", options)
    listed = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else []
    rows = [{what: _find(name, each, what, options) for what in _FIELDS} for each in listed if isinstance(each, dict)]
    unit = _find_unit(name, rows, options)
    texts = (each for row in rows if isinstance(each := _get_first(row["date"]), str))
    dating = learn_dating(texts, options.get("day_first"), now=document.polled)
    entries = [
        one
        for at, (row, published) in enumerate(zip(rows, _parse_dates(rows, dating), strict=True))
        if (one := _make_entry(name, base, row, at, unit, options, dating, published))
    ]
    if not entries:
        raise ReadError(f"{name}: items finds {len(rows)} objects and no title or text in them ({document.url})")
    next_url = _find_next(document.url, base, _find(name, value, "next", options), options.get("next_query"))
    remarks = (N_(f"not well-formed: {mistake}"),) if mistake else ()
    return Listing(tuple(entries), Show(title=options.get("show")), remarks=remarks, partial=True, next_url=next_url)


_FIELDS = (
    *("title", "link", "date", "length", "text", "audio", "image", "id", "guid"),
    *("season", "episode", "type", "category"),
)


def _load(document: Document, script: str | None) -> tuple[Any, str, str]:
    """Return the JSON of the document, or the list of that in the elements that a selector finds; its base URL.

    The last is the first mistake of a document that is not sound, else "".
    """
    base, mistake = enclosures.find_base(document), ""
    if script is None:
        value, mistake = decoding.load_document(document)
        value = html_page.unpack(value)
    else:
        root = xml.parse_html(decoding.decode(document))
        try:
            found = [] if root is None else xml.select(root, script)
        except ValueError as error:
            raise ReadError(f"{document.source.name}: option script: {error}") from error
        base = html_page.find_base(document, root)
        texts = [one if isinstance(one, str) else xml.get_text(one) for one in found]
        if any(html_page.FLIGHT in one for one in texts):
            value = [html_page.load_flight(texts)]
        else:
            value = [each for one in texts if (each := _load_script(one)) is not None] or None
    if value is None:
        raise decoding.unexpected_type(document, "JSON")
    return value, base, mistake


def _load_script(text: str) -> Any:
    if (value := html_page.load_script(text)) is not None:
        return value
    assigned = html_page.find_assigned(text)
    return assigned and assigned[1]


def _find(name: str, value: object, what: str, options: Mapping[str, str]) -> Any:
    """Return what a path finds, ``None`` for nothing or without a path."""
    if what not in options:
        return None
    path = re.sub(r"^\$\.?", "", options[what]) or "@"
    try:
        return jmespath.search(path, value)
    except (JMESPathError, TypeError, RecursionError) as error:
        why = " ".join(str(error).split())
        raise ReadError(f'{name}: option {what}: "{options[what]}" is no path of this JSON ({why})') from error


def _make_entry(  # noqa: PLR0913, PLR0917  # what an entry is made of
    name: str,
    base: str,
    row: _Values,
    position: int,
    unit: float,
    options: Mapping[str, str],
    dating: Dating,
    published: Moment | None,
) -> Entry | None:
    """Return an entry; ``None`` without title, text and addresses."""
    fields = JsonObject({what: _get_first(value) for what, value in row.items()})
    text = "\n\n".join(each for each in _list_texts(row["text"]) if each.strip())
    markup = escape_words(text) if has_tags(text) else None
    link, audio = (enclosures.resolve_url(base, fields.get(what)) for what in ("link", "audio"))
    file = enclosures.choose(enclosures.Offer(audio, "audio/*"))
    title = to_text(fields.id("title") or "") or make_title(to_text(markup) if markup else text, audio, link)
    if not title:
        return None
    guid = fields.id("guid")
    written = replace(dating, now=None)  # the day of "3 days ago", or of "May 3", depends on the poll
    day = parse_date(row["date"], written) if published else None
    length = _to_length(fields.get("length"))
    return Entry(
        source=name,
        key=fields.id("id") or guid or (link and strip_tracking(link)) or make_key(title, day, file.enclosure),
        title=title, position=position, guid=guid,
        link=link, ids=file.ids, html=markup, description=None if markup else text or None,
        published=published, duration=durations.parse(fields.text("length") if length is None else length * unit),
        enclosure=file.enclosure, season=fields.integer("season"), episode=fields.integer("episode"),
        episode_type=_TYPES.get((fields.text("type") or "").lower()),
        image=enclosures.resolve_url(base, fields.get("image")), show=options.get("show"),
        categories=tuple(dict.fromkeys(_list_texts(row["category"]))),
    )  # fmt: skip


def _get_first(value: object) -> object:
    """Return the first value of a list that is not null, else the value itself."""
    return next((each for each in value if each is not None), None) if isinstance(value, list) else value


def _list_texts(value: object) -> list[str]:
    """Return a text, or the texts of a list, of objects their ``name``."""
    return list(JsonObject({"all": value if isinstance(value, list) else [value]}).texts("all"))


def _to_number(value: object) -> float | None:
    """Return a number, ``None`` for anything else and for what no date or length can be."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MAX_NUMBER:
        return value
    return None


def _to_length(value: object) -> float | None:
    """Return a number, also one that is written as a text; ``None`` for anything else."""
    text = value.strip() if isinstance(value, str) else ""
    return float(text) if _DECIMAL.fullmatch(text) else _to_number(value)


def _find_unit(name: str, rows: Sequence[_Values], options: Mapping[str, str]) -> float:
    """Return the seconds of a length of 1: as the options say, or as the name of the field or its values let guess.

    Half of all items are longer than a day only where their lengths are milliseconds.
    """
    if (unit := options.get("unit")) is not None:
        if unit not in _UNITS:
            raise ReadError(f"{name}: option unit: {unit} is none of {', '.join(_UNITS)}")
        return _UNITS[unit]
    lengths = [number for row in rows if (number := _to_length(_get_first(row["length"])))]
    is_small = _MILLISECONDS.search(options.get("length", "")) or (lengths and median(lengths) > _DAY)
    return _UNITS["milliseconds" if is_small else "seconds"]


def _parse_dates(rows: Sequence[_Values], dating: Dating) -> list[Moment | None]:
    """Return the dates of a listing in its order, those that are texts without a year in the years of the others."""
    parsed = [parse_date(row["date"], dating) for row in rows]
    texts = [value if isinstance(value := _get_first(row["date"]), str) else "" for row in rows]
    return parsed if all(parsed) else [one or two for one, two in zip(parsed, find_dates(texts, dating), strict=True)]


def parse_date(value: object, dating: Dating = _PLAIN) -> Moment | None:
    """Return a date from a text, from a number of seconds or any smaller unit since 1970, or from a list.

    A list of numbers is year, month, day and time, as Jackson writes Java's LocalDateTime; of any other list the first
    value counts.
    """
    if isinstance(value, list) and len(value) >= len(("year", "month", "day")) and all(map(_is_whole, value)):
        numbers = (*value, 0, 0, 0)
        return dates.parse("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}".format(*numbers))
    value = _get_first(value)
    if (number := _to_number(value)) is not None:
        while abs(number) > _NEWEST_EPOCH:
            number /= 1000
        return dates.parse(f"{int(number):010d}")
    return find_date(value, dating) if isinstance(value, str) else None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_NUMBER


def _find_next(url: str, base: str, value: object, query: str | None) -> str | None:
    found = JsonObject({"next": _get_first(value)}).id("next")
    if not found:
        return None
    if query is None:
        return enclosures.resolve_url(base, found)
    parts = urlsplit(url)
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != query]
    return parts._replace(query=urlencode([*kept, (query, found)], safe="${}"), fragment="").geturl()
