"""Each rule of docs/trust.md by itself, over random titles, times and orders of publication."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.generator.content.links import make_atom_id
from aggregator.generator.content.unique_titles import make_titles_unique
from aggregator.merger.identity.settle import _PROVISIONAL, Past, settle
from aggregator.merger.reconciling.provenance import Weights, order_sources, rank_entries
from aggregator.merger.reconciling.text_fields import read_description
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Span
from aggregator.model.item import Item, Provenance, Settlement
from aggregator.store.guids import is_more_precise
from aggregator.text.characters import clean_guid

NOW = datetime(2025, 5, 4, 12, tzinfo=UTC)
TRUST = {"host": 0.8, "list": 0.5, "twin": 0.8}
AUDIO = "https://cdn.host.example/{}.mp3"
TITLES = st.sampled_from(["Winter ferries", "Fähren im Winter", "冬の連絡船", "Balsas de inverno", "Trailer"])
DAYS = st.integers(0, 300).map(lambda days: NOW - timedelta(days=days, hours=1))
quick = settings(max_examples=60, deadline=None)


def item(name: str, title: str, at: datetime, audio: str | None = None, *more: str) -> Item:
    """An item of the source before the slash, and of the entries of others."""
    source = name.partition("/")[0]
    return Item(
        title,
        (name, *more),
        guid=name,
        published=Moment(at),
        duration=Duration(100),
        enclosure=Enclosure(audio, "audio/mpeg") if audio else None,
        origin=source,
        provenance=tuple(Provenance(field, source) for field in ("enclosure", "guid", "published")),
    )


def run(items: list[Item], before: Settlement | None = None, at: datetime = NOW) -> Settlement:
    return settle(items, Past("show", before.published_items if before else (), trust=TRUST), at)


def audio(settlement: Settlement) -> dict[str, str | None]:
    return {each.guid: each.enclosure.url if each.enclosure else None for each in settlement.items}


@quick
@given(TITLES, TITLES, DAYS, DAYS, st.booleans())
def test_audio_belongs_to_the_most_trusted_source_whenever_it_was_first_seen(one, two, at, then, first) -> None:
    mine, other = item("host/1", one, at, AUDIO.format(1)), item("list/1", two, then, AUDIO.format(1))
    before = run([other]) if first else None
    found = run([mine, other, item("list/2", one, then, AUDIO.format(1))], before, NOW + timedelta(days=9))
    assert audio(found) == {"host/1": AUDIO.format(1), "list/1": None, "list/2": None}


SHOW = "9b024349-ccf0-5f69-a609-6b82873eab3c"
SHAPES = ["{}\u202e", "\x9b{}", "\x7f{}", "{}\ufffd", "{} \u00a0", "URN:uuid:{}", "{}", "urn:uuid:atom"]
GUIDS = st.sampled_from(["show-1", "81624d19-1afa-506d-b8ec-7a19fa3ce3c6", "https://host.example/?p=1", "part one"])


@quick
@given(GUIDS, st.lists(st.sampled_from(SHAPES), min_size=1, max_size=4), st.booleans())
def test_no_guid_is_published_that_reads_as_another(guid, shapes, first) -> None:
    """Readers drop or replace one of two items with one id."""
    atom = make_atom_id(guid, SHOW)
    mine = replace(item("host/1", "Winter ferries", NOW), guid=guid)
    others = [
        replace(item(f"list/{turn}", f"Sponsored {turn}", NOW), guid=shape.replace("urn:uuid:atom", atom).format(guid))
        for turn, shape in enumerate(shapes)
    ]
    before = run(others) if first else None
    found = run([mine, *others], before, NOW + timedelta(days=1))
    published = {each.title: clean_guid(each.guid) for each in found.items}
    assert len(published) == len({*published.values()}) == len(others) + 1
    assert len({make_atom_id(each, SHOW) for each in published.values()}) == len(published)
    assert published["Winter ferries"].lower() in {guid, f"urn:uuid:{guid}"}


@quick
@given(TITLES, TITLES, DAYS)
def test_of_sources_trusted_alike_the_item_that_has_the_audio_keeps_it(one, two, at) -> None:
    older = item("twin/1", one, at, AUDIO.format("old"))
    before = run([item("host/2", two, at, AUDIO.format(2))], run([older], None, NOW - timedelta(days=9)))
    thief = replace(older, enclosure=Enclosure(AUDIO.format(2)))
    found = run([thief, item("host/2", two, at, AUDIO.format(2))], before, NOW + timedelta(days=1))
    assert audio(found) == {"twin/1": None, "host/2": AUDIO.format(2)}


@quick
@given(TITLES, DAYS, st.integers(0, 60), st.integers(1, 500))
def test_a_date_from_below_is_replaced_once_within_30_days(title, at, days, minutes) -> None:
    before = run([item("list/1", title, at)])
    assert before.published_items[0].dated == "list"
    true = at - timedelta(minutes=minutes)
    later = NOW + timedelta(days=days)
    found = run([replace(item("host/1", title, true), entries=("host/1", "list/1"))], before, later)
    expected = true if timedelta(days=days) <= _PROVISIONAL else at
    assert (found.items[0].guid, found.items[0].published) == ("list/1", Moment(expected))
    again = item("host/1", title, true - timedelta(days=2))
    last = run([replace(again, entries=("host/1", "list/1"))], found, later)
    assert last.items[0].published == Moment(expected if days <= _PROVISIONAL.days else at)


@quick
@given(TITLES, DAYS, DAYS)
def test_a_date_of_the_most_trusted_source_is_final(title, at, other) -> None:
    before = run([item("host/1", title, at)])
    assert before.published_items[0].dated is None
    found = run([replace(item("twin/1", title, other), entries=("host/1", "twin/1"))], before)
    assert is_more_precise(Moment(at), found.items[0].published)


@quick
@given(TITLES, DAYS, st.booleans())
def test_of_two_published_items_found_to_be_one_the_trusted_guid_lives(title, at, first) -> None:
    mine, other = item("host/1", title, at), item("list/1", title, at)
    early, late = (other, mine) if first else (mine, other)
    before = run([early, late], run([early], None, NOW - timedelta(days=3)))
    found = run([replace(mine, entries=("host/1", "list/1"))], before)
    assert [each.guid for each in found.items] == ["host/1"]
    assert {each.guid: each.alias_of for each in found.published_items} == {"host/1": None, "list/1": "host/1"}


@quick
@given(TITLES, TITLES, DAYS)
def test_a_published_item_found_to_be_two_stays_with_its_most_trusted_entry(one, two, at) -> None:
    before = run([replace(item("host/1", one, at), entries=("host/1", "list/1"))], run([item("list/1", one, at)]))
    found = run([item("host/1", one, at), item("list/1", two, at)], before)
    assert {each.entries[0]: each.guid for each in found.items}["host/1"] == "list/1"


@quick
@given(TITLES, TITLES, DAYS, st.booleans(), st.integers(1, 40))
def test_of_sources_trusted_alike_it_stays_with_the_entry_that_has_not_changed(one, two, at, first, days) -> None:
    given = ("host/1", "twin/1") if first else ("twin/1", "host/1")
    before = run([replace(item(given[0], one, at), entries=given)], None, NOW - timedelta(days=50))
    since = {"host/1": NOW - timedelta(days=50), "twin/1": NOW - timedelta(days=days)}
    parted = [item("host/1", one, at), item("twin/1", two, at)]
    found = settle(parted, Past("show", before.published_items, trust=TRUST, since=since), NOW)
    assert {each.entries[0]: each.guid for each in found.items}["host/1"] == given[0]


@quick
@given(st.booleans(), st.integers(1, 9))
def test_a_text_that_its_source_has_replaced_adds_nothing_to_that_of_another(first, days) -> None:
    text = "Six ferries crossed the bay each winter, and one of them never came back to the mole."
    mine = Entry("host", "1", "Winter ferries", description=text)
    spam = [f"Buy {word} now. Ferries of the bay, cheap as never before. Only {word}." for word in ("hemp", "tar")]
    theirs = [
        Entry("twin", f"{at}", "Winter ferries", description=said, span=Span(at, at)) for at, said in enumerate(spam, 1)
    ]
    since = {mine.id: NOW - timedelta(days=20), **{each.id: NOW - timedelta(days=days) for each in theirs}}
    entries = [mine, *theirs] if first else [*theirs, mine]
    weights = Weights(TRUST, keeps=frozenset({"host", "twin"}), since=since, seniority={"host": 0, "twin": 1})
    read = [each.values["description"] for each in read_description(rank_entries(entries, weights))]
    assert read == [text]


@pytest.mark.parametrize(
    ("trust", "html", "taken"),
    [
        (0.2, "<p>Boats, and <a href='https://evil.example/'>who sails them</a>.</p>", False),
        (0.2, "<p>Boats, and who sails them.</p><img src='https://evil.example/pixel.gif'>", False),
        (0.2, "<ul><li>Boats,</li><li>and who sails them.</li></ul>", True),
        (0.8, "<p>Boats, and <a href='https://twin.example/'>who sails them</a>.</p>", True),
    ],
)
def test_links_and_pictures_of_a_less_trusted_source_are_not_put_into_the_words_of_another(trust, html, taken) -> None:
    mine = Entry("host", "a", "Winter ferries", description="Boats, and who sails them.")
    other = replace(mine, source="other", html=html)
    ((chosen),) = read_description(rank_entries([mine, other], Weights({"host": 0.8, "other": trust})))
    assert chosen.values["description"] == mine.description
    assert chosen.values["html"] == (html if taken else None)


@quick
@given(DAYS, st.booleans())
def test_the_number_behind_a_title_goes_to_the_less_trusted(at, first) -> None:
    mine, other = item("host/1", "Trailer", at, AUDIO.format(1)), item("list/1", "Trailer", at, AUDIO.format(2))
    before = run([other], None, NOW - timedelta(days=2)).published_items if first else ()
    found = run([mine, other])
    told = make_titles_unique(found, before, NOW, TRUST)
    assert {each.guid: each.title for each in told.items} == {"host/1": "Trailer", "list/1": "Trailer (2)"}


ENTRY = Entry("one", "k", "Winter ferries", guid="k")


@quick
@given(st.permutations(["alpha", "mid", "zeta"]), st.lists(st.integers(1, 9), min_size=3, max_size=3, unique=True))
def test_names_decide_nothing_between_sources_that_are_trusted_alike(names, days) -> None:
    entries = [replace(ENTRY, source=name) for name in names]
    since = {each.id: NOW - timedelta(days=age) for each, age in zip(entries, days, strict=True)}
    order = rank_entries(entries, Weights(dict.fromkeys(names, 0.5), since=since)).entries
    assert [since[each.id] for each in order] == sorted(since.values())


@quick
@given(st.permutations(["alpha", "zeta"]), st.integers(2, 9))
def test_a_source_is_senior_by_when_and_what_it_first_listed(names, count) -> None:
    """A host comes before its channel at a video site, which may list more."""
    older, larger = names
    more = [replace(ENTRY, source=larger, key=f"k{turn}") for turn in range(count)]
    few = [
        replace(ENTRY, source=older),
        *(replace(ENTRY, source=older, key=f"{at}", span=Span(2, 3)) for at in range(20)),
    ]
    assert order_sources([*more, *few], {older: NOW - timedelta(days=1), larger: NOW}) == {older: 0, larger: 1}
    assert order_sources([*more, *few], dict.fromkeys(names, NOW)) == {larger: 0, older: 1}
    bare = [replace(each, enclosure=None) for each in more]
    heard = [replace(each, enclosure=Enclosure(f"https://host.example/{each.key}.mp3")) for each in few]
    assert order_sources([*bare, *heard], dict.fromkeys(names, NOW)) == {older: 0, larger: 1}
