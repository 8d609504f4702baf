"""What ``diff`` shows before is what ``refresh`` then changes of the published files: random edits of a config."""

import json
import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from aggregator.commands.diff import find_differences
from aggregator.config.load import load
from aggregator.generator.changes.feed_state import StateChanges
from tests.integration.refresh.conftest import START, make_episode
from tests.support.composing import refresh_here
from tests.support.origin import Site
from tests.support.rss import make_rss

STEPS = 4
TIMES = re.compile(rb"<(lastBuildDate|updated)>[^<]*</\1>|\s*\"date_modified\": \"[^\"]*\",")
Config = dict[str, Any]
Edit = Callable[[Config, random.Random, list[dict[str, Any]]], None]


def test_diff_is_the_difference_of_the_published_files(tmp_path: Path, origin: Site) -> None:
    assert walk(tmp_path / "walk", origin, random.Random(0)) >= STEPS // 2, "most edits change something"


def walk(folder: Path, origin: Site, chance: random.Random) -> int:
    """Edit, compare, refresh; answers how many of the edits changed something."""
    folder.mkdir()
    serve(origin, chance)
    config = first_config(origin)
    write(folder, config)
    refresh_here(load(folder / "config.yaml"), at=START, force=True)
    found = []
    for turn in range(1, STEPS + 1):
        at = START + timedelta(days=turn)
        edits = chance.sample(EDITS, chance.choice((0, 1, 1, 2)))
        for edit in edits:
            edit(config, chance, items(folder))
        if chance.random() < 0.3:
            serve(origin, chance)
        write(folder, config)
        found.append(compare(folder, at, force=chance.random() < 0.3, why=f"{[each.__name__ for each in edits]}"))
    return sum(found)


def compare(folder: Path, at: datetime, *, force: bool, why: str) -> bool:
    """Compare what is shown with what is done; answers whether anything was."""
    loaded = load(folder / "config.yaml")
    before, files = items(folder), contents(folder)
    shown = find_differences(loaded, ["sea"], at=at, force=force)[1]["sea"]
    assert files == contents(folder), "a diff changes nothing"
    refresh_here(loaded, at=at, force=force)
    after = items(folder)
    old, new = ({item["id"]: item for item in each} for each in (before, after))
    assert come(shown) == new.keys() - old.keys(), why
    assert gone(shown) == old.keys() - new.keys(), why
    changed = {guid for guid in old.keys() & new.keys() if visible(folder, files)[guid] != visible(folder)[guid]}
    assert {each.item.guid for each in shown.changed} == changed, why
    same = {name: strip(body) for name, body in files.items()} == {
        name: strip(body) for name, body in contents(folder).items()
    }
    assert bool(shown.added or shown.removed or shown.merged or shown.parted or shown.changed or shown.channel) is (
        not same
    ), why
    for each in shown.changed:
        titles = [change for change in each.fields if change.field == "title"]
        assert [(one.before, one.after) for one in titles] == [
            (old[each.item.guid]["title"], new[each.item.guid]["title"]) for _ in titles
        ]
    return bool(shown)


def come(shown: StateChanges) -> set[str]:
    return {item.guid for item in shown.added} | {item.guid for item, _ in shown.parted}


def gone(shown: StateChanges) -> set[str]:
    return {item.guid for item in shown.removed} | {item.guid for item, _ in shown.merged}


def strip(body: bytes) -> bytes:
    """A file without the times of its changes, and a JSON Feed without what is no part of the items."""
    body = TIMES.sub(b"", body)
    if body.startswith(b"{"):
        document = json.loads(body)
        for item in document["items"]:
            item["_aggregator"] = item["_aggregator"]["entries"]
        body = json.dumps(document).encode()
    return body


def visible(folder: Path, files: dict[str, bytes] | None = None) -> dict[str, object]:
    """What stands in any file about each item."""
    given = files or contents(folder)
    listed = {item["id"]: item for item in json.loads(given["feed.json"])["items"]}
    rows = {
        node.findtext("guid"): etree.tostring(node, method="c14n")
        for node in etree.fromstring(given["feed.xml"])[0].iterfind("item")
    }
    sources = {
        guid: sorted({name.partition("/")[0] for name in item["_aggregator"]["entries"]})
        for guid, item in listed.items()
    }
    return {guid: (rows[guid], item.get("language"), sources[guid]) for guid, item in listed.items()}


def contents(folder: Path) -> dict[str, bytes]:
    names = ("podcast.xml", "feed.xml", "feed.atom", "feed.json")
    return {name: (folder / "output" / "sea" / name).read_bytes() for name in names}


def items(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "output" / "sea" / "feed.json").read_bytes())["items"]


def serve(origin: Site, chance: random.Random) -> None:
    """Three sources that list most of the same episodes, each in words and with audio of its own."""
    for name in ("host", "mirror", "other"):
        episodes = [
            make_episode(
                turn,
                guid=f"{name}-{turn}",
                audio=f"https://{name}.example/{turn}.mp3",
                text=f"Number {turn} is about knots, {chance.choice(('ropes', 'sails'))} and {name}. " * 3,
            )
            for turn in range(8)
            if chance.random() < 0.9
        ]
        if chance.random() < 0.5:
            episodes.append(make_episode(20 + chance.randrange(4), guid=f"{name}-new", day=90))
        origin.serve(f"/{name}.xml", make_rss(*episodes))


