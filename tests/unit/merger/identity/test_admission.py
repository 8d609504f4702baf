"""Which new items are held: pure decisions over made-up sources and items."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.identity.admission import (
    _QUOTA,
    HOLD,
    Arrival,
    Coverage,
    Situation,
    admit,
    describe_held,
    find_coverage,
    find_misdating,
    select_new,
)
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Entry, Moment, Span
from aggregator.model.item import Item, PublishedItem
from aggregator.model.source import Source

NOW = datetime(2025, 3, 14, 9, tzinfo=UTC)
OLDEST = NOW - timedelta(days=200)
HOST = Source("host", "feed", trust=0.8)
MIRROR = Source("mirror", "feed", trust=0.2)
OTHER = Source("other", "listing", trust=0.4)
BLOG = Source("blog", "blog", trust=0.5)
TRUST = {"host": 0.8, "mirror": 0.2}
BOTH = Coverage(frozenset({"episode"}), OLDEST)


def item(*entries: str, days: float | None = 0, genre="episode") -> Item:
    published = None if days is None else Moment(NOW - timedelta(days=days))
    return Item(f"Of {entries[0]}", tuple(sorted(entries)), genre, published=published)


def situation(*sources: Source, seen: timedelta = timedelta(), **changes) -> Situation:
    """All sources answer, and every entry was first seen so long ago, in its source's third listing."""
    names = [source.name for source in sources]
    arrivals = {f"{name}/{number}": Arrival(NOW - seen, 3) for name in names for number in range(200)}
    base = Situation(sources, dict.fromkeys(names), dict.fromkeys(names, BOTH), arrivals)
    return replace(base, **changes)


def published(*entries: str) -> PublishedItem:
    return PublishedItem(entries[0], NOW, Moment(NOW), entries, "A title", digest="of the content")


def held(*items: Item, among: Situation, now: datetime = NOW) -> dict[str, str]:
    return {each.entries[0]: each.why for each in admit(items, among, now).held}


def test_a_less_trusted_source_waits_for_the_host() -> None:
    assert held(item("mirror/1"), among=situation(HOST, MIRROR)) == {"mirror/1": "unconfirmed"}
    assert held(item("mirror/1", "host/1"), among=situation(HOST, MIRROR)) == {}
    assert held(item("host/1"), among=situation(HOST, MIRROR)) == {}


def test_a_second_source_confirms_and_one_that_never_adds_does_not() -> None:
    assert held(item("mirror/1", "other/1"), among=situation(HOST, MIRROR, OTHER)) == {}
    mute = replace(OTHER, adds="never")
    assert held(item("mirror/1", "other/1"), among=situation(HOST, MIRROR, mute)) == {"mirror/1": "unconfirmed"}
    assert held(item("other/1"), among=situation(HOST, MIRROR, mute)) == {"other/1": "never"}
    assert held(item("mirror/1", "mirror/2"), among=situation(HOST, MIRROR)) == {"mirror/1": "unconfirmed"}


def test_the_archive_that_a_source_lists_from_the_beginning_is_published() -> None:
    later = situation(HOST, MIRROR)
    first = replace(later, arrivals={name: Arrival(NOW, 1) for name in later.arrivals})
    assert held(item("mirror/1", days=201), among=first) == {}
    assert held(item("mirror/1", days=199), among=first) == {"mirror/1": "unconfirmed"}
    assert held(item("mirror/1", days=900), among=later) == {"mirror/1": "unconfirmed"}
    assert held(item("mirror/1", days=900), among=later, now=NOW + HOLD) == {}


def _joined(first: Source, second: Source, *, later: bool = True, **changes) -> Situation:
    """Return a situation in which the second source was first listed now, the first one a month ago or now."""
    covered = Coverage(frozenset({"episode"}), NOW - timedelta(days=200), NOW - timedelta(days=2))
    among = situation(first, second, coverage={first.name: covered, second.name: BOTH}, **changes)
    since = {first.name: NOW - timedelta(days=30 if later else 0), second.name: NOW}
    return replace(among, arrivals={name: Arrival(NOW, 1) for name in among.arrivals}, since=since)


