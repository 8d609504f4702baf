"""Records of a refresh: its progress, what a feed was composed to, what was published, and its outcome.

What a refresh says is of one of these sorts:

- A *remark* is an observation that does not ask for anything, about a document (`Listing`), a source, or a feed; it
  stays while it is true. It stands in ``report.json`` and on the page of the report.
- An *alarm* is what a person should look at, while it lasts. It is printed by each refresh, on stderr.
- An *event* is what a run has changed or decided: published items that were merged, a guid already taken, a decision of
  a person. It is said once, and kept (``aggregator events``).
- A *failure* says why a feed could not be published, or not noted as published; the exit code is 1. A source that
  fails is none: the feed is published with what is stored of it, and its `SourceResult` says why.
- An *error* (`aggregator.errors`) ends what raises it, with one line for a person. At the border of a source or of a
  feed it becomes its result; elsewhere it ends the command.
- *Progress* is a step of a run that is under way, for a person who watches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date, datetime

from msgspec import Struct

from aggregator.model.feed import Feed, SourceResult
from aggregator.model.feed_model import FeedModel
from aggregator.model.files import FileState, WrittenFile
from aggregator.model.item import Settlement
from aggregator.model.record import Record


class Progress(Struct, frozen=True):
    """A step of a refresh: a feed, a source of it (empty after parsing), and the stage."""

    feed: str
    source: str
    stage: str
    message: str = ""


Listener = Callable[[Progress], None]


def ignore_progress(_progress: Progress) -> None:
    """Do nothing with the progress of a refresh."""


_MOST_ALIKE = 5
"""Sources of a feed that are told if they have one reason; a host that is down may have thousands."""

MOST_TITLES = 10


class Composition(Struct, frozen=True):
    """A feed composed from the store, with what is to be kept and reported of it.

    ``entries`` counts the stored entries, ``repaired`` those that were repaired. ``fingerprint`` is of all that
    subscribers see. ``alarms`` are what a person should look at while it lasts. ``until`` is when the same store gives
    another feed, ``None`` if time alone changes nothing; ``arrived`` is one line for each source that first
    listed items in this run that are held.
    """

    feed: Feed
    settlement: Settlement
    entries: int
    repaired: int
    fingerprint: str
    alarms: tuple[str, ...]
    model: FeedModel
    until: datetime | None = None
    arrived: tuple[str, ...] = ()


class Announcement(Record, frozen=True):
    """A new item that is still to be told: its JSON as in ``feed.json``, and to whom it was told already.

    Of a feed's first publication there is one for all items, without a guid.
    """

    guid: str
    since: datetime
    item: str
    by_message: bool = False
    by_webhook: bool = False


class Publication(Record, frozen=True):
    """The last publication of one feed: digest of its input, figures of the summary, and its files.

    ``input`` is the digest of all that the feed is made from besides its entries. ``merged`` counts the entries of
    items beside the first of each. ``held`` is one line for each source whose new items are held, ``left_out`` one for
    each condition of a filter. ``until`` is when time alone makes it another feed, ``None`` for never. ``has_audio`` is
    whether any item has an enclosure. ``new_items`` counts the items that were first published on each of
    the last days, without those of the feed's first publication. ``undecided`` are the ids of each near miss.
    """

    input: str
    entries: int = 0
    items: int = 0
    merged: int = 0
    episodes: int = 0
    posts: int = 0
    repaired: int = 0
    near_misses: int = 0
    alarms: tuple[str, ...] = ()
    files: tuple[FileState, ...] = ()
    held: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    until: datetime | None = None
    has_audio: bool = True
    new_items: tuple[tuple[date, int], ...] = ()
    undecided: tuple[tuple[str, str], ...] = ()

    @property
    def unchanged_files(self) -> tuple[WrittenFile, ...]:
        """Return the files as not written again."""
        return tuple(WrittenFile(each.name, changed=False) for each in self.files)


class NextPoll(Struct, frozen=True):
    """The next poll of a source, ``None`` if there is none any more, and the reason, empty if the source is due."""

    at: datetime | None
    why: str


class ChangedTitles(Struct, frozen=True):
    """Titles of items that a run first published or changed, at most ``MOST_TITLES`` of each."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


class Outcome(Struct, frozen=True):
    """The outcome of a refresh for one feed.

    ``source_results`` are this run's; ``published`` is what stands now, without input and files if nothing does.
    ``new`` and ``changed`` count items, ``titles`` are those of some of them. ``alarms``
    are what a person should look at. ``failures`` say why files could not be written (the old ones stand until a later
    run), or why the store could not note that the new ones stand (the next run writes them again).
    ``health`` is what ``report.json`` says of each source, also of those that were not due in this run.
    ``is_put_off`` is whether the feed was left for later because another machine asks a host of it, ``is_refused``
    whether it waits for a person to change the config.
    """

    feed: str
    source_results: tuple[SourceResult, ...] = ()
    published: Publication = Publication("")
    new: int = 0
    changed: int = 0
    files: tuple[WrittenFile, ...] = ()
    alarms: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    titles: ChangedTitles = ChangedTitles()
    health: tuple[SourceResult, ...] = ()
    is_put_off: bool = False
    is_refused: bool = False


def limit_alike(results: Iterable[SourceResult]) -> tuple[list[SourceResult], list[str]]:
    """Return the results but for many that have one reason, and a line about the number of these for each reason."""
    shown, counts = list[SourceResult](), Counter[str]()
    for each in results:
        reason = each.message.partition(": ")[2]  # the address stands before it
        counts[reason] += 1
        if not reason or counts[reason] <= _MOST_ALIKE:
            shown.append(each)
    many = ((reason, count - _MOST_ALIKE) for reason, count in counts.items() if reason and count > _MOST_ALIKE)
    return shown, [f"{count} more source{'s' * (count > 1)}: {reason}" for reason, count in many]
