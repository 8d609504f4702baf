"""Listings are added to what was remembered: absence never deletes, spans tell what was listed side by side."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlalchemy import event, update

from aggregator.model.entry import Entry, Listing, Moment, Note, Show, Span
from aggregator.model.source import Source
from aggregator.store import database as stores
from aggregator.store.cache import read_known, write_elements
from aggregator.store.database import Store
from aggregator.store.entries import StoredEntry, read_entries, read_shows, read_sources
from aggregator.store.listings import compare_with_stored, write_listings
from aggregator.store.records import decode
from aggregator.store.schema import entries as entries_table

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOST = Source(name="host", kind="simplecast", url="https://secret:word@example.org/", trust=0.9)


def at(hours: int) -> datetime:
    return NOON + timedelta(hours=hours)


def listing(*keys: str, title: str = "T", show: Show | None = None) -> Listing:
    said = tuple(Entry("host", key, title, position=place) for place, key in enumerate(keys))
    return Listing(said, show=show or Show())


def by_key(store: Store, feed: str = "show") -> dict[str, StoredEntry]:
    return {each.entry.key: each for each in read_entries(store, feed)}


class Change(NamedTuple):
    """How many of the keys listed are new, have other content now, and are as before."""

    new: int = 0
    changed: int = 0
    same: int = 0


def hear(store: Store, hours: int, *listings: Listing | None) -> Change:
    before = by_key(store)
    write_listings(store, "show", HOST, listings, at(hours))
    after = by_key(store)
    listed = {entry.key for each in listings if each is not None for entry in each.entries}
    changed = sum(after[key].digest != before[key].digest for key in listed & before.keys())
    return Change(len(listed - before.keys()), changed, len(listed & before.keys()) - changed)


def test_a_first_listing_is_all_new(store: Store) -> None:
    assert Change(new=2) == hear(store, 0, listing("b", "a"))
    found = read_entries(store, "show")
    assert [each.entry.key for each in found] == ["a", "b"]
    assert [each.entry.position for each in found] == [1, 0]
    assert {Span(1, 1)} == {each.entry.span for each in found}
    assert {(NOON, NOON)} == {(each.first_seen, each.last_seen) for each in found}


def test_what_is_listed_again_goes_on(store: Store) -> None:
    hear(store, 0, listing("b", "a"))
    assert Change(new=1, same=2) == hear(store, 1, listing("c", "b", "a"))
    found = by_key(store)
    assert Span(1, 2) == found["a"].entry.span
    assert Span(2, 2) == found["c"].entry.span
    assert (NOON, at(1)) == (found["a"].first_seen, found["a"].last_seen)
    assert [found[key].entry.position for key in "abc"] == [2, 1, 0]


def test_absence_never_deletes_and_a_return_continues(store: Store) -> None:
    hear(store, 0, listing("b", "a"))
    hear(store, 1, listing("c", "b"))
    gone = by_key(store)["a"]
    assert (Span(1, 1), 1, NOON, NOON) == (gone.entry.span, gone.entry.position, gone.first_seen, gone.last_seen)
    hear(store, 2, listing("c"))
    assert Span(1, 1) == by_key(store)["a"].entry.span
    assert Change(same=3) == hear(store, 3, listing("c", "b", "a"))
    back = by_key(store)["a"]
    assert (Span(1, 4), 2, NOON, at(3)) == (back.entry.span, back.entry.position, back.first_seen, back.last_seen)


def test_an_empty_listing_counts_and_deletes_nothing(store: Store) -> None:
    hear(store, 0, listing("a"))
    assert Change() == hear(store, 1, listing())
    assert Span(1, 1) == by_key(store)["a"].entry.span
    hear(store, 2, listing("b"))
    assert Span(3, 3) == by_key(store)["b"].entry.span


def test_a_changed_account_takes_the_place_of_the_old_one(store: Store) -> None:
    hear(store, 0, listing("a", "b"))
    before = by_key(store)
    changed = Listing((Entry("host", "a", "Other", position=0), Entry("host", "b", "T", position=1)))
    assert Change(changed=1, same=1) == hear(store, 1, changed)
    after = by_key(store)
    assert (after["a"].entry.title, after["b"].entry.title) == ("Other", "T")
    assert before["a"].digest != after["a"].digest
    assert before["b"].digest == after["b"].digest


def test_the_digest_knows_neither_place_nor_span(store: Store) -> None:
    hear(store, 0, listing("a"))
    before = by_key(store)["a"].digest
    hear(store, 1, listing("x", "y", "a"))
    assert before == by_key(store)["a"].digest


def test_two_documents_of_one_run_are_one_listing(store: Store) -> None:
    lookup = Listing((Entry("host", "a", "From lookup", position=0, ids=(("apple", "1"),)),), show=Show(title="L"))
    page = Listing(
        (
            Entry("host", "a", "From page", position=4, description="Cut…", cut=True, ids=(("apple", "2"), ("x", "y"))),
            Entry("host", "b", "Page only", position=5),
        ),
        show=Show(title="P", author="A"),
    )
    assert Change(new=2) == hear(store, 0, lookup, page)
    found = by_key(store)
    assert found["a"].entry.title == "From lookup"
    assert (found["a"].entry.description, found["a"].entry.cut) == ("Cut…", True)
    assert found["a"].entry.ids == (("apple", "1"), ("x", "y"))
    assert (found["a"].entry.position, found["b"].entry.position) == (0, 5)
    assert {Span(1, 1)} == {each.entry.span for each in found.values()}
    assert Show(title="L", author="A") == read_shows(store, "show")["host"]


def test_a_whole_text_keeps_its_own_cut_mark(store: Store) -> None:
    whole = Listing((Entry("host", "a", "T", description="Whole."),))
    cut = Listing((Entry("host", "a", "T", html="<p>Cut", cut=True),))
    hear(store, 0, whole, cut)
    found = by_key(store)["a"].entry
    assert (found.description, found.html, found.cut) == ("Whole.", None, False)


def test_a_document_that_said_nothing_new_still_lists_what_it_listed(store: Store) -> None:
    page = Listing((Entry("host", "a", "P", position=0, summary="S"), Entry("host", "b", "P", position=1)))
    hear(store, 0, listing("a"), page)
    assert Change(new=1, same=1) == hear(store, 1, listing("c", "a"), None)
    found = by_key(store)
    assert (found["a"].entry.title, found["a"].entry.summary) == ("T", "S")
    assert Span(1, 2) == found["b"].entry.span
    assert Change(same=2) == hear(store, 2, None, page)
    assert Span(1, 3) == by_key(store)["b"].entry.span


def test_a_key_that_moves_between_documents_changes(store: Store) -> None:
    hear(store, 0, listing("a"), listing("b"))
    assert Change(changed=1, same=1) == hear(store, 1, listing("a", "b"), listing("b"))


def test_a_run_in_which_nobody_spoke_writes_nothing(store: Store) -> None:
    hear(store, 0, listing("a"))
    assert Change() == hear(store, 1, None, None)
    assert (Span(1, 1), NOON) == (by_key(store)["a"].entry.span, by_key(store)["a"].last_seen)


def test_feeds_and_sources_are_apart(store: Store) -> None:
    other = replace(HOST, name="other", kind="blog", trust=0.25)
    write_listings(store, "one", HOST, [listing("a")], NOON)
    write_listings(store, "two", HOST, [listing("a", "b")], NOON)
    write_listings(store, "one", other, [Listing((Entry("other", "a", "T"),))], NOON)
    assert [each.entry.id for each in read_entries(store, "one")] == ["host/a", "other/a"]
    assert [each.entry.id for each in read_entries(store, "two")] == ["host/a", "host/b"]
    assert (
        read_sources(store, "one")["host"].trust,
        read_sources(store, "one")["other"].trust,
        read_sources(store, "one")["other"].kind,
    ) == (0.9, 0.25, "blog")


def test_no_address_of_a_source_is_kept_with_its_trust(store: Store) -> None:
    hear(store, 0, listing("a"))
    assert read_sources(store, "show")["host"].url is None


def test_hostile_keys_and_texts_come_back_as_they_were(store: Store) -> None:
    keys = [
        "\x00",
        "\ufffd",
        "k" * 5000,
        "#" + "0" * 32,
        "ключ",
        "",
        "a'; DROP TABLE entries; --",
        "\u202e",
        "K",
        "k",
    ]
    said = tuple(
        Entry("host", key, "\uffff\x00\uffff", position=place, notes=(Note("title", "x", "\x00", "\ufffd"),))
        for place, key in enumerate(keys)
    )
    assert Change(new=len(keys)) == hear(store, 0, Listing(said))
    assert Change(same=len(keys)) == hear(store, 1, Listing(said))
    found = by_key(store)
    assert sorted(keys) == sorted(found)
    assert {replace(each, span=Span(1, 2)) for each in said} == {each.entry for each in found.values()}


def test_a_key_listed_twice_counts_once(store: Store) -> None:
    twice = Listing((Entry("host", "a", "First", position=0), Entry("host", "a", "Second", position=1)))
    assert Change(new=1) == hear(store, 0, twice)
    assert by_key(store)["a"].entry.title == "First"


def test_a_run_is_all_or_nothing(store: Store) -> None:
    hear(store, 0, listing("a"))
    before = read_entries(store, "show")
    try:
        with stores.transaction(store) as tx:
            write_listings(tx, "show", HOST, [listing("b")], at(1))
            assert len(read_entries(tx, "show")) == 2
            assert before == read_entries(store, "show"), "another reader sees nothing of it"
            raise KeyboardInterrupt  # noqa: TRY301 - what a person does in the middle of a run
    except KeyboardInterrupt:
        pass
    assert before == read_entries(store, "show")


def written(store: Store, *listings: Listing) -> list[int]:
    """How many rows each listing writes, one after the other."""
    counts = []
    with stores.transaction(store) as tx, stores.writing(tx) as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        for hours, each in enumerate(listings):
            before = raw.total_changes
            write_listings(tx, "many", HOST, [each], at(hours))
            counts.append(raw.total_changes - before)
    return counts


def test_what_is_written_is_proportional_to_what_changed(state: str) -> None:
    """A row for the source always; then only what is new, changed, gone or back, and the show's if places moved."""
    names = [f"{number}" for number in range(1000)]
    changed = [*listing("new", *names).entries[:-1], Entry("host", "999", "Other", position=1000)]
    with stores.open_store(state) as store:
        counts = written(
            store,
            listing(*names),
            listing(*names),
            listing("new", *names),
            Listing(tuple(changed)),
            listing("newer", "new", *names[:-1]),
            listing("newer", "new", *names[:500]),
            listing("newer", "new", *names[:-1]),
            listing(*reversed(names)),
        )
    assert counts == [1002, 1, 3, 2, 4, 500, 500, 1003]


