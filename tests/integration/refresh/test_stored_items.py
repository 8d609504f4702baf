"""The items of a feed are stored as they are published, and a store without them gets them with the next refresh."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from aggregator.model.item import Item
from aggregator.store.database import open_store
from aggregator.store.items import FeedItems

COLUMNS = "checksum BIGINT, feed TEXT, guid TEXT, record TEXT, PRIMARY KEY (feed, guid)"


def read_items(folder: Path) -> tuple[Item, ...]:
    with open_store(str(folder / "store.db")) as store:
        return FeedItems(store, "sea").read()


def make_version_1(folder: Path) -> None:
    """Give the store the tables of version 1, without what these did not have."""
    with closing(sqlite3.connect(folder / "store.db")) as connection, connection:
        connection.execute(f"CREATE TABLE last_published ({COLUMNS})")
        connection.execute("INSERT INTO last_published SELECT 0, feed, guid, '[]' FROM items")
        connection.execute("DROP TABLE items")
        connection.execute("DELETE FROM cache")
        connection.execute("UPDATE meta SET value = '1' WHERE name = 'schema'")


def test_items_are_stored_in_the_order_in_which_they_are_published(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.refresh()
    stored = read_items(project.folder)
    assert [(each.guid, each.title) for each in stored] == [(each["id"], each["title"]) for each in project.items()]
    assert all(each.provenance for each in stored)


def test_the_refresh_after_a_migration_stores_the_items_and_tells_new_ones_alone(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(4))))
    project.refresh()
    before = project.published()
    make_version_1(project.folder)
    assert project.refresh().failures == ()
    assert project.published() == before
    assert [each.guid for each in read_items(project.folder)] == [each["id"] for each in project.items()]
    make_version_1(project.folder)
    origin.serve("/feed.xml", rss(*map(episode, range(5))))
    project.refresh()
    changes = (project.folder / "output/sea/changes.atom").read_text("utf-8")
    new = json.loads(project.published()["feed.json"])["items"][0]["title"]
    assert changes.count("<entry>") == 1
    assert new in changes
