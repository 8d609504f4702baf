"""The inbox of a person: sources that fail, pairs to decide, and held items, by feed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from aggregator import opml_lists, persist
from aggregator.errors import AggregatorError
from aggregator.model.feed import Plan
from aggregator.opml_lists import UnlistedFeed
from aggregator.service.desk.frame import Desk, MenuCounts
from aggregator.store import decisions, publications
from aggregator.store.database import Store


class FailingSource(Struct, frozen=True):
    """A source that gave no usable listing when it was last polled, and why."""

    name: str
    status: str
    message: str


class Waiting(Struct, frozen=True):
    """Sources, pairs and items of a feed that wait for a person.

    ``pairs`` are the ids of entries that may be one item, the most uncertain first, without those decided since the
    last publication. ``held`` is one line for each source whose new items are held, ``unlisted`` are the OPML
    lists that have the feed no more.
    """

    feed: str
    title: str
    failing: tuple[FailingSource, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    held: tuple[str, ...] = ()
    unlisted: tuple[UnlistedFeed, ...] = ()

    @property
    def is_any(self) -> bool:
        """Return whether anything waits."""
        return bool(self.failing or self.pairs or self.held or self.unlisted)


def read_waiting(store: Store, plans: Sequence[Plan], lists: Sequence[str] = ()) -> dict[str, Waiting]:
    """Return what waits in each of the feeds, by name, those in which nothing waits included.

    ``lists`` are the OPML lists with which the config is kept in step.
    """
    unlisted = tuple(opml_lists.find_unlisted(store, lists, plans))
    published, results = publications.read_publications(store), persist.read_results_of_feeds(store)
    found: dict[str, Waiting] = {}
    for plan in plans:
        last = published.get(plan.name)
        failing = (each for each in results.get(plan.name, ()) if each.is_failing)
        found[plan.name] = Waiting(
            plan.name,
            plan.channel.title,
            tuple(FailingSource(each.source.name, each.standing, each.message) for each in failing),
            _find_open(store, plan, last.undecided) if last and last.undecided else (),
            last.held if last else (),
            tuple(each for each in unlisted if each.feed == plan.name),
        )
    return found


def _find_open(store: Store, plan: Plan, pairs: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the pairs that were not decided since."""
    decided = {frozenset((each.left, each.right)) for each in decisions.read_decisions(store, plan.name)}
    return tuple(pair for pair in pairs if frozenset(pair) not in decided)


def count_waiting(desk: Desk) -> MenuCounts:
    """Return the numbers of the menu; nothing if the store cannot be read."""
    try:
        with desk.open_store() as store:
            waiting = read_waiting(store, desk.config.plans).values()
    except AggregatorError:
        return MenuCounts()
    return MenuCounts(sum(len(each.failing) for each in waiting), sum(len(each.pairs) for each in waiting))
