"""A private source is read with its secrets, and no byte that the program writes or prints has one of them."""

from __future__ import annotations

import gzip
import subprocess
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.origin import Origin, Request, answer, playing
from tests.support.program import run_program
from tests.support.rss import Episode, make_rss
from tests.support.workspace import NOON, NOUNS

QUERY, PATH, HEADER, PASSWORD = "query-S3cret/1", "path-S3cret2", "header-S3cret3", "pass-S3cret&4"
LITERAL = "literal-S3cret5"
SECRETS = (QUERY, PATH, HEADER, PASSWORD, LITERAL)
ENVIRONMENT = {"QUERY_TOKEN": QUERY, "PATH_TOKEN": PATH, "HEADER_TOKEN": HEADER}
LOGIN = f"Basic {b64encode(f'ann:{PASSWORD}'.encode()).decode()}"
PLACES = {
    "query": "/query?token=query-S3cret%2F1",
    "path": f"/{PATH}/feed",
    "login": "/login",
    "header": "/header",
}

OWN = dict(zip(PLACES.values(), (QUERY, PATH, PASSWORD, HEADER), strict=True))


def _may(request: Request) -> bool:
    """Whether the request has the secret that its address needs."""
    fields = (request.get("Authorization"), request.get("X-Key"))
    return {
        PLACES["query"]: True,
        PLACES["path"]: True,
        "/login": fields[0] == LOGIN,
        "/header": fields == (f"Bearer {HEADER}", LITERAL),
    }.get(request.path, False)


def _feed(origin: Origin, path: str) -> bytes:
    """A feed that repeats the secrets it was asked with in its own link, in texts, and in the address of audio."""
    number = list(PLACES.values()).index(path) + 1
    at = NOON + timedelta(days=number)
    own = f"{origin.url(path)}&amp;for={escape(OWN[path])}"
    return make_rss(
        Episode(
            f"g{number}", NOUNS[number], at, f"Your feed is {own}", f"https://cdn.example/{number}.mp3", seconds=60
        ),
        Episode(f"h{number}", NOUNS[-number], at, "", origin.url(f"/{quote(OWN[path])}/{number}.mp3"), own, seconds=70),
        title=f"Sea Room {own}",
    ).encode()


@pytest.fixture
def elsewhere() -> Iterator[Origin]:
    with playing(lambda _: answer(404)) as origin:
        yield origin


@pytest.fixture
def origin() -> Iterator[Origin]:
    def play(request: Request) -> bytes:
        return answer(200, _feed(origin, request.path)) if _may(request) else answer(403, request.path.encode())

    with playing(play) as origin:
        yield origin


@pytest.fixture
def folder(tmp_path: Path, origin: Origin) -> Path:
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    login = origin.url("/login").replace("http://", "http://ann:${PASSWORD}@")
    (tmp_path / "config.yaml").write_text(
        f"""state: store.db
allow_networks: [127.0.0.0/8]
feeds:
  sea:
    title: Sea Room
    sources:
      query: {{kind: feed, url: "{origin.url("/query?token=${QUERY_TOKEN}")}"}}
      path: {{kind: feed, url: "{origin.url("/${PATH_TOKEN}/feed")}"}}
      login: {{kind: feed, url: "{login}"}}
      header:
        kind: feed
        url: {origin.url("/header")}
        headers:
          Authorization: Bearer ${{HEADER_TOKEN}}
          X-Key: {LITERAL}
"""
    )
    return tmp_path


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {**ENVIRONMENT, "PASSWORD_FILE": str(folder / "password")}
    return run_program(folder, *words, environment={**known, **environment})


