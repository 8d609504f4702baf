"""Listings compared with the feeds of a store in forks, for processes with many threads."""

from __future__ import annotations

import msgspec

from aggregator.errors import PublishError, StoreError
from aggregator.model.belonging import Belonging, Compared, Comparison
from aggregator.model.record import make_msgpack_decoder
from aggregator.sandbox import forks
from aggregator.sandbox.forks import ForkError
from aggregator.sandbox.limits import make_limits
from aggregator.store import connection, database, entries

_DECODER = make_msgpack_decoder(Compared)


def compare(given: Comparison) -> tuple[Belonging, ...]:
    """Compare a listing with feeds in a fork; raise PublishError if it costs too much, StoreError of the store."""
    count = len(given.listing.entries)
    if connection.has_content(given.state):
        with database.open_store(given.state) as store:
            count += sum(entries.count_entries(store, plan.name) for plan in given.plans)
    try:
        with forks.composers.run(msgspec.msgpack.encode(given), make_limits(count)) as file:
            (message,) = forks.read_messages(file)
        compared = _DECODER.decode(message)
    except (ForkError, ValueError, RecursionError) as error:
        raise PublishError(f"the listing cannot be compared with the feeds: {error}") from error
    if compared.error:
        raise StoreError(compared.error)
    return compared.found
