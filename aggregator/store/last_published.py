"""Each item of a feed as subscribers last saw it, an item a row: what the next run's changes are told from.

A line is what ``generator.seen`` made of the item. Kept as one value they were read and written whole in every run
with news, which took 65 MB of 20,000 items; now nobody holds more than some hundreds of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct
from sqlalchemy import delete, select

from aggregator.store.database import Store, among, each, reading, writing
from aggregator.store.schema import mark
from aggregator.store.schema import shown as shown_table

AT_ONCE = 400
"""Rows asked for in one question: SQLite before 3.32 takes 999 parameters."""


class Shown(Struct, frozen=True):
    """The lines of one feed; within the store's transaction, where that is one."""

    store: Store
    feed: str

    def known(self, guids: Sequence[str]) -> Mapping[str, str]:
        """The lines kept of these items, by guid."""
        names = {mark(guid): guid for guid in guids}
        found: dict[str, str] = {}
        with reading(self.store) as connection:
            for some in _lots(names):
                found.update((names[name], line) for name, line in among(connection, _SOME, [self.feed], some))
        return found

    def keep(self, lines: Mapping[str, str]) -> None:
        """Keep the lines, by guid, in place of what was kept of the same items."""
        with writing(self.store) as connection:
            each(connection, _KEEP, [(self.feed, mark(guid), line) for guid, line in lines.items()])

    def let_go(self, guids: Collection[str]) -> tuple[str, ...]:
        """The lines of all items but these; they are kept no longer."""
        stay, table = set(map(mark, guids)), shown_table
        every = select(table.c.guid).where(table.c.feed == self.feed).execution_options(yield_per=AT_ONCE)
        with writing(self.store) as connection:
            gone = [name for name in connection.execute(every).scalars() if name not in stay]
            lines: list[str] = []
            for some in _lots(gone):
                lines += [line for _, line in among(connection, _SOME, [self.feed], some)]
                connection.execute(delete(table).where(table.c.feed == self.feed, table.c.guid.in_(some)))
        return tuple(lines)


def _lots(names: Collection[str]) -> Iterator[list[str]]:
    """The names in lots that one question takes."""
    rest = iter(names)
    while some := list(islice(rest, AT_ONCE)):
        yield some


_SOME = "SELECT guid, record FROM shown WHERE feed IN {} AND guid IN {}"

_KEEP = (
    "INSERT INTO shown (feed, guid, record) VALUES {} ON CONFLICT (feed, guid) DO UPDATE SET record = excluded.record"
)
