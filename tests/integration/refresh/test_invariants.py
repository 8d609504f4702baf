"""The invariants over time of docs/output.md that no other test holds: over random histories, and one by one.

Episodes appear, change, move and fall silent; the config is edited between the runs; duplicates are found late and
people say what is different. What is checked is what is published: the bytes of every format.
"""

import json
import random
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from lxml import etree
from msgspec.structs import replace

from aggregator import persist, publish
from aggregator.compose import compose
from aggregator.fetchers.fetched import FetchedSource
from aggregator.generator.content import links
from aggregator.model.cluster import Decision
from aggregator.model.entry import Duration, Enclosure, Entry, Listing, Moment, Show, Tag
from aggregator.model.feed import Channel, Plan
from aggregator.model.source import Source
from aggregator.store import database, guids
from aggregator.validator.examine import examine
from tests.support.composing import compose_and_write

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
OWNER = "owner@host.example"
NAMES = ("Strides", "Lighthouses", "Tide tables", "Sextants", "Rope work", "Harbour pilots", "Trailer", "Trailer")
HOST, MIRROR = (
    Source(name, "feed", url=f"https://{name}.example/feed.xml", trust=trust)
    for name, trust in (("host", 0.9), ("mirror", 0.3))
)
PLAN = Plan("sea", Channel("sea", "Sea Room", "http://localhost:8000/sea"), (HOST, MIRROR))
ADDING = replace(PLAN, sources=(HOST, replace(MIRROR, adds="always")))  # the mirror's own items wait for nobody
ATOM = {"a": "http://www.w3.org/2005/Atom"}