def test_what_a_new_source_lists_among_the_known_items_waits() -> None:
    twin = replace(MIRROR, trust=0.8)
    among = _joined(HOST, twin)
    assert held(item("mirror/1", days=100), among=among) == {"mirror/1": "unconfirmed"}
    assert held(item("mirror/1", days=100), among=among, now=NOW + HOLD) == {}
    assert held(item("mirror/1", "host/1", days=100), among=among) == {}


def test_a_new_source_of_the_first_refresh_or_before_and_after_what_is_known_does_not_wait() -> None:
    twin = replace(MIRROR, trust=0.8)
    assert held(item("mirror/1", days=100), among=_joined(HOST, twin, later=False)) == {}
    for days in (201, 1, None):
        assert held(item("mirror/1", days=days), among=_joined(HOST, twin)) == {}
    assert held(item("mirror/1", days=100), among=_joined(HOST, replace(twin, trust=0.81))) == {}
    assert held(item("mirror/1", days=100), among=_joined(HOST, replace(twin, adds="always"))) == {}
    assert held(item("blog/1", days=100, genre="post"), among=_joined(HOST, replace(BLOG, trust=0.8))) == {}


def test_what_only_listings_without_files_have_of_the_episodes_of_others_waits_from_the_beginning() -> None:
    twin = replace(BLOG, trust=0.8)
    for kind in ("feed", "blog"):
        video = replace(twin, name="video", kind=kind)
        among = replace(_joined(HOST, video, later=False), fileless=frozenset({"video"}))
        for days in (100, 1, None):
            assert held(item("video/1", days=days, genre="post"), among=among) == {"video/1": "unconfirmed"}
        assert held(item("video/1", days=201, genre="post"), among=among) == {}
        assert held(item("video/1", "host/1", days=100), among=among) == {}
        assert held(item("video/1", genre="post"), among=among, now=NOW + HOLD) == {}
    both = situation(HOST, twin, replace(twin, name="video"), fileless=frozenset({"blog", "video"}))
    assert held(item("video/1", "blog/1", genre="post"), among=both) == {"blog/1": "unconfirmed"}
    for other in (replace(twin, trust=0.9), replace(twin, adds="always")):
        among = situation(HOST, other, fileless=frozenset({"blog"}))
        assert held(item("blog/1", genre="post"), among=among) == {}


def test_what_may_be_any_item_of_a_more_trusted_source_waits_until_it_is_known() -> None:
    near = replace(MIRROR, trust=0.7)
    among = situation(HOST, near, undecided={"mirror/1": ("host",), "host/1": ("mirror",)})
    assert held(item("mirror/1"), item("mirror/2"), item("host/1"), among=among) == {"mirror/1": "perhaps published"}
    assert held(item("mirror/1", "host/1"), among=among) == {}
    assert held(item("mirror/1"), among=among, now=NOW + HOLD) == {}
    assert held(item("mirror/1"), among=replace(among, decided={"mirror/1": True})) == {}
    assert held(item("mirror/1"), among=replace(among, answering={"mirror": None})) == {}
    first = replace(among, arrivals={name: Arrival(NOW, 1) for name in among.arrivals})
    assert held(item("mirror/1", days=900), among=first) == {"mirror/1": "perhaps published"}


def test_what_may_be_an_item_of_a_source_trusted_no_more_or_may_always_be_added_does_not_wait() -> None:
    undecided = {"mirror/1": ("host",)}
    for other in (replace(MIRROR, trust=0.8), replace(MIRROR, trust=0.9), replace(MIRROR, trust=0.7, adds="always")):
        assert held(item("mirror/1"), among=situation(HOST, other, undecided=undecided)) == {}
    near, third = replace(MIRROR, trust=0.7), replace(OTHER, trust=0.7)
    assert held(item("mirror/1", "other/1"), among=situation(HOST, near, third, undecided=undecided)) == {}
    both = {**undecided, "other/1": ("host",)}
    waits = situation(HOST, near, third, undecided=both)
    assert held(item("mirror/1", "other/1"), among=waits) == {"mirror/1": "perhaps published"}


