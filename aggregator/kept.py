"""Work that is not done again: what a content was made into is kept in the ledger under the content's digest.

A kept value is never the truth. It is asked for by all that it depends on, the program's own code among it, so that
the answer is the one that making it anew would give; emptying the cache changes no byte of what is published.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from importlib import metadata
from itertools import islice
from pathlib import Path
from sys import version_info
from typing import TypeVar

from msgspec import Struct

from aggregator.ledger import cache as shelf
from aggregator.ledger.ledger import Ledger

T = TypeVar("T")

ROOMS = ("text", "merger", "model", "ledger", "generator")
"""The rooms whose code decides what is kept: any change in them and everything is made anew, once."""

LIBRARIES = ("aggregator", "ftfy", "lxml", "nh3", "rapidfuzz", "wordfreq", "feedgen", "jinja2", "markupsafe")
"""What else must be the same: the program's own release, and the libraries whose answers are kept."""

LOT = 500
"""Values asked for at once: enough for one query to be cheap, few enough not to be felt in memory."""


class Work(Struct, frozen=True):
    """What one run asked of a kind of work: how many of its values it had to make."""

    kind: str
    made: int = 0


def found(book: Ledger, feed: str, kind: str, digests: Iterable[str]) -> Mapping[str, bytes]:
    """The kept values for those of the digests that have one."""
    return shelf.cached(book, feed, kind, VERSION, list(digests))


def add(book: Ledger, feed: str, kind: str, made: Mapping[str, bytes]) -> None:
    """Keep what was made of some contents, by their digests."""
    if made:
        shelf.keep_cached(book, feed, kind, VERSION, made)


def sweep(book: Ledger, feed: str, kind: str, used: Collection[str]) -> None:
    """Drop what nobody has asked for in a long while; ``used`` are the digests of all that this run asked for."""
    shelf.sweep(book, feed, kind, VERSION, used)


def lots(contents: Iterable[T]) -> Iterator[list[T]]:
    """The contents in lots that are asked for at once."""
    rest = iter(contents)
    while some := list(islice(rest, LOT)):
        yield some


def _version() -> str:
    """The digest of the code that does the work, and of the versions of the libraries that it asks."""
    said = blake2b(repr([version_info[:3], *map(metadata.version, LIBRARIES)]).encode(), digest_size=8)
    here = Path(__file__).parent
    for path in sorted(path for room in ROOMS for path in (here / room).rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            said.update(path.read_bytes())
    return said.hexdigest()


VERSION = _version()
"""Read when the program starts, as its code is: an upgrade beneath a running service must not be taken for it."""
