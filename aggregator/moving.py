"""Take a source out of its feed, for good or into another feed; each can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from aggregator.config import change, edit
from aggregator.config.load import Config, load
from aggregator.config.messages import suggest
from aggregator.config.parse import ParsedYaml
from aggregator.errors import ConfigError
from aggregator.model.feed import Plan
from aggregator.store import connection, database, decisions
from aggregator.store.database import Store
from aggregator.store.entries import find_other_sources, read_entries
from aggregator.store.renaming import copy_source


class Move(Struct, frozen=True):
    """A source that leaves its feed: into the feed ``to``, under ``name``, or for good if ``to`` is ``None``.

    ``forgets`` is whether its entries are ignored in the feed that it leaves, so that items of it alone leave, too.
    ``empties`` is whether that feed has no other source; it then leaves the config.
    """

    feed: str
    source: str
    to: str | None = None
    name: str = ""
    forgets: bool = False
    empties: bool = False

    @property
    def feeds(self) -> tuple[str, ...]:
        """Return the feeds of the config afterwards in which something may change."""
        return tuple(name for name in ("" if self.empties else self.feed, self.to) if name)


def make_move(config: Config, plan: Plan, source: str, to: str | None = None, *, forgets: bool = False) -> Move:
    """Return the move of a source of a feed; raise ConfigError if the feed ``to`` is not in the config or has it.

    Where the name is that of another source of that feed, or was, it gets the next free one. What was forgotten before
    is not forgotten by the move.
    """
    empties, others = len(plan.sources) == 1, frozenset[str]()
    if connection.has_content(config.state):
        with database.open_store(config.state) as store:
            forgets = forgets and source not in decisions.read_forgotten(store, plan.name)
            listed = (each.entry for each in read_entries(store, plan.name) if each.entry.source == source)
            others = find_other_sources(store, to, listed) if to else others
    if to is None:
        return Move(plan.name, source, forgets=forgets, empties=empties)
    there = {each.name: each for each in config.plans}
    if to not in there:
        raise ConfigError(f'the config has no feed "{to}"; {suggest(to, sorted(there))}')
    if to == plan.name:
        raise ConfigError(f"{source} is a source of {to} already")
    name = edit.find_free_name(source, others.union(each.name for each in there[to].sources))
    return Move(plan.name, source, to, name, forgets and not empties, empties)


def _change_config(given: Move) -> Callable[[ParsedYaml], ParsedYaml]:
    """Return what makes the move in a config, and raises ConfigError where it cannot.

    A primary source that leaves is the feed's primary one no more.
    """

    def make(before: ParsedYaml) -> ParsedYaml:
        place = ("feeds", given.feed)
        if not given.empties and change.read_keys(before, place).get("primary") == given.source:
            before = change.change_keys(before, place, {"primary": None})
        if given.to is None:
            return change.remove(before, given.feed, given.source)
        return change.move(before, given.feed, given.source, given.to, given.name)

    return make


def decide(store: Store, given: Move, at: datetime, *, undo: bool = False) -> None:
    """Have the feed that the source leaves ignore its entries, and the feed to which it goes use all of them.

    With ``undo`` it is the other way round.
    """
    if given.forgets:
        _set_forgotten(store, given.feed, given.source, at, forgotten=not undo)
    if given.to is not None:
        if not undo:
            copy_source(store, given.feed, given.source, given.to, given.name)
        _set_forgotten(store, given.to, given.name, at, forgotten=undo)


def _set_forgotten(store: Store, feed: str, source: str, at: datetime, *, forgotten: bool) -> None:
    if (source in decisions.read_forgotten(store, feed)) is not forgotten:
        (decisions.forget_source if forgotten else decisions.restore_source)(store, feed, source, at)


def carry_out(config: Config, given: Move, at: datetime) -> tuple[str, str]:
    """Make the move in the config and the store; return the text of the config before and after; raise ConfigError."""
    texts = edit.rewrite(config.path, _change_config(given))
    if connection.has_content(config.state):
        with database.open_store(config.state) as store:
            decide(store, given, at)
    return texts


def take_back(config: Config, given: Move, texts: tuple[str, str], at: datetime) -> None:
    """Undo a move; raise ChangedError if the config was changed since."""
    edit.restore(config.path, *texts)
    if connection.has_content(config.state):
        with database.open_store(config.state) as store:
            decide(store, given, at, undo=True)


@contextmanager
def open_draft(path: Path, given: Move, ending: str) -> Iterator[Config]:
    """Give the config as it would be after the move; raise ConfigError if it would be wrong."""
    draft = edit.write_draft(path, _change_config(given), ending)
    try:
        yield load(draft)
    finally:
        draft.unlink(missing_ok=True)
