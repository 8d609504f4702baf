"""Archived copies of a listing complete it: they change nothing that is known, and count as listed before all else."""

from aggregator.model.entry import Entry, Listing, Span
from aggregator.model.source import Source
from aggregator.store.database import Store
from aggregator.store.entries import read_entries
from aggregator.store.listings import write_history, write_listings
from tests.support.polls import START

HOST = Source("host", "feed")


def listing(*keys: str, title: str = "Tale {}") -> Listing:
    return Listing(
        tuple(Entry("host", key, title=title.format(key), position=at) for at, key in enumerate(keys)), partial=True
    )


def test_copies_add_what_was_never_listed_and_change_nothing_else(store: Store) -> None:
    write_listings(store, "show", HOST, [listing("d", "c")], START)
    write_history(store, "show", HOST, [listing("c", "b", title="Old {}"), listing("b", "a", title="Older {}")], START)
    write_listings(store, "show", HOST, [listing("e", "d")], START)
    write_history(store, "show", HOST, [listing("a", "0", title="Oldest {}")], START)
    found = {each.entry.key: each.entry for each in read_entries(store, "show")}
    assert {key: (entry.title, entry.span) for key, entry in found.items()} == {
        "e": ("Tale e", Span(2, 2)),
        "d": ("Tale d", Span(1, 2)),
        "c": ("Tale c", Span(1, 1)),
        "b": ("Old b", Span(0, 0)),
        "a": ("Older a", Span(-1, -1)),
        "0": ("Oldest 0", Span(-2, -2)),
    }
