"""What a run tells of itself: its progress while it works, and the outcome of each feed for the summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from aggregator.errors import StoreError
from aggregator.generator.files import WrittenFile
from aggregator.model.feed import Plan, SourceResult
from aggregator.unchanged_output import Standing


class Progress(Struct, frozen=True):
    """Where a refresh is: a feed, a source of it (empty for the stages after reading), and what is being done."""

    feed: str
    source: str
    stage: str
    message: str = ""
    done: int = 0
    total: int = 0


class Outcome(Struct, frozen=True):
    """What a refresh of one feed came to.

    ``source_results`` are this run's; ``entries`` is how many entries were read in this run, ``remembered`` how many
    the store holds. ``new`` and ``changed`` count items, ``repaired`` the entries that needed mending. ``alarms`` are
    what a person should look at, ``failures`` why files could not be written: the old ones stand until a later run;
    or why it could not be noted that the new ones stand: the next run makes them again. ``held`` is one line for each
    source whose new items are not published yet.
    """

    feed: str
    source_results: tuple[SourceResult, ...] = ()
    entries: int = 0
    remembered: int = 0
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


Listener = Callable[[Progress], None]


def quiet(_progress: Progress) -> None:
    """Listen to nothing."""


def outcome(plan: Plan, told: tuple[SourceResult, ...], stands: Standing) -> Outcome:
    """What the refresh of one feed came to where nothing new was published."""
    return Outcome(
        feed=plan.name,
        source_results=told,
        entries=sum(source_result.entries for source_result in told),
        remembered=stands.remembered,
        items=stands.items,
        episodes=stands.episodes,
        posts=stands.posts,
        repaired=stands.repaired,
        near_misses=stands.near_misses,
        files=files(stands),
        alarms=stands.alarms,
        held=stands.held,
    )


def files(stands: Standing) -> tuple[WrittenFile, ...]:
    """The files that stand as they stood."""
    return tuple(WrittenFile(each.name, changed=False) for each in stands.files)


def silence(outcomes: Sequence[Outcome]) -> str:
    """Why there is nothing to publish: one line for each source."""
    said = [
        f"{each.feed}: {source_result.source.name}: {source_result.message}"
        for each in outcomes
        for source_result in each.source_results
    ]
    return "nothing could be fetched and nothing was remembered" + "".join(f"\n  {line}" for line in said)


def not_noted(done: Outcome, error: StoreError) -> Outcome:
    """Return the outcome of a feed whose files stand, but could not be noted: the next run makes them again.

    Nothing is lost: what was promised was committed before, and the files are whole.
    """
    return done if done.failures else replace(done, failures=(f"{done.feed}: published, but not noted: {error}",))
