"""Hostile documents in the readers' own hands: each ends in time and memory, with one clear line."""

import resource
import subprocess
import sys
import time

import pytest

from aggregator.errors import ReadError
from aggregator.fetchers import registry
from aggregator.fetchers.parser_process import MOST_ITEMS, read
from aggregator.fetchers.parsing.bombs import check_bombs
from aggregator.model.source import Document, Source
from aggregator.sandbox.limits import Limits
from tests.support.bombs import COSTLY, ITEM, PREFLIGHT, RSS, rss
from tests.support.paths import FIXTURES, ROOT

LESS = Limits(cpu_seconds=1, wall_seconds=120.0, megabytes=200)


def outcome(kind: str, body: bytes, limits: Limits = LESS) -> str:
    """The one line that says why it was refused, empty where it was read."""
    document = Document(Source("show", kind, "https://example.org/"), "https://example.org/feed", body)
    line = ""
    try:
        read(document, limits)
    except ReadError as error:
        line = str(error)
    assert line == "" or (line.startswith("show: ") and line.isprintable() and "defect" not in line)
    return line


@pytest.mark.parametrize(("build", "words"), PREFLIGHT.values(), ids=PREFLIGHT.keys())
def test_the_preflight_names_the_bomb(build: object, words: str) -> None:
    assert callable(build)
    begun = time.process_time()
    with pytest.raises(ReadError, match=words):
        check_bombs(build(), MOST_ITEMS)
    assert time.process_time() - begun < 1.0
    assert words in outcome("feed", build())


@pytest.mark.parametrize("name", ["49,000 items", "attributes behind a bracket"])
def test_what_the_preflight_cannot_see_the_kernel_ends(name: str) -> None:
    markup = b"<channel><description><b>t</b></description>"  # else the strict reader takes it
    unsound = COSTLY[name]().replace(b"<channel>", markup)
    assert "it cannot be parsed: it takes more than 1 s of processor time" in outcome("feed", unsound)
    assert outcome("feed", rss(b"")) == ""


HONEST = {
    "a feed": rss(ITEM),
    "250 levels": rss(b"<a>" * 250 + b"</a>" * 250),
    "an author of 4,000 bytes": rss(b"<author>" + b"a" * 4_000 + b"</author>"),
    "200 attributes": rss(b"<a " + b" ".join(b"a%d='1'" % n for n in range(200)) + b"/>"),
    "an image of 1 MB in an attribute": rss(b"<img src='data:image/png;base64," + b"AAAA" * 250_000 + b"'/>"),
    "a namespace in each of 9,000 items": rss(ITEM.replace(b"<item>", b"<item xmlns:a='b'>") * 9_000),
    "a doctype": b'<!DOCTYPE rss PUBLIC "-//Netscape" "http://my.netscape.com/rss-0.91.dtd">' + rss(ITEM, RSS[21:]),
    "prose about entities": rss(b"<description>&lt;!ENTITY x 'y'&gt;</description>"),
    "20,000 items with code in them": rss(ITEM.replace(b">t<", b"><![CDATA[if a < b && c; <br> d &]]><") * 20_000),
    "not well-formed": RSS + b"<item><title>a & b</title>" + ITEM,
    "a page": b"<!doctype html><html><body>" + b"<div>" * 300 + b"text",
    "JSON": b'{"version": "https://jsonfeed.org/version/1.1", "items": []}',
    "nothing": b"",
    "text": b"1) An episode\nMarch 3, 2024\n",
}


@pytest.mark.parametrize("body", HONEST.values(), ids=HONEST.keys())
def test_the_preflight_lets_honest_documents_pass(body: bytes) -> None:
    check_bombs(body, MOST_ITEMS)


@pytest.mark.shared
def test_the_preflight_refuses_no_real_document() -> None:
    if not FIXTURES.exists():
        pytest.skip("../shared is not here")
    refused = {}
    files = [
        path
        for part in ("feeds", "pages", "apple_pages", "itunes", "snapshots", "jsonfeed")
        for path in (FIXTURES / part).rglob("*")
    ]
    for path in files:
        if path.is_file():
            try:
                check_bombs(path.read_bytes(), MOST_ITEMS)
            except ReadError as error:
                refused[path.name] = str(error)
    assert refused == {}
    assert len(files) > 100


MEASURED = """
import sys
sys.path.insert(0, sys.argv[1])
from tests.support.bombs import COSTLY, PREFLIGHT
from tests.robustness.documents.test_bombs import outcome
for name in {**PREFLIGHT, **COSTLY}:
    body = COSTLY[name]() if name in COSTLY else PREFLIGHT[name][0]()
    print(name, outcome(sys.argv[2], body), flush=True)
"""


@pytest.mark.heavy
@pytest.mark.parametrize("kind", list(registry.KINDS))
def test_every_kind_survives_every_bomb(kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(ROOT), kind], capture_output=True, text=True, check=False, timeout=1_500
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == len(PREFLIGHT) + len(COSTLY)


def test_the_parents_memory_stays_flat() -> None:
    outcome("feed", rss(ITEM * 100))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(30):
        outcome("feed", rss(ITEM * 100))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
