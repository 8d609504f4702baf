"""Listings are added to what was remembered: absence never deletes, spans tell what was listed side by side."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.ledger import ledger as ledgers
from aggregator.ledger.ledger import Ledger
from aggregator.ledger.recall import Remembered, shows, sightings, sources
from aggregator.ledger.remember import Change, remember
from aggregator.model.sighting import Listing, Moment, Note, Show, Sighting, Span
from aggregator.model.source import Source

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
HOST = Source(name="host", kind="simplecast", url="https://secret:word@example.org/", trust=0.9)


def at(hours: int) -> datetime:
    return NOON + timedelta(hours=hours)


def listing(*keys: str, title: str = "T", show: Show | None = None) -> Listing:
    said = tuple(Sighting("host", key, title, position=place) for place, key in enumerate(keys))
    return Listing(said, show=show or Show())


def by_key(book: Ledger, feed: str = "show") -> dict[str, Remembered]:
    return {each.sighting.key: each for each in sightings(book, feed)}


def hear(book: Ledger, hours: int, *listings: Listing | None) -> Change:
    return remember(book, "show", HOST, listings, at(hours))


def test_a_first_listing_is_all_new(book: Ledger) -> None:
    assert Change(new=2) == hear(book, 0, listing("b", "a"))
    found = sightings(book, "show")
    assert [each.sighting.key for each in found] == ["a", "b"]
    assert [each.sighting.position for each in found] == [1, 0]
    assert {Span(1, 1)} == {each.sighting.span for each in found}
    assert {(NOON, NOON)} == {(each.first_seen, each.last_seen) for each in found}


def test_what_is_listed_again_goes_on(book: Ledger) -> None:
    hear(book, 0, listing("b", "a"))
    assert Change(new=1, same=2) == hear(book, 1, listing("c", "b", "a"))
    found = by_key(book)
    assert Span(1, 2) == found["a"].sighting.span
    assert Span(2, 2) == found["c"].sighting.span
    assert (NOON, at(1)) == (found["a"].first_seen, found["a"].last_seen)
    assert [found[key].sighting.position for key in "abc"] == [2, 1, 0]


def test_absence_never_deletes_and_a_return_continues(book: Ledger) -> None:
    hear(book, 0, listing("b", "a"))
    hear(book, 1, listing("c", "b"))
    gone = by_key(book)["a"]
    assert (Span(1, 1), 1, NOON, NOON) == (gone.sighting.span, gone.sighting.position, gone.first_seen, gone.last_seen)
    hear(book, 2, listing("c"))
    assert Span(1, 1) == by_key(book)["a"].sighting.span
    assert Change(same=3) == hear(book, 3, listing("c", "b", "a"))
    back = by_key(book)["a"]
    assert (Span(1, 4), 2, NOON, at(3)) == (back.sighting.span, back.sighting.position, back.first_seen, back.last_seen)


def test_an_empty_listing_counts_and_deletes_nothing(book: Ledger) -> None:
    hear(book, 0, listing("a"))
    assert Change() == hear(book, 1, listing())
    assert Span(1, 1) == by_key(book)["a"].sighting.span
    hear(book, 2, listing("b"))
    assert Span(3, 3) == by_key(book)["b"].sighting.span


def test_a_changed_account_takes_the_place_of_the_old_one(book: Ledger) -> None:
    hear(book, 0, listing("a", "b"))
    before = by_key(book)
    changed = Listing((Sighting("host", "a", "Other", position=0), Sighting("host", "b", "T", position=1)))
    assert Change(changed=1, same=1) == hear(book, 1, changed)
    after = by_key(book)
    assert (after["a"].sighting.title, after["b"].sighting.title) == ("Other", "T")
    assert before["a"].digest != after["a"].digest
    assert before["b"].digest == after["b"].digest


def test_the_digest_knows_neither_place_nor_span(book: Ledger) -> None:
    hear(book, 0, listing("a"))
    before = by_key(book)["a"].digest
    hear(book, 1, listing("x", "y", "a"))
    assert before == by_key(book)["a"].digest


def test_two_documents_of_one_run_are_one_listing(book: Ledger) -> None:
    lookup = Listing((Sighting("host", "a", "From lookup", position=0, ids=(("apple", "1"),)),), show=Show(title="L"))
    page = Listing(
        (
            Sighting(
                "host", "a", "From page", position=4, description="Cut…", cut=True, ids=(("apple", "2"), ("x", "y"))
            ),
            Sighting("host", "b", "Page only", position=5),
        ),
        show=Show(title="P", author="A"),
    )
    assert Change(new=2) == hear(book, 0, lookup, page)
    found = by_key(book)
    assert found["a"].sighting.title == "From lookup"
    assert (found["a"].sighting.description, found["a"].sighting.cut) == ("Cut…", True)
    assert found["a"].sighting.ids == (("apple", "1"), ("x", "y"))
    assert (found["a"].sighting.position, found["b"].sighting.position) == (0, 5)
    assert {Span(1, 1)} == {each.sighting.span for each in found.values()}
    assert Show(title="L", author="A") == shows(book, "show")["host"]


def test_a_whole_text_keeps_its_own_cut_mark(book: Ledger) -> None:
    whole = Listing((Sighting("host", "a", "T", description="Whole."),))
    cut = Listing((Sighting("host", "a", "T", html="<p>Cut", cut=True),))
    hear(book, 0, whole, cut)
    found = by_key(book)["a"].sighting
    assert (found.description, found.html, found.cut) == ("Whole.", None, False)


def test_a_document_that_said_nothing_new_still_lists_what_it_listed(book: Ledger) -> None:
    page = Listing((Sighting("host", "a", "P", position=0, summary="S"), Sighting("host", "b", "P", position=1)))
    hear(book, 0, listing("a"), page)
    assert Change(new=1, same=1) == hear(book, 1, listing("c", "a"), None)
    found = by_key(book)
    assert (found["a"].sighting.title, found["a"].sighting.summary) == ("T", "S")
    assert Span(1, 2) == found["b"].sighting.span
    assert Change(same=2) == hear(book, 2, None, page)
    assert Span(1, 3) == by_key(book)["b"].sighting.span


def test_a_key_that_moves_between_documents_changes(book: Ledger) -> None:
    hear(book, 0, listing("a"), listing("b"))
    assert Change(changed=1, same=1) == hear(book, 1, listing("a", "b"), listing("b"))


def test_a_run_in_which_nobody_spoke_writes_nothing(book: Ledger) -> None:
    hear(book, 0, listing("a"))
    assert Change() == hear(book, 1, None, None)
    assert (Span(1, 1), NOON) == (by_key(book)["a"].sighting.span, by_key(book)["a"].last_seen)


def test_feeds_and_sources_are_apart(book: Ledger) -> None:
    other = replace(HOST, name="other", kind="blog", trust=0.25)
    remember(book, "one", HOST, [listing("a")], NOON)
    remember(book, "two", HOST, [listing("a", "b")], NOON)
    remember(book, "one", other, [Listing((Sighting("other", "a", "T"),))], NOON)
    assert [each.sighting.id for each in sightings(book, "one")] == ["host/a", "other/a"]
    assert [each.sighting.id for each in sightings(book, "two")] == ["host/a", "host/b"]
    assert (
        sources(book, "one")["host"].trust,
        sources(book, "one")["other"].trust,
        sources(book, "one")["other"].kind,
    ) == (0.9, 0.25, "blog")


def test_no_address_of_a_source_is_kept_with_its_trust(book: Ledger) -> None:
    hear(book, 0, listing("a"))
    assert sources(book, "show")["host"].url is None


def test_hostile_keys_and_texts_come_back_as_they_were(book: Ledger) -> None:
    keys = [
        "\x00",
        "\ufffd",
        "k" * 5000,
        "#" + "0" * 32,
        "ключ",
        "",
        "a'; DROP TABLE sightings; --",
        "\u202e",
        "K",
        "k",
    ]
    said = tuple(
        Sighting("host", key, "\uffff\x00\uffff", position=place, notes=(Note("title", "x", "\x00", "\ufffd"),))
        for place, key in enumerate(keys)
    )
    assert Change(new=len(keys)) == hear(book, 0, Listing(said))
    assert Change(same=len(keys)) == hear(book, 1, Listing(said))
    found = by_key(book)
    assert sorted(keys) == sorted(found)
    assert {replace(each, span=Span(1, 2)) for each in said} == {each.sighting for each in found.values()}


def test_a_key_listed_twice_counts_once(book: Ledger) -> None:
    twice = Listing((Sighting("host", "a", "First", position=0), Sighting("host", "a", "Second", position=1)))
    assert Change(new=1) == hear(book, 0, twice)
    assert by_key(book)["a"].sighting.title == "First"


def test_a_run_is_all_or_nothing(book: Ledger) -> None:
    hear(book, 0, listing("a"))
    before = sightings(book, "show")
    try:
        with ledgers.transaction(book) as page:
            remember(page, "show", HOST, [listing("b")], at(1))
            assert len(sightings(page, "show")) == 2
            assert before == sightings(book, "show"), "another reader sees nothing of it"
            raise KeyboardInterrupt  # noqa: TRY301 - what a person does in the middle of a run
    except KeyboardInterrupt:
        pass
    assert before == sightings(book, "show")


def written(book: Ledger, *listings: Listing) -> list[int]:
    """How many rows each listing writes, one after the other."""
    counts = []
    with ledgers.transaction(book) as page, ledgers.writing(page) as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        for hours, each in enumerate(listings):
            before = raw.total_changes
            remember(page, "many", HOST, [each], at(hours))
            counts.append(raw.total_changes - before)
    return counts


def test_what_is_written_is_proportional_to_what_changed(state: str) -> None:
    """A row for the shelf and one for the show always; then only what is new, changed, gone or back."""
    names = [f"{number}" for number in range(1000)]
    changed = [*listing("new", *names).sightings[:-1], Sighting("host", "999", "Other", position=1000)]
    with ledgers.open(state) as book:
        counts = written(
            book,
            listing(*names),
            listing(*names),
            listing("new", *names),
            Listing(tuple(changed)),
            listing("newer", "new", *names[:-1]),
            listing("newer", "new", *names[:500]),
            listing("newer", "new", *names[:-1]),
            listing(*reversed(names)),
        )
    assert counts == [1002, 2, 3, 3, 4, 2 + 499, 2 + 499, 2 + 998 + 1 + 2]


def test_memory_grows_with_the_keys_not_with_the_texts(state: str) -> None:
    said = [Sighting("host", f"{number}", "T", position=number, description="x" * 5000) for number in range(3000)]
    with ledgers.open(state) as book:
        hear(book, 0, Listing(tuple(said[:10])))
        tracemalloc.start()
        hear(book, 1, Listing(tuple(said)))
        hear(book, 2, Listing(tuple(said)))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < 8_000_000, "15 MB of text were written"


keys = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)
moments = st.one_of(st.none(), st.datetimes(timezones=st.just(UTC)).map(Moment))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs=st.lists(st.lists(st.one_of(st.none(), keys), min_size=1, max_size=2), min_size=1, max_size=8))
def test_the_ledger_agrees_with_a_model(book: Ledger, runs: Sequence[Sequence[list[str] | None]]) -> None:
    """A model that keeps whole listings in memory and answers spans and positions by looking through them all."""
    feed = f"feed {id(runs)} {len(sightings_names(book))}"
    standing: dict[int, list[str]] = {}
    history: list[dict[int, list[str]]] = []
    for hours, run in enumerate(runs):
        given_now = [None if part is None else listing(*part) for part in run]
        remember(book, feed, HOST, given_now, at(hours))
        if any(part is not None for part in run):
            standing = {**standing, **{number: part for number, part in enumerate(run) if part is not None}}
            history.append(standing)
    wanted: dict[str, tuple[Span, int]] = {}
    for number, listed in enumerate(history, start=1):
        for document in sorted(listed, reverse=True):
            for place, key in enumerate(listed[document]):
                first = wanted[key][0].first if key in wanted else number
                wanted[key] = (Span(first, number), place)
    assert wanted.keys() == by_key(book, feed).keys()
    assert {key: span for key, (span, _) in wanted.items()} == {
        key: each.sighting.span for key, each in by_key(book, feed).items()
    }
    open_now = {key for listed in history[-1:] for part in listed.values() for key in part}
    assert {key: wanted[key][1] for key in open_now} == {
        key: each.sighting.position for key, each in by_key(book, feed).items() if key in open_now
    }


def sightings_names(book: Ledger) -> set[str]:
    with ledgers.reading(book) as connection:
        return {name for (name,) in connection.exec_driver_sql("SELECT DISTINCT feed FROM shelves")}
