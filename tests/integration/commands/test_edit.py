from __future__ import annotations

from pathlib import Path

import pytest
import yaml

FEED = """\
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>Crumb Talk</title><link>https://crumb.example/</link><description>Bread.</description>
<item><title>Ovens and steam</title><guid isPermaLink="false">crumb-2</guid>
<pubDate>Tue, 07 May 2024 06:00:00 +0000</pubDate>
<enclosure url="https://audio.example/2.mp3" length="17000000" type="audio/mpeg"/></item>
</channel></rss>
"""
POSTS = """\
<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>The Baker's Desk</title><link>https://desk.example/</link><description>Notes.</description>
<item><title>On salt</title><guid>https://desk.example/2024/05/on-salt/</guid>
<link>https://desk.example/2024/05/on-salt/</link><pubDate>Tue, 07 May 2024 06:00:00 +0000</pubDate></item>
</channel></rss>
"""


def read(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_add_joins_the_feed_of_the_same_show_and_keeps_comments(run, shop: Path, origin) -> None:
    address, folder = origin
    (folder / "feed.xml").write_text(FEED, encoding="utf-8")
    before = (shop / "config.yaml").read_text(encoding="utf-8").splitlines()
    answer = run("add", f"{address}/feed.xml")
    assert (answer.returncode, answer.stderr) == (0, "")
    shown, *_, last = answer.stdout.splitlines()
    assert shown == "kind feed: 1 entry"
    assert last == "config.yaml: feeds.crumb-talk.sources.feed: kind feed, 1 item now of Crumb Talk"
    after = (shop / "config.yaml").read_text(encoding="utf-8").splitlines()
    assert after == [*before, f"      feed: {{kind: feed, url: {address}/feed.xml}}"]
    twice = run("add", f"{address}/feed.xml")
    assert twice.returncode == 2
    assert "already in the config: feeds." in twice.stderr


def test_add_makes_a_new_feed_for_another_show(run, shop: Path, origin) -> None:
    address, folder = origin
    (folder / "posts.xml").write_text(POSTS, encoding="utf-8")
    assert run("add", f"{address}/posts.xml").returncode == 0
    made = read(shop / "config.yaml")["feeds"]["the-bakers-desk"]
    assert made == {"title": "The Baker's Desk", "sources": {"blog": {"kind": "blog", "url": f"{address}/posts.xml"}}}


@pytest.mark.parametrize("feeds", ["feeds: {}\n", "feeds:\n", "# none yet\n"])
def test_add_writes_the_first_feed_of_a_config_that_has_none(feeds: str, run, tmp_path: Path, origin) -> None:
    address, folder = origin
    (folder / "posts.xml").write_text(POSTS, encoding="utf-8")
    config = tmp_path / "config.yaml"
    begun = f"# mine\nallow_networks: [127.0.0.0/8] # here\n{feeds}"
    config.write_text(begun, encoding="utf-8")
    answer = run("refresh")
    assert answer.returncode == 2
    assert "there is no feed yet" in answer.stderr
    assert run("add", f"{address}/posts.xml").returncode == 0
    assert config.read_text(encoding="utf-8").startswith(begun.removesuffix(feeds))
    assert list(read(config)["feeds"]) == ["the-bakers-desk"]
    config.write_text(begun + "outptu: x\n", encoding="utf-8")
    answer = run("add", f"{address}/posts.xml")
    assert answer.returncode == 2
    assert 'unknown key; did you mean "output"?' in answer.stderr


def test_add_says_why_it_cannot(run, shop: Path, origin) -> None:
    address, folder = origin
    (folder / "empty.html").write_text("", encoding="utf-8")
    before = (shop / "config.yaml").read_bytes()
    for words, said in (
        ((f"{address}/empty.html",), "aggregator: "),
        ((f"{address}/nothing",), "404"),
        (("ftp://example.org/x",), "is not an http or https URL"),
        (("https:///feed",), "is not an http or https URL"),
        ((f"{address}/empty.html", "--kind", "fed"), 'did you mean "feed"?'),
    ):
        answer = run("add", *words)
        assert answer.returncode in {1, 2}
        assert said in answer.stderr
        assert "Traceback" not in answer.stderr
    assert (shop / "config.yaml").read_bytes() == before


def test_a_known_shape_is_written_though_nobody_answers(run, shop: Path) -> None:
    config = shop / "config.yaml"
    config.write_text(config.read_text().replace("127.0.0.0/8", "10.0.0.0/8"))
    answer = run("add", "http://127.0.0.1:9/feed.xml", "--feed", "crumb-talk", "--kind", "feed")
    assert answer.returncode == 0
    assert read(config)["feeds"]["crumb-talk"]["sources"]["feed"] == {
        "kind": "feed",
        "url": "http://127.0.0.1:9/feed.xml",
    }


def test_opml_goes_in_and_out(run, tmp_path: Path) -> None:
    listed = tmp_path / "mine.opml"
    listed.write_text(
        '<opml version="2.0"><body><outline text="News"><outline type="rss" text="Crumb &amp; Co" '
        'xmlUrl="https://feeds.simplecast.com/abc"/><outline text="Desk" xmlUrl="https://desk.example/feed"/></outline>'
        '<outline text="odd" xmlUrl="file:///etc/passwd"/></body></opml>'
    )
    answer = run("import-opml", str(listed))
    assert (answer.returncode, answer.stdout) == (
        0,
        """config.yaml: 2 feeds added, 1 skipped
skipped: odd: "file:///etc/passwd" is not an http or https URL, and there is no such file
""",
    )
    assert read(tmp_path / "config.yaml")["feeds"] == {
        "crumb-co": {
            "title": "Crumb & Co",
            "sources": {"simplecast": {"kind": "simplecast", "url": "https://feeds.simplecast.com/abc"}},
        },
        "desk-2": {"title": "Desk", "sources": {"feed": {"kind": "feed", "url": "https://desk.example/feed"}}},
    }
    assert run("import-opml", str(listed)).stdout.startswith("config.yaml: 0 feeds added, 3 skipped\nskipped: odd")
    config = tmp_path / "config.yaml"
    config.write_text(
        f"{config.read_text()}  kept:\n    title: Kept\n    sources:\n      saved: {{kind: feed, path: saved.xml}}\n"
        "      paid: {kind: feed, url: 'https://kept.example/feed?token=1'}\n"
    )
    (tmp_path / "saved.xml").write_text("<rss/>")
    exported = run("export-opml")
    assert 'xmlUrl="https://feeds.simplecast.com/abc"' in exported.stdout
    assert exported.stderr == (
        "aggregator: 2 sources left out, a file, a page or an address with a secret: kept.paid, kept.saved\n"
    )
    assert run("export-opml", "--feed", "crumb-co").stderr == ""
    assert run("check").returncode == 0


def test_what_is_no_opml_is_told(run, tmp_path: Path) -> None:
    (tmp_path / "no.opml").write_text("hello")
    answer = run("import-opml", "no.opml")
    assert answer.returncode == 1
    assert "this is not an OPML subscription list" in answer.stderr


def test_a_source_is_removed_after_a_word_and_its_items_stay(run, shop: Path) -> None:
    assert run("refresh", "--at", "2026-01-02T03:04:05Z").returncode == 0
    before = (shop / "config.yaml").read_text("utf-8")
    assert run("remove", "topic", stdin="n\n").returncode == 1
    assert (shop / "config.yaml").read_text("utf-8") == before
    removed = run("remove", "topic", "--yes")
    assert (removed.returncode, removed.stderr) == (0, "")
    assert "feeds.crumb-talk.sources.topic removed; its items stay; " in removed.stdout
    assert "aggregator forget topic --feed crumb-talk" in removed.stdout
    assert "4 items" in run("refresh", "--at", "2026-01-03T03:04:05Z").stdout
    only = run("remove", "numbered", "-y")
    assert (only.returncode, only.stdout) == (2, "")
    assert "is its only source; remove the feed: --feed crumb-talk" in only.stderr
    assert 'the config has no source "numbred"; did you mean "numbered"?' in run("remove", "numbred").stderr
    assert "name a source, or a feed by --feed NAME" in run("remove").stderr
    assert run("remove", "--feed", "crumb-talk", "--yes").returncode == 0
    assert "feeds from 0 sources, nothing wrong" in run("check").stdout
