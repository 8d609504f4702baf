"""Entry and Listing: one item as one source lists it, and the content of one document."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from aggregator.model.record import Record

Genre = Literal["episode", "post"]
Precision = Literal["guess", "year", "day", "minute", "second"]
EpisodeType = Literal["full", "trailer", "bonus"]

PRECISIONS: tuple[Precision, ...] = ("guess", "year", "day", "minute", "second")


class Moment(Record, frozen=True):
    """A point in time and its precision; ``zoned`` is false where the source named no zone (UTC assumed).

    A published item that no source dates may have a "guess". ``infers_year`` is true where the source wrote no year.
    """

    at: datetime
    precision: Precision = "second"
    zoned: bool = True
    infers_year: bool = False


class Duration(Record, frozen=True):
    """A length in whole seconds; ``step`` is the grain it was given in: 1 where exact, 60 where in minutes."""

    seconds: int
    step: int = 1


class Enclosure(Record, frozen=True):
    """The media file of an item (RSS 2.0, ``<enclosure>``); ``length`` in bytes, ``None`` where unknown or 0."""

    url: str
    type: str | None = None
    length: int | None = None


class Tag(Record, frozen=True):
    """An element of the podcast namespace as the source gave it, such as ``podcast:transcript``."""

    name: str
    text: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple[Tag, ...] = ()

    def to_line(self) -> str:
        """Return its name, its attributes and its text on one line.

        >>> Tag("podcast:transcript", attributes=(("url", "https://host.example/1.vtt"),)).to_line()
        'podcast:transcript url=https://host.example/1.vtt'
        """
        return " ".join((self.name, *(f"{name}={value}" for name, value in self.attributes), self.text or "")).rstrip()


class Note(Record, frozen=True):
    """One change made to one field, replayable: ``cause`` names the fixer; ``before`` and ``after`` are the texts."""

    field: str
    cause: str
    before: str
    after: str


class FullText(Record, frozen=True):
    """The text of an entry's page as HTML, and the address of the page."""

    url: str
    html: str


class Span(Record, frozen=True):
    """From which to which listing of its source an entry was present; listings of a source are counted from 1.

    Archived copies (``history``) have the numbers before that.

    Two entries of one source whose spans overlap were listed side by side, so they are two items; where the
    spans do not overlap, one may be the other under a new id.
    """

    first: int = 1
    last: int = 1


class Entry(Record, frozen=True):
    """One item as one source lists it: its fields, how precise they are, and where the text was cut or damaged.

    ``key`` is unique within the source and survives a re-reading: the guid where there is one, else the
    directory's own id, the link, or the folded title. ``position`` counts from 0 in the order of the listing.
    ``html`` is the main text where the source gave markup, ``description`` where it gave plain text; repair fills
    ``description`` from ``html``. ``summary`` is a separate short text. ``cut`` is true where the description is
    known to be cut. ``plain_title`` is true where the format says that the angle brackets of the title are text
    (Atom's type "text": RFC 4287, 3.1.1.1). ``ids`` are further hard ids as (scheme, value):
    ``("apple", "1000664250427")``, ``("simplecast", uuid)``. ``number`` is the episode number as displayed where it is
    not a whole number. ``element`` is the digest of the element from which all of this was read, ``None`` if other
    elements had a part in it.
    """

    source: str
    key: str
    title: str
    genre: Genre = "episode"
    position: int = 0
    guid: str | None = None
    ids: tuple[tuple[str, str], ...] = ()
    link: str | None = None
    plain_title: bool = False
    description: str | None = None
    html: str | None = None
    summary: str | None = None
    cut: bool = False
    published: Moment | None = None
    updated: Moment | None = None
    duration: Duration | None = None
    enclosure: Enclosure | None = None
    season: int | None = None
    episode: int | None = None
    number: str | None = None
    episode_type: EpisodeType | None = None
    explicit: bool | None = None
    image: str | None = None
    author: str | None = None
    language: str | None = None
    show: str | None = None
    categories: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    notes: tuple[Note, ...] = ()
    span: Span = Span()
    element: str | None = None

    @property
    def id(self) -> str:
        """The entry's name in the store and in reports: source and key."""
        return f"{self.source}/{self.key}"


class Show(Record, frozen=True):
    """The show as one source describes it; ``total`` is the number of items that it states."""

    title: str | None = None
    link: str | None = None
    description: str | None = None
    author: str | None = None
    image: str | None = None
    language: str | None = None
    copyright: str | None = None
    explicit: bool | None = None
    type: Literal["episodic", "serial"] | None = None
    complete: bool = False
    categories: tuple[tuple[str, ...], ...] = ()
    feed_url: str | None = None
    new_feed_url: str | None = None
    guid: str | None = None
    total: int | None = None
    tags: tuple[Tag, ...] = ()


class Rhythm(Record, frozen=True):
    """Polling wishes of a document: a least interval, and UTC hours and days (Monday is 0) to leave out.

    RSS 2.0 ``ttl``, ``skipHours``, ``skipDays``; RSS 1.0 syndication module ``sy:updatePeriod``.
    """

    interval: timedelta | None = None
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()


class Listing(Record, frozen=True):
    """Content of one document: its entries in their order, the show, and remarks on how it was parsed.

    ``partial`` is true where the listing is known to show only some of the items, so that absence proves nothing.
    ``remarks`` are one-line observations for the report, such as that the bytes were not well-formed. ``next_url`` is
    the address of the next page of the same listing, ``hub`` that of the WebSub hub that it names.
    """

    entries: tuple[Entry, ...]
    show: Show = Show()
    rhythm: Rhythm = Rhythm()
    partial: bool = False
    remarks: tuple[str, ...] = ()
    next_url: str | None = None
    hub: str | None = None