def test_memory_grows_with_the_keys_not_with_the_texts(state: str) -> None:
    said = [Entry("host", f"{number}", "T", position=number, description="x" * 5000) for number in range(3000)]
    other = [replace(each, description="y" * 5000) for each in said]
    with stores.open_store(state) as store:
        write_listings(store, "show", HOST, [Listing(tuple(said[:10]))], at(0))
        tracemalloc.start()
        write_listings(store, "show", HOST, [Listing(tuple(said))], at(1))
        write_listings(store, "show", HOST, [Listing(tuple(said))], at(2))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        write_listings(store, "show", HOST, [Listing(tuple(other))], at(3))
        _, peak_of_changes = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8_000_000, "15 MB of text were written"
    assert peak_of_changes < 15_000_000, "15 MB of text were read and 15 MB written"


def test_a_kind_with_fewer_documents_closes_what_the_others_listed(store: Store) -> None:
    """Else the entries of the new kind, under other keys, are two items with these, and each is published twice."""
    write_listings(store, "show", HOST, [listing("a"), listing("b")], at(0))
    write_listings(store, "show", replace(HOST, kind="feed"), [listing("c")], at(1))
    spans = {key: each.entry.span for key, each in by_key(store, "show").items()}
    assert spans == {"a": Span(1, 1), "b": Span(1, 1), "c": Span(2, 2)}
    write_listings(store, "show", replace(HOST, kind="feed"), [None], at(2))
    write_listings(store, "show", HOST, [None, listing("b")], at(3))
    assert by_key(store, "show")["b"].entry.span == Span(1, 3)


