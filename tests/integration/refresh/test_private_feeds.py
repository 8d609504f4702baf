"""A feed with a token is found by nobody who was not told its address, and may have audio that needs a secret."""

from __future__ import annotations

import gzip
import json
import signal
import sqlite3
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.origin import Site, serving
from tests.support.program import PROGRAM, run_program
from tests.support.rss import Episode, make_rss
from tests.support.workspace import NOON, NOUNS

KEY, TOKEN, OTHER_TOKEN = "premium-S3cret-1", "feed-T0ken-abcdefgh", "feed-T0ken-ijklmnop"
PREMIUM = "premium: {kind: feed, trust: 0.9, adds: always, url: '%s/premium?key=${PREMIUM_KEY}'}"
FREE = "free: {kind: feed, trust: 0.5, adds: always, url: '%s/free'}"


def make_episodes(kind: str, audio: str, numbers: range) -> list[Episode]:
    return [
        Episode(
            guid=f"{kind}-{number}",
            title=f"{NOUNS[number]} and how it is made",
            at=NOON - timedelta(days=number),
            text=f"All about the {NOUNS[number].lower()}, and why number {number} is as it is.",
            audio=audio.format(number),
            seconds=1200 + number,
        )
        for number in numbers
    ]


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as site:
        site.serve("/free", make_rss(*make_episodes("free", "https://cdn.example/{}.mp3", range(1, 6))))
        premium = make_episodes("premium", f"https://cdn.example/{KEY}/{{}}.mp3", range(6))
        site.serve(f"/premium?key={KEY}", make_rss(*premium))
        yield site


def write(folder: Path, site: Site, *, show: str = "") -> None:
    both = f"{FREE % site.url()}, {PREMIUM % site.url()}"
    feeds = [
        f"  show: {{title: Sea Room, {show}sources: {{{both}}}}}",
        f"  plus: {{title: Sea Room Plus, token: '${{PLUS_TOKEN}}', sources: {{{both}}}}}",
    ]
    (folder / "config.yaml").write_text(
        "\n".join(("state: store.db", "allow_networks: [127.0.0.0/8]", "feeds:", *feeds))
    )


def run(folder: Path, *words: str, token: str = TOKEN) -> subprocess.CompletedProcess[str]:
    return run_program(folder, *words, environment={"PREMIUM_KEY": KEY, "PLUS_TOKEN": token})


def find_in_files(folder: Path, secret: str) -> set[str]:
    """The folders under the output folder, "" for itself, in which a file has the secret."""
    unpack = {".gz": gzip.decompress}
    return {
        path.parent.relative_to(folder / "output").as_posix().removeprefix(".")
        for path in (folder / "output").rglob("*.*")
        if secret.encode() in unpack.get(path.suffix, bytes)(path.read_bytes())
    }


def read_items(folder: Path, feed: str) -> dict[str, dict[str, object]]:
    return {item["title"]: item for item in json.loads((folder / "output" / feed / "feed.json").read_text())["items"]}


def test_a_private_feed_is_found_by_nobody_who_was_not_told_its_address(tmp_path: Path, site: Site) -> None:
    write(tmp_path, site)
    done = run(tmp_path, "refresh", "--at", "2024-05-02T12:00:00Z")
    assert done.returncode == 0, done.stderr
    home = f"plus-{TOKEN}"
    assert sorted(path.name for path in (tmp_path / "output").iterdir() if path.is_dir()) == [home, "show"]
    assert find_in_files(tmp_path, TOKEN) == {home}
    assert "plus" not in "".join(path.read_text("utf-8").lower() for path in (tmp_path / "output").glob("*.*ml"))
    text = (tmp_path / "output" / home / "podcast.xml").read_text("utf-8")
    assert "<itunes:block>Yes</itunes:block>" in text
    assert f"http://localhost:8000/{home}/podcast.xml" in text

    assert find_in_files(tmp_path, KEY) == {home}
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        kept = connection.execute("SELECT DISTINCT feed FROM cache WHERE stage LIKE 'items/%'").fetchall()
    assert kept == [("show",)], "what items with secrets are in the files is not kept"
    assert f"https://cdn.example/{KEY}/0.mp3" in text
    public = read_items(tmp_path, "show")
    first = f"{NOUNS[1]} and how it is made"
    assert public[first]["attachments"][0]["url"] == "https://cdn.example/1.mp3"  # type: ignore[index]
    assert "attachments" not in public[f"{NOUNS[0]} and how it is made"]
    report = (tmp_path / "output/show/report.json").read_text("utf-8")
    assert "audio left out because its address contains a secret of the config, entries: 6; a private feed" in report

    pages = {page.relative_to(tmp_path / "output") for page in (tmp_path / "output").rglob("*.html")}
    marked = {page for page in pages if 'name="robots" content="noindex"' in (tmp_path / "output" / page).read_text()}
    assert {page.parts[0] for page in marked} == {f"plus-{TOKEN}"}
    assert {page.parts[0] for page in pages - marked} == {"show", "index.html"}

    again = run(tmp_path, "refresh", "--force", "--at", "2024-05-03T12:00:00Z", token=OTHER_TOKEN)
    assert sorted(path.name for path in (tmp_path / "output").iterdir() if path.is_dir()) == [
        f"plus-{OTHER_TOKEN}",
        "show",
    ]
    others = [
        run(tmp_path, *words.split(), token=OTHER_TOKEN)
        for words in ("check", "diff", "refresh --json", "events", "explain --feed plus")
    ]
    said = "".join(each.stdout + each.stderr for each in (done, again, *others))
    assert [secret for secret in (TOKEN, OTHER_TOKEN, KEY) if secret in said] == []
    assert KEY.encode() not in (tmp_path / "store.db").read_bytes()


