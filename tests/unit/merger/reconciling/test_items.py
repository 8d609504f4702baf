"""Each field by its own rule; promise 5: a less trusted source may complete, never contradict."""

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator.merger.blending.source_model import EMPTY_MODEL
from aggregator.merger.reconciling.items import reconcile
from aggregator.merger.reconciling.overrides import FIELDS, PERSON, apply_overrides
from aggregator.merger.reconciling.provenance import Weights
from aggregator.model.cluster import Cluster
from aggregator.model.entry import Duration, Enclosure, Entry, Moment, Note, Span, Tag
from aggregator.model.item import Override
from aggregator.text.titles.affixes import Template

TRUST = {"host": 0.9, "apple": 0.7, "blog": 0.6, "casts": 0.4, "mirror": 0.3}
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
DAY = Moment(datetime(2024, 4, 29, tzinfo=UTC), "day", zoned=False)


def at(*when: int, precision="second") -> Moment:
    return Moment(datetime(*when, tzinfo=UTC), precision)


def seen(source: str, title: str = "Higher order operators", **said) -> Entry:
    return Entry(**{"source": source, "key": source, "title": title, **said})


def made(*entries: Entry, **weights):
    return reconcile(Cluster(entries), Weights(TRUST, **weights))


def origin(item, field):
    return next(each for each in item.provenance if each.field == field)


def test_a_finer_time_on_the_trusted_day_is_taken() -> None:
    item = made(seen("apple", published=DAY), seen("casts", published=at(2024, 4, 29, 0, 1, precision="minute")))
    assert item.published == at(2024, 4, 29, 0, 1, precision="minute")
    assert (origin(item, "published").source, origin(item, "published").agreeing) == ("casts", ("apple",))


def test_a_finer_time_of_another_day_does_not_replace_the_trusted_day() -> None:
    item = made(seen("apple", published=DAY), seen("casts", published=at(2024, 5, 2, 7)))
    assert item.published == DAY
    assert [each.source for each in origin(item, "published").dissent] == ["casts"]


def test_a_restamped_mirror_does_not_move_the_hosts_date() -> None:
    item = made(seen("host", published=at(2024, 4, 29, 0, 1)), seen("mirror", published=at(2028, 9, 1)))
    assert item.published == at(2024, 4, 29, 0, 1)


def test_a_date_ahead_of_its_entry_counts_only_where_nobody_has_another() -> None:
    host, apple = seen("host", published=at(2031, 5, 1, 6)), seen("apple", published=DAY)
    item = made(host, apple, ahead=frozenset({host.id}))
    assert (item.published, origin(item, "published").source) == (DAY, "apple")
    assert [each.source for each in origin(item, "published").dissent] == ["host"]
    assert made(host, ahead=frozenset({host.id})).published == host.published


def test_seconds_beat_minutes_within_the_minute_only() -> None:
    apple = seen("apple", duration=Duration(1020, 60))
    assert made(apple, seen("casts", duration=Duration(1030))).duration == Duration(1030)
    assert made(apple, seen("casts", duration=Duration(1200))).duration == Duration(1020, 60)


def test_the_audio_of_a_less_trusted_source_never_replaces_the_hosts() -> None:
    honest = Enclosure("https://cdn.host.example/a.mp3")
    item = made(
        seen("mirror", enclosure=Enclosure("https://evil.example/b.mp3", "audio/mpeg", 9)),
        seen("host", enclosure=honest),
    )
    assert item.enclosure == honest
    assert origin(item, "enclosure").dissent[0].source == "mirror"


def test_a_missing_length_and_type_come_from_the_same_file_behind_a_tracker() -> None:
    host = seen("host", enclosure=Enclosure("https://cdn.host.example/a.mp3"))
    tracked = Enclosure("https://dts.podtrac.com/redirect.mp3/cdn.host.example/a.mp3", "audio/mpeg", 12345)
    item = made(host, seen("mirror", enclosure=tracked))
    assert item.enclosure == Enclosure("https://cdn.host.example/a.mp3", "audio/mpeg", 12345)


