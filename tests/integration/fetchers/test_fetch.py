"""A source on its way: several at once, pages followed to their feeds, and whatever goes wrong is one source's."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from msgspec.structs import replace

from aggregator.errors import StoreError
from aggregator.fetchers import parser_process, registry
from aggregator.fetchers.fetch import FetchContext, Resources, fetch
from aggregator.model.entry import Listing
from aggregator.model.source import Document, PollState, Source
from tests.support.origin import Pieces, Request, answer, playing
from tests.support.polls import POLICY, RSS, START

HTML = b"<html><head><link rel='alternate' type='application/rss+xml' href='%s'></head><body>A show</body></html>"
PAGE = ("Content-Type", "text/html")


@pytest.fixture
def context() -> Iterator[FetchContext]:
    with closing(Resources(POLICY)) as resources:
        yield FetchContext(resources, START, lambda *_: None)


def test_a_page_whose_feed_is_slow_delays_no_other_source(context: FetchContext) -> None:
    free = threading.Event()

    def slow(_: Request) -> Pieces:
        free.wait(60)
        return answer(200, RSS)

    with playing(slow) as feeds, playing(lambda _: answer(200, HTML % feeds.url().encode(), PAGE)) as pages:
        led = [fetch(Source(f"page{n}", "feed", pages.url(f"/{n}")), {}, context) for n in range(5)]
        with playing(lambda _: answer(200, RSS)) as other:
            assert fetch(Source("other", "feed", other.url()), {}, context).result(60).status == "ok"
        assert not any(each.done() for each in led)
        free.set()
        assert {each.result(60).status for each in led} == {"ok"}
        assert {poll_state.leads_to for each in led for poll_state in each.result().poll_states} == {None, feeds.url()}


def test_a_feed_that_a_page_named_is_polled_before_the_page_and_the_page_if_it_fails(context: FetchContext) -> None:
    with (
        playing(lambda r: answer(404) if r.path == "/old" else answer(200, RSS)) as feeds,
        playing(lambda _: answer(200, HTML % feeds.url("/new").encode(), PAGE)) as pages,
    ):
        page = Source("page", "feed", pages.url())
        known = {pages.url(): PollState(pages.url(), leads_to=feeds.url("/feed"))}
        assert fetch(page, known, context).result(60).status == "ok"
        assert pages.requests == []
        moved = fetch(page, {pages.url(): PollState(pages.url(), leads_to=feeds.url("/old"))}, context).result(60)
        assert (moved.status, [r.path for r in feeds.requests if r.path != "/robots.txt"]) == (
            "ok",
            ["/feed", "/old", "/new"],
        )
        assert feeds.url("/new") in {poll_state.leads_to for poll_state in moved.poll_states}


@pytest.mark.parametrize(
    ("place", "name"), [(registry, "locate"), *((parser_process, name) for name in ("read", "discover"))]
)
def test_a_defect_is_a_source_that_failed_and_its_message_names_it(
    place: object, name: str, context: FetchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a list of nothing")

    with playing(lambda _: answer(200, RSS, *([PAGE] if name == "discover" else []))) as origin:
        source = Source("show", "feed", origin.url())
        monkeypatch.setattr(place, name, broken)
        failed = fetch(source, {}, context).result(60)
        monkeypatch.undo()
        assert (failed.status, failed.poll_states) == ("failed", ())
        assert "defect of ours: ZeroDivisionError in test_fetch.py, line" in failed.message
        assert fetch(source, {}, context).result(60).status != "not due"


def test_a_store_that_cannot_be_asked_about_a_host_is_no_failure_of_the_source() -> None:
    def ask(_url: str) -> None:
        raise StoreError("too many clients already")

    with (
        playing(lambda _: answer(200, RSS)) as origin,
        closing(Resources(replace(POLICY, obey_robots=True), read_robots=ask)) as resources,
    ):
        fetched = fetch(Source("show", "feed", origin.url()), {}, FetchContext(resources, START, lambda *_: None))
        with pytest.raises(StoreError, match="too many clients already"):
            fetched.result(60)
        assert origin.requests == []


def test_documents_are_read_several_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2)
    read = parser_process.read

    def waiting(document: Document) -> Listing:
        together.wait(60)
        return read(document)

    monkeypatch.setattr("aggregator.fetchers.fetch._PROCESSORS", 2)
    monkeypatch.setattr(parser_process, "read", waiting)
    with playing(lambda _: answer(200, RSS)) as origin, closing(Resources(POLICY)) as resources:
        context = FetchContext(resources, START, lambda *_: None)
        fetched = [fetch(Source(name, "feed", origin.url(f"/{name}")), {}, context) for name in ("one", "other")]
        assert {each.result(60).status for each in fetched} == {"ok"}
