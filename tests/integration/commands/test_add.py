"""The command add with what people paste: it shows the first entries, and what it writes works at the next refresh."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path

import pytest
import yaml

from evaluation.proposals.pages import make_pages
from tests.support.origin import Site, serving
from tests.support.rss import Episode, make_rss

PAGES = {(page.shape, page.language): page for page in make_pages()}
AT = ("--at", "2024-07-01T12:00:00Z")
BEGUN = "# mine\nallow_networks: [127.0.0.0/8] # here\n"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    (tmp_path / "config.yaml").write_text(BEGUN, encoding="utf-8")
    with serving(Site()) as opened:
        yield opened


def published(folder: Path, feed: str) -> list[str]:
    return [item["title"] for item in json.loads((folder / f"output/{feed}/feed.json").read_bytes())["items"]]


def read_sources(folder: Path, feed: str) -> dict[str, dict[str, object]]:
    text = (folder / "config.yaml").read_text(encoding="utf-8")
    assert text.startswith(BEGUN)
    return yaml.safe_load(text)["feeds"][feed]["sources"]


@pytest.mark.parametrize("hosted", [False, True])
def test_of_two_feeds_trusted_alike_the_shows_own_is_primary(run, tmp_path: Path, site: Site, *, hosted: bool) -> None:
    base = site.url("") if hosted else "https://cdn.example"
    days = [datetime(2024, 5, day, tzinfo=UTC) for day in (1, 2, 3)]
    items = [Episode(f"g{at:%d}", f"About {at:%A}s", at=at, audio=f"{base}/{at:%d}.mp3", seconds=900) for at in days]
    site.serve("/one.xml", make_rss(*items, title="Sea Room"))
    (tmp_path / "talk.xml").write_text(make_rss(*items, title="Sea Room"))
    assert run("add", "talk.xml", "--kind", "feed").returncode == 0
    assert run("refresh", *AT).returncode == 0
    added = run("add", site.url("/one.xml"))
    assert (added.returncode, added.stderr) == (0, "")
    feed = yaml.safe_load((tmp_path / "config.yaml").read_text())["feeds"]["sea-room"]
    assert feed["primary"] == ("feed" if hosted else "talk")
    said = f"config.yaml: feeds.sea-room.primary: {feed['primary']}: of two sources trusted alike the show's own"
    assert said in added.stdout.splitlines()
    assert run("check").stderr == ""


def test_a_person_says_which_source_is_the_shows_own(run, tmp_path: Path, site: Site) -> None:
    items = [Episode(f"g{n}", f"About {n} lamps", audio=site.url(f"/{n}.mp3"), seconds=900) for n in range(3)]
    (tmp_path / "old.xml").write_text(make_rss(*items, title="Sea Room"))
    site.serve("/new.xml", make_rss(*items, title="Sea Room"))
    assert run("add", "old.xml", "--kind", "feed").returncode == 0
    assert run("refresh", *AT).returncode == 0
    added = run("add", site.url("/new.xml"), "--primary")
    assert "config.yaml: feeds.sea-room.primary: feed: the show's own" in added.stdout.splitlines()
    assert run("check").stderr == ""


def test_a_mirror_beside_its_host_is_not_primary(run, tmp_path: Path, site: Site) -> None:
    items = [Episode(f"g{n}", f"About {n} lamps", audio=site.url(f"/{n}.mp3"), seconds=900) for n in range(3)]
    for name in ("host", "mirror"):
        site.serve(f"/{name}.xml", make_rss(*items, title="Sea Room"))
        assert run("add", site.url(f"/{name}.xml")).returncode == 0
        assert run("refresh", *AT).returncode == 0
    assert yaml.safe_load((tmp_path / "config.yaml").read_text())["feeds"]["sea-room"]["primary"] == "feed"


def test_an_unknown_page_gets_selectors_that_work_at_once(run, tmp_path: Path, site: Site) -> None:
    page = PAGES["a table", "es"]
    site.serve("/", page.body, kind="text/html; charset=utf-8")
    shown = run("add", site.url("/"), "--preview")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "kind page (repeated elements): 6 entries\n" in shown.stdout
    assert "  items: tr\n" in shown.stdout
    assert (tmp_path / "config.yaml").read_text() == BEGUN
    added = run("add", site.url("/"), "--feed", "talk")
    assert (added.returncode, added.stderr) == (0, "")
    first = next(line for line in added.stdout.splitlines() if "Cómo paran" in line)
    assert first.split() == ["Cómo", "paran", "2024-06-25", "25:00", "https://site.example/audio/60.mp3"]
    assert added.stdout.splitlines()[-1].startswith("config.yaml: feeds.talk.sources.page: kind page, 6 items now")
    assert run("refresh", *AT).returncode == 0
    assert published(tmp_path, "talk") == [one.title for one in page.entries]
    changed = run("add", site.url("/"), "--preview", "--set", "title=td:nth-child(1)", "date=")
    assert (changed.returncode, changed.stderr) == (0, "")
    assert "25/06/2024" in changed.stdout
    assert "  date:" not in changed.stdout
    wrong = run("add", site.url("/"), "--set", "titel=b")
    assert wrong.returncode == 2
    assert 'kind page has no option "titel"; did you mean "title"?' in wrong.stderr


def test_an_api_is_read_by_paths(run, tmp_path: Path, site: Site) -> None:
    page = PAGES["an API", "ru"]
    site.serve("/v1", page.body, kind="application/json")
    assert run("add", site.url("/v1"), "--feed", "talk").returncode == 0
    assert read_sources(tmp_path, "talk")["json"]["kind"] == "json"
    run("refresh", *AT)
    assert published(tmp_path, "talk") == [one.title for one in page.entries]


def test_a_site_leads_to_its_feed_and_directories_to_it(run, tmp_path: Path, site: Site) -> None:
    item = Episode(guid="1", title="About lifts", audio="https://cdn.example/1.mp3", seconds=600)
    site.serve("/feed.xml", make_rss(item, title="Talk"))
    named = "<html><head><link rel=alternate type=application/rss+xml href=/feed.xml></head><body>Talk</body></html>"
    site.serve("/", named, kind="text/html")
    linked = "<html><body><h1>Talk</h1><p>Listen <a href='/feed.xml'>RSS</a></p></body></html>"
    site.serve("/podcast/talk/1", linked, kind="text/html")
    added = run("add", site.url("/").removeprefix("http://"), *AT)
    assert (added.returncode, added.stderr) == (0, "")
    assert "the feed that the page names" in added.stdout
    assert "About lifts" in added.stdout
    assert read_sources(tmp_path, "talk")["feed"] == {"kind": "feed", "url": site.url("/")}
    linked_too = run("add", site.url("/podcast/talk/1"))
    assert (linked_too.returncode, linked_too.stderr) == (0, "")
    assert read_sources(tmp_path, "talk")["feed-2"] == {"kind": "feed", "url": site.url("/feed.xml")}
    run("refresh", *AT)
    assert published(tmp_path, "talk") == ["About lifts"]


@pytest.mark.parametrize("first", ["/", "/feed.xml"])
def test_a_page_and_the_feed_that_it_names_are_one_source(run, site: Site, first: str) -> None:
    site.serve("/feed.xml", make_rss(Episode(guid="1", title="About lifts", audio="https://cdn.example/1.mp3")))
    named = "<html><head><link rel=alternate type=application/rss+xml href=/feed.xml></head><body>Talk</body></html>"
    site.serve("/", named, kind="text/html")
    assert run("add", site.url(first), "--feed", "talk").returncode == 0
    assert run("refresh", *AT).returncode == 0
    assert f'xmlUrl="{site.url("/feed.xml")}"' in run("export-opml").stdout
    again = run("add", site.url("/feed.xml" if first == "/" else "/"))
    assert again.returncode == 2
    assert again.stderr.startswith("aggregator: already in the config: feeds.talk.sources.feed ")


def test_two_pages_of_a_site_are_two_feeds_whatever_their_titles(run, tmp_path: Path, site: Site) -> None:
    for shape, path in (("a table", "/one"), ("details that open", "/two")):
        body = next(page.body for (name, _), page in PAGES.items() if name == shape)
        site.serve(path, f"<title>All our\n shows</title>{body}", kind="text/html; charset=utf-8")
        assert run("add", site.url(path)).returncode == 0
    for path in ("/three", "/four"):
        site.serve(path, json.dumps([{"title": f"T {day}", "date": f"2024-05-0{day}"} for day in (1, 2, 3)]))
        assert run("add", site.url(path)).returncode == 0
    feeds = yaml.safe_load((tmp_path / "config.yaml").read_text(encoding="utf-8"))["feeds"]
    assert {name: feed["title"] for name, feed in feeds.items()} == {
        "all-our-shows": "All our shows",
        "all-our-shows-2": "All our shows",
        "json": "json",
        "json-2": "json-2",
    }


def test_wordpress_is_asked_for_its_posts(run, tmp_path: Path, site: Site) -> None:
    head = "<html><head><link rel='https://api.w.org/' href='/wp-json/'></head><body><div>Desk</div></body></html>"
    site.serve("/", head, kind="text/html")
    post = {
        "id": 7, "date_gmt": "2024-05-01T10:00:00", "link": "https://desk.example/salt",
        "title": {"rendered": "On salt &#038; bread"}, "content": {"rendered": "<p>Salt.</p>"},
    }  # fmt: skip
    site.serve("/wp-json/wp/v2/posts?per_page=100", json.dumps([post]), kind="application/json")
    answer = run("add", site.url("/"), "--feed", "notes")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "kind json (WordPress): 1 entry" in answer.stdout
    run("refresh", *AT)
    assert published(tmp_path, "notes") == ["On salt & bread"]


def test_files_are_taken_and_lists_of_feeds_are_not(run, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(BEGUN, encoding="utf-8")
    (tmp_path / "talk.xml").write_text(
        make_rss(Episode(guid="1", title="Lifts", audio="https://c.example/1.mp3"), title="Talk")
    )
    assert run("add", "./talk.xml").returncode == 0
    assert read_sources(tmp_path, "talk")["talk"] == {"kind": "feed", "path": "talk.xml"}
    (tmp_path / "mine.opml").write_text('<?xml version="1.0"?><opml version="2.0"><body/></opml>')
    answer = run("add", "mine.opml")
    assert answer.returncode == 2
    opml = tmp_path / "mine.opml"
    assert f"{opml}: is an OPML list of feeds; aggregator import-opml {opml} adds them" in answer.stderr
    (tmp_path / "notes.html").write_text("<p>About the harbour</p>", encoding="utf-8")
    answer = run("add", "./notes.html")
    assert answer.returncode == 1
    assert f"episodes found at {tmp_path / 'notes.html'}; a page can be read by selectors" in answer.stderr
    spotify = run("add", "https://open.spotify.com/show/4rOoJ6Egrf8K2IrywzwOMk")
    assert spotify.returncode == 2
    assert "Spotify publishes no feed of its shows: add the show's page at podcasts.apple.com" in spotify.stderr


@pytest.mark.parametrize("command", ["add", "init"])
def test_a_private_address_is_refused_with_what_allows_it(run, tmp_path: Path, command: str) -> None:
    with serving(Site()) as site:
        site.serve("/show", make_rss(Episode("1", "Rye at night", audio="https://cdn.example/1.mp3"), title="Rye"))
        page = '<html><link rel="alternate" type="application/rss+xml" href="/show"><p>Rye</html>'
        site.serve("/", page, kind="text/html; charset=utf-8")
        refused = run(command, site.url("/show"))
        assert "refused: 127.0.0.1 is not a public address" in refused.stderr
        assert "write allow_networks: [127.0.0.1/32] into the config" in refused.stderr
        assert "or add it with --allow 127.0.0.1/32" in refused.stderr
        wrong = run(command, site.url("/show"), "--allow", "home")
        assert (wrong.returncode, '"home" is not a network' in wrong.stderr) == (2, True)
        done = run(command, site.url("/"), "--allow", "127.0.0.1/32")  # a page that names the feed
        assert done.returncode == 0, done.stderr
        assert run("refresh", "--force", *AT).returncode == 0
    (source,) = yaml.safe_load((tmp_path / "config.yaml").read_text())["feeds"]["rye"]["sources"].values()
    assert source["allow_networks"] == ["127.0.0.1/32"]
    assert published(tmp_path, "rye") == ["Rye at night"]


def test_a_list_on_the_web_is_imported(run, tmp_path: Path, site: Site) -> None:
    outline = '<outline type="rss" text="Lifts" xmlUrl="https://lifts.example/feed"/>'
    site.serve("/mine.opml", f'<opml version="2.0"><body>{outline}</body></opml>', kind="text/x-opml")
    assert run("import-opml", site.url("/mine.opml")).stdout == "config.yaml: 1 feed added\n"
    assert read_sources(tmp_path, "lifts") == {"feed": {"kind": "feed", "url": "https://lifts.example/feed"}}
    missing = run("import-opml", site.url("/none.opml"))
    assert missing.returncode == 1
    assert "404" in missing.stderr
    site.serve("/page", "<p>no list</p>", kind="text/html")
    assert "this is not an OPML subscription list" in run("import-opml", site.url("/page")).stderr


def test_json_has_the_ways_and_what_was_added(run, site: Site) -> None:
    site.serve("/show", make_rss(Episode("1", "Rye at night", audio="https://cdn.example/1.mp3"), title="Rye"))
    looked = json.loads(run("add", site.url("/show"), "--preview", "--json").stdout)
    assert looked["added"] is None
    (way,) = looked["ways"]
    assert (way["kind"], way["show"], way["entries"]) == ("feed", "Rye", 1)
    first = {"title": "Rye at night", "published": None, "seconds": None, "audio": "https://cdn.example/1.mp3"}
    assert way["first"] == [first]
    added = json.loads(run("add", site.url("/show"), "--json").stdout)
    assert added == looked | {"added": {"feed": "rye", "source": "feed", "primary": None}}


_WALKS = ("The salt road", "Under the weir", "A ferry in fog", "Nine gates", "The last shepherd", "Chalk and rain")


def make_walks(*names: str, guid: str = "w", first: int = 0) -> list[Episode]:
    """Return one episode a week, of these names."""
    begin = datetime(2024, 1, 4, 6, tzinfo=UTC)
    return [
        Episode(
            f"{guid}{turn}",
            name,
            begin + timedelta(days=7 * turn),
            audio=f"https://{guid}.example/{turn}.mp3",
            seconds=1500 + 61 * turn,
        )
        for turn, name in enumerate(names, first)
    ]


@pytest.fixture
def walks(run, site: Site) -> Site:
    """A published feed of six walks, and a mirror that renames the third and knows one from before the feed begins."""
    site.serve("/walks", make_rss(*make_walks(*_WALKS), title="Walks"))
    renamed = [*_WALKS[:2], "Fog special, remastered", *_WALKS[3:]]
    earlier = make_walks("Before the map", guid="m", first=-40)
    site.serve("/mirror", make_rss(*make_walks(*renamed, guid="m"), *earlier, title="Walks at Tin Ear"))
    assert run("add", site.url("/walks")).returncode == 0
    assert run("refresh", "--at", "2024-06-30T12:00:00Z").returncode == 0
    return site


def test_it_says_what_a_listing_would_add_and_what_of_that_waits(run, tmp_path: Path, walks: Site) -> None:
    said = run("add", walks.url("/mirror"), "--preview", *AT).stdout
    effect = said[said.index("walks: ") :].splitlines()
    assert effect[0].startswith("walks: 7 entries: 5 merge, ")
    assert sorted(line.split(": ", 1)[1].split(",")[0] for line in effect[1:3]) == ["Before the map", "Fog special"]
    assert effect[3] == "  1 of 2 held until another source lists it, at the latest on 2024-07-08"
    looked = json.loads(run("add", walks.url("/mirror"), "--json", *AT).stdout)["compared"]
    assert sorted(looked["doubtful"] + looked["new"]) == ["Before the map", "Fog special, remastered"]
    assert looked["held"] == [{"title": "Fog special, remastered", "until": "2024-07-08T12:00:00+00:00"}]
    assert run("refresh", *AT).returncode == 0
    assert "Fog special, remastered" not in published(tmp_path, "walks")
    assert "Before the map" in published(tmp_path, "walks")


def test_it_says_that_what_only_videos_of_the_episodes_have_waits(run, tmp_path: Path, walks: Site) -> None:
    names = [*(f"Walks | {name}" for name in _WALKS[:5]), "A word of thanks", "To the sea wall"]
    videos = [replace(each, audio=None, seconds=None) for each in make_walks(*names, guid="v")]
    walks.serve("/videos", make_rss(*videos, title="Walks on film"))
    looked = json.loads(run("add", walks.url("/videos"), "--json", *AT).stdout)["compared"]
    assert sorted(looked["doubtful"] + looked["new"]) == ["A word of thanks", "To the sea wall"]
    assert [each["title"] for each in looked["held"]] == ["A word of thanks", "To the sea wall"]
    assert run("refresh", *AT).returncode == 0
    assert sorted(published(tmp_path, "walks")) == sorted(_WALKS)


def test_its_new_items_are_published_at_once_on_demand(run, tmp_path: Path, walks: Site) -> None:
    added = run("add", walks.url("/mirror"), "--publish", *AT)
    assert "  the next refresh publishes them\n" in added.stdout
    assert run("refresh", *AT).returncode == 0
    assert {"Fog special, remastered", "Before the map"} <= {*published(tmp_path, "walks")}


def test_its_new_items_are_held_until_they_are_released_on_demand(run, tmp_path: Path, walks: Site) -> None:
    added = run("add", walks.url("/mirror"), "--hold", *AT)
    assert "  held until you release them: aggregator review --feed walks\n" in added.stdout
    assert run("refresh", "--at", "2024-09-01T12:00:00Z").returncode == 0
    assert sorted(published(tmp_path, "walks")) == sorted(_WALKS)
    held = run("review", "--list").stdout
    assert "Fog special, remastered" in held
    assert "Before the map" in held
    wrong = run("add", walks.url("/mirror"), "--hold", "--publish")
    assert (wrong.returncode, wrong.stderr) == (2, "aggregator: --publish and --hold exclude each other\n")


def test_a_feed_of_its_title_that_lists_nothing_of_it_is_told(run, walks: Site) -> None:
    walks.serve("/other", make_rss(*make_walks("Bread", "Soup", guid="k", first=90), title="Walks"))
    added = run("add", walks.url("/other"), *AT)
    assert "config.yaml: feeds.walks.sources." in added.stdout
    assert "walks: 2 entries: 0 merge, 0 doubtful, 2 would be new\n" in added.stdout


def test_a_named_feed_that_lists_nothing_of_it_is_told(run, walks: Site) -> None:
    walks.serve("/other", make_rss(*make_walks("Bread", "Soup", guid="k", first=90), title="Kitchen"))
    said = run("add", walks.url("/other"), "--feed", "walks", "--preview", *AT).stdout
    assert "walks: 2 entries: 0 merge, 0 doubtful, 2 would be new\n" in said


def make_page(episodes: list[Episode]) -> str:
    rows = "".join(
        f'<article><h3><a href="/e/{each.guid}">{each.title}</a></h3><p>{each.text}</p>'
        f'<time datetime="{each.at:%Y-%m-%d}">{each.at:%d %b %Y}</time></article>'
        for each in episodes
    )
    return f"<html><head><title>Walks</title></head><body><h1>Walks</h1>{rows}</body></html>"


@pytest.mark.parametrize(("first", "second"), list(permutations(("audio", "bare", "page"), 2)))
def test_add_says_what_the_refresh_does(run, tmp_path: Path, site: Site, first: str, second: str) -> None:
    """Of a feed with audio, one without, and a page, whichever comes first."""
    told = [
        replace(each, text=f"Ana Brix walks along number {each.seconds} and asks who built it, and for whom.")
        for each in make_walks(*_WALKS)
    ]
    bare = (replace(each, audio=None, seconds=None, guid=f"b{each.guid}") for each in told)
    documents = {
        "audio": make_rss(*told, title="Walks"),
        "bare": make_rss(*bare, title="Walks"),
        "page": make_page(told),
    }
    site.serve(f"/{first}", documents[first])
    site.serve(f"/{second}", documents[second])
    assert run("add", site.url(f"/{first}"), "--feed", "walks").returncode == 0
    assert run("refresh", *AT).returncode == 0
    added = run("add", site.url(f"/{second}"), *AT)
    assert "walks: 6 entries: 6 merge, 0 doubtful, 0 would be new\n" in added.stdout
    assert run("refresh", "--force", *AT).returncode == 0
    assert sorted(published(tmp_path, "walks")) == sorted(_WALKS)