def test_a_link_that_its_source_repeats_gives_way_to_one_of_the_item() -> None:
    host = seen("host", link="https://show.example/")
    apple = seen("apple", link="https://podcasts.example/ep?i=1")
    assert made(host, apple, repeated_links=frozenset({("host", "https://show.example/")})).link == apple.link
    assert made(host, apple).link == host.link
    assert made(host, repeated_links=frozenset({("host", "https://show.example/")})).link == host.link


def test_a_cut_text_is_completed_by_a_less_trusted_source_that_agrees_with_it() -> None:
    whole = (
        "Relaxed operators take any argument at all. They are often used for control flow, and for other things too."
    )
    item = made(seen("host", description=whole[:60].rsplit(" ", 1)[0], cut=True), seen("casts", description=whole))
    assert item.description == whole
    assert not item.cut


def test_a_whole_text_of_the_trusted_source_is_not_contradicted() -> None:
    text = "Relaxed operators take any argument at all. They are often used for control flow."
    item = made(
        seen("host", description=text), seen("mirror", description="Buy pills at our shop today, they are cheap.")
    )
    assert item.description == text


def test_markup_is_kept_with_the_text_it_belongs_to_only() -> None:
    text = "Relaxed operators take any argument at all. They are often used for control flow."
    marked = seen("host", description=text, html=f"<p>{text}</p>")
    assert made(marked, seen("casts", description=text)).html == f"<p>{text}</p>"
    cut = replace(marked, description="Relaxed operators take any argument", html="<p>Relaxed</p>", cut=True)
    assert made(cut, seen("casts", description=text)).html is None


def test_a_title_in_another_spelling_is_one_title_and_another_title_dissents() -> None:
    item = made(
        seen("host", "Min-cut partitioner"), seen("apple", "MIN-CUT partitioner"), seen("mirror", "Cheap pills")
    )
    assert item.title == "Min-cut partitioner"
    assert [each.source for each in origin(item, "title").dissent] == ["mirror"]


def test_a_title_tells_its_part_and_its_tag() -> None:
    item = made(seen("host", "The long night (Part 2)"))
    assert (item.part, item.tag) == (2, None)
    assert made(seen("host", "Rope work [Rebroadcast]")).tag == "replay"


def test_a_title_tells_what_its_show_puts_round_it_and_keeps_it() -> None:
    learned = replace(EMPTY_MODEL, template=Template(frozenset({"rope #: "}), frozenset({" | live"})))
    item = made(seen("host", "Rope 12: Bends | Live"), source_model=learned)
    assert (item.title, item.prefix, item.suffix) == ("Rope 12: Bends | Live", "Rope 12: ", " | Live")
    plain = made(seen("host", "Bends"), source_model=learned)
    assert (plain.title, plain.prefix, plain.suffix) == ("Bends", None, None)
    mine = apply_overrides(item, [Override("g", "title", "Mine")])
    assert (mine.title, mine.prefix, mine.suffix) == ("Mine", None, None)


def test_what_a_source_has_replaced_completes_it_and_contradicts_nobody() -> None:
    old = seen("host", "Tide table", key="old", span=Span(1, 3), link="https://old.example/", season=4)
    old = replace(old, description="Words that were thrown away when the host was changed, every one of them.")
    new = seen(
        "host", "Tide tables", key="new", span=Span(4, 9), link="https://new.example/", description="Moon and sun."
    )
    item = made(replace(old, key="old"), replace(new, key="new"))
    assert (item.title, item.link, item.description, item.season) == ("Tide tables", new.link, "Moon and sun.", None)
    mirror = seen("mirror", "Tide tables", season=5)
    assert made(old, replace(new, key="new"), mirror).season == 5


