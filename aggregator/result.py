"""Records of a refresh: its progress, what a feed was composed to, what was published, and its outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import StoreError
from aggregator.generator.files import WrittenFile
from aggregator.merger.identity.settle import Settlement
from aggregator.model.feed import Feed, Plan, SourceResult
from aggregator.model.record import Record


class Progress(Struct, frozen=True):
    """A step of a refresh: a feed, a source of it (empty after parsing), and the stage."""

    feed: str
    source: str
    stage: str
    message: str = ""
    done: int = 0
    total: int = 0


Listener = Callable[[Progress], None]


def ignore_progress(_progress: Progress) -> None:
    """Do nothing with the progress of a refresh."""


class Learned(Struct, frozen=True):
    """Something learned from a feed, as JSON, and from how many entries or items."""

    size: int
    text: str


class Composition(Struct, frozen=True):
    """A feed composed from the store, with what is to be kept and reported of it.

    ``entries`` counts the stored entries, ``repaired`` those that were repaired. ``fingerprint`` is of all that
    subscribers see. ``alarms`` are what a person should look at while it lasts. ``until`` is when the same store gives
    another feed, ``None`` if time alone changes nothing; ``arrived`` is one line for each source of which this run
    first saw items that are held.
    """

    feed: Feed
    settlement: Settlement
    entries: int
    repaired: int
    fingerprint: str
    alarms: tuple[str, ...]
    match_table: Learned
    source_model: Learned
    until: datetime | None = None
    arrived: tuple[str, ...] = ()


class FileState(Record, frozen=True):
    """A published file as it was written: its name under the output folder, bytes, and time in nanoseconds."""

    name: str
    size: int
    written: int


class Publication(Record, frozen=True):
    """The last publication of one feed: digest of its input, figures of the summary, and its files.

    ``input`` is the digest of all that the feed is made from besides its entries. ``held`` is one line for each source
    whose new items are held. ``until`` is when time alone makes it another feed, ``None`` for never.
    """

    input: str
    entries: int = 0
    items: int = 0
    episodes: int = 0
    posts: int = 0
    repaired: int = 0
    near_misses: int = 0
    alarms: tuple[str, ...] = ()
    files: tuple[FileState, ...] = ()
    held: tuple[str, ...] = ()
    until: datetime | None = None


class Outcome(Struct, frozen=True):
    """The outcome of a refresh for one feed.

    ``source_results`` are this run's; ``entries`` counts the entries read in this run, ``stored`` those in the store.
    ``new`` and ``changed`` count items, ``repaired`` entries. ``alarms`` are what a person should look at. ``failures``
    say why files could not be written (the old ones stand until a later run), or why the store could not note that the
    new ones stand (the next run writes them again). ``held`` is one line for each source whose new items are held.
    """

    feed: str
    source_results: tuple[SourceResult, ...] = ()
    entries: int = 0
    stored: int = 0
    items: int = 0
    episodes: int = 0
    posts: int = 0
    new: int = 0
    changed: int = 0
    repaired: int = 0
    near_misses: int = 0
    files: tuple[WrittenFile, ...] = ()
    alarms: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


def unchanged_outcome(plan: Plan, results: tuple[SourceResult, ...], publication: Publication) -> Outcome:
    """Return the outcome of a feed of which nothing new was published."""
    return Outcome(
        feed=plan.name,
        source_results=results,
        entries=sum(result.entries for result in results),
        stored=publication.entries,
        items=publication.items,
        episodes=publication.episodes,
        posts=publication.posts,
        repaired=publication.repaired,
        near_misses=publication.near_misses,
        files=unchanged_files(publication),
        alarms=publication.alarms,
        held=publication.held,
    )


def unchanged_files(publication: Publication) -> tuple[WrittenFile, ...]:
    """Return the files of a publication as not written again."""
    return tuple(WrittenFile(each.name, changed=False) for each in publication.files)


def with_note_failure(outcome: Outcome, error: StoreError) -> Outcome:
    """Return the outcome of a feed whose files are published, but not noted: the next run writes them again."""
    if outcome.failures:
        return outcome
    return replace(outcome, failures=(f"{outcome.feed}: published, but not noted: {error}",))


def describe_failures(outcomes: Sequence[Outcome]) -> str:
    """Return why there is nothing to publish, one line for each source."""
    lines = [f"{each.feed}: {one.source.name}: {one.message}" for each in outcomes for one in each.source_results]
    return "nothing could be fetched and nothing was remembered" + "".join(f"\n  {line}" for line in lines)