def leaks(folder: Path, *printed: subprocess.CompletedProcess[str]) -> list[str]:
    """Where a secret stands in what was written or printed, but for the config and the file that have one."""
    unpack = {".gz": gzip.decompress}
    written = {
        str(path.relative_to(folder)): unpack.get(path.suffix, bytes)(path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.name not in {"config.yaml", "password"}
    }
    said = {" ".join(done.args): (done.stdout + done.stderr).encode() for done in printed}
    return [name for name, text in (written | said).items() if b"S3cret" in text]


def test_secrets_are_sent_and_written_nowhere(folder: Path, origin: Origin) -> None:
    done = run(folder, "refresh")
    assert done.returncode == 0, done.stderr
    assert {request.path for request in origin.requests} == set(PLACES.values())
    assert all(_may(request) for request in origin.requests)
    text = (folder / "output/sea/feed.xml").read_text("utf-8")
    assert all(NOUNS[number] in text for number in (1, 2, 3, 4, -1, -2, -3, -4))
    assert "https://cdn.example/2.mp3" in text
    report = (folder / "output/sea/report.json").read_text("utf-8")
    assert "audio left out because its address contains a secret of the config, entries: 1" in report
    others = [
        run(folder, *words.split())
        for words in ("check", "check --live", "diff", "refresh --force", "events", "export-opml", "review --list")
    ]
    assert leaks(folder, done, *others) == []
    assert len(list((folder / "output").rglob("*.*"))) > 8


def test_failures_name_no_secret(folder: Path, origin: Origin, elsewhere: Origin) -> None:
    calm = origin.play
    for reply in (
        lambda request: answer(500, request.path.encode()),
        lambda request: answer(200, f"<html>{request.path} {OWN[request.path]}".encode()),
        lambda request: answer(302, b"", ("Location", f"ftp://nowhere.example{request.path}")),
        lambda request: answer(301, b"", ("Location", elsewhere.url(request.path))),
    ):
        origin.play = reply
        done = run(folder, "refresh", "--force")
        assert leaks(folder, done, run(folder, "check", "--live")) == []
    assert elsewhere.requests
    assert all(request.get("Authorization") is request.get("X-Key") is None for request in elsewhere.requests)
    origin.play = calm
    again = run(folder, "refresh", "--force", "--at", "2031-01-01T00:00:00Z")
    assert again.returncode == 0, again.stderr
    assert leaks(folder, again) == []


def test_a_document_cannot_ask_for_a_secret(folder: Path, origin: Origin, elsewhere: Origin) -> None:
    """An address that a document or a redirect gives is asked as it is written."""
    origin.play = lambda _: answer(301, b"", ("Location", elsewhere.url("/${PATH_TOKEN}?${QUERY_TOKEN}")))
    for day in (1, 2, 3, 4):
        run(folder, "refresh", "--force", "--at", f"2031-01-0{day}T00:00:00Z")
    assert elsewhere.requests
    assert {request.path for request in elsewhere.requests} == {"/${PATH_TOKEN}?${QUERY_TOKEN}"}


def test_a_missing_secret_is_one_line_and_the_other_sources_publish(folder: Path) -> None:
    done = run(folder, "refresh", HEADER_TOKEN="")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert (
        "header: failed (the environment variable HEADER_TOKEN is not set; set it, or set HEADER_TOKEN_FILE to" in line
    )
    checked = run(folder, "check", HEADER_TOKEN="")
    assert (checked.returncode, checked.stdout) == (2, "")
    assert "config.yaml: feeds.sea.sources.header: the environment variable HEADER_TOKEN is not set" in checked.stderr
    assert run(folder, "refresh").returncode == 0  # at once, without --force
    assert NOUNS[4] in (folder / "output/sea/feed.xml").read_text("utf-8")
    unread = run(folder, "check", PASSWORD_FILE=str(folder / "none"))
    assert "none, which PASSWORD_FILE names, cannot be read: No such file or directory" in unread.stderr


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("path: a.xml, headers: {X-Key: a}", "headers need url"),
        ("url: 'http://a.example/', headers: {Host: a}", "Host is set by the program"),
        ("url: 'http://a.example/', headers: {'a b': a}", '"a b" is not the name of a header field'),
    ],
)
def test_headers_that_cannot_be_sent_are_one_line(folder: Path, keys: str, message: str) -> None:
    (folder / "config.yaml").write_text(f"feeds: {{sea: {{title: Sea, sources: {{a: {{kind: feed, {keys}}}}}}}}}\n")
    done = run(folder, "check")
    assert done.returncode == 2
    assert message in done.stderr