keys = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)
moments = st.one_of(st.none(), st.datetimes(timezones=st.just(UTC)).map(Moment))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs=st.lists(st.lists(st.one_of(st.none(), keys), min_size=1, max_size=2), min_size=1, max_size=8))
def test_the_store_agrees_with_a_model(store: Store, runs: Sequence[Sequence[list[str] | None]]) -> None:
    """A model that keeps whole listings in memory and answers spans and positions by looking through them all."""
    feed = f"feed {id(runs)} {len(entries_names(store))}"
    standing: dict[int, list[str]] = {}
    history: list[dict[int, list[str]]] = []
    for hours, run in enumerate(runs):
        given_now = [None if part is None else listing(*part) for part in run]
        write_listings(store, feed, HOST, given_now, at(hours))
        if any(part is not None for part in run):
            known = standing | {number: part for number, part in enumerate(run) if part is not None}
            standing = {number: part for number, part in known.items() if number < len(run)}
            history.append(standing)
    wanted: dict[str, tuple[Span, int]] = {}
    for number, listed in enumerate(history, start=1):
        for document in sorted(listed, reverse=True):
            for place, key in enumerate(listed[document]):
                first = wanted[key][0].first if key in wanted else number
                wanted[key] = (Span(first, number), place)
    assert wanted.keys() == by_key(store, feed).keys()
    assert {key: span for key, (span, _) in wanted.items()} == {
        key: each.entry.span for key, each in by_key(store, feed).items()
    }
    open_now = {key for listed in history[-1:] for part in listed.values() for key in part}
    assert {key: wanted[key][1] for key in open_now} == {
        key: each.entry.position for key, each in by_key(store, feed).items() if key in open_now
    }


