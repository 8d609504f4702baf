"""Keep pages that were fetched, drafts and notices until the next page shows them, within limits for each visitor."""

from __future__ import annotations

import secrets
from threading import Lock
from typing import Final

import msgspec
from msgspec import Struct

MOST_VALUES: Final = 100
MOST_BYTES: Final = 30_000_000
"""Of one visitor; then the oldest are dropped, but for the last one."""

MOST_BYTES_OF_ALL: Final = 200_000_000
"""Of all visitors; then the oldest of the visitor with the most bytes are dropped."""

_LEAST_BYTES: Final = 10_000
"""Counted of a small value, so that the bytes limit the number of values of all visitors, too."""


class _Cached(Struct, frozen=True):
    visitor: str
    size: int
    value: object


class VisitorCache:
    """Values of visitors, the oldest first, under numbers that cannot be guessed."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._lock = Lock()
        self._cached: dict[str, _Cached] = {}

    def add(self, visitor: str, value: object, number: str = "") -> str:
        """Keep a value of a visitor, and return its number; ``number`` is that of one to replace."""
        number = number or secrets.token_urlsafe(9)
        size = max(_LEAST_BYTES, len(msgspec.msgpack.encode(value, enc_hook=repr)))
        with self._lock:
            self._cached.pop(number, None)
            self._cached[number] = _Cached(visitor, size, value)
            self._drop_of(visitor)
            while sum(each.size for each in self._cached.values()) > MOST_BYTES_OF_ALL:
                self._drop_of_largest()
        return number

    def find(self, number: str) -> object:
        """Return the value of the number, ``None`` if it was dropped."""
        with self._lock:
            found = self._cached.get(number)
        return found.value if found else None

    def _drop_of(self, visitor: str) -> None:
        """Drop the oldest values of a visitor that has more than it may have."""
        own = {number: each.size for number, each in self._cached.items() if each.visitor == visitor}
        for number in list(own)[:-1]:
            if len(own) <= MOST_VALUES and sum(own.values()) <= MOST_BYTES:
                return
            del own[number], self._cached[number]

    def _drop_of_largest(self) -> None:
        """Drop the oldest value of the visitor with the most bytes."""
        sizes: dict[str, int] = {}
        for each in self._cached.values():
            sizes[each.visitor] = sizes.get(each.visitor, 0) + each.size
        largest = max(sizes, key=lambda visitor: sizes[visitor])
        del self._cached[next(number for number, each in self._cached.items() if each.visitor == largest)]
