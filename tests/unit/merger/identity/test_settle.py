"""Promise 1: a guid, once published, is for ever; and the date with it."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.identity.guids import make_guid
from aggregator.merger.identity.settle import AHEAD, Past, settle
from aggregator.model.entry import Enclosure, Moment
from aggregator.model.item import Item, Provenance

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = Moment(datetime(2024, 4, 29, tzinfo=UTC), "day")


def item(title: str, *entries: str, guid: str = "", published: Moment | None = DAY, rank: int = 0) -> Item:
    origin = (Provenance("guid", entries[0].split("/")[0]),) if guid else ()
    return Item(title=title, entries=entries, guid=guid, published=published, rank=rank, provenance=origin)


def again(items: list[Item], published_items, now: datetime = NOW + timedelta(days=1), **past):
    return settle(items, Past("show", tuple(published_items), **past), now)


def first(*items: Item, **past):
    return settle(list(items), Past("show", **past), NOW)


def test_the_hosts_own_guid_is_adopted() -> None:
    assert [each.guid for each in first(item("A", "host/1", guid="host-guid")).items] == ["host-guid"]


@pytest.mark.parametrize("word", ["null", "None", "NaN", " undefined\x9b"])
def test_a_word_for_nothing_is_no_guid(word: str) -> None:
    assert first(item("A", "host/1", guid=word)).items[0].guid == make_guid("show", "A", DAY)


def test_without_a_guid_one_is_minted_from_title_and_day() -> None:
    settled = first(item("Min-cut partitioner", "casts/min-cut"))
    assert settled.items[0].guid == make_guid("show", "min cut PARTITIONER", Moment(DAY.at + timedelta(hours=7)))
    assert settled.new == (settled.items[0].guid,)


def test_many_items_of_one_title_without_a_date_take_no_more_guids_each_than_few(monkeypatch) -> None:
    made: list[str] = []
    uuid5 = uuid.uuid5
    monkeypatch.setattr(uuid, "uuid5", lambda space, name: made.append(name) or uuid5(space, name))
    settled = first(*(item("Untitled", f"blog/{at}", published=None) for at in range(500)))
    guids = {make_guid("show", "Untitled", None, turn) for turn in range(500)}
    assert {each.guid for each in settled.items} == guids
    assert len(made) < 10 * 500


@given(arrivals=st.lists(st.integers(1, 3), min_size=2, max_size=5), shown=st.integers(4, 20), upwards=st.booleans())
def test_items_of_one_time_stay_in_the_order_of_their_page(arrivals: list[int], shown: int, *, upwards: bool) -> None:
    known, places = (), {}
    for day, came in enumerate(arrivals):
        names = [f"casts/{number:02}" for number in range(sum(arrivals[:day]) + came)]
        page = names if upwards else names[-shown:][::-1]
        places |= {name: place for place, name in enumerate(page)}
        settled = again([item(name, name, rank=places[name]) for name in names], known, NOW + timedelta(days=day))
        known = settled.published_items
        assert [each.title for each in settled.items if each.title in page] == page


def test_a_changed_upstream_guid_title_date_and_source_keep_the_guid() -> None:
    before = first(item("A", "host/1", guid="one"))
    after = again([item("Another A", "host/1", "apple/1", guid="two", published=None)], before.published_items)
    assert [each.guid for each in after.items] == ["one"]
    assert after.items[0].published == DAY
    assert after.new == ()
    assert after.changed == ("one",)
    assert after.items[0].updated == Moment(NOW + timedelta(days=1))


def test_a_later_witness_change_alone_is_no_change() -> None:
    before = first(item("A", "host/1", guid="one"))
    after = again([replace(item("A", "host/1", "apple/1", guid="one"), origin="apple")], before.published_items)
    assert after.changed == ()
    assert after.items[0].updated is None


def test_the_date_grows_in_precision_on_its_day_only() -> None:
    exact = Moment(datetime(2024, 4, 29, 0, 1, tzinfo=UTC), "minute")
    before = first(item("A", "apple/1"))
    assert again([item("A", "apple/1", published=exact)], before.published_items).items[0].published == exact
    elsewhere = Moment(datetime(2024, 4, 28, 23, 59, tzinfo=UTC), "minute")
    assert again([item("A", "apple/1", published=elsewhere)], before.published_items).items[0].published == DAY


def test_a_finer_time_of_another_minute_does_not_replace_a_promised_minute() -> None:
    minute = Moment(datetime(2024, 4, 29, 0, 1, tzinfo=UTC), "minute")
    second = Moment(datetime(2024, 4, 29, 14, 1, 9, tzinfo=UTC), "second")
    before = first(item("A", "apple/1", published=minute))
    assert again([item("A", "apple/1", published=second)], before.published_items).items[0].published == minute


def test_an_undated_item_takes_when_it_was_first_seen_and_keeps_it() -> None:
    seen = NOW - timedelta(hours=3)
    before = first(item("Post", "blog/post", published=None), first_seen={"blog/post": seen})
    assert before.items[0].published == Moment(seen)
    after = again([item("Post", "blog/post", published=DAY)], before.published_items)
    assert after.items[0].published == Moment(seen)


def test_undated_posts_of_one_page_stand_in_the_order_of_the_page() -> None:
    posts = [item(title, f"blog/{title}", published=None, rank=rank) for rank, title in enumerate("zyx")]
    assert [each.title for each in first(*posts).items] == ["z", "y", "x"]


def test_a_date_in_the_future_is_not_believed() -> None:
    wild = Moment(NOW + AHEAD + timedelta(seconds=1))
    settled = first(item("A", "host/1", published=wild))
    assert settled.items[0].published == Moment(NOW)
    assert "in the future" in settled.events[0]
    assert first(item("A", "host/1", published=Moment(NOW + timedelta(hours=30)))).events
    assert first(item("A", "host/1", published=Moment(NOW + timedelta(hours=23)))).events == ()


def test_a_date_some_hours_ahead_is_frozen_as_seen_and_its_day_as_a_day() -> None:
    near = first(item("A", "host/1", published=Moment(NOW + timedelta(hours=10))))
    assert (near.items[0].published, near.events) == (Moment(NOW), ())
    tomorrow = Moment(datetime(2024, 5, 2, tzinfo=UTC), "day")
    seen = {"host/1": NOW - timedelta(hours=1)}
    settled = first(item("A", "host/1", published=tomorrow), first_seen=seen)
    assert settled.items[0].published == Moment(datetime(2024, 5, 1, tzinfo=UTC), "day")


def test_a_finer_time_that_is_to_come_is_taken_when_it_has_come() -> None:
    today, later = Moment(NOW.replace(hour=0), "day"), Moment(NOW + timedelta(hours=6))
    before = first(item("A", "apple/1", published=today))
    soon = again([item("A", "apple/1", published=later)], before.published_items, NOW + timedelta(hours=1))
    assert soon.items[0].published == today
    then = again([item("A", "apple/1", published=later)], soon.published_items, NOW + timedelta(hours=7))
    assert then.items[0].published == later


def test_two_published_items_found_to_be_one_leave_the_older_guid() -> None:
    older = first(item("A", "host/1", guid="old"))
    both = again([item("A", "host/1", guid="old"), item("A!", "mirror/9", guid="new")], older.published_items)
    merged = again([item("A", "host/1", "mirror/9", guid="old")], both.published_items, NOW + timedelta(days=2))
    assert [each.guid for each in merged.items] == ["old"]
    assert {record.guid: record.alias_of for record in merged.published_items} == {"old": None, "new": "old"}
    # and the alias stays dead when its own source alone is left
    alone = again([item("A", "mirror/9", guid="new")], merged.published_items, NOW + timedelta(days=3))
    assert [each.guid for each in alone.items] == ["old"]


def test_an_alias_of_an_alias_is_the_guid_that_lives() -> None:
    days = [NOW + timedelta(days=day) for day in range(6)]
    one, two, three = (
        item("A", "host/1", guid="old"),
        item("A!", "mirror/9", guid="mid"),
        item("A?", "list/5", guid="new"),
    )
    found = again([one, two], first(one).published_items, days[1])
    found = again([one, two, three], found.published_items, days[2])
    found = again([one, item("A!", "mirror/9", "list/5", guid="mid")], found.published_items, days[3])
    found = again([item("A", "host/1", "mirror/9", "list/5", guid="old")], found.published_items, days[4])
    assert {record.guid: record.alias_of for record in found.published_items} == {
        "old": None,
        "mid": "old",
        "new": "mid",
    }
    assert [each.guid for each in again([three], found.published_items, days[5]).items] == ["old"]


def test_a_split_leaves_the_guid_with_the_oldest_entry() -> None:
    before = first(item("A", "apple/1", "host/1", guid="one"))
    after = again([item("B", "host/1", guid="two"), item("A", "apple/1")], before.published_items)
    assert {each.title: each.guid for each in after.items} == {"A": "one", "B": "two"}
    assert after.events == ("'B' is not one as was thought: it is an item of its own",)


def test_a_split_leaves_a_guid_with_the_entry_that_gave_it() -> None:
    before = first(replace(item("A", "apple/1", "host/1", guid="one"), provenance=(Provenance("guid", "host"),)))
    assert before.published_items[0].entries == ("host/1", "apple/1")
    after = again([item("B", "host/1", guid="one"), item("A", "apple/1")], before.published_items)
    assert {each.title: each.guid for each in after.items} == {"A": make_guid("show", "A", DAY), "B": "one"}


def test_of_two_items_with_one_guid_the_more_trusted_source_keeps_it() -> None:
    honest, copy = item("Honest", "host/1", guid="one"), item("Copy", "thief/1", guid="one")
    settled = first(copy, honest, trust={"host": 0.9, "thief": 0.4})
    assert {each.title: each.guid for each in settled.items} == {
        "Honest": "one",
        "Copy": make_guid("show", "Copy", DAY),
    }
    assert "guid one of another item" in settled.events[0]


RANKED = {"host": 0.8, "mirror": 0.7, "other": 0.8}


def test_a_guid_that_a_less_trusted_source_listed_first_goes_to_the_item_of_its_own_source() -> None:
    fake = replace(item("Sonderangebote", "mirror/41", guid="show-41"), origin="mirror")
    before = first(fake, item("Kupfer", "host/40", "mirror/40", guid="show-40"), trust=RANKED)
    assert {each.guid for each in before.items} == {"show-40", "show-41"}
    own = item("Silber", "host/41", guid="show-41", published=DAY)
    now = [own, fake, item("Kupfer", "host/40", "mirror/40", guid="show-40")]
    after = again(now, before.published_items, trust=RANKED)
    found = {each.title: each.guid for each in after.items}
    assert found == {"Silber": "show-41", "Kupfer": "show-40", "Sonderangebote": make_guid("show", fake.title, DAY)}
    assert "show-41 belongs to 'Silber'" in after.events[0]
    third = again(now[::-1], after.published_items, trust=RANKED)
    assert {each.title: each.guid for each in third.items} == found
    assert (third.new, third.changed, third.events) == ((), (), ())


def test_a_guid_stays_with_a_source_that_is_trusted_as_much_and_with_what_was_published_before() -> None:
    def publish(*items: Item) -> dict[str, str]:
        before = first(items[0], trust=RANKED)
        return {each.title: each.guid for each in again(list(items), before.published_items, trust=RANKED).items}

    own = item("Silber", "host/41", guid="show-41")
    assert publish(item("Kupfer", "other/41", guid="show-41"), own)["Kupfer"] == "show-41"
    assert publish(item("Kupfer", "mirror/41", "other/1", guid="show-41"), own)["Kupfer"] == "show-41"
    assert publish(own, item("Kupfer", "mirror/41", guid="show-41"))["Silber"] == "show-41"
    fake = replace(item("Kupfer", "mirror/41", guid="show-41"), origin="mirror")
    before = first(fake, item("Silber", "host/41"), trust=RANKED)
    known = {each.title: each.guid for each in before.items}
    after = again([fake, own], before.published_items, trust=RANKED)
    assert {each.title: each.guid for each in after.items} == known, "a published item keeps its guid"


def test_audio_of_sources_trusted_alike_belongs_to_the_one_that_lists_it_once() -> None:
    def heard(title: str, entry: str) -> Item:
        made = item(title, entry, guid=f"guid-{entry}")
        source = entry.split("/", maxsplit=1)[0]
        audio = (*made.provenance, Provenance("enclosure", source))
        return replace(made, enclosure=Enclosure("https://cdn.example/9.mp3"), provenance=audio)

    fakes = [heard("Kaufen", "other/1"), heard("Sofort", "other/2")]
    before = first(*fakes, trust=RANKED)
    after = again([*fakes, heard("Silber", "host/9")], before.published_items, trust=RANKED)
    assert {each.title for each in after.items if each.enclosure} == {"Silber"}
    alone = again([fakes[0], heard("Silber", "host/9")], first(fakes[0], trust=RANKED).published_items, trust=RANKED)
    assert {each.title for each in alone.items if each.enclosure} == {"Kaufen"}


def test_two_items_of_one_title_and_day_have_two_guids() -> None:
    settled = first(item("Listener Mail", "casts/a"), item("Listener Mail", "casts/b"))
    assert len({each.guid for each in settled.items}) == 2


def test_audio_that_two_items_list_stays_with_the_one_published_first() -> None:
    audio = Enclosure("https://cdn.example/1.mp3")
    before = first(replace(item("A", "host/1", guid="one"), enclosure=audio))
    both = [
        replace(item("Trailer", "host/0", guid="zero"), enclosure=audio),
        replace(item("A", "host/1"), enclosure=audio),
    ]
    after = again(both, before.published_items)
    assert {each.guid: each.enclosure for each in after.items} == {"zero": None, "one": audio}
    assert "'Trailer' has the audio of the item one" in after.remarks[0]


@pytest.mark.parametrize(
    "url", ["https://me:word@cdn.example/ä.mp3", "https://cdn.ｅxample/ä.mp3", "https://cdn.example/%C3%A4.mp3"]
)
def test_audio_that_would_be_published_at_one_address_is_of_one_item(url: str) -> None:
    audio = Enclosure("https://cdn.example/ä.mp3")
    before = first(replace(item("A", "host/1", guid="one"), enclosure=audio))
    other = replace(item("Sponsored", "list/0", guid="zero"), enclosure=Enclosure(url))
    after = again([other, replace(item("A", "host/1"), enclosure=audio)], before.published_items)
    assert {each.guid: each.enclosure for each in after.items} == {"zero": None, "one": audio}


def test_a_buried_item_leaves_and_comes_back_under_its_guid() -> None:
    before = first(item("A", "host/1", guid="one"))
    gone = again([item("A", "host/1", guid="one")], before.published_items, buried={"one": "taken down"})
    assert gone.items == ()
    assert gone.published_items[0].buried == "taken down"
    back = again([item("A", "host/1", guid="one")], gone.published_items)
    assert [each.guid for each in back.items] == ["one"]
    assert back.published_items[0].buried is None


entries = st.integers(0, 8).map(lambda number: f"s{number % 3}/{number}")
titles = st.sampled_from(["Alpha", "Beta", "Gamma", "Listener Mail"])
moments = st.sampled_from([None, DAY, Moment(DAY.at + timedelta(hours=9)), Moment(NOW + timedelta(days=400))])


@st.composite
def refreshes(draw: st.DrawFn) -> list[list[Item]]:
    """Random histories: in each refresh the entries known so far are grouped into items in any way."""
    history = []
    for _ in range(draw(st.integers(1, 4))):
        pool = draw(st.lists(entries, unique=True, min_size=1, max_size=9))
        groups: dict[int, list[str]] = {}
        for entry in pool:
            groups.setdefault(draw(st.integers(0, 4)), []).append(entry)
        history.append(
            [
                item(
                    draw(titles), *sorted(group), guid=draw(st.sampled_from(["", "g1", "g2"])), published=draw(moments)
                )
                for group in groups.values()
            ]
        )
    return history


@given(refreshes(), st.randoms())
def test_promise_1_guids_are_permanent_unique_and_independent_of_order(history, random) -> None:
    published_items = ()
    for turn, items in enumerate(history):
        now = NOW + timedelta(days=turn)
        settled = settle(items, Past("show", published_items), now)
        shuffled = list(items)
        random.shuffle(shuffled)
        assert settle(shuffled, Past("show", published_items), now) == settled
        guids = [each.guid for each in settled.items]
        assert len(set(guids)) == len(guids)
        assert len(guids) == len(items)
        aliases = {record.guid for record in settled.published_items if record.alias_of}
        assert not aliases & set(guids)
        after = {record.guid: record for record in settled.published_items}
        for record in published_items:
            assert record.guid in after
            assert record.minted == after[record.guid].minted
            gone = set(record.entries) - set(after[record.guid].entries)
            assert all(any(each in held.entries for held in settled.published_items) for each in gone)
            if record.published.precision != "day":
                assert after[record.guid].published == record.published
            assert after[record.guid].published.at.date() == record.published.at.date()
        assert settle(items, Past("show", settled.published_items), now).new == ()
        published_items = settled.published_items