def entries_names(store: Store) -> set[str]:
    with stores.reading(store) as connection:
        return {name for (name,) in connection.exec_driver_sql("SELECT DISTINCT feed FROM sources")}


def hear_elements(store: Store, hours: int, *entries: Entry) -> None:
    written = write_listings(store, "show", HOST, [Listing(entries)], at(hours))
    write_elements(store, "show", "host", written.elements)


def test_what_was_read_of_an_element_is_known_until_the_entry_says_something_else(store: Store) -> None:
    first, second = Entry("host", "a", "Ebb", element="e1"), Entry("host", "b", "Flood", element="e2")
    hear_elements(store, 0, first, second)
    known = read_known(store, "show", "host")
    assert {name: decode(Entry, record).title for name, record in known.items()} == {"e1": "Ebb", "e2": "Flood"}
    hear_elements(store, 1, replace(first, title="Slack water", element=None), second)
    assert read_known(store, "show", "host").keys() == {"e2"}
    assert read_known(store, "other", "host") == read_known(store, "show", "mirror") == {}


def test_many_threads_that_fetch_do_not_wait_for_each_others_connections(store: Store) -> None:
    """Where each took three at once, sixteen that began together waited for thirty seconds, and failed."""
    hear_elements(store, 0, Entry("host", "a", "Ebb", element="e1"))
    held: list[int] = []
    event.listen(store.engine, "engine_connect", lambda _: held.append(store.engine.pool.checkedout()))
    assert read_known(store, "show", "host").keys() == {"e1"}
    assert compare_with_stored(store, "show", "host", [listing("a")]) == (set(), {"a"})
    assert set(held) == {1}


