"""What stands beside the entries of a page, and beside their list in JSON, is not read as one of them."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from aggregator.fetchers import parse
from aggregator.fetchers.directories import json_proposals, proposals
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Source

OWN = ("Rye", "Barley", "Oats", "Spelt")
OTHERS = ("Mugs", "Hats", "Bags", "Pens", "Caps", "Scarves", "Socks", "Badges")
PAGE = "<!doctype html><html><head><title>Grain Talk</title></head><body>{}</body></html>"
ROW = "<{0}><h2><a href='/{1}'>{1}</a></h2><time datetime='2026-03-{2:02}'>x</time><p>All about {1}.</p></{0}>"


def make_rows(tag: str, titles: Iterable[str], first: int = 1) -> str:
    return "".join(ROW.format(tag, title, day) for day, title in enumerate(titles, first))


def read_blog(body: str) -> Listing:
    return parse.read(Document(Source("b", "blog"), "https://g.example/", PAGE.format(body).encode(), "text/html"))


def read_first_proposal(body: str) -> Listing:
    page = Document(Source("p", "page"), "https://g.example/", PAGE.format(body).encode(), "text/html")
    return parse.read(replace(page, source=proposals.propose(page).sources[0]))


BESIDE = ("<aside>{}</aside>", "<footer>{}</footer>", "<div class='post RelatedPosts_list__x1'>{}</div>",
          "<div id=sidebar>{}</div>", "<section class='you recommended-articles'>{}</section>")  # fmt: skip


@pytest.mark.parametrize("beside", BESIDE)
def test_posts_beside_those_of_a_blog_are_left_out(beside: str) -> None:
    listing = read_blog(f"<main>{make_rows('article', OWN)}</main>{beside.format(make_rows('article', OTHERS, 9))}")
    assert [each.title for each in listing.entries] == list(OWN)


@pytest.mark.parametrize("beside", BESIDE)
def test_posts_of_a_blog_that_has_no_others_are_read_wherever_they_stand(beside: str) -> None:
    listing = read_blog(beside.format(make_rows("article", OWN)))
    assert [each.title for each in listing.entries] == list(OWN)


def test_posts_whose_category_is_called_so_are_posts() -> None:
    tags = ("article class='post category-reviews'", "article class='post tag-related'", "article")
    rows = "".join(make_rows(tag, [title], day) for day, (tag, title) in enumerate(zip(tags, OWN, strict=False), 1))
    listing = read_blog(rows)
    assert [each.title for each in listing.entries] == list(OWN[:3])


def test_an_article_around_all_posts_is_none_of_them() -> None:
    listing = read_blog(f"<article><h1><a href=/miller>The Miller</a></h1>{make_rows('article', OWN)}</article>")
    assert [each.title for each in listing.entries] == list(OWN)
    assert listing.show.title == "The Miller"


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("<h1>The Miller</h1><article><h1><a href=/1>Rye</a></h1></article>", "The Miller"),
        ("<article><h1><a href=/1>Rye</a></h1></article>", "Grain Talk"),
        ("<article><h2><a href=/1>Rye</a></h2></article>", "Grain Talk"),
        ("<meta property='og:site_name' content='Grain'><article><h2><a href=/1>Rye</a></h2></article>", "Grain"),
    ],
)
def test_a_blog_is_not_named_after_its_first_post(body: str, title: str) -> None:
    assert read_blog(body).show.title == title


@pytest.mark.parametrize("beside", [*BESIDE, "<ol>{}</ol>"])
def test_elements_beside_the_list_are_proposed_behind_it(beside: str) -> None:
    tag = "li class=comment" if beside.startswith("<ol") else "li"
    others = beside.format(make_rows(tag, OTHERS, 9))
    listing = read_first_proposal(f"<ul class=own>{make_rows('li', OWN)}</ul>{others}")
    assert [each.title for each in listing.entries] == list(OWN)


@pytest.mark.parametrize(
    "row",
    [
        "<div class=event><h2><a href=/{0}>{0}</a></h2><i>March {1}, 2026</i><p>Come and see {0}.</p></div>",
        "<div class=team-member><h2><a href=/{0}>{0}</a></h2><i>Since March {1}, 2016</i><p>Grinds.</p></div>",
        "<div class=x><h2>{0}</h2><i>March {1}, 2026</i><p>I liked what was said of {0} there, very much.</p></div>",
    ],
)
def test_events_people_and_what_leads_nowhere_are_proposed_behind_the_list(row: str) -> None:
    others = "".join(row.format(title, day) for day, title in enumerate(OTHERS, 9))
    listing = read_first_proposal(f"<ul class=own>{make_rows('li', OWN)}</ul>{others}")
    assert [each.title for each in listing.entries] == list(OWN)


def test_chapters_of_one_file_are_no_entries() -> None:
    rows = "".join(
        f"<li><a href='/1.mp3#t={60 * at}'>{title}</a> <b>{at}:00</b></li>" for at, title in enumerate(OTHERS)
    )
    page = Document(Source("p", "page"), "https://g.example/", PAGE.format(f"<ol>{rows}</ol>").encode(), "text/html")
    assert not proposals.propose(page).sources


def test_a_price_is_no_length() -> None:
    rows = "".join(
        f"<li><h2>{title}</h2><i>March {at}, 2026</i><b>$ {at}.50</b></li>" for at, title in enumerate(OWN, 1)
    )
    assert not any(each.duration for each in read_first_proposal(f"<ul>{rows}</ul>").entries)


@pytest.mark.parametrize("name", ["class=comment", "class='comment-list'", "id=comments"])
def test_comments_are_never_proposed(name: str) -> None:
    page = PAGE.format(f"<div {name}>{make_rows(f'li {name}', OWN)}</div>").replace(f"</li {name}>", "</li>")
    document = Document(Source("p", "page"), "https://g.example/", page.encode(), "text/html")
    assert not proposals.propose(document).sources


def test_elements_that_are_called_similar_ones_are_proposed_where_there_are_no_others() -> None:
    listing = read_first_proposal(f"<section class=similar>{make_rows('div', OWN)}</section>")
    assert [each.title for each in listing.entries] == list(OWN)


def read_json(value: object) -> list[str]:
    found = json_proposals.propose(value)
    source = Source("j", "json", options=found[0]) if found else None
    assert source is not None
    body = json.dumps(value).encode()
    return [each.title for each in parse.read(Document(source, "https://g.example/api", body)).entries]


def make_objects(titles: Iterable[str], **more: str) -> list[dict[str, str]]:
    return [
        {"id": f"{title}-1", "title": title, "date": f"2026-03-{day:02}", "audio": f"/{title}.mp3", **more}
        for day, title in enumerate(titles, 1)
    ]


@pytest.mark.parametrize("name", ["relatedShows", "recommended", "similar_episodes"])
def test_a_longer_list_of_other_shows_is_proposed_behind_the_shows_own(name: str) -> None:
    assert read_json({name: make_objects(OTHERS), "show": {"latest": make_objects(OWN)}}) == list(OWN)


@pytest.mark.parametrize("wrapped", [False, True])
def test_objects_of_one_type_among_all_of_a_graphql_cache_are_the_entries(*, wrapped: bool) -> None:
    objects = {f"Episode:{each['id']}": each for each in make_objects(OWN, __typename="Episode")}
    cache = {"ROOT": {"__typename": "Query"}, "Show:1": {"__typename": "Show", "id": "1", "title": "Grain"}, **objects}
    assert read_json([cache] if wrapped else {"data": {"cache": cache}}) == list(OWN)


def test_an_object_beside_lists_of_the_same_name_is_no_entry() -> None:
    user = {"id": "7", "title": "The miller", "link": "https://g.example/miller"}
    assert read_json([{"is": "user", "data": user}, {"is": "sounds", "data": make_objects(OWN)}]) == list(OWN)


@pytest.mark.parametrize("kind", ["Review", "UserReview", "Event", "Comment", "Person"])
def test_what_json_ld_has_beside_episodes_is_none(kind: str) -> None:
    others = [{"@type": kind, "name": title, "datePublished": f"2026-03-{n:02}"} for n, title in enumerate(OTHERS, 9)]
    head = f'<script type="application/ld+json">{json.dumps({"@type": "PodcastSeries", "about": others})}</script>'
    assert [each.title for each in read_first_proposal(f"{head}<ul>{make_rows('li', OWN)}</ul>").entries] == list(OWN)


def test_one_object_with_the_title_and_the_date_of_two_others_is_no_entry() -> None:
    assert not json_proposals.propose([{"show": {"title": "Grain"}, "last": {"date": "2026-03-01"}}])
    assert json_proposals.propose([{"episode": {"title": "Rye", "date": "2026-03-01"}}])
