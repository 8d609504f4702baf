"""What must hold at the end: our rules and seven other programs find nothing in what the real pipeline publishes.

Allowed is only what no source's data could have avoided: for each such finding the store is asked whether any source
gave what is missing.
"""

import json
import random
import re
import shutil
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aggregator import refresh
from aggregator.config.load import load
from aggregator.model.entry import Entry, Show
from aggregator.store import database, entries
from tests.support import simulated_directories
from tests.support.config import make_feed, write_config
from tests.support.other_parsers import complaints
from tests.support.paths import ROOT, SHARED

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
# Ten of the recorded podcasts, small and large: of several hosts, languages, with and without podcast elements.
TEN = (
    "gnomepod__2019-01-27-ACC.xml",
    "jbpfp__bc-sample-new-feed-url.xml",
    "lwpfp__serial.rss",
    "nnw__theomnishow.rss",
    "partytime_js__1865.xml",
    "partytime_js__themnshow.xml",
    "scapps__bcr.xml",
    "stalla__alternativlos.xml",
    "stalla__dac-nhan-tam.xml",
    "stalla__o-tarz-mi.xml",
)
FAST = ("jbpfp__bc-sample-new-feed-url.xml", "nnw__theomnishow.rss", "stalla__fanboys.xml")
SEEDS = {
    "casts": ("listing", "000_8b0663666d4277fc.txt"),
    "podyssey": ("listing", "001_be0a6a776793dd5e.txt"),
    "apple": ("apple", "002_71401b1285e0bb24.txt"),
    "blog": ("blog", "003_d5cd94b5e74f920a.txt"),
}


def avoidable(config: Path, name: str, parsers: Path) -> list[str]:
    """The complaints about a published feed that its sources' data could have avoided."""
    loaded = load(config)
    found = complaints(loaded.output.path / name, parsers)
    with database.open_store(loaded.state) as store:
        said = {each.entry.id: each.entry for each in entries.read_entries(store, name)}
        shows = tuple(entries.read_shows(store, name).values())
    items = {item["id"]: item for item in json.loads((loaded.output.path / name / "feed.json").read_bytes())["items"]}
    unnamed = tuple(_unavoidable(items.values(), said, shows))
    return [line for line in found if not any(re.search(pattern, line) for pattern in unnamed)]


def _unavoidable(items, said: dict[str, Entry], shows: tuple[Show, ...]) -> Iterator[str]:
    """Patterns of the findings that no source could have helped; "and in 9 more places" says nothing new."""
    yield "and in \\d+ more places"
    if not any(show.categories for show in shows):
        yield "channel-category: channel: has no"
    if not any(show.author for show in shows):
        yield "channel-author: channel: has no"
    if not any(show.language for show in shows) and not any(each.language for each in said.values()):
        yield "channel-language: channel: has no"
    if not any(show.image for show in shows):
        yield "channel-image: channel: has no"
    for item in items:
        told = [said[name] for name in item["_aggregator"]["entries"]]
        where = re.escape(f"{item['id'][:80]}")
        if not any(each.link for each in told):
            yield f"item-present: .*{where}.*has no link"
        if not any(each.duration and each.duration.seconds for each in told):
            yield f"item-present: .*{where}.*has no itunes:duration"
        if not any(each.description or each.html or each.summary for each in told):
            yield f"item-present: .*{where}.*has no description"
        if not any(each.enclosure and (each.enclosure.length or 0) >= 16_384 for each in told):
            yield f"item-enclosure-length: .*{where}"


def test_the_default_config_without_a_network(tmp_path: Path, parsers: Path) -> None:
    """The config of the repository, its origins out of reach: the recordings speak."""
    text = (ROOT / "config.yaml").read_text("utf-8")
    (tmp_path / "config.yaml").write_text(re.sub(r"https://(?!localhost)([\w.-]+)", r"https://\1.invalid", text))
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    refresh.refresh(load(tmp_path / "config.yaml"), at=AT)
    folder = tmp_path / "output" / "pytorch-dev-podcast"
    assert len(json.loads((folder / "feed.json").read_bytes())["items"]) == 37
    assert complaints(folder, parsers) == []


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared does not stand beside the project")
def test_the_seeds(tmp_path: Path, parsers: Path) -> None:
    seeds = {name: {"kind": kind, "path": str(SHARED / "seeds" / file)} for name, (kind, file) in SEEDS.items()}
    write_config(tmp_path, {"show": make_feed(sources=seeds)})
    refresh.refresh(load(tmp_path / "config.yaml"), at=AT)
    assert avoidable(tmp_path / "config.yaml", "show", parsers) == []