@pytest.mark.parametrize(
    ("host", "other", "found"),
    [
        ((None, 17), (3, 5), (None, 17)),  # counted through, and by season
        ((3, 5), (None, 17), (3, 5)),
        ((None, 112), (2019, 12), (None, 112)),
        ((4, None), (None, 40), (4, None)),
        ((None, 5), (3, 5), (3, 5)),
        ((3, None), (3, 5), (3, 5)),
        ((None, None), (3, 5), (3, 5)),
        ((None, 0), (2, 4), (None, 0)),
    ],
)
def test_season_and_episode_are_a_pair_that_a_source_gives(host, other, found) -> None:
    item = made(
        seen("host", season=host[0], episode=host[1], number=host[1] and f"{host[1]}"),
        seen("mirror", season=other[0], episode=other[1], number=f"{other[1]}", tags=(SEASON, DISPLAY)),
    )
    assert (item.season, item.episode) == found
    assert item.number == (str(found[1]) if found[1] else None)
    assert set(item.tags) == {
        tag for tag, own, wanted in zip((SEASON, DISPLAY), other, found, strict=True) if own == wanted
    }


SEASON, DISPLAY = Tag("podcast:season", "3", (("name", "Los ríos"),)), Tag("podcast:episode", "5", (("display", "V"),))


def test_what_a_source_took_off_stays_off() -> None:
    said = {
        "season": 2,
        "episode": 4,
        "number": "4",
        "episode_type": "bonus",
        "summary": "Alt",
        "categories": (("Kunst",),),
    }
    before = replace(seen("host", **said, image="https://host.example/2.jpg", tags=(SEASON,)), key="a", span=Span(1, 1))
    before = replace(before, enclosure=Enclosure("https://host.example/a.mp3"), link="https://host.example/a", guid="a")
    now = replace(seen("host", episode=12), key="b", span=Span(2, 2))
    item = made(before, now, seen("mirror", image="https://mirror.example/2.jpg", author="Mirror"))
    assert (item.season, item.episode, item.episode_type, item.summary, item.categories) == (None, 12, None, None, ())
    assert (item.image, item.author, item.tags) == (None, None, ())
    assert (item.enclosure, item.link, item.guid) == (before.enclosure, before.link, "a")


def test_a_mirror_makes_no_trailer_of_the_hosts_episode() -> None:
    audio = Enclosure("https://host.example/a.mp3")
    assert made(seen("host", enclosure=audio), seen("mirror", episode_type="trailer")).episode_type is None
    assert (
        made(seen("host", enclosure=audio, episode_type="full"), seen("apple", episode_type="bonus")).episode_type
        == "full"
    )
    assert made(seen("host", enclosure=audio, episode_type="trailer"), seen("mirror")).episode_type == "trailer"


def test_a_title_is_one_that_a_sound_copy_has() -> None:
    note = Note("title", "escape", "\\_", "_")
    worn = seen("apple", "TORCH_TRACE end tlparse", notes=(note,))
    assert made(worn, seen("casts", "TORCH_TRACE and tlparse")).title == "TORCH_TRACE and tlparse"


def test_a_post_with_an_episode_is_an_episode() -> None:
    assert made(seen("blog", genre="post"), seen("host")).genre == "episode"
    assert made(seen("blog", genre="post")).genre == "post"


def test_an_explicit_false_is_a_word() -> None:
    item = made(seen("host", explicit=False), seen("mirror", explicit=True))
    assert item.explicit is False
    assert origin(item, "explicit").confidence == 0.75


def test_a_person_overrides_every_source_and_is_the_witness() -> None:
    item = apply_overrides(made(seen("host", season=1)), [Override("g", "season", "2"), Override("g", "title", "Mine")])
    assert (item.season, item.title) == (2, "Mine")
    assert origin(item, "season").source == PERSON


def test_an_override_that_cannot_be_read_leaves_the_field() -> None:
    item = made(seen("host", season=1))
    wrong = [Override("g", "season", "two"), Override("g", "episode_type", "great"), Override("g", "guid", "x")]
    assert apply_overrides(item, wrong) == item
    assert "guid" not in FIELDS


texts = st.sampled_from(["alpha beta gamma delta.", "alpha beta gamma delta. And epsilon came later too.", "pills!"])