def test_the_server_answers_the_private_address_alone(tmp_path: Path, site: Site, free_port: int) -> None:
    write(tmp_path, site)
    assert run(tmp_path, "refresh", "--at", "2024-05-02T12:00:00Z").returncode == 0
    command = [
        "env",
        f"PREMIUM_KEY={KEY}",
        f"PLUS_TOKEN={TOKEN}",
        *PROGRAM,
        "serve",
        "--no-refresh",
        "--port",
        str(free_port),
    ]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        statuses = [
            read_status(free_port, path) for path in (f"/plus-{TOKEN}/podcast.xml", "/plus/podcast.xml", "/plus-/")
        ]
        server.send_signal(signal.SIGTERM)
        printed = server.communicate(timeout=180)
    assert statuses == [200, 404, 404]
    assert TOKEN not in "".join((line, *printed))


def read_status(port: int, path: str) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_an_episode_has_one_guid_in_the_free_and_in_the_premium_feed(tmp_path: Path, site: Site) -> None:
    write(tmp_path, site, show="without: [premium], ")
    assert run(tmp_path, "refresh", "--at", "2024-05-02T12:00:00Z").returncode == 0
    free, premium = read_items(tmp_path, "show"), read_items(tmp_path, f"plus-{TOKEN}")
    assert len(free) == 5
    assert len(premium) == 6
    assert {title: item["id"] for title, item in free.items()} == {title: premium[title]["id"] for title in free}
    assert {item["attachments"][0]["url"].rpartition("/")[0] for item in free.values()} == {"https://cdn.example"}  # type: ignore[index]
    known = json.loads((tmp_path / "output/show/report.json").read_text("utf-8"))
    assert [each["name"] for each in known["sources"]] == ["free"]
    assert NOUNS[0] not in "".join(path.read_text("utf-8") for path in (tmp_path / "output/show").glob("*.*ml"))

    early = Episode("premium-9", f"{NOUNS[9]} early", NOON, "First for members.", f"https://cdn.example/{KEY}/9.mp3")
    members = make_episodes("premium", f"https://cdn.example/{KEY}/{{}}.mp3", range(6))
    site.serve(f"/premium?key={KEY}", make_rss(early, *members))
    assert run(tmp_path, "refresh", "--force", "--at", "2024-05-03T12:00:00Z").returncode == 0
    later = Episode("free-9", early.title, NOON, early.text, "https://cdn.example/9.mp3")
    site.serve("/free", make_rss(later, *make_episodes("free", "https://cdn.example/{}.mp3", range(1, 6))))
    assert run(tmp_path, "refresh", "--force", "--at", "2024-05-09T12:00:00Z").returncode == 0
    ids = {read_items(tmp_path, feed)[early.title]["id"] for feed in ("show", f"plus-{TOKEN}")}
    assert ids == {"premium-9"}


@pytest.mark.parametrize(
    ("token", "message"),
    [("short", "feeds.plus.token: the value of ${PLUS_TOKEN} is not 16 to 64 letters"), ("", "PLUS_TOKEN is not set")],
)
def test_a_token_that_is_none_is_told_without_it(tmp_path: Path, site: Site, token: str, message: str) -> None:
    write(tmp_path, site)
    answer = run(tmp_path, "check", token=token)
    assert answer.returncode == 2
    assert message in answer.stderr
    assert "short" not in answer.stderr


@pytest.mark.parametrize("before", [TOKEN, None], ids=["of another token", "public"])
def test_the_former_folder_goes_when_a_source_has_news_in_the_same_refresh(
    tmp_path: Path, site: Site, before: str | None
) -> None:
    write(tmp_path, site)
    private = (tmp_path / "config.yaml").read_text()
    if before is None:
        (tmp_path / "config.yaml").write_text(private.replace("token: '${PLUS_TOKEN}', ", ""))
    assert run(tmp_path, "refresh", "--at", "2024-05-02T12:00:00Z").returncode == 0
    former = f"plus-{before}" if before else "plus"
    assert (tmp_path / "output" / former / "podcast.xml").exists()

    (tmp_path / "config.yaml").write_text(private)
    members = make_episodes("premium", f"https://cdn.example/{KEY}/{{}}.mp3", range(8))
    site.serve(f"/premium?key={KEY}", make_rss(*members))
    again = run(tmp_path, "refresh", "--force", "--at", "2024-05-03T12:00:00Z", token=OTHER_TOKEN)
    assert again.returncode == 0, again.stderr
    assert sorted(path.name for path in (tmp_path / "output").iterdir() if path.is_dir()) == [
        f"plus-{OTHER_TOKEN}",
        "show",
    ]
