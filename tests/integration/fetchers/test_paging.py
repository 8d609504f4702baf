"""Older items on further pages: each way in which a document or its answer names the next one."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from aggregator.fetchers.fetch import FetchContext, Resources, fetch
from aggregator.model.entry import Listing
from aggregator.model.source import Source
from tests.support.origin import Site, serving
from tests.support.polls import POLICY, START

ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"
ATOM = "http://www.w3.org/2005/Atom"


@pytest.fixture
def context() -> Iterator[FetchContext]:
    with closing(Resources(POLICY)) as resources:
        yield FetchContext(resources, START, lambda *_: None, force=True)


def rss(numbers: range, link: str) -> str:
    items = "".join(f"<item><title>Gespräch {n}</title><guid>{n}</guid></item>" for n in numbers)
    return f'<rss version="2.0" xmlns:a="{ATOM}"><channel><title>Werkstatt</title>{link}{items}</channel></rss>'


def atom(numbers: range, link: str) -> str:
    entries = "".join(f"<entry><title>Kapitel {n}</title><id>urn:x:{n}</id></entry>" for n in numbers)
    return f'<feed xmlns="{ATOM}"><title>Werkstatt</title>{link}{entries}</feed>'


def json_feed(numbers: range, link: str) -> str:
    items = [{"id": str(n), "content_text": f"Sesión {n}"} for n in numbers]
    named = {"next_url": link} if link else {}
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "Taller", "items": items} | named)


def simplecast(numbers: range, link: str) -> str:
    episodes = [{"id": f"00000000-{n:04}-4000-8000-000000000000", "title": f"Part {n}"} for n in numbers]
    return json.dumps({"count": 6, "collection": episodes, "pages": {"next": {"href": link} if link else None}})


NAMED = [
    ("feed", rss, '<a:link rel="next" href="/page{}"/>'),
    ("feed", rss, '<a:link rel="prev-archive" href="{base}/page{}"/>'),
    ("feed", atom, '<link rel="self" href="/"/><link rel="next" href="page{}"/><link rel="prev-archive" href="/no"/>'),
    ("blog", atom, '<link rel="prev-archive" href="page{}"/>'),
    ("jsonfeed", json_feed, "{base}/page{}"),
    ("jsonfeed", json_feed, "page{}"),
    ("simplecast", simplecast, "{base}/page{}"),
]


def read(context: FetchContext, source: Source) -> Listing:
    (listing,) = fetch(source, {}, context).result(60).listings
    assert listing is not None
    return listing


@pytest.mark.parametrize(("kind", "make", "link"), NAMED)
def test_the_pages_that_a_feed_names_are_read(
    kind: str, make: Callable[[range, str], str], link: str, context: FetchContext
) -> None:
    with serving(Site()) as site:
        for page in (1, 2, 3):
            following = link.format(page + 1, base=site.url("")) if page < 3 else ""
            site.serve(f"/page{page}", make(range(8 - 2 * page, 6 - 2 * page, -1), following), kind="text/plain")
        listing = read(context, Source("host", kind, site.url("/page1")))
        assert [entry.title.split()[-1] for entry in listing.entries] == ["6", "5", "4", "3", "2", "1"]
        assert (site.asked, listing.partial) == (["/page1", "/page2", "/page3"], True)


@pytest.mark.parametrize("relation", ["prev", "last", "next-archive", "current", "alternate", "self"])
def test_other_links_of_a_feed_are_no_further_pages(relation: str, context: FetchContext) -> None:
    with serving(Site()) as site:
        site.serve("/page1", rss(range(2), f'<a:link rel="{relation}" href="/page2"/>'))
        assert len(read(context, Source("host", "feed", site.url("/page1"))).entries) == 2
        assert site.asked == ["/page1"]


@pytest.mark.parametrize(
    ("field", "kind", "pages"),
    [
        ('</page2>; rel="next"', "application/json", 2),
        ('</a>; rel="prev first", <page2>; title="x, y"; rel=next', "application/json", 2),
        ("</page2>; rel=next-page", "application/json", 1),
        ("</page2>; rel=next", "text/html", 1),
    ],
)
def test_a_header_field_names_the_next_page_of_what_is_no_page_in_html(
    field: str, kind: str, pages: int, context: FetchContext
) -> None:
    with serving(Site()) as site:
        for page in (1, 2):
            body = [{"id": f"{page}-{turn}", "title": f"Tale {page}.{turn}"} for turn in range(3)]
            site.serve(f"/page{page}", json.dumps(body), kind=kind)
        site.fields["/page1"] = {"Link": field}
        listing = read(context, Source("api", "json", site.url("/page1"), options=(("items", "@"),)))
        assert len(listing.entries) == 3 * pages


def test_a_server_that_repeats_a_page_is_not_asked_on(context: FetchContext) -> None:
    with serving(Site()) as site:
        for page in range(1, 9):
            site.serve(f"/page{page}", rss(range(3), f'<a:link rel="next" href="/page{page + 1}"/>'))
        assert len(read(context, Source("host", "feed", site.url("/page1"))).entries) == 3
        assert site.asked == ["/page1", "/page2"]


def test_the_pages_of_a_feed_that_a_page_names_are_read(context: FetchContext) -> None:
    with serving(Site()) as site:
        site.serve(
            "/",
            '<html><link rel="alternate" type="application/rss+xml" href="/page1"><body>Werkstatt</body>',
            kind="text/html",
        )
        site.serve("/page1", rss(range(4, 8), '<a:link rel="next" href="/page2"/>'))
        site.serve("/page2", rss(range(4), ""))
        assert len(read(context, Source("host", "feed", site.url("/"))).entries) == 8


def rss_of(count: int, head: str = "") -> str:
    return rss(range(count, 0, -1), head)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (rss_of(50), True),
        (rss_of(300), True),
        (rss_of(51), False),
        (
            rss_of(99).replace(
                "<title>Gespräch 1<", f'<itunes:episode xmlns:itunes="{ITUNES}">1</itunes:episode><title>A<'
            ),
            False,
        ),
        (
            rss_of(50).replace(
                "<title>Gespräch 1<", f'<itunes:episode xmlns:itunes="{ITUNES}">1</itunes:episode><title>A<'
            ),
            False,
        ),
        (rss_of(50, '<a:link rel="next" href="/none"/>'), False),
    ],
)
def test_a_feed_that_looks_cut_gets_a_line(body: str, told: object, context: FetchContext) -> None:
    with serving(Site()) as site:
        site.serve("/feed", body)
        remarks = read(context, Source("host", "feed", site.url("/feed"))).remarks
        assert any("under history" in remark for remark in remarks) == told


MOVED = f'<itunes:new-feed-url xmlns:itunes="{ITUNES}">{{}}</itunes:new-feed-url>'


def test_a_new_address_is_told_and_followed_if_the_config_says_so(context: FetchContext) -> None:
    with serving(Site()) as site, serving(Site()) as other:
        site.serve("/feed", rss(range(6), MOVED.format(other.url("/neu"))))
        other.serve("/neu", rss(range(7), MOVED.format(other.url("/neu"))))
        source = Source("host", "feed", site.url("/feed"), trust=0.8)
        (listing,) = fetch(source, {}, context).result(60).listings
        assert listing is not None
        assert listing.remarks[-1].endswith("write that as its url, or set follow_moves: true")
        assert (len(listing.entries), other.asked) == (6, [])
        source = replace(source, follow_moves=True)
        fetched = fetch(source, {}, context).result(60)
        assert [len(each.entries) for each in fetched.listings if each] == [7]
        states = {each.url: each for each in fetched.poll_states}
        assert states[source.url or ""].leads_to == other.url("/neu")
        site.asked.clear()
        assert (fetch(source, states, context).result(60).status, site.asked) == ("unchanged", [])
        other.pages.clear()
        assert [len(each.entries) for each in fetch(source, states, context).result(60).listings if each] == [6]


@pytest.mark.parametrize(
    ("answer", "trust", "asked"),
    [(rss(range(2), ""), 0.8, True), ("<html><body>gone</body></html>", 0.8, True), (rss(range(9), ""), 0.4, False)],
)
def test_a_new_address_with_less_or_of_a_source_that_is_not_trusted_is_not_believed(
    answer: str, trust: float, asked: object, context: FetchContext
) -> None:
    with serving(Site()) as site, serving(Site()) as other:
        site.serve("/feed", rss(range(6), MOVED.format(other.url("/neu"))))
        other.serve("/neu", answer)
        source = Source("host", "feed", site.url("/feed"), trust=trust, follow_moves=True)
        fetched = fetch(source, {}, context).result(60)
        assert [len(each.entries) for each in fetched.listings if each] == [6]
        assert {each.leads_to for each in fetched.poll_states} == {None}
        assert ("/neu" in other.asked) == asked


def test_archived_copies_are_read_once_after_the_source_itself(context: FetchContext, tmp_path: Path) -> None:
    with serving(Site()) as site:
        site.serve("/2019", rss(range(3), ""))
        (tmp_path / "2016.xml").write_text(rss(range(10, 14), ""), encoding="utf-8")
        places = (site.url("/2019"), str(tmp_path / "2016.xml"), site.url("/none"))
        source = Source("host", "feed", site.url("/feed"), history=places)
        failed = fetch(source, {}, context).result(60)
        assert (failed.status, failed.history, site.asked) == ("failed", (), ["/feed"])
        site.serve("/feed", rss(range(2, 6), ""))
        fetched = fetch(source, {}, context).result(60)
        assert [len(each.entries) for each in fetched.history] == [3, 4]
        assert "history: " in fetched.message
        assert "404" in fetched.message
        states = {each.url: each for each in fetched.poll_states}
        site.asked.clear()
        later = replace(context, now=START + timedelta(days=3), force=False)
        again = fetch(source, states, later).result(60)
        assert (again.status, again.history, sorted(site.asked)) == ("unchanged", (), ["/feed", "/none"])
