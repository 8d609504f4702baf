"""Items that did not change are not rendered again, and every file is as if all had been rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator import publish
from aggregator.generator.content.prepared import PreparedFeed, prepare
from aggregator.generator.kept import KeptItems
from aggregator.model.feed import Feed
from aggregator.model.item import Item


class Memory:
    """What is kept of a feed that is rendered again and again."""

    def __init__(self) -> None:
        self.values: dict[str, dict[str, bytes]] = {}

    def read(self, format_name: str, guids: Sequence[str]) -> Mapping[str, bytes]:
        kept = self.values.get(format_name, {})
        return {guid: kept[guid] for guid in guids if guid in kept}

    def write(self, format_name: str, values: Mapping[str, bytes]) -> None:
        self.values.setdefault(format_name, {}).update(values)

    def publish(self, feed: Feed, window: int | None = None) -> dict[str, bytes]:
        return dict(publish.render(feed, window, kept=KeptItems(self.read, self.write)))

    def render(self, feed: Feed) -> list[str]:
        """The guids of the items that are rendered for a file ``lines``."""
        rendered: list[str] = []

        def render(prepared: PreparedFeed, indices: Sequence[int]) -> list[bytes]:
            rendered.extend(prepared.items[index].guid for index in indices)
            return [f"{prepared.items[index].title}\n".encode() for index in indices]

        kept, prepared = KeptItems(self.read, self.write), prepare(feed)
        document = (b"<\n", *range(len(feed.items)), b">\n")
        ((name, content),) = kept.render(prepared, "lines", render, [("lines.txt", document)])
        titles = "".join(f"{item.title}\n" for item in prepared.items)
        assert (name, content.decode()) == ("lines.txt", f"<\n{titles}>\n")
        return rendered


@pytest.fixture
def memory() -> Memory:
    return Memory()


def named(harbour: Feed, *guids: str) -> Feed:
    return replace(harbour, items=tuple(replace(harbour.items[0], guid=guid) for guid in guids))


def test_only_new_and_changed_items_are_rendered(memory: Memory, harbour: Feed) -> None:
    assert memory.render(named(harbour, "b", "a")) == ["b", "a"]
    assert memory.render(named(harbour, "c", "b", "a")) == ["c"]
    assert memory.render(named(harbour, "c", "a")) == []
    feed = named(harbour, "c", "a")
    assert memory.render(replace(feed, items=(feed.items[0], replace(feed.items[1], title="Another")))) == ["a"]


def test_the_position_in_a_listing_does_not_change_an_item(memory: Memory, harbour: Feed) -> None:
    feed = named(harbour, "b", "a")
    memory.render(feed)
    assert memory.render(replace(feed, items=tuple(replace(item, rank=7) for item in feed.items))) == []


@pytest.mark.parametrize("change", ["channel", "version"])
def test_every_item_is_rendered_where_something_else_renders_it(memory: Memory, harbour: Feed, change: str) -> None:
    feed = named(harbour, "b", "a")
    memory.render(feed)
    if change == "channel":
        feed = replace(feed, channel=replace(feed.channel, base_url="https://moved.example.org"))
    else:
        memory.values["lines"] |= dict.fromkeys("ab", b"of another version")
    assert memory.render(feed) == ["b", "a"]


def change_items(items: tuple[Item, ...], act: str, at: int, turn: int) -> tuple[Item, ...]:
    at = at % len(items) if items else 0
    if act == "add" or not items:
        return (replace(items[at] if items else Item("First", ("host/1",)), guid=f"new-{turn}"), *items)
    if act == "remove":
        return items[:at] + items[at + 1 :]
    item = items[at]
    changes = {
        "title": {"title": f"<item> & </item> {turn}"},
        "text": {"description": "\ud800 ]]> <entry>\n  </channel>\n", "html": None},
        "genre": {"genre": "post" if item.genre == "episode" else "episode", "enclosure": None},
        "evidence": {"pairs": ()},
    }
    return (*items[:at], replace(item, **changes[act]), *items[at + 1 :])  # type: ignore[arg-type]  # of one field


steps = st.tuples(
    st.sampled_from(["add", "remove", "title", "text", "genre", "evidence"]),
    st.integers(0, 5),
    st.sampled_from([None, 1, 2]),
    st.sampled_from(["", "channel", "lost"]),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=1, max_size=5))
def test_kept_items_change_no_byte(harbour: Feed, history: list[tuple[str, int, int | None, str]]) -> None:
    memory, feed = Memory(), harbour
    memory.publish(feed)
    for turn, (act, at, window, event) in enumerate(history):
        feed = replace(feed, items=change_items(feed.items, act, at, turn))
        if event == "channel":
            feed = replace(feed, channel=replace(feed.channel, explicit=not feed.channel.explicit))
        elif event == "lost":
            memory.values.pop(sorted(memory.values)[at % len(memory.values)])
        assert memory.publish(feed, window) == dict(publish.render(feed, window))
