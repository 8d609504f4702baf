"""`full_text: true`: the page of each post is fetched once, and its text published; nothing else changes by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from aggregator import full_texts
from aggregator.config.load import load
from aggregator.store import database
from tests.integration.refresh.conftest import START, Project
from tests.support.origin import Site, serving
from tests.support.paths import ROOT
from tests.support.program import run_program
from tests.support.rss import Episode, make_rss

pytest.importorskip("readability")


def make_post(origin: Site, number: int, text: str = "") -> Episode:
    title = f"Harbour number {number}"
    teaser = text or f"The light of {title.lower()} was switched off […]"
    at = START - timedelta(days=400 - number)
    return Episode(f"post-{number}", title, at, teaser, link=origin.url(f"/post/{number}"))


def make_page(number: int, more: str = "") -> str:
    body = "".join(
        f"<p>The light of harbour number {number} was switched off in winter, and nobody in the town asked why. {more}"
        f"Paragraph {each} of this post says so.</p>"
        for each in range(1, 5)
    )
    menu = "".join(f'<li><a href="/c/{each}">Category</a></li>' for each in range(9))
    return f"<html><body><nav><ul>{menu}</ul></nav><article><h1>Harbour</h1>{body}</article></body></html>"


@pytest.fixture
def blog(project: Project, origin: Site) -> Callable[..., Project]:
    def make(count: int = 3, *, full: bool = True) -> Project:
        posts = [make_post(origin, number) for number in range(count)]
        origin.serve("/feed.xml", make_rss(*reversed(posts)))
        for number in range(count):
            origin.serve(f"/post/{number}", make_page(number), kind="text/html")
            origin.fields[f"/post/{number}"] = {"ETag": f'"{number}"'}
        project.sources = {"blog": origin.source("/feed.xml", "blog", full_text=full)}
        return project

    return make


def count_pages(origin: Site) -> int:
    return sum(path.startswith("/post/") for path in origin.asked)


def test_posts_are_published_whole_and_each_page_is_fetched_once(blog: Callable[..., Project], origin: Site) -> None:
    project = blog()
    project.refresh()
    items = project.items()
    assert all("Paragraph 4 of this post says so." in str(item["content_html"]) for item in items)
    assert not any("Category" in str(item["content_html"]) for item in items)
    project.refresh()
    assert count_pages(origin) == 3
    assert "/robots.txt" in origin.asked
    told = run_program(project.folder, "explain", "Harbour number 1", "--feed", "sea").stdout
    assert "full text of the page" in " ".join(told.split())


def test_clusters_guids_dates_and_order_are_those_without_full_texts(
    blog: Callable[..., Project], origin: Site
) -> None:
    mirror = [make_post(origin, number, f"Harbour, copied: {number}") for number in range(1, 5)]
    origin.serve("/mirror.xml", make_rss(*(replace(each, guid=f"copy of {each.guid}", link="") for each in mirror)))

    def refresh(*, full: bool) -> list[tuple[object, ...]]:
        project = blog(full=full)
        project.sources["mirror"] = origin.source("/mirror.xml", "blog", trust=0.4)
        project.refresh()
        entries = [each["entries"] for each in project.report()["items"]]
        listed = [(each["id"], each["title"], each["date_published"]) for each in project.items()]
        return [*listed, *entries]

    project = blog()
    before = refresh(full=False)
    assert any(len(each) == 2 for each in before)
    assert refresh(full=True) == before
    assert any("Paragraph 4" in str(item["content_html"]) for item in project.items())
    assert refresh(full=False) == before
    assert not any("Paragraph 4" in str(item["content_html"]) for item in project.items())


def test_a_long_blog_is_spread_over_refreshes_and_says_so(blog: Callable[..., Project], origin: Site) -> None:
    project = blog(full_texts.MOST + 3)
    project.refresh()
    assert count_pages(origin) == full_texts.MOST
    assert f"full texts: 3 more pages are fetched by the next refreshes, {full_texts.MOST} in each" in str(
        project.report()["remarks"]
    )
    whole = ["Paragraph 4" in str(item["content_html"]) for item in project.items()]
    assert whole == [True] * full_texts.MOST + [False] * 3  # the newest first
    project.refresh(force=False, at=START + timedelta(hours=49))
    assert count_pages(origin) == full_texts.MOST + 3
    assert all("Paragraph 4" in str(item["content_html"]) for item in project.items())
    assert "full texts" not in str(project.report().get("remarks"))


def test_a_changed_entry_asks_for_its_page_again_conditionally(blog: Callable[..., Project], origin: Site) -> None:
    project = blog()
    project.refresh()
    changed = [make_post(origin, number, "The light of harbour number 1 is on." * (number == 1)) for number in range(3)]
    origin.serve("/feed.xml", make_rss(*reversed(changed)))
    project.refresh()
    asked = [fields for path, fields in zip(origin.asked, origin.heads, strict=True) if path == "/post/1"]
    asked = [{name.lower(): value for name, value in each.items()} for each in asked]
    assert [each.get("if-none-match") for each in asked] == [None, '"1"']
    assert count_pages(origin) == 4
    assert all("Paragraph 4" in str(item["content_html"]) for item in project.items())


@pytest.mark.parametrize("status", [404, 500])
def test_a_page_that_fails_costs_a_remark(blog: Callable[..., Project], origin: Site, status: int) -> None:
    project = blog()
    origin.serve("/post/1", "no", status=status, kind="text/html")
    outcome = project.refresh()
    assert (outcome.failures, len(project.items())) == ((), 3)
    assert f"full texts: 1 pages gave none, such as {origin.url('/post/1')}" in str(project.report()["remarks"])
    origin.serve("/post/1", make_page(1), kind="text/html")
    for _ in range(2):
        project.refresh(force=False)
    assert count_pages(origin) == 4
    assert all("Paragraph 4" in str(item["content_html"]) for item in project.items())


def test_robots_txt_is_obeyed(blog: Callable[..., Project], origin: Site) -> None:
    project = blog()
    origin.serve("/robots.txt", "User-agent: *\nDisallow: /post/", kind="text/plain")
    project.refresh()
    assert count_pages(origin) == 0
    assert "robots.txt" in str(project.report()["remarks"])


def test_a_listing_that_says_more_than_its_page_stays(blog: Callable[..., Project], origin: Site) -> None:
    project = blog()
    told = "The light of harbour number 1 was switched off in winter. " + "Nobody asked why, and nobody was told. " * 60
    origin.serve("/feed.xml", make_rss(make_post(origin, 1, told)))
    project.refresh()
    (item,) = project.items()
    assert "Paragraph" not in str(item["content_html"])


def test_an_article_of_another_host_is_not_the_post_about_it(blog: Callable[..., Project], origin: Site) -> None:
    project = blog()
    with serving(Site()) as elsewhere:
        elsewhere.serve("/article", make_page(1), kind="text/html")
        about = replace(make_post(origin, 3), link=elsewhere.url("/article"))
        origin.serve("/feed.xml", make_rss(about, *(make_post(origin, number) for number in range(3))))
        project.refresh()
        assert elsewhere.asked == []
    assert count_pages(origin) == 3


def test_episodes_and_links_that_several_entries_share_have_no_page(project: Project, origin: Site) -> None:
    audio = Episode("a", "Sound", START, "Heard", "https://cdn.example/a.mp3", origin.url("/post/a"), 1200)
    shared = [Episode(f"s{each}", f"Shared {each}", START, "Seen", link=origin.url("/")) for each in range(2)]
    origin.serve("/feed.xml", make_rss(audio, *shared))
    project.sources = {"host": origin.source("/feed.xml", full_text=True)}
    project.refresh()
    assert set(origin.asked) == {"/feed.xml"}


def test_without_the_library_check_and_refresh_say_what_to_install(
    blog: Callable[..., Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_texts, "find_spec", lambda _: None)
    project = blog()
    with database.open_store(str(project.folder / "store.db")) as store:
        full_texts.fetch_pages(store, load(project.config()).plan("sea"), None, START)  # type: ignore[arg-type]
    (fault,) = full_texts.find_faults(load(project.config()).plan("sea"))
    assert fault == "blog: full_text needs readability-lxml: run pip install 'feedmend[fulltext]'"


def test_the_recipe_of_the_docs_works(blog: Callable[..., Project], origin: Site, tmp_path: Path) -> None:
    blog()
    docs = (ROOT / "docs" / "config.md").read_text("utf-8").partition("### Full texts of posts")[2]
    recipe = docs.partition("```yaml\n")[2].partition("```")[0]
    folder = tmp_path / "recipe"
    folder.mkdir()
    recipe = recipe.replace("https://blog.example/feed", origin.url("/feed.xml"))
    (folder / "config.yaml").write_text(f"allow_networks: [127.0.0.0/8]\n{recipe}", "utf-8")
    done = run_program(folder, "refresh", "--at", "2024-06-02T12:00:00Z")
    assert done.returncode == 0, done.stderr
    items = json.loads((folder / "output" / "notes" / "feed.json").read_text("utf-8"))["items"]
    assert all("Paragraph 4" in item["content_html"] for item in items)