def test_a_hold_of_what_may_be_published_is_described_in_plain_words() -> None:
    among = situation(HOST, replace(MIRROR, trust=0.7), undecided={"mirror/1": ("host",)})
    (line,) = describe_held(admit([item("mirror/1")], among, NOW).held)
    assert line == (
        "mirror: 1 new item is held as each may be any of a more trusted source's items; until it is known which, at"
        ' the latest 2025-03-21: "Of mirror/1"'
    )


def test_a_source_that_dates_items_wrongly_has_no_archive() -> None:
    first = situation(HOST, MIRROR, misdating={"mirror"})
    first = replace(first, arrivals={name: Arrival(NOW, 1) for name in first.arrivals})
    assert held(item("mirror/1", days=900), among=first) == {"mirror/1": "unconfirmed"}
    assert held(item("mirror/1", days=None), among=first) == {}
    items = [item(f"host/{number}", f"mirror/{number}", days=7 * number) for number in range(4)]
    for off, expected in ((0, set()), (2, set()), (4, {"mirror"})):
        clusters = [_dated(host=7 * number, mirror=7 * number + off) for number in range(4)]
        assert find_misdating(items, clusters) == expected
    assert find_misdating([item("mirror/9")], [_dated(mirror=900)]) == set()


def _dated(**days: int) -> Cluster:
    """Return the entries of these sources, each dated so many days ago."""
    return Cluster(
        tuple(Entry(name, "1", "A title", published=Moment(NOW - timedelta(days=ago))) for name, ago in days.items())
    )


def test_an_item_waits_only_for_a_source_that_lists_something() -> None:
    assert held(item("mirror/1", days=None), among=situation(HOST, MIRROR)) == {"mirror/1": "unconfirmed"}
    undated = {"host": Coverage(frozenset({"episode"})), "mirror": BOTH}
    assert held(item("mirror/1"), among=situation(HOST, MIRROR, coverage=undated)) == {"mirror/1": "unconfirmed"}
    nothing = {"mirror": BOTH}
    assert held(item("mirror/1"), among=situation(HOST, MIRROR, coverage=nothing)) == {}


def test_a_listing_without_dates_is_published_when_it_is_first_asked() -> None:
    among = situation(HOST, MIRROR, OTHER)
    first = replace(among, arrivals={name: Arrival(NOW, 1) for name in among.arrivals})
    assert held(item("other/1", days=None), among=first) == {}
    assert held(item("other/1"), among=first) == {"other/1": "unconfirmed"}
    strict = replace(first, sources=(HOST, replace(OTHER, adds="confirmed")))
    assert held(item("other/1", days=None), among=strict) == {"other/1": "unconfirmed"}


def test_while_the_host_does_not_answer_all_is_published() -> None:
    assert held(item("mirror/1"), among=situation(HOST, MIRROR, answering={"mirror": None})) == {}


@pytest.mark.parametrize(("trust", "waits"), [(0.6, True), (0.61, False), (0.8, False), (0.0, True)])
def test_the_gap_of_trust_decides(trust: float, waits: bool) -> None:  # noqa: FBT001 - a parameter
    source = Source("mirror", "feed", trust=trust)
    assert bool(held(item("mirror/1"), among=situation(HOST, source))) is waits


@pytest.mark.parametrize(("high", "low"), [(0.9, 0.7), (0.8, 0.6), (0.7, 0.5), (0.6, 0.4), (0.5, 0.3), (0.3, 0.1)])
def test_the_gap_does_not_depend_on_how_fractions_are_kept(high: float, low: float) -> None:
    among = situation(replace(HOST, trust=high), replace(MIRROR, trust=low))
    assert held(item("mirror/1"), among=among)


def test_the_config_has_the_last_word() -> None:
    assert held(item("mirror/1"), among=situation(HOST, replace(MIRROR, adds="always"))) == {}
    equal = replace(MIRROR, trust=0.8, adds="confirmed")
    assert held(item("mirror/1"), among=situation(HOST, equal)) == {"mirror/1": "unconfirmed"}
    assert held(item("host/1"), among=situation(replace(HOST, adds="never"), MIRROR)) == {"host/1": "never"}
    assert held(item("gone/1"), among=situation(HOST)) == {"gone/1": "removed"}


