from __future__ import annotations

from datetime import UTC, datetime

from aggregator.merger.matching.match import match
from aggregator.model.cluster import Decision
from aggregator.model.entry import Duration, Entry, Moment, Span

WORDS = ("anchovy bread", "copper kettle", "winter garden", "lost letters", "harbour lights", "paper boats")
TEXT = "In this one we talk at length about {}, how it is made, who made it first and why it still matters to {}."


def told(source: str, number: int, **changes: object) -> Entry:
    words = WORDS[number]
    values: dict[str, object] = {
        "title": words.title(),
        "description": TEXT.format(words, words[::-1]),
        "published": Moment(datetime(2024, 1, 1 + 7 * (number % 4), 7, tzinfo=UTC)),
        "duration": Duration(1000 + 90 * number),
    }
    return Entry(source, f"{source}-{number}", **{**values, **changes})  # type: ignore[arg-type]  # by name


def entries() -> list[Entry]:
    host = [told("host", number) for number in range(6)]
    minutes = [told("list", number, duration=Duration((1000 + 90 * number) // 60 * 60, 60)) for number in range(6)]
    return host + minutes + [told("short", number, published=None, duration=None) for number in range(3)]


def test_each_episode_is_found_in_every_directory() -> None:
    found = match(entries())
    assert sorted(len(cluster.entries) for cluster in found.clusters) == [2, 2, 2, 3, 3, 3]
    assert all(len({entry.title for entry in cluster.entries}) == 1 for cluster in found.clusters)


def test_the_evidence_adds_up() -> None:
    for cluster in match(entries()).clusters:
        for pair in cluster.pairs:
            assert abs(pair.weight - sum(evidence.weight for evidence in pair.evidence)) < 1e-9
            assert pair.evidence[0].name == "prior"


def test_the_order_of_the_input_is_irrelevant() -> None:
    assert match(entries()) == match(entries()[::-1])


def test_a_post_joins_an_episode_only_by_a_shared_id() -> None:
    post = told("blog", 0, genre="post")
    assert len(match([*entries(), post]).clusters) == 7
    linked = told("blog", 0, genre="post", ids=(("apple", "1"),))
    episode = told("store", 0, ids=(("apple", "1"),))
    assert len(match([*entries(), linked, episode]).clusters) == 6


def test_a_source_lists_an_item_once_unless_the_spans_are_apart() -> None:
    old, new = told("host", 0, span=Span(1, 4)), told("host", 0, span=Span(5, 9))
    again = Entry("host", "moved", new.title, description=new.description, published=new.published, span=new.span)
    assert len(match([old, again]).clusters) == 1
    beside = Entry("host", "beside", new.title, description=new.description, published=new.published, span=old.span)
    assert len(match([old, beside]).clusters) == 2


def test_decisions_are_obeyed_whatever_the_evidence() -> None:
    apart = match(entries(), decisions=[Decision("different", "host/host-0", "list/list-0")])
    assert len(apart.clusters) == 7
    joined = match(entries(), decisions=[Decision("same", "host/host-0", "list/list-5")])
    assert any({"host/host-0", "list/list-5"} <= {one.id for one in cluster.entries} for cluster in joined.clusters)