def told(source: Source, turn: int, change: str = "") -> Entry:
    """One episode as a source tells it; the mirror has other guids, rounded minutes, and no audio of its own."""
    name = NAMES[turn % len(NAMES)]
    day = START - timedelta(days=200) + timedelta(days=5 * (turn - turn // 8 % 2))
    host = source.name == "host"
    said = Entry(
        source=source.name,
        key=f"{source.name}-{turn}",
        guid=f"{source.name}-{turn}",
        title=name if name == "Trailer" else f"{name} in chapter {turn}",
        description=f"Today we look at {name.lower()} and at what number {turn} costs to keep for a year.",
        published=Moment(day + timedelta(minutes=turn)),
        duration=Duration(1200 + 61 * turn) if host else Duration(60 * round((1200 + 61 * turn) / 60), 60),
        enclosure=Enclosure(f"https://cdn.host.example/{turn}.mp3", "audio/mpeg", 40_000 + turn),
        author=f"{OWNER} (Ann Tide)",
        link=f"https://{source.name}.example/e/{turn}",
    )
    changes = {
        "retitled": {"title": f"Renamed {turn}, once {name}"},
        "redated": {"published": Moment(day + timedelta(days=700))},
        "wild": {"published": Moment(datetime(2190, 1, 1, tzinfo=UTC))},
        "undated": {"published": None},
        "soon": {"published": Moment(START + timedelta(days=1, hours=10))},
        "rewritten": {"description": f"Another text about {name.lower()}, number {turn}, longer than the one before."},
    }
    return replace(said, **changes.get(change, {}))


def fetched(source: Source, turns: list[int], change: str = "") -> FetchedSource:
    show = Show(title="Sea Room", author=OWNER, tags=(Tag("podcast:locked", "yes", (("owner", OWNER),)),))
    listed = tuple(replace(told(source, turn, change), position=at) for at, turn in enumerate(reversed(turns)))
    return FetchedSource(source, (), (Listing(listed, show),), (), "ok")


@dataclass
class Published:
    """What one run published, and what of it subscribers compare."""

    files: dict[str, bytes]
    provisional: set[str] = field(default_factory=set)
    items: dict[str, dict] = field(default_factory=dict)

    def __post_init__(self) -> None:
        archives = [name for name in self.files if re.fullmatch(r"feed-archive-\d+\.json", name)]
        pages = ("feed.json", *sorted(archives, key=lambda name: int(name[13:-5]), reverse=True))
        self.items = {item["id"]: item for page in pages for item in json.loads(self.files[page])["items"]}

    def newest(self) -> list[str]:
        return [item["id"] for item in json.loads(self.files["feed.json"])["items"]]

    def channel(self, name: str) -> str:
        return etree.fromstring(self.files["podcast.xml"]).findtext(f"channel/{name}")

    def rel(self, rel: str) -> str:
        return etree.fromstring(self.files["podcast.xml"]).xpath(
            f"string(//a:link[@rel='{rel}']/@href)", namespaces=ATOM
        )

    def guid(self) -> str:
        return etree.fromstring(self.files["podcast.xml"]).xpath("string(//*[local-name()='guid'][1])")


class Play:
    """A store, and the runs on it; each is a day after the one before."""

    def __init__(self, folder: str) -> None:
        self.state = str(Path(folder) / "store.db")
        self.day = 0

    def run(self, plan: Plan, *heard: FetchedSource) -> Published:
        self.day += 1
        now = START + timedelta(days=self.day)
        with database.open_store(self.state) as store:
            with database.transaction(store) as tx:
                persist.write_fetched(tx, [(plan, heard)], now)
                composed = compose_and_write(tx, plan, now)
            later = composed.until - timedelta(seconds=1) if composed.until else now + timedelta(days=99)
            again = compose(store, plan, later).feed
            provisional = {each.guid for each in guids.read_guids(store, plan.name) if each.dated is not None}
        made = dict(publish.render(composed.feed, plan.window))
        assert made == dict(publish.render(again, plan.window))
        return Published(made, provisional)


def hold(before: Published | None, now: Published, day: int) -> None:
    """What holds of every publication, and between it and the one before."""
    later = START + timedelta(days=day)
    for name in ("podcast.xml", "feed.xml", "feed.atom", "feed.json"):
        broken = [one for one in examine(now.files[name], later)[1] if one.severity == "M" or one.rule == "item-alike"]
        unsaid = ("channel-image", "channel-category", "channel-language")  # by any source
        assert [one for one in broken if one.rule not in unsaid] == []
    rss = etree.fromstring(now.files["feed.xml"]).findall("channel/item")
    assert all(item.find("source").get("url") for item in rss)
    assert all(item["_aggregator"]["source"]["name"] in ("host", "mirror") for item in now.items.values())
    assert not any(OWNER.encode() in body for body in now.files.values())
    entries = etree.fromstring(now.files["feed.atom"]).findall("a:entry/a:id", ATOM)
    assert [links.make_atom_id(guid, now.guid()) for guid in now.newest()] == [entry.text for entry in entries]
    assert all(datetime.fromisoformat(item["date_published"]) <= later for item in now.items.values())
    if before is None:
        return
    assert now.guid() == before.guid()
    replaced = before.provisional - now.provisional
    kept = [guid for guid in before.items if guid in now.items and guid not in replaced]
    assert [before.items[guid]["date_published"] for guid in kept] == [
        now.items[guid]["date_published"] for guid in kept
    ]
    order = sorted(kept, key=list(now.items).index)
    assert order == sorted(kept, key=list(before.items).index)


# Shrinking a history takes minutes, and the seed of the failure is printed anyway.
slow = settings(
    max_examples=4,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@slow
@given(st.data())
def test_every_publication_of_a_random_history_holds(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        play, before, plan = Play(folder), None, PLAN
        dropped: set[str] = set()
        for day in range(data.draw(st.integers(2, 4))):
            edit = data.draw(st.sampled_from(["", "", "moved", "trust", "gone", "window", "title"]))
            plan = {
                "moved": replace(plan, channel=replace(plan.channel, base_url=f"https://d{day}.example/sea")),
                "trust": replace(plan, sources=(replace(HOST, trust=0.3), replace(MIRROR, trust=0.9))),
                "gone": replace(plan, sources=(HOST,)),
                "window": replace(plan, window=4),
                "title": replace(plan, channel=replace(plan.channel, title=f"Sea Room {day}")),
            }.get(edit, plan)
            heard = []
            for source in plan.sources:
                change = data.draw(
                    st.sampled_from(["", "", "retitled", "redated", "wild", "soon", "undated", "rewritten"])
                )
                turns = sorted(data.draw(st.sets(st.integers(0, 9), min_size=2)))
                heard.append(
                    FetchedSource(source) if data.draw(st.booleans()) and day else fetched(source, turns, change)
                )
            now = play.run(plan, *heard)
            hold(before, now, play.day)
            assert not dropped & now.items.keys()
            dropped |= {guid for guid in (before.items if before else ()) if guid not in now.items}
            before = now


def test_adding_k_shows_exactly_k_and_touches_nobody_else(tmp_path: Path) -> None:
    play, dice = Play(str(tmp_path)), random.Random(13)
    total = 4
    before = play.run(PLAN, fetched(HOST, list(range(total))), fetched(MIRROR, list(range(total))))
    for _ in range(5):
        more = dice.randint(0, 3)
        total += more
        late = list(range(max(0, total - dice.randint(0, 2))))
        now = play.run(PLAN, fetched(HOST, list(range(total))), fetched(MIRROR, late))
        hold(before, now, play.day)
        assert now.items.keys() - before.items.keys() == {f"host-{turn}" for turn in range(total - more, total)}
        assert {guid: item["attachments"] for guid, item in before.items.items()}.items() <= {
            guid: item["attachments"] for guid, item in now.items.items()
        }.items()
        before = now


def test_nothing_new_is_no_new_byte_in_any_format(tmp_path: Path) -> None:
    play = Play(str(tmp_path))
    first = play.run(PLAN, fetched(HOST, list(range(6))), fetched(MIRROR, [1, 2]))
    for heard in (
        (fetched(HOST, list(range(6))), fetched(MIRROR, [1, 2])),
        (FetchedSource(HOST), FetchedSource(MIRROR)),
    ):
        files = play.run(PLAN, *heard).files
        assert {name for name in files if files[name] != first.files[name]} <= {"report.json", "index.html"}
    assert play.run(PLAN, fetched(HOST, list(range(6)))).channel("lastBuildDate") == first.channel("lastBuildDate")


def test_a_new_address_changes_no_guid_and_links_to_itself(tmp_path: Path) -> None:
    play = Play(str(tmp_path))
    before = play.run(PLAN, fetched(HOST, list(range(5))))
    address = "https://feeds.example.org/sea"
    there = replace(PLAN, channel=replace(PLAN.channel, base_url=address, new_feed_url=f"{address}/podcast.xml"))
    now = play.run(there, fetched(HOST, list(range(5))))
    hold(before, now, play.day)
    assert now.newest() == before.newest()
    atom = [re.findall(rb"<id>(.*?)</id>", each.files["feed.atom"]) for each in (before, now)]
    assert atom[0] == atom[1]
    assert now.rel("self") == f"{address}/podcast.xml"
    assert now.channel("{http://www.itunes.com/dtds/podcast-1.0.dtd}new-feed-url") == now.rel("self")


def test_a_merge_keeps_the_older_guid_and_shows_the_other_again_only_where_it_is_taken_back(tmp_path: Path) -> None:
    play = Play(str(tmp_path))
    odd = replace(told(MIRROR, 2), title="Something else entirely", description=None, enclosure=None, duration=None)
    odd = replace(odd, published=Moment(START - timedelta(days=20)))
    apart = FetchedSource(MIRROR, (), (Listing((odd,), Show(title="Sea Room")),), (), "ok")
    first = play.run(ADDING, fetched(HOST, [0, 1, 2]), apart)
    assert {"host-2", "mirror-2"} <= first.items.keys()
    same = replace(ADDING, decisions=(Decision("same", "host/host-2", "mirror/mirror-2"),))
    merged = play.run(same, fetched(HOST, [0, 1, 2]), apart)
    hold(first, merged, play.day)
    assert len(first.items.keys() - merged.items.keys()) == 1
    assert merged.items.keys() < first.items.keys()
    after = play.run(same, fetched(HOST, [0, 1, 2, 3]), apart)
    assert not (first.items.keys() - merged.items.keys()) & after.items.keys()
    assert first.items.keys() < play.run(ADDING, fetched(HOST, [0, 1, 2, 3]), apart).items.keys()


def test_a_split_found_late_keeps_the_guid_for_one_and_mints_one(tmp_path: Path) -> None:
    play = Play(str(tmp_path))
    first = play.run(PLAN, fetched(HOST, [0, 1, 2]), fetched(MIRROR, [1]))
    assert set(first.items) == {"host-0", "host-1", "host-2"}
    parted = replace(PLAN, decisions=(Decision("different", "host/host-1", "mirror/mirror-1"),))
    other = replace(told(MIRROR, 1), enclosure=Enclosure("https://cdn.host.example/99.mp3"))
    now = play.run(parted, fetched(HOST, [0, 1, 2]), FetchedSource(MIRROR, (), (Listing((other,)),), (), "ok"))
    hold(first, now, play.day)
    assert first.items.keys() < now.items.keys()
    assert len(now.items) == 4


def test_an_old_episode_found_late_stands_in_its_place_and_moves_nobody(tmp_path: Path) -> None:
    play = Play(str(tmp_path))
    first = play.run(PLAN, fetched(HOST, [0, 2, 4]))
    now = play.run(PLAN, fetched(HOST, [0, 1, 2, 4]))
    hold(first, now, play.day)
    assert first.newest() == ["host-4", "host-2", "host-0"]
    assert now.newest() == ["host-4", "host-2", "host-1", "host-0"]


def test_a_twin_found_late_takes_its_own_number_and_every_page_says_so(tmp_path: Path) -> None:
    def trailer(turn: int) -> Entry:
        at = Moment(START - timedelta(days=9) + timedelta(minutes=turn))
        text = f"A trailer about {NAMES[turn].lower()}."
        return replace(told(HOST, turn), title="Trailer", published=at, duration=Duration(90), description=text)

    play = Play(str(tmp_path))
    runs = []
    for turns in ((1, 2), (0, 1, 2), (0, 1, 2)):
        listed = tuple(replace(trailer(turn), position=turn) for turn in turns)
        runs.append(play.run(PLAN, FetchedSource(HOST, (), (Listing(listed),), (), "ok")))
    titles = [{guid: item["title"] for guid, item in run.items.items()} for run in runs]
    assert titles[0] == {"host-1": "Trailer", "host-2": "Trailer (2)"}
    assert titles[1] == titles[2] == {"host-0": "Trailer (3)", **titles[0]}
    assert all("date_modified" not in item for item in runs[1].items.values())
    assert b"Trailer (3)" in runs[1].files["index.html"]


def test_an_audio_address_is_published_byte_for_byte(tmp_path: Path) -> None:
    address = "https://www.podtrac.com/pts/redirect.mp3/cdn.host.example/A%20b/1.mp3?updated=17&x=%2F#t=1"
    listed = replace(told(HOST, 1), enclosure=Enclosure(address, "audio/mpeg", 99_000))
    now = Play(str(tmp_path)).run(PLAN, FetchedSource(HOST, (), (Listing((listed,)),), (), "ok"))
    assert now.items["host-1"]["attachments"][0]["url"] == address


def test_a_source_taken_out_of_the_config_is_still_credited(tmp_path: Path) -> None:
    play = Play(str(tmp_path))
    first = play.run(ADDING, fetched(HOST, [0, 1]), fetched(MIRROR, [0, 1, 2]))
    now = play.run(replace(PLAN, sources=(HOST,)), fetched(HOST, [0, 1]))
    hold(first, now, play.day)
    assert now.items["mirror-2"]["_aggregator"]["source"] == {"name": "mirror", "url": MIRROR.url}
