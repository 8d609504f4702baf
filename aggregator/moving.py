"""Take a source out of its feed, for good or into another feed; each can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec import Struct

from aggregator.config import change, edit
from aggregator.config.load import load
from aggregator.config.names import find_free_name
from aggregator.config.parse import ParsedYaml
from aggregator.config.settings import Config
from aggregator.config.suggestions import suggest
from aggregator.errors import AggregatorError, ConfigError
from aggregator.model.feed import Plan
from aggregator.store import database, decisions
from aggregator.store.database import Store
from aggregator.store.entries import find_other_sources, read_entries
from aggregator.store.facts import Fact
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


class _Begun(Struct, frozen=True):
    """A move, or with ``undo`` the undoing of one, that is not finished in the store."""

    move: Move
    undo: bool = False


_BEGUN: Final = Fact("begun move", _Begun)
"""The fact of no feed with the move that is being made, so that the next refresh finishes it if it is killed."""


def make_move(config: Config, plan: Plan, source: str, to: str | None = None, *, forgets: bool = False) -> Move:
    """Return the move of a source of a feed; raise ConfigError if the feed ``to`` is not in the config or has it.

    Where the name is that of another source of that feed, or was, it gets the next free one. What was forgotten before
    is not forgotten by the move.
    """
    empties, others = len(plan.sources) == 1, frozenset[str]()
    with database.open_existing(config.state) as store:
        if store is not None:
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
    name = find_free_name(source, others.union(each.name for each in there[to].sources))
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
    with _deciding(config, _Begun(given), at):
        return edit.rewrite(config.path, _change_config(given))


def take_back(config: Config, given: Move, texts: tuple[str, str], at: datetime) -> None:
    """Undo a move; raise ChangedError if the config was changed since."""
    with _deciding(config, _Begun(given, undo=True), at):
        edit.restore(config.path, *texts)


@contextmanager
def _deciding(config: Config, begun: _Begun, at: datetime) -> Iterator[None]:
    """Make a move in the store once the body has made it in the config; what is between them is in the store before."""
    with database.open_existing(config.state) as store:
        if store is None:
            yield
            return
        complete(config, store, at)
        _BEGUN.write(store, "", begun)
        try:
            yield
        except AggregatorError:
            _BEGUN.write(store, "", None)
            raise
        with database.transaction(store) as tx:
            decide(tx, begun.move, at, undo=begun.undo)
            _BEGUN.write(tx, "", None)


def complete(config: Config, store: Store, at: datetime) -> None:
    """Make a move in the store that was killed once it was in the config; let go of one that was killed before."""
    begun = _BEGUN.read(store, "")
    if begun is None:
        return
    named = {(plan.name, each.name) for plan in config.plans for each in plan.sources}
    here, there = (begun.move.feed, begun.move.source), (begun.move.to, begun.move.name)
    left, reached = (there, here) if begun.undo else (here, there)
    with database.transaction(store) as tx:
        if left not in named and (reached in named or reached[0] is None):
            decide(tx, begun.move, at, undo=begun.undo)
        _BEGUN.write(tx, "", None)


@contextmanager
def open_draft(path: Path, given: Move, ending: str) -> Iterator[Config]:
    """Give the config as it would be after the move; raise ConfigError if it would be wrong."""
    draft = edit.write_draft(path, _change_config(given), ending)
    try:
        yield load(draft)
    finally:
        draft.unlink(missing_ok=True)
