"""`probe_enclosures: true`: what no source said of a media file its own host is asked once, ever, and remembered."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator import enclosure_probe
from aggregator.fetchers.http.host_limits import HostLimiter
from aggregator.fetchers.http.polling import Policy
from aggregator.model.entry import Enclosure
from aggregator.model.feed import Channel, Plan
from aggregator.model.item import Item
from aggregator.model.source import PollState, Source
from aggregator.store import database, polls
from aggregator.store.database import Store
from aggregator.text.urls import find_host
from tests.support.origin import Request, head, playing

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
SOURCE = Source("host", "feed", "http://127.0.0.1/feed")  # its own host may be private, and has the media
PLAN = Plan("sea", Channel("sea", "Sea Room", "http://localhost:8000/sea"), (SOURCE,), probe_enclosures=True)
POLICY = Policy(allow_networks=("127.0.0.0/8",), host_rate=1000.0)


class Media:
    """A media host: what it answers to HEAD by path, and what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.answers: dict[str, tuple[int, dict[str, str]]] = {}
        self.base = ""

    def url(self, path: str) -> str:
        return self.base + path

    def play(self, request: Request) -> bytes:
        self.asked.append((request.method, request.path))
        sound = (200, {"Content-Type": "audio/mpeg", "Content-Length": "5000000"})
        status, fields = self.answers.get(request.path, sound)
        return head(status, *fields.items())


@pytest.fixture
def media() -> Iterator[Media]:
    host = Media()
    with playing(host.play) as origin:
        host.base = origin.url("")
        yield host


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with database.open_store(str(tmp_path / "store.db")) as opened:
        yield opened


def items(*enclosures: Enclosure) -> tuple[Item, ...]:
    return tuple(Item(f"Number {turn}", (f"host/{turn}",), enclosure=each) for turn, each in enumerate(enclosures))


def ask(store: Store, made: tuple[Item, ...], policy: Policy = POLICY, at: datetime = START) -> int:
    with closing(HostLimiter(policy)) as limiter:
        return enclosure_probe.probe(store, PLAN, enclosure_probe.find_incomplete(made), limiter.head, at)


def test_length_and_type_that_no_source_gave_are_the_hosts(store: Store, media: Media) -> None:
    made = items(Enclosure(media.url("/1.mp3")), Enclosure(media.url("/listen/2")))
    assert ask(store, made) == 2
    assert [
        Enclosure(media.url("/1.mp3"), None, 5_000_000),
        Enclosure(media.url("/listen/2"), "audio/mpeg", 5_000_000),
    ] == [item.enclosure for item in enclosure_probe.fill_enclosures(store, PLAN, made)]


def test_each_address_is_asked_once_for_ever(store: Store, media: Media) -> None:
    made = items(Enclosure(media.url("/1.mp3")), Enclosure(media.url("/1.mp3")))
    assert [ask(store, made) for _ in range(3)] == [1, 0, 0]
    assert media.asked == [("HEAD", "/1.mp3")]


def test_what_a_source_gave_stands_and_is_not_asked_for(store: Store, media: Media) -> None:
    given = items(Enclosure(media.url("/1.mp3"), "audio/mpeg", 77), Enclosure(media.url("/2.mp3"), None, 78))
    assert ask(store, given) == 0
    assert media.asked == []
    partly = items(Enclosure(media.url("/listen/3"), None, 79), Enclosure(media.url("/4"), "audio/aac", None))
    ask(store, partly)
    assert [
        (item.enclosure.type, item.enclosure.length)
        for item in enclosure_probe.fill_enclosures(store, PLAN, partly)
        if item.enclosure
    ] == [("audio/mpeg", 79), ("audio/aac", 5_000_000)]


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        (404, {"Content-Length": "500"}),
        (200, {"Content-Type": "text/html; charset=utf-8", "Content-Length": "500"}),
        (200, {"Content-Type": "audio/mpeg", "Content-Length": "many"}),
        (200, {"Content-Length": "0"}),
        (302, {"Location": "http://10.0.0.1/"}),
    ],
)
def test_a_failure_is_remembered_too(store: Store, media: Media, status: int, fields: dict[str, str]) -> None:
    media.answers["/1.mp3"] = (status, fields)
    made = items(Enclosure(media.url("/1.mp3")))
    assert [ask(store, made), ask(store, made)] == [1, 0]
    found = enclosure_probe.fill_enclosures(store, PLAN, made)[0].enclosure
    assert found is not None
    assert found.length is None


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failure_that_may_pass_is_asked_again(store: Store, media: Media, status: int) -> None:
    media.answers["/1.mp3"] = (status, {"Content-Length": "500"})
    made = items(Enclosure(media.url("/1.mp3")))
    assert ask(store, made) == 1
    media.answers.clear()
    assert [ask(store, made), ask(store, made)] == [1, 0]
    found = enclosure_probe.fill_enclosures(store, PLAN, made)[0].enclosure
    assert found is not None
    assert found.length == 5_000_000


def test_a_host_that_may_not_be_reached_is_asked_once_and_one_that_refuses_again(store: Store) -> None:
    made = items(Enclosure("http://127.0.0.1:1/a.mp3"), Enclosure("http://10.0.0.1/b.mp3"), Enclosure("ftp://x/c.mp3"))
    assert [ask(store, made), ask(store, made)] == [2, 1]
    assert enclosure_probe.fill_enclosures(store, PLAN, made) == made


