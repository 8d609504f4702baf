"""The cache of a refresh: results of repair and reconcile, kept in the store under the digest of their input.

A kept value is found by all that it depends on, ``VERSION`` included, so it is what doing the work again would give:
emptying the cache changes no byte of what is published.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, TypeVar

from msgspec import Struct

from aggregator.store import cache as shelf
from aggregator.store.database import Store

T = TypeVar("T")

VERSION: Final = "2"
"""The version of the stages whose work is kept. Raise it in any commit that changes what repair or reconcile give."""

LOT = 500
"""Values asked for at once: enough for one query to be cheap, few enough not to be felt in memory."""


class Work(Struct, frozen=True):
    """What one run asked of a kind of work: how many of its values it had to make."""

    kind: str
    made: int = 0


def found(store: Store, feed: str, kind: str, digests: Iterable[str]) -> Mapping[str, bytes]:
    """The kept values for those of the digests that have one."""
    return shelf.read_cached(store, feed, kind, digests)


def add(store: Store, feed: str, kind: str, made: Mapping[str, bytes]) -> None:
    """Keep what was made of some contents, by their digests."""
    if made:
        shelf.write_cached(store, feed, kind, made)


def sweep(store: Store, feed: str, kind: str, used: Collection[str]) -> None:
    """Drop what nobody has asked for in a long while; ``used`` are the digests of all that this run asked for."""
    shelf.drop_unused(store, feed, kind, used)


def lots(contents: Iterable[T]) -> Iterator[list[T]]:
    """The contents in lots that are asked for at once."""
    rest = iter(contents)
    while some := list(islice(rest, LOT)):
        yield some
