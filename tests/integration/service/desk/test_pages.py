"""The other pages: a source, changes, adding, importing, the system."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from aggregator.service.desk.frame import now
from aggregator.store import database, leases
from tests.integration.service.desk.conftest import Visitor, opened
from tests.support.config import make_feed, write_config
from tests.support.origin import Site, serving
from tests.support.program import run_program
from tests.support.rss import make_rss
from tests.support.workspace import make_item

PAGE = '<!doctype html><html><head><link rel="alternate" type="application/rss+xml" href="/feed.xml"></head></html>'


def wait(visitor: Visitor, path: str) -> None:
    """Wait until the command whose page this is has ended."""
    end = time.monotonic() + 120
    while visitor.json(path)["code"] is None:
        assert time.monotonic() < end
        time.sleep(0.2)


def list_another(home: Path) -> None:
    """Have a source list one more item."""
    path = home / "topic.txt"
    head, entry, rest = path.read_text().partition("Crumb Talk artwork\n")
    added = "\n\nSalt\n\nCrumb Talk - May 21, 2024 06:00 - 19 minutes ★★★★★ - 12 ratings\nHow much, and when.\n\n"
    path.write_text(f"{head}{entry}{added}{entry}{rest}")


def test_a_source_shows_its_polls_and_its_document_as_text(looker: Visitor) -> None:
    page = looker.json("/feeds/crumb-talk/sources/topic.json")
    assert [(poll["status"], poll["items"]) for poll in page["polls"]] == [("ok", 3)]
    assert {name for name, _ in page["facts"]} >= {"kind", "trust", "file"}
    looker.get("/feeds/crumb-talk/sources/topic")
    shown = looker.press("Look at the document").text
    assert "3 items read" in shown
    assert "Rye without fear" in shown
    assert looker.get("/feeds/crumb-talk/sources/none").status_code == 404


def test_of_a_page_that_names_a_feed_the_feed_is_looked_at_and_not_imported_again(visitor: Visitor, home: Path) -> None:
    with serving(Site()) as site:
        config = (home / "config.yaml").read_text()
        (home / "config.yaml").write_text(f"{config}      site: {{kind: feed, url: '{site.url('/')}'}}\n")
        site.serve("/", PAGE, kind="text/html")
        site.serve("/feed.xml", make_rss(make_item(1), make_item(2)))
        visitor.get("/feeds/crumb-talk/sources/site")
        shown = visitor.press("Look at the document").text
        visitor.press("Poll now")
        wait(visitor, "/jobs/1.json")
    assert "2 items read" in shown
    assert site.url("/feed.xml") in shown
    visitor.get("/import")
    listed = f'<opml><body><outline type="rss" text="A" xmlUrl="{site.url("/feed.xml")}"/></body></opml>'
    assert "1 skipped: the config has it" in visitor.press("Read", text=listed).text


def test_an_address_that_is_refused_leads_to_what_helps(visitor: Visitor) -> None:
    with serving(Site()) as site:
        site.serve("/list", '<opml version="2.0"><body/></opml>')
        for address, why, path in (
            ("http://10.0.0.1/feed", "10.0.0.1 is not a public address", "/system/settings"),
            (site.url("/list"), "is an OPML list of feeds", "/import"),
        ):
            visitor.get("/add")
            refused = visitor.press("Look", url=address).text
            assert why in refused
            assert f'<p><a href="/desk{path}">' in refused


def test_what_is_left_out_is_shown_and_why_and_what_was_repaired(visitor: Visitor, home: Path) -> None:
    path = home / "config.yaml"
    path.write_text(
        path.read_text().replace(
            "path: topic.txt}", "path: topic.txt, exclude: {title: Rye}, only: {show: Crumb Talk}}"
        )
    )
    listing = home / "topic.txt"
    text = listing.read_text().replace("Crumb Talk - May 7", "Oven Talk - May 7")
    listing.write_text(text.replace("We feed one", "We feed one\\_two"))
    done = run_program(home, "refresh", "--at", "2026-01-03T03:04:05Z")
    assert done.returncode == 0, done.stderr
    item = next(item for item in visitor.json("/feeds/crumb-talk.json")["items"] if "topic" in item["sources"])
    visitor.get(f"/feeds/crumb-talk/item?guid={item['guid']}")
    visitor.press("Take out", reason="an advertisement")
    fields = visitor.json(f"/feeds/crumb-talk/item.json?guid={item['guid']}")["fields"]
    text = next(field for field in fields if field["name"] == "description")
    assert "one_two" in text["value"]
    assert [repair["cause"] for repair in text["repairs"]] == ["escape"]
    assert "one\\_two" in "".join(piece for _, piece in text["original"])
    page = visitor.json("/feeds/crumb-talk/sources/topic.json")
    assert {"title": "Rye without fear", "why": "filter of the source: exclude title"} in page["left_out"]
    assert {"title": item["title"], "why": "taken out by hand: an advertisement"} in page["left_out"]
    visitor.get("/feeds/crumb-talk/sources/topic")
    assert dict(page["facts"])["exclude"] == "title: Rye"
    shown = visitor.press("Look at the document").text
    assert "of the show Oven Talk" in shown
    assert "exclude title" in shown


def test_a_feed_is_shown_as_in_an_app_with_links_that_subscribe(looker: Visitor) -> None:
    page = looker.json("/feeds/crumb-talk.json")
    assert (page["app"]["title"], len(page["app"]["items"])) == ("Crumb Talk", 3)
    assert page["app"]["items"][0]["day"] == "2024-05-14"
    assert page["apps"] == [["Any feed reader", "feed:http://localhost:8000/crumb-talk/feed.xml"]]  # it has no audio
    assert 'href="http://localhost:8000/crumb-talk/feed.atom"' in looker.get("/feeds/crumb-talk").text


def test_changes_are_found_without_changing_anything_and_published(visitor: Visitor, home: Path) -> None:
    list_another(home)
    before = (home / "output/crumb-talk/feed.json").read_bytes()
    visitor.get("/feeds/crumb-talk/changes")
    visitor.press("Compare")
    wait(visitor, "/jobs/1.json")
    page = visitor.json("/feeds/crumb-talk/changes.json")
    assert page["feeds"], page
    assert (home / "output/crumb-talk/feed.json").read_bytes() == before
    visitor.get("/feeds/crumb-talk/changes")
    visitor.press("Publish Crumb Talk")
    wait(visitor, "/jobs/2.json")
    assert (home / "output/crumb-talk/feed.json").read_bytes() != before
    for name in ("overview", "feeds/crumb-talk"):
        charts = visitor.json(f"/{name}.json")["charts"]
        assert (charts["items"], charts["polls"], charts["days"][-1]["polls"]) == (1, 2, 2)
    assert "in 90 days" not in visitor.get("/").text, "nothing is a week old"


def test_while_a_refresh_publishes_the_overview_says_what_was_published_last(visitor: Visitor, home: Path) -> None:
    list_another(home)
    visitor.get("/feeds/crumb-talk")
    visitor.press("Refresh now")
    seen = set()
    while visitor.json("/jobs/1.json")["code"] is None:
        page = visitor.json("/overview.json")
        (waiting,) = page["waiting"]
        seen.add((len(waiting["pairs"]), page["feeds"][0]["items"], page["charts"]["items"]))
    assert seen <= {(1, 4, 0), (1, 5, 1)}


def test_a_failing_source_and_held_items_wait_on_the_overview(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    config.write_text(config.read_text().replace("numbered.txt}", "none.txt}"))
    done = run_program(home, "refresh", "--force", "--at", "2026-01-03T03:04:05Z")
    assert done.returncode == 0, done.stderr
    shown = visitor.get("/").text
    assert "What waits for you" in shown
    assert '<a href="/desk/feeds/crumb-talk/sources/numbered">numbered of <bdi>Crumb Talk</bdi></a>' in shown
    assert '<span aria-hidden="true">1</span><span class="unseen">1 source fails</span>' in shown


def test_an_address_is_looked_at_and_written_into_the_config(visitor: Visitor, home: Path) -> None:
    with serving(Site()) as site:
        site.serve("/feed.xml", make_rss(*(make_item(each) for each in range(3))))
        visitor.get("/add")
        refused = visitor.press("Look", url="ftp://a.example/")
        assert refused.url.startswith(f"{visitor.url}/desk/add?found=")
        assert 'value="ftp://a.example/"' in refused.text
        assert 'class="problem"' in refused.text
        found = visitor.press("Look", url=site.url("/feed.xml")).text
        assert "3 items" in found
        visitor.press("Add", feed="crumb-talk")
        assert "Added" in visitor.page.text
        text = (home / "config.yaml").read_text()
        assert site.url("/feed.xml") in text
        assert "# kept" in text
        sources = visitor.json("/feeds/crumb-talk.json")["sources"]
        assert len(sources) == 3
        (added,) = (each["name"] for each in sources if each["name"] not in ("topic", "numbered"))
        wait(visitor, "/jobs/1.json")
        visitor.get("/add")
        again = visitor.press("Look", url=site.url("/feed.xml")).text
        assert f'source already: <a href="/desk/feeds/crumb-talk/sources/{added}">{added}</a> of <a' in again
        assert ">Add</button>" not in again


@pytest.mark.parametrize(("button", "released"), [("publish", True), ("hold", False)])
def test_the_feed_of_a_listing_is_chosen_by_its_entries_and_new_ones_are_decided_about(
    visitor: Visitor, home: Path, button: str, *, released: bool
) -> None:
    with serving(Site()) as site:
        site.serve("/all.xml", make_rss(*(make_item(each) for each in range(6)), title="All of it"))
        site.serve("/most.xml", make_rss(*(make_item(each) for each in range(1, 8)), title="Heard elsewhere"))
        visitor.get("/add")
        visitor.press("Look", url=site.url("/all.xml"))
        visitor.press("Add", feed="", name="all")
        wait(visitor, "/jobs/1.json")
        visitor.get("/add")
        said = visitor.press("Look", url=site.url("/most.xml")).text
        assert '<option value="all" selected>' in said
        assert "5 entries would merge</strong> with items, 0 are doubtful, and 2 would be new." in said
        assert "Add and hold the new ones" in said
        visitor.press("Add", feed="all", new=button)
        wait(visitor, "/jobs/2.json")
        titles = {item["title"] for item in json.loads((home / "output/all/feed.json").read_bytes())["items"]}
        assert len(titles) == (8 if released else 6)


def test_a_source_is_added_from_the_page_of_its_feed(visitor: Visitor, home: Path) -> None:
    with serving(Site()) as site:
        site.serve("/feed.xml", make_rss(*(make_item(each) for each in range(3)), title="Nothing in common"))
        site.serve("/titled.xml", make_rss(*(make_item(each) for each in range(2)), title="Crumb Talk"))
        site.serve("/posts.xml", re.sub("<enclosure[^>]*>", "", make_rss(*(make_item(each) for each in range(2)))))
        assert 'href="/desk/add?feed=crumb-talk"' in visitor.get("/feeds/crumb-talk").text
        visitor.get("/add?feed=crumb-talk")
        assert "3 would be new" in visitor.press("Look", url=site.url("/feed.xml")).text
        assert '<option value="crumb-talk" selected>' in visitor.page.text
        visitor.get("/add")
        assert "2 would be new" in visitor.press("Look", url=site.url("/titled.xml")).text
        assert '<option value="crumb-talk" selected>' in visitor.page.text
        assert "Choose on the page" not in visitor.press("Look", url=site.url("/posts.xml")).text, "a feed is no page"
        assert (home / "config.yaml").read_text().count("kind:") == 2


def test_a_damaged_store_is_explained_beside_its_backups(visitor: Visitor, home: Path) -> None:
    store = home / ".aggregator/store.db"
    visitor.get("/system")
    visitor.press("Back up now")
    store.write_bytes(b"no database" * 500)
    for each in store.parent.glob("store.db-*"):
        each.unlink()
    assert visitor.get("/").status_code == 503
    assert 'href="/desk/system"' in visitor.page.text
    shown = visitor.get("/system", **{"accept-language": "de"})
    assert shown.status_code == 200
    assert "ist kein Speicher oder beschädigt" in shown.text
    (copy,) = store.parent.glob("store.db.backup-*")
    assert f"aggregator restore {copy} -c {home / 'config.yaml'}" in shown.text
    assert visitor.json("/system.json")["can_back_up"] is False


def test_without_feeds_the_first_page_asks_for_an_address(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("allow_networks: [127.0.0.0/8]\nfeeds: {}\n")
    with serving(Site()) as site, opened(tmp_path) as newcomer:
        site.serve("/feed.xml", make_rss(*(make_item(each) for each in range(3))))
        assert "Paste the address of your show" in newcomer.get("/").text
        assert not (tmp_path / ".aggregator").exists()
        assert "3 items" in newcomer.press("Look", url=site.url("/feed.xml")).text
        found = newcomer.page.url.partition("/desk")[2]
        assert "give the new feed a name" in newcomer.press("Add", name="").text
        newcomer.get(found)
        newcomer.press("Add", name="quay")
        wait(newcomer, "/jobs/1.json")
        shown = newcomer.get("/jobs/1").text
        assert "<h2>3 entries → 3 items</h2>" in shown
        assert '<a class="button" href="/desk/feeds/quay">Show the feed</a>' in shown
        assert newcomer.json("/feeds/quay.json")["total"] == 3
        assert "Subscribe" in newcomer.get("/feeds/quay").text
        assert "Paste the address" not in newcomer.get("/").text


def test_subscriptions_are_chosen_from_an_opml_file(visitor: Visitor, home: Path) -> None:
    outlines = "".join(f'<outline type="rss" text="Show {n}" xmlUrl="https://a.example/{n}"/>' for n in range(3))
    visitor.get("/import")
    form = visitor.forms()[0]
    answer = visitor.session.post(
        f"{visitor.url}{form['action']}",
        data={"token": form["token"]},
        files={"file": ("list.opml", f"<opml version='2.0'><body>{outlines}</body></opml>")},
        timeout=30,
    )
    visitor.page = answer
    assert "3 new feeds" in answer.text
    visitor.press("Add the chosen", **{"feed-0": "on", "feed-2": "on"})
    text = (home / "config.yaml").read_text()
    assert "https://a.example/0" in text
    assert "https://a.example/1" not in text
    assert "show-2" in text


def test_feeds_of_a_long_opml_file_that_are_not_shown_are_counted(visitor: Visitor) -> None:
    outlines = "".join(f'<outline type="rss" text="Show {n}" xmlUrl="https://a.example/{n}"/>' for n in range(1003))
    visitor.get("/import")
    answer = visitor.press("Read", text=f"<opml version='2.0'><body>{outlines}</body></opml>")
    assert "3 further feeds of the file" in answer.text


def test_the_system_shows_what_workers_have_and_what_waits(visitor: Visitor) -> None:
    with database.open_store(visitor.desk.config.state) as store:
        leases.set_feeds(store, ["crumb-talk", "other"], now() - timedelta(hours=2))
        assert visitor.json("/system.json")["waiting"] == 3  # the files that list the feeds are one
        clock = leases.read_clock(store)
        claim = leases.claim_feeds(store, ["crumb-talk"], clock)
        leases.begin(store, claim, clock + timedelta(minutes=15), "ship:7")
    page = visitor.json("/system.json")
    assert ([each["owner"] for each in page["workers"]], page["waiting"]) == (["ship:7"], 2)
    assert "ship:7</bdi> has 1 feed; 2 feeds due and waiting" in visitor.get("/system").text


def test_the_system_shows_mistakes_at_their_lines_and_makes_backups(visitor: Visitor, home: Path) -> None:
    path = home / "config.yaml"
    path.write_text(path.read_text().replace("title:", "titel:"))
    page = visitor.get("/system").text
    assert "titel: …</b>" in page
    assert visitor.json("/overview.json")["feeds"][0]["title"] == "Crumb Talk"
    shutil.copy(path, home / "wrong.yaml")
    path.write_text(path.read_text().replace("titel:", "title:"))
    visitor.get("/system")
    assert "Backed up" in visitor.press("Back up now").text
    name = visitor.json("/system.json")["backups"][0]["name"]
    assert visitor.get(f"/system/backups/{name}").content.startswith(b"SQLite format 3")
    for other in ("store.db", "..%2fstore.db", "store.db.lock"):
        assert visitor.get(f"/system/backups/{other}").status_code == 404


def test_a_config_that_was_gone_for_a_moment_has_no_mistakes(visitor: Visitor, home: Path) -> None:
    assert visitor.json("/overview.json")["mistakes"] == ""
    path = home / "config.yaml"
    path.rename(home / "moved.yaml")
    assert "cannot be read" in visitor.json("/overview.json")["mistakes"]
    (home / "moved.yaml").rename(path)
    assert visitor.json("/overview.json")["mistakes"] == ""


def test_feeds_have_several_pages_before_the_first_refresh(tmp_path: Path) -> None:
    write_config(tmp_path, {f"f{n}": make_feed(f"T{n}", {"host": "feed.xml"}) for n in range(30)})
    with opened(tmp_path) as visitor:
        pages = [visitor.json(f"/overview.json?page={number}") for number in (1, 2, 9)]
    names = [[feed["name"] for feed in page["feeds"]] for page in pages]
    assert [len(each) for each in names] == [25, 5, 5]
    assert len({*names[0], *names[1]}) == 30
    assert [(page["page"], page["pages"]) for page in pages] == [(1, 2), (2, 2), (2, 2)]


def test_a_command_that_cannot_be_started_has_ended(looker: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_words: object, **_options: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr("aggregator.service.desk.jobs.subprocess.Popen", start)
    looker.get("/feeds/crumb-talk/changes")
    looker.press("Compare")
    wait(looker, "/jobs/1.json")
    page = looker.json("/jobs/1.json")
    assert (page["code"], page["lines"]) == (1, ["the command cannot be started: Resource temporarily unavailable"])
    assert looker.get("/feeds/crumb-talk/changes").status_code == 200


def test_a_hub_that_was_not_told_is_shown(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    config.write_text(config.read_text().replace("    title:", "    hubs: [http://127.0.0.1:9/hub]\n    title:"))
    done = run_program(home, "refresh", "--at", "2026-01-03T03:04:05Z")
    assert "crumb-talk: hub http://127.0.0.1:9/hub was not told" in done.stderr
    assert "not told of the last change" in visitor.get("/feeds/crumb-talk").text


def test_times_are_those_of_the_zone_of_the_config(visitor: Visitor, home: Path) -> None:
    config = home / "config.yaml"
    config.write_text(f"timezone: Asia/Tokyo\n{config.read_text()}")
    shown = re.findall(r'<time datetime="([^"]*)" title="([^"]*)"', visitor.get("/feeds/crumb-talk").text)
    assert shown
    for machine, words in shown:
        local = datetime.fromisoformat(machine) + timedelta(hours=9)
        assert (machine[-6:], words) == ("+00:00", f"{local:%Y-%m-%d %H:%M:%S} JST")