def test_posts_of_a_blog_wait_only_for_who_lists_posts() -> None:
    post = item("blog/1", genre="post")
    assert held(post, among=situation(replace(HOST, trust=0.9), BLOG)) == {}
    posts = {"blog": Coverage(frozenset({"post"}), OLDEST), "mirror": BOTH}
    posting = {"host": Coverage(frozenset({"post"}), OLDEST), "blog": BOTH}
    assert held(post, among=situation(HOST, BLOG, coverage=posting)) == {"blog/1": "unconfirmed"}
    assert held(post, among=situation(HOST, replace(BLOG, adds="confirmed"))) == {"blog/1": "unconfirmed"}
    assert held(item("mirror/1", genre="post"), among=situation(HOST, MIRROR)) == {"mirror/1": "unconfirmed"}
    assert held(item("mirror/1"), among=situation(BLOG, MIRROR, coverage=posts)) == {}


def test_an_item_is_held_for_a_week_and_no_longer() -> None:
    early = situation(HOST, MIRROR, seen=HOLD - timedelta(seconds=1))
    found = admit([item("mirror/1")], early, NOW)
    assert found.until == NOW + timedelta(seconds=1)
    assert not admit([item("mirror/1")], early, found.until).held
    assert admit([item("mirror/1")], early, NOW) == found


def test_the_answer_of_a_failing_source_counts_for_a_while() -> None:
    among = situation(HOST, MIRROR, answering={"host": NOW + timedelta(days=2), "mirror": None})
    found = admit([item("mirror/1")], among, NOW)
    assert (found.held[0].until, found.until) == (NOW + HOLD, NOW + timedelta(days=2))


def test_what_a_person_decided_holds() -> None:
    among = situation(HOST, MIRROR, OTHER, decided={"mirror/1": True, "mirror/2": False})
    assert held(item("mirror/1"), item("mirror/2"), item("mirror/3"), among=among) == {
        "mirror/2": "declined",
        "mirror/3": "unconfirmed",
    }
    assert held(item("mirror/2", "host/2"), among=among) == {}, "what the host lists too is the host's"
    assert held(item("mirror/2", "other/2"), among=among) == {"mirror/2": "unconfirmed"}
    back = replace(among, held_back=["mirror/2"])
    assert held(item("mirror/2", "host/2"), among=back) == {"host/2": "declined"}, "whichever source lists it"


def test_a_flood_is_let_through_a_quota_at_a_time_and_the_host_goes_first() -> None:
    flood = [item(f"mirror/{number}", days=number) for number in range(80)]
    always = replace(MIRROR, adds="always")
    among = situation(HOST, always, quota=_QUOTA)
    found = admit([*flood, item("host/1", days=5)], among, NOW)
    assert {each.why for each in found.held} == {"quota"}
    assert {each.entries for each in found.held} == {(f"mirror/{number}",) for number in range(50, 80)}
    assert found.until == NOW
    late = admit([*flood, *(item(f"host/{number}", days=90) for number in range(60))], among, NOW)
    assert {each.entries for each in late.held} == {each.entries for each in found.held}, (
        "the host's items do not count"
    )
    alike = situation(replace(HOST, trust=0.5), replace(MIRROR, adds="always", trust=0.5), quota=_QUOTA)
    late = admit([*flood, *(item(f"host/{number}", days=90) for number in range(9))], alike, NOW)
    assert {each.entries for each in late.held} == {(f"mirror/{number}",) for number in range(41, 80)}, "in turn"
    first = {name: Arrival(NOW, 1) for name in among.arrivals}
    assert not admit(flood, replace(among, arrivals=first), NOW).held, "a first listing is no flood"
    assert not admit(flood, replace(among, quota=None), NOW).held


def test_the_newest_listing_is_what_a_source_lists() -> None:
    entries = [
        Entry("host", "a", "A", published=Moment(NOW - timedelta(days=900)), span=Span(1, 2)),
        Entry("host", "b", "B", published=Moment(NOW - timedelta(days=9)), span=Span(1, 3)),
        Entry("host", "c", "C", "post", published=Moment(NOW - timedelta(days=4)), span=Span(3, 3)),
        Entry("other", "a", "A"),
    ]
    known = {
        "host": Coverage(frozenset({"episode", "post"}), NOW - timedelta(days=9), NOW - timedelta(days=4)),
        "other": Coverage(frozenset({"episode"})),
    }
    assert find_coverage(entries) == find_coverage(reversed(entries)) == known


