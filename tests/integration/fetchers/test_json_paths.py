"""The kind ``json``: values by paths, dates and lengths in every unit, and further pages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers import parse, parser_process
from aggregator.fetchers.fetch import FetchContext, Resources, fetch
from aggregator.merger.repair.repair import repair
from aggregator.model.entry import Entry
from aggregator.model.source import Document, PollState, Source
from tests.support.origin import Site, serving
from tests.support.polls import POLICY, START

NESTED = {
    "data": {
        "shows": [
            {
                "episodes": [
                    {
                        "uid": 41,
                        "attributes": {"name": "Tides &amp; lifts", "aired": 1714564800},
                        "media": [{"url": "/a/41.mp3", "ms": 754321}],
                        "body": "<p>About <b>tides</b>.</p>",
                        "tags": [{"name": "Sea"}, {"name": "Moon"}],
                        "se": "2", "no": 7, "kind": "Bonus",
                    },
                    {"uid": 40, "attributes": {"name": "Ropes", "aired": "2024-04-01T10:00:00+02:00"}, "media": []},
                    {"uid": 39, "attributes": {}},
                ]
            }
        ]
    }
}  # fmt: skip
PATHS = {
    "items": "$.data.shows[*].episodes[]",
    "id": "uid",
    "title": "attributes.name",
    "date": "attributes.aired",
    "audio": "media[0].url",
    "length": "media[0].ms",
    "text": "body",
    "category": "tags",
    "season": "se",
    "episode": "no",
    "type": "kind",
}


def entries(value: object, **options: str) -> tuple[Entry, ...]:
    source = Source("api", "json", url="https://api.example/v1", options=tuple(sorted(options.items())))
    return parse.read(Document(source, "https://api.example/v1", json.dumps(value).encode())).entries


def test_values_are_found_in_nested_objects() -> None:
    one, two = entries(NESTED, **PATHS)
    assert (one.key, one.title, one.description, one.html) == (
        "41", "Tides & lifts", None, "<p>About <b>tides</b>.</p>",
    )  # fmt: skip
    assert one.published
    assert one.published.at.isoformat() == "2024-05-01T12:00:00+00:00"
    assert one.enclosure
    assert one.enclosure.url == "https://api.example/a/41.mp3"
    assert one.duration
    assert one.duration.seconds == 754
    assert (one.season, one.episode, one.episode_type, one.categories) == (2, 7, "bonus", ("Sea", "Moon"))
    assert two.published
    assert two.published.at.isoformat() == "2024-04-01T08:00:00+00:00"
    assert (two.title, two.duration, two.enclosure) == ("Ropes", None, None)


def test_markup_is_read_as_markup() -> None:
    text = "<p>One</p><script>let a = 1;</script><table><tr><td>two</td><td>three</td></tr></table>"
    (one,) = entries([{"title": "Tides", "text": text}], items="@", text="text")
    assert repair(one).description == "One\n\ntwo three"
    (one,) = entries([{"title": "Tides", "text": "On the <dialog> tag"}], items="@", text="text")
    assert (repair(one).description, one.html) == ("On the <dialog> tag", None)


@pytest.mark.parametrize(
    "date",
    [1714564800, 1714564800.4, 1714564800000, 1714564800000000, "1714564800", "1714564800000", "2024-05-01T12:00:00Z",
     "May 1, 2024 12:00:00", "Wed, 01 May 2024 14:00:00 +0200"],
)  # fmt: skip
def test_dates_are_read_in_every_form(date: object) -> None:
    (entry,) = entries([{"title": "A", "when": date}], items="@", date="when")
    assert entry.published
    assert entry.published.at.isoformat() == "2024-05-01T12:00:00+00:00"


@pytest.mark.parametrize(
    ("lengths", "path", "options"),
    [
        ([90, 1800], "len", {}),
        ([90_000, 1_800_000], "len", {}),
        ([90, 1800], "ms", {"unit": "seconds"}),
        ([90_000, 1_800_000], "durationMs", {}),
        ([1.5, 30], "len", {"unit": "minutes"}),
        (["1:30", "PT30M"], "len", {}),
        (["90", "1800"], "len", {}),
    ],
)
def test_lengths_are_read_in_every_unit(lengths: list[object], path: str, options: dict[str, str]) -> None:
    found = entries([{"title": str(n), path: n} for n in lengths], items="@", length=path, **options)
    assert [entry.duration.seconds for entry in found if entry.duration] == [90, 1800]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({}, "needs the option items"),
        ({"items": "data["}, 'option items: "data[" is no path of this JSON'),
        ({"items": "nothing"}, "items finds 0 objects"),
        ({"items": "data.shows", "title": "x"}, "items finds 1 objects and no title"),
        ({"items": "data.shows[].episodes[]", "unit": "hours"}, "option unit: hours is none of seconds"),
        ({"items": "abs(data)"}, "is no path of this JSON"),
    ],
)
def test_what_is_wrong_is_told(options: dict[str, str], why: str) -> None:
    with pytest.raises(ReadError) as caught:
        entries(NESTED, **options)
    assert why in str(caught.value)


@pytest.fixture
def context() -> Iterator[FetchContext]:
    with closing(Resources(POLICY)) as resources:
        yield FetchContext(resources, START, lambda *_: None, force=True)


def serve_pages(site: Site, pages: int, following: str) -> None:
    for number in range(1, pages + 1):
        items = [{"id": f"{number}-{turn}", "title": f"Part {number}.{turn}"} for turn in range(2)]
        body = json.dumps({"items": items, "next": following % (number + 1)} | ({"last": 1} if number == pages else {}))
        site.serve("/api" if number == 1 else f"/api?page={number}", body, kind="application/json")


@pytest.mark.parametrize("options", [(("next", "next"),), (("next", "next"), ("next_query", "page"))])
def test_pages_are_followed_until_a_bound_with_the_headers_of_the_first(
    context: FetchContext, options: tuple[tuple[str, str], ...]
) -> None:
    with serving(Site()) as site:
        serve_pages(site, 30, "%d" if len(options) > 1 else "api?page=%d")
        source = Source("api", "json", site.url("/api"), options=(("items", "items"), *options), headers=(("X", "1"),))
        fetched = fetch(source, {}, context).result(60)
        (listing,) = fetched.listings
        assert listing is not None
        assert [entry.key for entry in listing.entries] == [
            f"{page}-{turn}" for page in range(1, 21) for turn in (0, 1)
        ]
        assert [entry.position for entry in listing.entries] == list(range(40))
        assert len(site.asked) == 20
        assert all(head.get("X") == "1" for head in site.heads)
        assert [each.url for each in fetched.poll_states] == [site.url("/api")]


def test_no_page_follows_as_many_items_as_a_document_may_list(
    context: FetchContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser_process, "MOST_ITEMS", 9)
    with serving(Site()) as site:
        serve_pages(site, 30, "api?page=%d")
        source = Source("api", "json", site.url("/api"), options=(("items", "items"), ("next", "next")))
        (listing,) = fetch(source, {}, context).result(60).listings
        assert (listing and len(listing.entries), len(site.asked)) == (10, 5)


def test_a_page_that_is_missing_is_told_and_asked_for_again(context: FetchContext) -> None:
    with serving(Site()) as site:
        serve_pages(site, 3, "api?page=%d")
        site.fields["/api"] = {"ETag": '"one"'}
        good = site.pages.pop("/api?page=3")
        source = Source("api", "json", site.url("/api"), options=(("items", "items"), ("next", "next")))
        fetched = fetch(source, {}, context).result(60)
        (listing,) = fetched.listings
        assert (fetched.status, len(listing.entries if listing else ())) == ("ok", 4)
        assert listing
        assert listing.remarks[0].startswith("page 3 is missing: ")
        site.pages["/api?page=3"] = good
        site.pages["/api?page=4"] = (200, "application/json", b'{"items": [{"title": "The end"}]}')
        known: dict[str, PollState] = {each.url: each for each in fetched.poll_states}
        again = fetch(source, known, context).result(60)
        (listing,) = again.listings
        assert len(listing.entries if listing else ()) == 7
        kept = {each.url: each for each in again.poll_states}
        assert fetch(source, kept, context).result(60).status == "unchanged"


def test_a_next_page_at_another_host_is_not_asked(context: FetchContext) -> None:
    with serving(Site()) as site, serving(Site()) as other:
        serve_pages(site, 1, other.url("/api?page=%d"))
        source = Source("api", "json", site.url("/api"), options=(("items", "items"), ("next", "next")))
        (listing,) = fetch(source, {}, context).result(60).listings
        assert listing
        assert len(listing.entries) == 2
        assert listing.remarks == (f"the next page is at another host, which is not asked: {other.url('/api')}?…",)
        assert other.asked == []