@pytest.mark.parametrize("fields", [{}, {"Retry-After": "60"}])
def test_a_host_whose_robots_cannot_be_had_is_asked_again(store: Store, media: Media, fields: dict[str, str]) -> None:
    obedient = replace(POLICY, obey_robots=True)
    media.answers["/robots.txt"] = (503, fields)
    made = items(Enclosure(media.url("/1.mp3")))
    assert ask(store, made, obedient) == 1
    media.answers["/robots.txt"] = (404, {})
    assert [ask(store, made, obedient), ask(store, made, obedient)] == [1, 0]
    found = enclosure_probe.fill_enclosures(store, PLAN, made)[0].enclosure
    assert found is not None
    assert found.length == 5_000_000


def test_a_host_that_was_not_reached_is_asked_again_for_a_month(store: Store) -> None:
    made = items(Enclosure("http://nowhere.invalid/a.mp3"), Enclosure("http://nowhere.invalid/b.mp3"))
    days = (0, 1, 29, 30, 31)
    assert [ask(store, made, at=START + timedelta(days=day)) for day in days] == [2, 2, 2, 2, 0]
    assert not enclosure_probe.read_probes(store, PLAN).more


def test_what_was_not_reached_is_asked_after_what_was_never_asked(store: Store, media: Media) -> None:
    away = items(*(Enclosure(f"http://nowhere.invalid/{turn}.mp3") for turn in range(enclosure_probe.MOST)))
    ask(store, away)
    assert ask(store, (*away, *items(Enclosure(media.url("/1.mp3"))))) == enclosure_probe.MOST
    assert media.asked == [("HEAD", "/1.mp3")]


def test_a_run_asks_twenty_at_most_and_later_runs_the_rest(store: Store, media: Media) -> None:
    made = items(*(Enclosure(media.url(f"/{turn}.mp3")) for turn in range(45)))
    assert [(ask(store, made), enclosure_probe.read_probes(store, PLAN).more) for _ in range(4)] == [
        (20, True),
        (20, True),
        (5, False),
        (0, False),
    ]
    assert len(set(media.asked)) == len(media.asked) == 45


def test_a_host_that_wants_silence_is_asked_later(store: Store, media: Media) -> None:
    url = media.url("/1.mp3")
    held = PollState(media.url("/feed.xml"), hold_until=START + timedelta(hours=1), hold_host=find_host(url))
    polls.write_poll_states(store, [("sea", "host", held)])
    assert ask(store, items(Enclosure(url))) == 0
    assert enclosure_probe.read_probes(store, PLAN).more
    assert media.asked == []


def test_a_host_that_asks_to_wait_is_asked_no_more_in_this_run(store: Store, media: Media) -> None:
    made = items(*(Enclosure(media.url(f"/{turn}.mp3")) for turn in range(9)))
    for turn in range(9):
        media.answers[f"/{turn}.mp3"] = (429, {"Retry-After": "3600"})
    ask(store, made, replace(POLICY, host_concurrency=1))
    assert len(media.asked) == 1
    media.answers.clear()
    ask(store, made)
    lengths = [item.enclosure and item.enclosure.length for item in enclosure_probe.fill_enclosures(store, PLAN, made)]
    assert lengths == [5_000_000] * 9


def test_nothing_is_told_while_the_config_does_not_ask_for_it(store: Store, media: Media) -> None:
    made = items(Enclosure(media.url("/1.mp3")))
    ask(store, made)
    off = Plan("sea", PLAN.channel, ())
    assert enclosure_probe.fill_enclosures(store, off, made) == made


def test_a_refresh_publishes_the_length_and_asks_nothing_twice(project, origin, media: Media) -> None:
    listed = "".join(
        f"<item><guid>{turn}</guid><title>Tides {turn}</title>"
        f"<pubDate>Sat, {turn + 1:02} Jun 2024 08:00:00 GMT</pubDate>"
        f"<description>About tide {turn}.</description><enclosure url='{media.url(f'/{turn}.mp3')}'/></item>"
        for turn in range(25)
    )
    origin.serve("/feed.xml", f"<rss version='2.0'><channel><title>Sea</title>{listed}</channel></rss>")
    at = datetime(2024, 7, 1, tzinfo=UTC)

    def lengths() -> list[int]:
        return [item["attachments"][0].get("size_in_bytes", 0) for item in project.items()]

    project.refresh(at=at)
    assert (lengths(), media.asked) == ([0] * 25, [])
    project.keys["probe_enclosures"] = True
    project.refresh(at=at + timedelta(days=1))
    assert sorted(lengths()) == [0] * 5 + [5_000_000] * 20
    updated = project.published()["feed.xml"].split(b"<lastBuildDate>")[1][:16]
    assert updated == b"Tue, 02 Jul 2024"
    for later in (2, 3, 4):
        project.refresh(at=at + timedelta(days=later))
        assert lengths() == [5_000_000] * 25
    assert len(media.asked) == len(set(media.asked)) == 25
    assert {item["date_modified"][:10] for item in project.items()} == {"2024-07-02", "2024-07-03"}