@st.composite
def clusters(draw):
    sources = draw(st.lists(st.sampled_from(sorted(TRUST)), min_size=1, max_size=5, unique=True))
    return tuple(
        seen(
            source,
            draw(st.sampled_from(["One title", "One tìtle", "Another"])),
            description=draw(st.none() | texts),
            published=draw(st.none() | st.just(DAY) | st.just(at(2024, 4, 29, 5)) | st.just(at(2020, 1, 1))),
            duration=draw(st.none() | st.builds(Duration, st.integers(1, 9000), st.sampled_from([1, 60]))),
            enclosure=draw(
                st.none()
                | st.builds(Enclosure, st.sampled_from(["https://a.example/1.mp3", "https://b.example/2.mp3"]))
            ),
            link=draw(st.none() | st.sampled_from(["https://a.example/1", "https://b.example/2"])),
        )
        for source in sources
    )


@CALM
@given(clusters(), st.randoms())
def test_the_order_of_the_witnesses_does_not_matter(entries, random) -> None:
    shuffled = list(entries)
    random.shuffle(shuffled)
    assert made(*shuffled) == made(*entries)


@CALM
@given(clusters())
def test_every_field_that_is_said_has_a_witness_that_said_something(entries) -> None:
    item = made(*entries)
    for name in ("description", "published", "duration", "enclosure", "link"):
        if getattr(item, name) is not None:
            said = {each.source for each in entries if getattr(each, name) is not None}
            assert origin(item, name).source in said


@CALM
@given(clusters())
def test_promise_5_the_most_trusted_word_on_audio_link_and_day_stands(entries) -> None:
    item = made(*entries)
    for name in ("enclosure", "link"):
        heard = [each for each in sorted(entries, key=lambda each: -TRUST[each.source]) if getattr(each, name)]
        assert getattr(item, name) == (getattr(heard[0], name) if heard else None)
    dated = [each for each in sorted(entries, key=lambda each: -TRUST[each.source]) if each.published]
    if dated:
        assert item.published.at.date() == dated[0].published.at.date()


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("Ropes, bends and the men who tied them.", " Visit our shop for rope today."),
        ("Seile, Knoten und die Leute, die sie banden.", " Besuchen Sie unseren Laden für Seile."),
        ("Канаты, узлы и люди, которые их вязали.", " Заходите в наш магазин канатов."),
    ],
)
def test_a_tail_that_a_source_trusted_alike_adds_later_is_no_text(text: str, tail: str) -> None:
    host, echo = seen("a-host", description=text), seen("z-echo", description=text + tail)
    mirrors = [seen(name, description=text) for name in ("b-page", "c-page")]
    since = {host.id: datetime(2024, 1, 1, tzinfo=UTC), echo.id: datetime(2024, 2, 1, tzinfo=UTC)}
    weights = Weights(
        {"a-host": 0.8, "z-echo": 0.8, "b-page": 0.5, "c-page": 0.5}, keeps=frozenset({"a-host", "z-echo"}), since=since
    )
    assert reconcile(Cluster((echo, host, *mirrors)), weights).description == text


def test_a_text_that_its_source_has_replaced_is_read_only_where_nothing_else_is_said() -> None:
    first = seen("host", description="An early draft of it.", span=Span(1, 1))
    second = replace(seen("host", description="What was said in the end.", span=Span(2, 2)), key="again")
    assert made(first, second).description == "What was said in the end."
    assert origin(made(first, second), "description").confidence == origin(made(second), "description").confidence
    assert made(first, replace(second, description=None)).description == "An early draft of it."


def test_of_many_copies_the_most_trusted_are_read() -> None:
    copies = [seen(f"s{number:02}", description=f"Of bread and number {number}.") for number in range(40)]
    item = reconcile(Cluster(tuple(copies)), Weights({each.source: 1 - int(each.source[1:]) / 100 for each in copies}))
    eight = reconcile(
        Cluster(tuple(copies[:8])), Weights({each.source: 1 - int(each.source[1:]) / 100 for each in copies})
    )
    assert (item.description, item.title) == (eight.description, eight.title)
