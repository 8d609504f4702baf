"""A diff of two states of a feed, in words; and its page."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import atoma
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec.structs import replace

from aggregator.generator.changes import changes, changes_page, feed_state
from aggregator.generator.changes.changes import _KINDS, Change, describe_change, list_changes
from aggregator.model.entry import Duration, Enclosure, Moment
from aggregator.model.feed import Feed, SourceResult
from aggregator.model.item import Item
from aggregator.model.source import Source
from aggregator.translation.locale import Locale
from tests.support import sample_feed as made

HERE = Path(__file__).parent
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Items(dict[str, Item]):
    """Where the items are kept, in memory."""

    def write(self, published: Sequence[Item]) -> list[tuple[Item | None, Item]]:
        changed = [(self.get(item.guid), item) for item in published if self.get(item.guid) != item]
        self.update({item.guid: item for item in published})
        return changed

    def remove_others(self, guids: Collection[str]) -> tuple[Item, ...]:
        return tuple([self.pop(guid) for guid in sorted(set(self) - set(guids))])


def published(*runs: tuple[Feed, datetime]) -> changes.History:
    """The history of a feed that was published so, over a store that keeps it in between."""
    past, items = None, Items()
    for feed, at in runs:
        kept = changes.pack_history(past) if past else None
        past = changes.advance_history(changes.unpack_history(kept), feed, at, items)
    assert past is not None
    return past


def compare(old: Feed, new: Feed) -> tuple[Change, ...]:
    return list_changes(feed_state.find_changes(feed_state.take_state(old), feed_state.take_state(new)))


def told(old: Feed, new: Feed) -> list[str]:
    return [describe_change(change) for change in compare(old, new)]


def render_changes(feed: Feed, history: changes.History) -> bytes:
    """The changes page in its main language."""
    return next(changes_page.render_changes_pages(feed, history))[1]


def one(item: Item) -> Feed:
    return replace(made.feed(0, 0), items=(item,))


ITEM = Item(
    title="Clocks",
    entries=("host/1",),
    guid="g",
    description="short",
    published=Moment(NOON),
    duration=Duration(840),
    enclosure=Enclosure("https://a.example/1.mp3", "audio/mpeg", 1_000_000),
    season=1,
)


def test_equal_feeds_have_no_changes() -> None:
    assert told(made.feed(), made.feed()) == []


def test_how_the_last_run_went_is_no_change() -> None:
    feed = made.feed()
    rested = replace(feed, source_results=tuple(replace(each, message="x", entries=99) for each in feed.source_results))
    assert told(feed, rested) == []


def test_items_that_came_and_went() -> None:
    assert told(made.feed(2, 0), made.feed(3, 1)) == [
        "New post: “Field notes, no. 1”, 26 Jul 2024.",
        "New episode: “Clocks, and other opinions”, 7 Jul 2024.",
    ]
    assert told(one(ITEM), made.feed(0, 0)) == ["“Clocks” left the feed."]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"title": "Clocks!"}, "“Clocks!”: the title is now “Clocks!”, it was “Clocks”."),
        ({"duration": Duration(893)}, "“Clocks”: the length is now 15 min, it was 14 min."),
        ({"duration": Duration(844)}, "“Clocks”: the length is 4 s more, still 14 min."),
        ({"published": Moment(NOON + timedelta(hours=2))}, "“Clocks”: the date has another time on 1 Mar 2026."),
        (
            {"enclosure": Enclosure("https://a.example/1.mp3", "audio/mpeg", 998_000)},
            "“Clocks”: the audio size is now 998 kB, it was 1 MB.",
        ),
        (
            {"enclosure": Enclosure("https://a.example/1.mp3", "audio/mpeg", 1_002_000)},
            "“Clocks”: the audio size is 2000 bytes more, still 1 MB.",
        ),
        ({"title": "كيف"}, "“\u2068كيف\u2069”: the title is now “\u2068كيف\u2069”, it was “Clocks”."),
        ({"duration": None}, "“Clocks”: the length is no longer known, it was 14 min."),
        ({"episode": 7}, "“Clocks”: the episode number is now known: 7."),
        ({"published": Moment(NOON + timedelta(days=2))}, "“Clocks”: the date is now 3 Mar 2026, it was 1 Mar 2026."),
        ({"description": "shorter"}, "“Clocks”: the text grew from 5 to 7 characters."),
        ({"description": "short " * 100}, "“Clocks”: the text grew from 5 to 600 characters."),
        ({"description": "shirt"}, "“Clocks”: the text was corrected (5 characters)."),
        ({"description": "s"}, "“Clocks”: the text shrank from 5 to 1 character."),
        ({"description": None}, "“Clocks”: the text is no longer known, it was 5 characters."),
        (
            {"enclosure": Enclosure("https://b.example/1.mp3", "audio/mpeg", 1_000_000)},
            "“Clocks”: the audio moved from a.example to b.example.",
        ),
        (
            {"enclosure": Enclosure("https://a.example/2.mp3", "audio/mpeg", 1_000_000)},
            "“Clocks”: the audio has another address at a.example.",
        ),
        (
            {"enclosure": Enclosure("https://a.example/1.mp3", "audio/mpeg", 2_000_000)},
            "“Clocks”: the audio size is now 2 MB, it was 1 MB.",
        ),
        ({"link": "https://x.example/1"}, "“Clocks”: the link is now known: x.example."),
        ({"explicit": True}, "“Clocks”: the explicit mark is now known: yes."),
        ({"entries": ("host/1", "apple/2")}, "“Clocks” is now also listed by apple."),
        ({"entries": ("apple/2",)}, "“Clocks” is now also listed by apple."),
    ],
)
def test_each_field_has_its_sentence(change: dict[str, object], expected: str) -> None:
    after = replace(ITEM, **change)  # type: ignore[arg-type]  # a case's fields
    assert told(one(ITEM), one(after))[0] == expected


def test_a_split_is_told() -> None:
    both = replace(ITEM, entries=("apple/2", "host/1"))
    assert told(one(both), one(ITEM)) == ["“Clocks” is no longer matched with an entry of apple."]


def test_the_channel_and_the_sources_are_told() -> None:
    feed = made.feed(0, 0)
    host, *others = reversed(feed.source_results)
    after = replace(
        feed,
        channel=replace(feed.channel, title="Loud Machines", author=None),
        source_results=(replace(host, status="ok"), *others[1:]),
    )
    assert told(feed, after) == [
        "The feed’s title is now “Loud Machines”, it was “Quiet Machines”.",
        "The feed’s author is no longer known, it was “Mara Ilves & Jon Åkesson”.",
        "The source casts was removed.",
        "The source host: ok (before: failed).",
    ]
    assert "The source casts is new: failed; using a saved copy." in told(after, feed)


def test_a_change_of_witness_alone_is_no_change() -> None:
    assert told(one(ITEM), one(replace(ITEM, origin="apple", provenance=()))) == []


def test_every_kind_has_its_sentence() -> None:
    assert len({describe_change(Change(kind, "Clocks")) for kind in _KINDS}) == len(_KINDS)


def test_the_state_is_remembered_exactly() -> None:
    state = feed_state.take_state(made.feed())
    besides = feed_state.take_channel_state(made.feed())
    assert feed_state.unpack_state(feed_state.pack_state(state)) == besides == replace(state, items={})


def test_a_first_publication_is_no_news() -> None:
    items = Items()
    first = changes.advance_history(None, made.feed(), NOON, items)
    assert first.editions == ()
    assert changes.advance_history(first, made.feed(), NOON + timedelta(hours=1), items) is first
    assert len(items) == len(made.feed().items)


def test_the_history_keeps_the_newest_editions_and_says_what_it_left_out() -> None:
    numbers = range(changes._MOST_EDITIONS + 5)
    past = published(*((one(replace(ITEM, title=f"Clocks {each}")), NOON + timedelta(hours=each)) for each in numbers))
    assert len(past.editions) == changes._MOST_EDITIONS
    assert past.editions[0].at == NOON + timedelta(hours=changes._MOST_EDITIONS + 4)
    crowd = published((made.feed(0, 0), NOON), (made.feed(changes._MOST_CHANGES + 9, 0), NOON))
    assert (len(crowd.editions[0].changes), crowd.editions[0].more) == (changes._MOST_CHANGES, 9)


def test_looked_at_some_at_a_time_the_changes_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = made.feed(9, 3), made.feed(7, 6)
    other = tuple(replace(each, entries=("apple/1",), season=9, link=None) for each in new.items[:8])
    new = replace(new, items=(*reversed(other), *new.items[8:]), source_results=new.source_results[:1])
    expected = compare(old, new)
    for most in (200, 5):
        monkeypatch.setattr(changes, "_MOST_CHANGES", most)
        for lot in (1, 2, 400):
            monkeypatch.setattr(changes, "_BATCH", lot)
            edition = published((old, NOON), (new, NOON)).editions[0]
            assert (edition.changes, edition.more) == (expected[:most], max(0, len(expected) - most))
            assert {change.kind for change in expected} > {"added", "left", "changed", "listed", "unlisted"}


def grown() -> changes.History:
    day = timedelta(days=1)
    return published((made.feed(2, 0), NOON - 9 * day), (made.feed(3, 1), NOON), (made.feed(3, 2), NOON + day))


def test_the_history_survives_the_store() -> None:
    assert changes.unpack_history(changes.pack_history(grown())) == grown()
    assert changes.unpack_history(None) is None


def test_bytes_are_the_golden_ones() -> None:
    feed = made.feed(3, 2)
    made_now = {
        "changes.html": render_changes(feed, grown()),
        "changes.atom": changes_page.render_changes_feed(feed, grown()),
    }
    for name, body in made_now.items():
        golden = HERE / "data" / name
        if os.environ.get("GOLDEN") == "write":
            golden.write_bytes(body)
        assert golden.read_bytes() == body


def test_the_page_tells_the_changes_of_one_item_under_its_title() -> None:
    shrunk = replace(ITEM, title="Clocks!", duration=Duration(893), entries=("host/1", "apple/2"))
    other = replace(made.feed(1, 0).items[0], duration=Duration(60))
    old = replace(made.feed(1, 0), items=(*made.feed(1, 0).items, ITEM))
    new = replace(old, items=(other, shrunk))
    past = published((old, NOON), (new, NOON))
    text = render_changes(new, past).decode()
    lines = re.sub(r"<[^>]+>", "", text[text.index('<section class="card news"') : text.index("</main>")]).split("\n")
    assert "is now also listed by apple" in changes_page.render_changes_feed(new, past).decode()
    assert [line for line in lines if line][1:] == [
        "“Why caches lie”: the length is now 1 min, it was 15 min.",
        "“Clocks!”",
        "the title is now “Clocks!”, it was “Clocks”.",
        "the length is now 15 min, it was 14 min.",
    ]


def test_no_changes_are_a_page_and_a_feed_too() -> None:
    quiet = changes.History(feed_state.take_state(made.feed()))
    assert b"Nothing has changed" in render_changes(made.feed(), quiet)
    assert atoma.parse_atom_bytes(changes_page.render_changes_feed(made.feed(), quiet)).entries == []


def test_the_atom_is_read_by_another_reader() -> None:
    read = atoma.parse_atom_bytes(changes_page.render_changes_feed(made.feed(3, 2), grown()))
    assert [entry.title.value for entry in read.entries] == [
        "New post: “Field notes, no. 2”, 17 Jul 2024.",
        "2 changes",
    ]
    assert len({entry.id_ for entry in read.entries}) == 2
    assert read.updated == NOON + timedelta(days=1)


@settings(deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_no_text_breaks_the_page_or_the_feed(before: str, after: str) -> None:
    old, new = (
        one(replace(ITEM, title=before, author=before)),
        one(replace(ITEM, title=after, author=after, link=after)),
    )
    past = published((old, NOON), (new, NOON + timedelta(days=1)))
    etree.fromstring(changes_page.render_changes_feed(new, past))
    assert render_changes(new, past).count(b"<script>") == 1
    assert all(isinstance(describe_change(change), str) for edition in past.editions for change in edition.changes)


def test_a_text_that_utf_8_cannot_keep_is_remembered_as_it_is_seen_again() -> None:
    odd = one(replace(ITEM, title="\ud800 lone", description="\udfff" * 400))
    items = Items()
    past = changes.unpack_history(changes.pack_history(changes.advance_history(None, odd, NOON, items)))
    assert changes.advance_history(past, odd, NOON, items) is past


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), max_size=6))
def test_a_replayed_history_has_the_same_bytes(sizes: list[int]) -> None:
    def replayed() -> bytes:
        runs = [(made.feed(size, 1), NOON + timedelta(hours=number)) for number, size in enumerate(sizes)]
        return changes.pack_history(published(*runs)) if runs else b""

    assert replayed() == replayed()


def test_a_change_without_values_is_still_a_sentence() -> None:
    assert describe_change(Change("added", "A", "g", "episode")) == "New episode: “A”."


def test_the_page_tells_times_in_the_zone_of_the_feed() -> None:
    at = {"before": "2024-08-04T20:00:00+00:00", "after": "2024-08-04T23:00:00+00:00"}
    assert describe_change(Change("changed", "A", "g", "date", **at), Locale(timezone="Asia/Tokyo")) == (
        "“A”: the date has another time on 5 Aug 2024."
    )
    day = Change("added", "A", "g", "episode", after="2024-08-04T00:00:00+00:00")
    assert describe_change(day, Locale(timezone="America/Sao_Paulo")) == "New episode: “A”, 4 Aug 2024."
    feed, past = made.feed(3, 2), grown()
    there = replace(feed, channel=replace(feed.channel, timezone="America/Sao_Paulo"))
    body = render_changes(there, past).decode()
    times = re.findall(r'<time datetime="(.*?)">(.*?)</time>', body)
    assert times[0] == ("2026-03-02T12:00:00Z", "2 Mar 2026, 09:00 UTC-03")


def test_the_feed_of_changes_is_in_the_language_of_the_show_with_ids_that_depend_on_none() -> None:
    feed, past = made.feed(3, 2), grown()
    english, german = (
        changes_page.render_changes_feed(replace(feed, channel=made.channel(language=each)), past).decode()
        for each in ("en", "de")
    )
    assert 'xml:lang="de"' in german
    assert "Änderungen an Quiet Machines" in german
    assert "Neue Folge: „Clocks, and other opinions“, 7. Juli 2024." in german
    assert "<title>2 Änderungen</title>" in german
    assert re.findall("<id>.*</id>", english) == re.findall("<id>.*</id>", german)
    source = Change("source", "apple", "", "", "failed; using a saved copy", "ok")
    assert describe_change(source, Locale("de")) == (
        "Quelle apple: in Ordnung (vorher: fehlgeschlagen; eine gespeicherte Kopie wird verwendet)."
    )


@pytest.mark.parametrize("standing", ["ok", "snapshot", "cached", "failed", "held back"])
def test_every_status_of_a_source_is_translated(standing: str) -> None:
    told = SourceResult(Source("apple", "apple"), standing).standing  # type: ignore[arg-type]
    assert Locale("ja").gettext(told) != told