def test_published_items_are_never_asked_about() -> None:
    items = (item("mirror/1", "host/1"), item("mirror/2"))
    assert select_new(items, [published("host/1")], TRUST) == items[1:]


def test_what_parts_from_a_published_item_is_new_where_a_more_trusted_entry_keeps_it() -> None:
    items = (item("host/1"), item("mirror/1"), item("mirror/2"))
    assert select_new(items, [published("host/1", "mirror/1")], TRUST) == items[1:]
    assert select_new(items, [published("host/1", "mirror/1")], TRUST, {"host/1", "mirror/1"}) == items[2:]
    assert select_new(items, [published("mirror/1", "mirror/2")], TRUST) == items[:1]
    assert select_new(items, [published("host/1", "mirror/1"), published("mirror/1")], TRUST) == items[2:]


def test_it_is_told_in_one_line_for_each_source() -> None:
    found = admit([item(f"mirror/{number}") for number in range(5)], situation(HOST, MIRROR), NOW)
    assert describe_held(found.held) == (
        (
            "mirror: 5 new items are held until another source lists them, at the latest 2025-03-21:"
            ' "Of mirror/0", "Of mirror/1", "Of mirror/2" and 2 more'
        ),
    )


sources = st.builds(
    lambda name, trust, adds: Source(name, "feed", trust=trust, adds=adds),
    st.sampled_from("abcd"),
    st.sampled_from([0.2, 0.5, 0.8]),
    st.sampled_from([None, None, "always", "confirmed", "never"]),
)
names = st.lists(
    st.tuples(st.sampled_from("abcde"), st.integers(0, 5)).map(lambda pair: f"{pair[0]}/{pair[1]}"),
    min_size=1,
    max_size=3,
    unique=True,
)


@given(
    st.lists(sources, min_size=1, max_size=4, unique_by=lambda each: each.name),
    st.lists(names, max_size=6),
    st.sets(st.sampled_from("abcd")),
    st.lists(st.integers(0, 10), min_size=36, max_size=36),
    st.one_of(st.none(), st.integers(0, 3)),
    st.dictionaries(names.map(lambda each: each[0]), st.tuples(st.sampled_from("abcdef")), max_size=6),
    st.frozensets(st.sampled_from("abcd")),
    st.randoms(use_true_random=False),
)
def test_nothing_but_what_is_known_decides(known, entries, silent, ages, quota, undecided, fileless, chance) -> None:
    items = [item(*each) for each in entries]
    seen = {
        f"{name}/{number}": Arrival(NOW - timedelta(days=age, hours=1), 2)
        for (name, number), age in zip(((n, k) for n in "abcdef" for k in range(6)), ages, strict=True)
    }
    among = Situation(
        tuple(known),
        {each.name: None for each in known if each.name not in silent},
        {each.name: BOTH for each in known},
        seen,
        quota=quota,
        undecided=undecided,
        fileless=fileless,
    )
    found = admit(items, among, NOW)
    shuffled, order = list(items), list(known)
    chance.shuffle(shuffled)
    chance.shuffle(order)
    assert admit(shuffled, replace(among, sources=tuple(order)), NOW) == found
    adding = {each.name for each in known if each.adds != "never"}
    most_trusted = {each.name for each in known if each.trust == max(other.trust for other in known)}
    late = admit(items, replace(among, quota=None), NOW + timedelta(days=30))
    for each in late.held:  # after a week only what no source may add is held
        assert not adding & set(each.sources)
    for each in found.held:
        if each.why == "unconfirmed":
            assert len(adding & set(each.sources)) == 1 or fileless >= adding & set(each.sources)
            assert NOW < each.until <= NOW + HOLD
        if each.why == "perhaps published":
            assert NOW < each.until <= NOW + HOLD
            assert set(each.sources).isdisjoint(most_trusted)
    if found.until is not None and found.until > NOW:
        assert admit(items, among, found.until - timedelta(seconds=1)) == found
