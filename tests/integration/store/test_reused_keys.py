"""An entry is its content, not only its key: what counts as another item under a known key, and what does not."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from aggregator.model.entry import Enclosure, Entry, Listing, Moment
from aggregator.model.source import Source
from aggregator.store.database import Store
from aggregator.store.entries import read_entries
from aggregator.store.listings import write_listings
from aggregator.store.reused_keys import is_same_item

AT = datetime(2025, 2, 3, 7, 11, tzinfo=UTC)
HOST = Source("host", "feed", path="/x")


def entry(title: str, number: int, **said: object) -> Entry:
    made = Entry(
        "host",
        "k",
        title,
        guid="k",
        link=f"https://show.example/e/{number}",
        description=f"{title}, told at length.",
        published=Moment(AT + timedelta(days=7 * number)),
        enclosure=Enclosure(f"https://cdn.show.example/{number}.mp3"),
    )
    return replace(made, **said)


OTHERS = [
    ("The salt road", "Bees in winter"),
    ("Die Salzstraße", "Bienen im Winter"),
    ("塩の道", "冬の蜜蜂"),
]


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_other_ids_and_another_title_are_another_item(one: str, other: str) -> None:
    assert not is_same_item(entry(one, 1), entry(other, 2))


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_what_hosts_change_is_the_same_item(one: str, other: str) -> None:
    moved = {"link": "https://new.example/e/9", "enclosure": Enclosure("https://media.new.example/x9.mp3")}
    before = entry(one, 1)
    assert is_same_item(before, replace(before, **moved)), "a host that moves"
    assert is_same_item(before, entry(f"Show 12: {one}", 9)), "a host that moves and decorates titles"
    assert is_same_item(before, replace(before, title=other)), "an edited title"
    assert is_same_item(before, replace(before, title=other, enclosure=moved["enclosure"])), "a title and other audio"
    assert is_same_item(before, replace(before, title=other, **moved)), "a placeholder that was filled: its date stands"
    assert is_same_item(before, entry(other, 2, description=before.description)), "a text that stands"


def test_entries_without_other_ids_are_their_key() -> None:
    bare = {"link": None, "enclosure": None}
    assert is_same_item(entry("The salt road", 1, **bare), entry("Bees in winter", 2, **bare))


def names(store: Store) -> dict[str, tuple[str, int, int]]:
    return {
        each.entry.key: (each.entry.title, each.entry.span.first, each.entry.span.last)
        for each in read_entries(store, "show")
    }


def listing(store: Store, day: int, *read_entries: Entry) -> None:
    write_listings(store, "show", HOST, [Listing(read_entries)], AT + timedelta(days=day))


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_a_key_that_is_used_again_is_a_new_entry_and_the_old_one_stands(store: Store, one: str, other: str) -> None:
    listing(store, 1, entry(one, 1))
    listing(store, 2, entry(other, 2))
    listing(store, 3, entry(other, 2))
    listing(store, 4, entry(f"{other}!", 2))
    assert names(store) == {"k": (one, 1, 1), "k (entry 2)": (f"{other}!", 2, 4)}
    listing(store, 5, entry("Third", 3))
    listing(store, 6, entry(one, 1))
    assert names(store) == {"k": (one, 1, 6), "k (entry 2)": (f"{other}!", 2, 4), "k (entry 3)": ("Third", 5, 5)}
    kept = {each.entry.key: each.entry.guid for each in read_entries(store, "show")}
    assert kept == {"k": "k", "k (entry 2)": None, "k (entry 3)": None}


def test_a_source_that_lists_a_name_for_a_reused_key_itself_costs_nothing_else(store: Store) -> None:
    named = replace(entry("A third", 3), key="k (entry 2)")
    listing(store, 1, entry("The salt road", 1))
    listing(store, 2, named, entry("Bees in winter", 2))
    assert names(store) == {
        "k": ("The salt road", 1, 1),
        "k (entry 2)": ("A third", 2, 2),
        "k (entry 3)": ("Bees in winter", 2, 2),
    }
    listing(store, 3, replace(named, position=1), entry("A third!", 3, guid=None))
    assert names(store) == {
        "k": ("The salt road", 1, 1),
        "k (entry 2)": ("A third", 2, 3),
        "k (entry 3)": ("Bees in winter", 2, 2),
        "k (entry 4)": ("A third!", 3, 3),
    }
