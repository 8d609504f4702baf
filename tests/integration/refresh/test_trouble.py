"""What goes wrong on a machine: each ends in one clear line and the right exit code, and nothing is lost."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.config import Keys, make_feed, write_config
from tests.support.program import run_program
from tests.support.tools import mounted


def aggregator(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return run_program(cwd, *words)


def config(folder: Path, sources: Mapping[str, Keys | str], **keys: object) -> None:
    write_config(folder, {"sea": make_feed("Sea", sources)}, **keys)


def test_an_unreadable_file_leaves_its_source_silent_and_says_why(tmp_path, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(episode(1)))
    config(tmp_path, {"folder": {"kind": "listing", "path": "."}, "host": origin.url("/feed.xml")})
    done = aggregator("refresh", "--quiet", cwd=tmp_path)
    assert done.returncode == 0
    assert "folder" in done.stderr
    assert "is not a file" in done.stderr
    assert aggregator("refresh", "--quiet", "--strict", cwd=tmp_path).returncode == 1


def test_a_document_of_0_bytes_alone_is_exit_3_and_publishes_nothing(tmp_path) -> None:
    (tmp_path / "empty.txt").write_bytes(b"")
    config(tmp_path, {"empty": {"kind": "listing", "path": "empty.txt"}})
    done = aggregator("refresh", cwd=tmp_path)
    assert done.returncode == 3
    assert "empty.txt is empty (0 bytes)" in done.stderr
    assert "nothing could be fetched, and nothing is stored from earlier" in done.stderr
    assert not (tmp_path / "output" / "sea").exists()


def test_an_html_error_page_with_status_200_is_no_listing(tmp_path, origin) -> None:
    origin.serve("/feed.xml", "<!doctype html><title>Oops</title><h1>Something went wrong</h1>", kind="text/html")
    config(tmp_path, {"host": origin.url("/feed.xml")})
    done = aggregator("refresh", cwd=tmp_path)
    assert done.returncode == 3
    assert "host:" in done.stderr
    assert "HTML" in done.stderr


AKAMAI = """<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>
You don't have permission to access "http&#58;&#47;&#47;show&#46;example&#47;feed" on this server.<P>
Reference&#32;&#35;18&#46;c6a50517&#46;1514639126&#46;176b29a</BODY></HTML>"""
SITEGROUND = (
    '<html><head><link rel="icon" href="data:;"><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F">'
    "</meta></head></html>"
)
CLOUDFLARE = "<html><title>Just a moment...</title><script>window._cf_chl_opt={cvId: '3'};</script></html>"
DATADOME = "<html><title>show.example</title><script src='https://ct.captcha-delivery.com/c.js'></script></html>"
IMPERVA = "<html><body><iframe>Request unsuccessful. Incapsula incident ID: 877000-1</iframe></body></html>"


CHALLENGES = (
    (403, {"cf-mitigated": "challenge"}, "", "Cloudflare"),
    (503, {"CF-Mitigated": "challenge"}, "", "Cloudflare"),
    (200, {}, CLOUDFLARE, "Cloudflare"),
    (403, {}, AKAMAI, "Akamai"),
    (200, {}, SITEGROUND, "SiteGround"),
    (202, {"SG-Captcha": "challenge"}, SITEGROUND, "SiteGround"),
    (405, {"x-amzn-waf-action": "captcha"}, "", "AWS WAF"),
    (403, {}, DATADOME, "DataDome"),
    (200, {}, DATADOME, "DataDome"),
    (200, {}, IMPERVA, "Imperva"),
)


@pytest.mark.parametrize("kind", ["feed", "blog"])
def test_a_bot_protection_is_named_and_the_feed_goes_on(tmp_path, origin, episode, rss, kind) -> None:
    paths = [f"/{number}.xml" for number in range(len(CHALLENGES))]
    config(tmp_path, {f"s{path[1]}": origin.source(path, kind) for path in paths})
    for path in paths:
        origin.serve(path, rss(episode(1), episode(2)))
    assert aggregator("refresh", "--quiet", cwd=tmp_path).returncode == 0
    published = (tmp_path / "output" / "sea" / "feed.xml").read_bytes()
    for path, (status, fields, page, _) in zip(paths, CHALLENGES, strict=True):
        origin.serve(path, page, status=status, kind="text/html")
        origin.fields[path] = fields
    done = aggregator("refresh", "--quiet", "--force", cwd=tmp_path)
    assert done.returncode == 0
    told = sorted(done.stderr.splitlines())
    assert len(told) == len(CHALLENGES)
    for number, (line, (*_, name)) in enumerate(zip(told, CHALLENGES, strict=True)):
        assert f"s{number}: " in line
        assert f"blocked by the site's bot protection ({name}): ask the site" in line
    assert (tmp_path / "output" / "sea" / "feed.xml").read_bytes() == published


def test_an_ordinary_refusal_and_a_feed_about_captchas_are_no_bot_protection(tmp_path, origin, episode, rss) -> None:
    origin.serve("/feed.xml", "<h1>Forbidden</h1><div class='g-recaptcha'></div>", status=403, kind="text/html")
    origin.serve("/talk.xml", rss(episode(1, text=f"They write {CLOUDFLARE} and {IMPERVA}")))
    config(tmp_path, {name: origin.url(f"/{name}.xml") for name in ("feed", "talk")})
    done = aggregator("refresh", "--quiet", cwd=tmp_path)
    assert done.returncode == 0
    assert "403 Forbidden" in done.stderr
    assert "talk" not in done.stderr
    assert "bot protection" not in done.stderr


@pytest.mark.heavy
def test_a_feed_of_20_000_items_is_published_whole(tmp_path, episode, rss) -> None:
    (tmp_path / "big.xml").write_text(rss(*(episode(turn, day=-turn) for turn in range(20_000))))
    config(tmp_path, {"host": "big.xml"})
    done = aggregator("refresh", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    pages = list((tmp_path / "output" / "sea").glob("podcast*.xml"))
    guids = {guid for page in pages for guid in re.findall(rb"<guid[^>]*>([^<]+)", page.read_bytes())}
    assert (len(pages), len(guids)) == (20, 20_000)


@pytest.fixture
def small_disk(tmp_path):
    with mounted(tmp_path / "disk", "1m") as place:
        yield place


def test_a_full_disk_leaves_the_old_feed_and_the_store_whole(tmp_path, small_disk, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*map(episode, range(3))))
    config(tmp_path, {"host": origin.url("/feed.xml")}, output=str(small_disk / "output"))
    assert aggregator("refresh", "--at", "2024-06-01T12:00:00Z", cwd=tmp_path).returncode == 0
    folder = small_disk / "output" / "sea"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    origin.serve("/feed.xml", rss(*(episode(turn, text=os.urandom(40_000).hex()) for turn in range(12))))
    done = aggregator("refresh", "--at", "2024-06-03T12:00:00Z", cwd=tmp_path)
    assert done.returncode == 1
    assert "cannot publish (No space left on device); the old files are unchanged" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    assert aggregator("refresh", "--at", "2024-06-05T12:00:00Z", cwd=tmp_path).returncode == 0
    assert (folder / "podcast.xml").read_bytes().count(b"<item>") == 12
