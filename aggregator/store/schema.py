"""The tables of the store, the same on SQLite and PostgreSQL, and their version.

``record`` has the whole record as JSON (that of an item compressed); the other columns are for searching. Times are
texts of one form (see :func:`stamp`), so that they sort by time. A guid or an address from outside is stored as its
:func:`mark`, because it may be too long for an index or have characters that a database refuses.
"""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b

from sqlalchemy import BigInteger, Column, Dialect, Index, Integer, LargeBinary, MetaData, Table, Text

from aggregator.errors import DamagedError

VERSION = 2
"""The version of the tables below. A change of them is a new version with a step in ``migrations.STEPS``."""

APPLICATION = 0x41676734
"""The application id in the header of an SQLite file ("Agg4"; sqlite.org/fileformat2.html, offset 68)."""

APPLICATIONS_BEFORE_RELEASE = frozenset({0x41676731, 0x41676732, 0x41676733})
"""Application ids of before the first release ("Agg1" to "Agg3"); such a file has other tables and is refused."""

LONGEST_MARK = 200
"""Characters of a name that are indexed as they are: PostgreSQL refuses index rows above 2,704 bytes (4 per character
and three columns leave 225)."""

metadata = MetaData()


class _Bytes(LargeBinary):
    """Bytes as the driver gives them: SQLAlchemy's own type fails where damage has made a text of them."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> None:
        """Return no function."""


def _checksum() -> Column[int]:
    """Return the first column of a table whose rows are checked; SQLite reads it without the long values after it."""
    return Column("checksum", BigInteger, nullable=False)


meta = Table("meta", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))

feeds = Table(
    "feeds",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("runs", Integer, nullable=False),
    Column("guid", Text),
    Column("fingerprint", Text),
    Column("updated", Text),
)

sources = Table(
    "sources",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("listings", Integer, nullable=False),
    Column("listed_at", Text, nullable=False),
    Column("record", Text, nullable=False),
)

shows = Table(
    "shows",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("document", Integer, primary_key=True, autoincrement=False),
    Column("anchor", Integer, nullable=False),
    Column("record", Text, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("document", Integer, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("first", Integer, nullable=False),
    Column("last", Integer),
    Column("place", Integer, nullable=False),
    Column("first_seen", Text, nullable=False),
    Column("last_seen", Text),
    Column("changed", Text),
    Column("record", Text, nullable=False),
)

poll_states = Table(
    "poll_states",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("url", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("hold_until", Text),
    Column("record", Text, nullable=False),
    Index("poll_states_held", "hold_until"),
)

polls = Table(
    "polls",
    metadata,
    Column("feed", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("value", _Bytes, nullable=False),
)

poll_days = Table(
    "poll_days",
    metadata,
    Column("day", Text, primary_key=True),
    Column("feed", Text, primary_key=True),
    Column("source", Text, primary_key=True),
    Column("polls", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("answers", Integer, nullable=False),
    Column("milliseconds", Integer, nullable=False),
    Column("slowest", Integer, nullable=False),
    sqlite_with_rowid=False,  # rows are stored in the order of days, by which they are summed
)

leases = Table(
    "leases",
    metadata,
    Column("feed", Text, primary_key=True),
    Column("due_at", Text, nullable=False),
    Column("again", Integer, nullable=False),
    Column("token", Text),
    Column("lease_until", Text),
    Column("owner", Text),
    Index("leases_due", "due_at"),
    Index("leases_held", "lease_until"),
)

hosts = Table(
    "hosts",
    metadata,
    Column("host", Text, primary_key=True),
    Column("owner", Text),
    Column("lease_until", Text),
    Column("next_at", Text, nullable=False),
    Column("hold_until", Text),
)

guids = Table(
    "guids",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("guid", Text, primary_key=True),
    Column("record", Text, nullable=False),
)

items = Table(
    "items",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("guid", Text, primary_key=True),
    Column("digest", _Bytes, nullable=False),
    Column("record", _Bytes, nullable=False),
    Column("evidence", _Bytes, nullable=False),
)

decisions = Table(
    "decisions",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("left", Text, primary_key=True),
    Column("right", Text, primary_key=True),
    Column("decided", Text, nullable=False),
    Column("record", Text, nullable=False),
)

overrides = Table(
    "overrides",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("guid", Text, primary_key=True),
    Column("field", Text, primary_key=True),
    Column("decided", Text, nullable=False),
    Column("record", Text, nullable=False),
)

events = Table(
    "events",
    metadata,
    _checksum(),
    Column("feed", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("record", Text, nullable=False),
    Column("number", Integer, primary_key=True),
    Index("events_of_feed", "feed", "number"),
)

facts = Table(
    "facts",
    metadata,
    _checksum(),
    Column("feed", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("value", _Bytes, nullable=False),
)

cache = Table(
    "cache",
    metadata,
    Column("feed", Text, primary_key=True),
    Column("stage", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("used", Integer, nullable=False),
    Column("value", _Bytes, nullable=False),
)


def stamp(at: datetime) -> str:
    """Return the time as the store writes it: UTC, microseconds, one width, so that texts sort as times do.

    >>> stamp(datetime(2024, 5, 1, 12, tzinfo=UTC))
    '2024-05-01T12:00:00.000000Z'
    """
    return at.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def parse_stamp(text: str) -> datetime:
    """Return the time that :func:`stamp` wrote; raise DamagedError if the text is no such time."""
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise DamagedError("a time cannot be read back") from error


def mark(name: str) -> str:
    r"""Return what a name from outside is searched by: the name if it is short and printable, else ``#`` and a digest.

    >>> mark("tag:example.org,2024:1")
    'tag:example.org,2024:1'
    >>> mark("\x00")
    '#7025e075d5e2f6cde3cc051a31f07660'
    """
    if len(name) <= LONGEST_MARK and name.isprintable() and not name.startswith("#"):
        return name
    return "#" + blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