def first_config(origin: Site) -> Config:
    sources = {name: {"kind": "feed", "url": origin.url(f"/{name}.xml")} for name in ("host", "mirror")}
    feed: Config = {"title": "Sea Room", "sources": sources}
    return {
        "state": "store.db",
        "output": "output",
        "allow_networks": ["127.0.0.0/8"],
        "feeds": {"sea": feed},
        "other": {"kind": "feed", "url": origin.url("/other.xml"), "adds": "always"},
    }


def write(folder: Path, config: Config) -> None:
    known = {key: value for key, value in config.items() if key != "other"}
    (folder / "config.yaml").write_text(json.dumps(known), encoding="utf-8")  # YAML holds JSON


def override(config: Config, chance: random.Random, published: list[dict[str, Any]]) -> None:
    wanted = chance.choice(
        (
            {"title": "Knots by hand"},
            {"description": "Words of the owner."},
            {"duration": "17:00", "season": "3", "explicit": "yes"},
            {"image": "https://art.example/a.jpg", "author": "Ada", "episode_type": "bonus"},
        )
    )
    config["feeds"]["sea"].setdefault("overrides", {})[chance.choice(published)["id"]] = wanted


def drop_overrides(config: Config, _chance: random.Random, _published: list[dict[str, Any]]) -> None:
    config["feeds"]["sea"].pop("overrides", None)


def bury(config: Config, chance: random.Random, published: list[dict[str, Any]]) -> None:
    config["feeds"]["sea"].setdefault("buried", {})[chance.choice(published)["id"]] = "the guest asked for it"


def dig_up(config: Config, _chance: random.Random, _published: list[dict[str, Any]]) -> None:
    config["feeds"]["sea"].pop("buried", None)


def decide(config: Config, chance: random.Random, published: list[dict[str, Any]]) -> None:
    names = sorted(name for item in published for name in item["_aggregator"]["entries"])
    two = chance.sample(names, 2)
    verdict = chance.choice(("same", "different"))
    if verdict == "different" and (joined := [each for each in published if len(each["_aggregator"]["entries"]) > 1]):
        two = chance.choice(joined)["_aggregator"]["entries"][:2]
    config["feeds"]["sea"]["decisions"] = [{verdict: two}]


def undecide(config: Config, _chance: random.Random, _published: list[dict[str, Any]]) -> None:
    config["feeds"]["sea"].pop("decisions", None)


def add_or_remove_source(config: Config, chance: random.Random, _published: list[dict[str, Any]]) -> None:
    sources = config["feeds"]["sea"]["sources"]
    if len(sources) > 1 and chance.random() < 0.5:
        del sources[chance.choice(sorted(sources))]
    else:
        sources["other"] = config["other"]


def trust(config: Config, chance: random.Random, _published: list[dict[str, Any]]) -> None:
    sources = config["feeds"]["sea"]["sources"]
    sources[chance.choice(sorted(sources))]["trust"] = chance.choice((0.3, 0.5, 0.9))


def channel(config: Config, chance: random.Random, _published: list[dict[str, Any]]) -> None:
    key, value = chance.choice(
        (
            ("title", f"Sea Room {chance.randrange(9)}"),
            ("language", chance.choice(("de", "fr"))),
            ("author", "Ada"),
            ("explicit", chance.random() < 0.5),
            ("categories", ["Technology"]),
            ("funding", [{"url": "https://money.example/", "text": "Give"}]),
            ("window", chance.choice((0, 3, 5))),
            ("image", "https://art.example/show.jpg"),
            ("complete", chance.random() < 0.5),
        )
    )
    if key != "window":  # pages are compared whole here
        config["feeds"]["sea"][key] = value


EDITS: tuple[Edit, ...] = (
    *(override, override, drop_overrides, bury, dig_up, decide, decide, undecide, add_or_remove_source, trust, channel),
)


@pytest.mark.parametrize("window", [3, 0])
def test_items_of_archives_are_compared_too(tmp_path: Path, origin: Site, window: int) -> None:
    serve(origin, random.Random(1))
    config = first_config(origin)
    config["feeds"]["sea"]["window"] = 3
    write(tmp_path, config)
    refresh_here(load(tmp_path / "config.yaml"), at=START, force=True)
    oldest = json.loads((tmp_path / "output/sea/feed-archive-1.json").read_bytes())["items"][-1]["id"]
    config["feeds"]["sea"] |= {"window": window, "overrides": {oldest: {"title": "The oldest"}}}
    write(tmp_path, config)
    shown = find_differences(load(tmp_path / "config.yaml"), ["sea"], at=START + timedelta(days=1))[1]["sea"]
    assert [(each.item.guid, each.item.title) for each in shown.changed] == [(oldest, "The oldest")]
    assert not shown.added
    assert not shown.removed