def test_a_listing_that_says_the_same_is_no_news(store: Store) -> None:
    """The one after new entries is: they count as known from then on."""

    def is_news(*listings: Listing | None) -> bool:
        return write_listings(store, "show", HOST, listings, NOON).is_news

    one, other = listing("b", "a"), listing("x")
    assert [is_news(one, other) for _ in range(4)] == [True, True, False, False]
    assert not is_news(None, None)
    assert [is_news(listing("c", "b", "a"), other) for _ in range(3)] == [True, True, False]
    assert [is_news(None, listing("y", "x")) for _ in range(3)] == [True, True, False]
    assert [is_news(listing("b", "a"), None) for _ in range(2)] == [True, False]
    assert [is_news(listing("a", "b"), None) for _ in range(2)] == [True, False]
    titled = replace(listing("a", "b"), show=Show(title="Tides"))
    assert [is_news(titled, None) for _ in range(2)] == [True, False]
    corrected = replace(titled, entries=tuple(replace(each, title="Ebb") for each in titled.entries))
    assert [is_news(corrected, None) for _ in range(2)] == [True, False]
    assert [is_news(corrected) for _ in range(2)] == [True, False]


_NUMBERS = count()
_TITLES = ("Ebb tide at the old quay", "Ebb tide at the old quay!", "Winter storms")


_SAID = st.none() | st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(_TITLES)), unique_by=lambda each: each[0]
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(st.tuples(_SAID, _SAID), max_size=5))
def test_a_history_is_written_alike_with_elements_and_without(
    store: Store, history: list[tuple[list[tuple[str, str]] | None, ...]]
) -> None:
    """Of a date without a year another one is found in each listing, but the words are the same."""

    def say(said: list[tuple[str, str]] | None, year: int) -> Listing | None:
        date = Moment(datetime(year, 5, 1, tzinfo=UTC), "day", infers_year=True)
        found = [
            Entry(
                "host",
                key,
                title,
                position=place,
                published=date,
                link=f"/{title.rstrip('!')}",
                element=f"{key} {title}",
            )
            for place, (key, title) in enumerate(said or ())
        ]
        return None if said is None else Listing(tuple(found))

    number, results = next(_NUMBERS), []
    for feed in (f"{number} with", f"{number} without"):
        written = []
        for hours, documents in enumerate(history):
            listings = [say(each, 2020 + hours) for each in documents]
            same, other = compare_with_stored(store, feed, "host", listings)
            each = write_listings(store, feed, HOST, listings, at(hours))
            written.append((same | other, each))
            if feed.endswith("with"):
                write_elements(store, feed, "host", each.elements)
        results.append((written, read_entries(store, feed)))
    assert results[0] == results[1]


def test_an_element_whose_key_was_another_item_s_is_read_again(store: Store) -> None:
    def entry(title: str, page: str, element: str) -> Entry:
        return Entry("host", "7", title, link=f"https://example.org/{page}", element=element)

    hear_elements(store, 0, entry("Ebb tide at the old quay", "1", "e1"))
    hear_elements(store, 1, entry("Winter storms", "2", "e2"))
    assert len(by_key(store)) == 2
    assert "e2" not in read_known(store, "show", "host")


def test_an_element_with_a_damaged_record_is_read_again(store: Store) -> None:
    hear_elements(store, 0, Entry("host", "a", "Ebb", element="e1"), Entry("host", "b", "Flood", element="e2"))
    with stores.writing(store) as connection:
        row = entries_table.c.key == "a"
        connection.execute(update(entries_table).where(row).values(record='{"source":"host","key":"a","title":"Web"}'))
    assert read_known(store, "show", "host").keys() == {"e2"}


def test_listed_entries_are_told_from_what_is_stored_by_their_content(store: Store) -> None:
    long = "k" * 3_000
    hear(store, 0, listing("c", "b", "a", long))
    now = listing("d", long, "b", "a")
    now = replace(now, entries=tuple(replace(each, title="U") if each.key == "b" else each for each in now.entries))
    assert compare_with_stored(store, "show", "host", [None, now]) == ({"a", long}, {"b"})
    assert compare_with_stored(store, "show", "mirror", [now]) == (set(), set())
    assert compare_with_stored(store, "another", "host", [now]) == (set(), set())


def test_what_several_documents_have_counts_as_stored_otherwise(store: Store) -> None:
    hear(store, 0, listing("b", "a"), listing("b", "x"))
    one, both = [listing("b", "a"), None], [listing("a", "x"), listing("a")]
    assert compare_with_stored(store, "show", "host", one) == ({"a"}, {"b"})
    assert compare_with_stored(store, "show", "host", both) == ({"x"}, {"a"})