def merged(place: Path, names: tuple[str, ...], parsers: Path) -> None:
    """Recorded podcasts, each with two simulated directories: nothing lost, nothing doubled, nobody complains."""
    podcasts = [SHARED / "fixtures" / "feeds" / "podcast" / name for name in names]
    config = simulated_directories.folder(place, podcasts, seed=6)
    outcomes = {outcome.feed: outcome for outcome in refresh.refresh(load(config), at=AT)}
    for turn, podcast in enumerate(podcasts):
        name = f"show-{turn}"
        heard = {each.source.name: each.entries for each in outcomes[name].source_results}
        assert (podcast.name, outcomes[name].published.items) == (podcast.name, heard["host"])
        assert min(heard.values()) > 0
        assert (podcast.name, avoidable(config, name, parsers)) == (podcast.name, [])
        for path in (place / "output" / name).iterdir():
            assert b"someone@directory.example" not in path.read_bytes()


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared does not stand beside the project")
def test_three_recorded_podcasts_with_simulated_directories(tmp_path: Path, parsers: Path) -> None:
    merged(tmp_path, FAST, parsers)


@pytest.mark.heavy
@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared does not stand beside the project")
def test_ten_recorded_podcasts_with_simulated_directories(tmp_path: Path, parsers: Path) -> None:
    merged(tmp_path, TEN, parsers)


def hostile() -> str:
    """A JSON feed of every category of Unicode, 4 MB of text, markup in titles, and equal titles on a day."""
    letters: dict[str, list[str]] = {}
    for code in range(0x110000):
        category = letters.setdefault(unicodedata.category(chr(code)), [])
        if len(category) < 60:
            category.append(chr(code))
    titles = {name: f"Of {name}: {''.join(some)}" for name, some in letters.items()}
    titles |= {
        "bold": "<b>Bold</b> &amp; <script>alert(1)</script> tides",
        "cdata": "Ropes ]]> and <![CDATA[ knots",
        "entity": "Fish &amp;amp; chips &lt;i&gt;again&lt;/i&gt;",
        "number": "12",
        "boolean": "true",
        "empty": "",
        "long": "lighthouse " * 60,
        "bidi": "\u202eright to left\u202c 漢字 🎧",
        "same-1": "Trailer",
        "same-2": "Trailer",
        "same-3": "Trailer",
    }
    dice = random.Random(4)
    items = []
    for turn, (name, title) in enumerate(titles.items()):
        text = f"{title} in full: what {name} is about, told at length, number {turn}."
        if name == "long":
            text = "<p>tide &amp; " + "water " * 100 + "</p>"
            text *= 4_200_000 // len(text)
        day = AT.replace(year=2025, hour=8 + turn % 3 if name.startswith("same") else 8)
        items.append(
            {
                "id": f"{name}-{''.join(letters['So'][:3])}",
                "title": title,
                "content_html": text if name in ("long", "bold") else None,
                "content_text": None if name in ("long", "bold") else text,
                "url": f"https://example.org/{name}?q={title[-3:]}",
                "date_published": (day if name.startswith("same") else day.replace(month=1 + turn % 11)).isoformat(),
                "authors": [{"name": title[:50]}],
                "attachments": [
                    {
                        "url": f"https://cdn.example.org/{turn}.mp3?{name}",
                        "mime_type": "audio/mpeg",
                        "size_in_bytes": 10**6 + turn,
                        "duration_in_seconds": dice.randint(900, 9000),
                    }
                ],
            }
        )
    shown = {"title": "Harbour \u202e & <b>tides</b>", "home_page_url": "https://example.org/", "items": items}
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", **shown})


def test_a_hostile_source(tmp_path: Path, parsers: Path) -> None:
    (tmp_path / "hostile.json").write_text(hostile())
    wild = {"wild": {"kind": "jsonfeed", "path": "hostile.json"}}
    feed = make_feed("Harbour", wild, categories=["Leisure"], image="https://example.org/cover.jpg")
    write_config(tmp_path, {"harbour": feed})
    outcome = refresh.refresh(load(tmp_path / "config.yaml"), at=AT)[0]
    assert outcome.published.items == outcome.source_results[0].entries
    assert outcome.published.items > 38
    assert avoidable(tmp_path / "config.yaml", "harbour", parsers) == []
