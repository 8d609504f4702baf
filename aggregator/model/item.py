"""Item and PublishedItem: one entry of the canonical feed, and what must not change once it was published."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from aggregator.model.cluster import Pair
from aggregator.model.entry import Duration, Enclosure, EpisodeType, Genre, Moment, Note, Tag
from aggregator.model.record import Record


def sources_of(entries: Iterable[str]) -> tuple[str, ...]:
    """Return the sorted names of the sources of some entries; the id of an entry is ``source/key``."""
    return tuple(sorted({entry.partition("/")[0] for entry in entries}))


class Dissent(Record, frozen=True):
    """A source that gave another value, and that value."""

    source: str
    value: str


class Provenance(Record, frozen=True):
    """Origin of the value of one field.

    ``source`` gave the value, ``agreeing`` gave the same, ``dissent`` another; ``confidence`` is between
    0 and 1; ``notes`` are the repairs the value went through.
    """

    field: str
    source: str
    agreeing: tuple[str, ...] = ()
    dissent: tuple[Dissent, ...] = ()
    confidence: float = 1.0
    notes: tuple[Note, ...] = ()


class Item(Record, frozen=True):
    """One episode or post of the canonical feed; every field knows the source it is from.

    ``guid`` is empty until settle gives the promised one. ``description`` is plain text; ``html`` is that source's
    own markup (not yet sanitised) where its text is the one chosen. ``cut`` is true where no source had the whole
    text. ``rank`` orders items of one time: as on the page where they were first seen. ``part`` and
    ``tag`` are what the title says of itself (2 for "Part 2"; "bonus", "replay", ...); ``prefix`` and ``suffix`` are
    what the show puts round the title's own words, as they stand in the title ("447. ", " | LUP 232").
    ``plain_title`` is true where the title is that of an entry whose format says that its angle brackets are text.
    """

    title: str
    entries: tuple[str, ...]
    genre: Genre = "episode"
    guid: str = ""
    description: str | None = None
    html: str | None = None
    summary: str | None = None
    cut: bool = False
    published: Moment | None = None
    updated: Moment | None = None
    duration: Duration | None = None
    enclosure: Enclosure | None = None
    link: str | None = None
    season: int | None = None
    episode: int | None = None
    number: str | None = None
    part: int | None = None
    tag: str | None = None
    plain_title: bool = False
    prefix: str | None = None
    suffix: str | None = None
    episode_type: EpisodeType | None = None
    explicit: bool | None = None
    image: str | None = None
    author: str | None = None
    language: str | None = None
    categories: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    rank: int = 0
    origin: str | None = None
    provenance: tuple[Provenance, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that list it, sorted."""
        return sources_of(self.entries)

    def source_of(self, field: str) -> str | None:
        """Return the source that a field's value is from, ``None`` where that is not known."""
        return next((origin.source for origin in self.provenance if origin.field == field), None)


class PublishedItem(Record, frozen=True):
    """Permanent state of one published item.

    ``published`` is frozen (only its precision may grow), but for a date that ``dated`` gave, a source trusted less
    than another: it may be replaced once, and ``dated`` is ``None`` then. ``entries`` are the ids that belong to it.
    ``alias_of`` names the guid that lives where two published items were found to be one; with ``decided`` a person
    parted it from that one, and it is an item while the decision stands. ``buried`` says why the item left. ``minted``
    is when it was first published. ``digest`` is of the content last published, and ``updated`` when that changed,
    ``None`` if it never did. ``numbered_title`` is its published title if an older item of that day has the same one.
    ``audio`` is the address of the audio last published.
    """

    guid: str
    minted: datetime
    published: Moment
    entries: tuple[str, ...]
    title: str
    genre: Genre = "episode"
    rank: int = 0
    alias_of: str | None = None
    buried: str | None = None
    digest: str = ""
    updated: datetime | None = None
    numbered_title: str | None = None
    dated: str | None = None
    audio: str | None = None
    decided: bool = False


class Override(Record, frozen=True):
    """A person's value for one field of one item, used whatever the sources list."""

    guid: str
    field: str
    value: str


WhyHeld = Literal["unconfirmed", "perhaps published", "quota", "never", "declined", "removed", "due"]


class HeldItem(Record, frozen=True):
    """A new item that is not published yet: what it is, why, and until when at the latest.

    ``until`` is ``None`` where it has no set end: a later refresh, another source, a person, or the config ends it.
    """

    title: str
    entries: tuple[str, ...]
    why: WhyHeld
    until: datetime | None = None
    published: Moment | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that list it, sorted."""
        return sources_of(self.entries)


class LeftOut(Record, frozen=True):
    """An entry or item that a filter leaves out, and the condition: ``only title``; ``source`` is empty for an item."""

    title: str
    entries: tuple[str, ...]
    why: str
    source: str = ""
    published: Moment | None = None


class Admission(Record, frozen=True):
    """New items that are held, sorted by entries, and when to decide again if nothing changes (``None``: never)."""

    held: tuple[HeldItem, ...] = ()
    until: datetime | None = None


class Settlement(Record, frozen=True):
    """The items to be published, newest first, and the records of all published ones, sorted by guid.

    ``new`` and ``changed`` are the guids that this run publishes first and changes. ``events`` are lines about changes
    of this run: published items that were merged, a guid already taken, a date in the future. ``remarks`` are lines
    that stay true from run to run: audio listed twice.
    """

    items: tuple[Item, ...]
    published_items: tuple[PublishedItem, ...]
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
