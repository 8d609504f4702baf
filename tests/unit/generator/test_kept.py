"""Items that did not change are taken from the published files, and every file is as if all had been rendered."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from aggregator import publish
from aggregator.generator import files
from aggregator.generator.content.prepared import PreparedFeed, prepare
from aggregator.generator.kept import KeptItems
from aggregator.model.feed import Feed
from aggregator.model.item import Item


class Folder:
    """A folder in which a feed is published again and again, and what is kept of its items."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.packed: bytes | None = None

    def publish(self, feed: Feed, window: int | None = None) -> None:
        kept = KeptItems(self.path, self.packed)
        files.publish(self.path, publish.render(feed, window, kept=kept))
        self.packed = kept.pack()

    def render(self, feed: Feed) -> list[str]:
        """The guids of the items that are rendered for a file ``lines``, which is published then."""
        rendered: list[str] = []

        def render(prepared: PreparedFeed, indices: Sequence[int]) -> list[bytes]:
            rendered.extend(prepared.items[index].guid for index in indices)
            return [f"{prepared.items[index].title}\n".encode() for index in indices]

        kept, prepared = KeptItems(self.path, self.packed), prepare(feed)
        document = (b"<\n", *range(len(feed.items)), b">\n")
        files.publish(self.path, kept.render(prepared, "lines", render, [("lines.txt", document)]))
        self.packed = kept.pack()
        titles = "".join(f"{item.title}\n" for item in prepared.items)
        assert (self.path / "lines.txt").read_text() == f"<\n{titles}>\n"
        return rendered


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def named(harbour: Feed, *guids: str) -> Feed:
    return replace(harbour, items=tuple(replace(harbour.items[0], guid=guid) for guid in guids))


def test_only_new_and_changed_items_are_rendered(folder: Folder, harbour: Feed) -> None:
    assert folder.render(named(harbour, "b", "a")) == ["b", "a"]
    assert folder.render(named(harbour, "c", "b", "a")) == ["c"]
    assert folder.render(named(harbour, "c", "a")) == []
    feed = named(harbour, "c", "a")
    assert folder.render(replace(feed, items=(feed.items[0], replace(feed.items[1], title="Another")))) == ["a"]


def test_the_position_in_a_listing_does_not_change_an_item(folder: Folder, harbour: Feed) -> None:
    feed = named(harbour, "b", "a")
    folder.render(feed)
    assert folder.render(replace(feed, items=tuple(replace(item, rank=7) for item in feed.items))) == []


@pytest.mark.parametrize("change", ["channel", "damage", "removal", "version"])
def test_every_item_is_rendered_where_the_files_say_nothing(folder: Folder, harbour: Feed, change: str) -> None:
    feed, file = named(harbour, "b", "a"), folder.path / "lines.txt"
    folder.render(feed)
    if change == "channel":
        feed = replace(feed, channel=replace(feed.channel, base_url="https://moved.example.org"))
    elif change == "damage":
        file.write_bytes(file.read_bytes().swapcase())
    elif change == "removal":
        file.unlink()
    else:
        folder.packed = msgspec.msgpack.encode({"another": "version"})
    assert folder.render(feed) == ["b", "a"]


def test_an_item_that_left_a_page_is_taken_from_it(folder: Folder, harbour: Feed) -> None:
    folder.publish(named(harbour, "c", "b", "a"), window=2)
    before = (folder.path / "feed.atom").read_bytes()
    feed = named(harbour, "d", "c", "b", "a")
    folder.publish(feed, window=2)
    assert before != (folder.path / "feed.atom").read_bytes()
    for name, content in publish.render(feed, 2):
        assert (folder.path / name).read_bytes() == content


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
    st.sampled_from(["", "channel", "cut", "removed"]),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=1, max_size=5))
def test_kept_items_change_no_byte(harbour: Feed, history: list[tuple[str, int, int | None, str]]) -> None:
    with TemporaryDirectory() as path:
        folder, feed = Folder(Path(path)), harbour
        folder.publish(feed)
        for turn, (act, at, window, event) in enumerate(history):
            feed = replace(feed, items=change_items(feed.items, act, at, turn))
            published = sorted(folder.path.glob("[firp]*"))
            file = published[at % len(published)]
            if event == "channel":
                feed = replace(feed, channel=replace(feed.channel, explicit=not feed.channel.explicit))
            elif event == "cut":
                file.write_bytes(file.read_bytes()[:-1])
            elif event == "removed":
                file.unlink()
            folder.publish(feed, window)
            for name, content in publish.render(feed, window):
                assert (folder.path / name).read_bytes() == content
