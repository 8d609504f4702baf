"""The main job on the four real documents that the project was created from (issue: the main job, end to end)."""

import html
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import feedparser
import pytest

from aggregator.config.load import load
from aggregator.refresh import refresh as refresh_all
from tests.support.config import make_feed, write_config
from tests.support.paths import SHARED

SEEDS = SHARED / "seeds"
AT = datetime(2025, 1, 1, 12, tzinfo=UTC)
SOURCES = {
    "casts": ("listing", "000_8b0663666d4277fc.txt"),
    "podyssey": ("listing", "001_be0a6a776793dd5e.txt"),
    "apple": ("apple", "002_71401b1285e0bb24.txt"),
    "blog": ("blog", "003_d5cd94b5e74f920a.txt"),
}
FILES = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "index.html", "report.json")
DEBRIS = (r"\_", r"\*", "**", "[(", "Show More", "а", "Ã", "â€")

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not SEEDS.is_dir(), reason="../shared does not stand beside the project"),
]


def config(folder: Path, names: list[str]) -> Path:
    sources = {name: {"kind": SOURCES[name][0], "path": str(SEEDS / SOURCES[name][1])} for name in names}
    return write_config(folder, {"show": make_feed(sources=sources)})


def refresh(folder: Path, names: list[str] | None = None, *, new: bool = False) -> dict[str, bytes]:
    refresh_all(load(config(folder, names or list(SOURCES))), at=AT, new=new)
    return published(folder)


def published(folder: Path) -> dict[str, bytes]:
    return {name: (folder / "output" / "show" / name).read_bytes() for name in FILES}


def text_of(item: dict[str, str]) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", item["content_html"]))


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    return refresh(tmp_path_factory.mktemp("seeds"))


@pytest.fixture(scope="module")
def items(seen):
    return json.loads(seen["feed.json"])["items"]


@pytest.fixture(scope="module")
def report(seen):
    return json.loads(seen["report.json"])


@pytest.fixture(scope="module")
def episodes(items, report):
    genre = {item["guid"]: item["genre"] for item in report["items"]}
    return {item["title"]: item for item in items if genre[item["id"]] == "episode"}


@pytest.fixture(scope="module")
def posts(items, report):
    genre = {item["guid"]: item["genre"] for item in report["items"]}
    return [item for item in items if genre[item["id"]] == "post"]


def test_every_format_holds_exactly_31_episodes_and_6_posts(seen, items, episodes, posts) -> None:
    assert (len(items), len(episodes), len(posts)) == (37, 31, 6)
    for name in ("feed.xml", "feed.atom"):
        parsed = feedparser.parse(seen[name])
        assert not parsed.bozo
        assert [entry.title for entry in parsed.entries] == [item["title"] for item in items]


def test_titles_are_exactly_the_clean_ones(episodes) -> None:
    listed = re.findall(r"artwork\n\n(.+)\n", (SEEDS / SOURCES["casts"][1]).read_text("utf-8"))
    assert set(episodes) == {*listed, "Compiler collectives"}


def test_each_episode_has_its_day_and_its_duration_within_a_minute(seen, episodes) -> None:
    lengths = {
        entry.title: int(entry.get("itunes_duration", 0)) for entry in feedparser.parse(seen["feed.xml"]).entries
    }
    text = (SEEDS / SOURCES["casts"][1]).read_text("utf-8")
    facts = re.findall(r"artwork\n\n(.+)\n\n.+? - (\w+ \d\d, \d{4}) [\d:]+ - (\d+) minutes", text)
    for title, day, minutes in facts:
        episode = episodes[title]
        assert episode["date_published"][:10] == datetime.strptime(f"{day} +0000", "%B %d, %Y %z").date().isoformat()
        assert abs(lengths[title] - int(minutes) * 60) <= 60
    assert episodes["Compiler collectives"]["date_published"][:10] == "2024-08-04"


def test_seven_apple_links_are_whole_and_the_cut_one_is_not_published(seen, episodes) -> None:
    linked = [episode for episode in episodes.values() if "podcasts.apple.com" in episode.get("url", "")]
    assert len(linked) == 7
    assert all(re.search(r"\?i=\d{13}$", episode["url"]) for episode in linked)
    assert "100064672896" not in seen["feed.xml"].decode() + seen["feed.json"].decode()


def test_texts_are_whole_where_any_document_has_them_whole_and_clean_everywhere(items, episodes) -> None:
    for item in items:
        text = text_of(item)
        assert not [mark for mark in DEBRIS if mark in text], item["title"]
        assert not re.search(r"\d+ min\W*$", text), item["title"]
        if "…" in text:
            assert re.search(r"[\w.!?]…$", text), item["title"]
            assert text.count("…") == 1
    apple = (SEEDS / SOURCES["apple"][1]).read_text("utf-8")
    for title, ending in {
        "Compiler collectives": "See also PR at https://github.com/pytorch/pytorch/pytorch/pull/130935",
        "TORCH_TRACE and tlparse": "what the intermediate build products look like.",
        "CUDA graph trees": "using CUDA graphs which are described in the podcast.",
        "Min-cut partitioner": "I also talk about the backward retracing problem.",
        "Tensor subclasses and PT2": "dynamic shapes and tangent metadata mismatch.",
    }.items():
        assert ending in apple
        assert text_of(episodes[title]).endswith(ending)


def test_a_cut_text_that_nobody_completes_ends_at_a_word_of_its_longest_copy(episodes) -> None:
    text = (SEEDS / SOURCES["casts"][1]).read_text("utf-8")
    for title, said in re.findall(r"artwork\n\n(.+)\n\n.+ratings\n(.+)\n", text):
        content = text_of(episodes[title])
        if content.endswith("…"):
            words = " ".join(said.split())
            kept = content.removesuffix("…").strip()
            assert " ".join(kept.split()) == words[: len(" ".join(kept.split()))]
            rest = words[len(" ".join(kept.split())) :]
            assert len(rest) < 60
            assert not re.match(r"\w", rest) or not re.match(r"\w", kept[-1])
            assert not said.endswith(f" {kept.split()[-1]}...")


def test_posts_without_a_date_are_no_news(posts, items) -> None:
    newest = max(item["date_published"] for item in items)
    assert {post["date_published"] < newest for post in posts} == {True}
    assert {post["date_published"][:4] for post in posts} <= {"2019", "2021"}  # the years that their texts name


def test_every_field_of_every_item_has_a_witness_in_the_report(report) -> None:
    assert len(report["items"]) == 37
    for item in report["items"]:
        assert {"title", "description"} <= {field["field"] for field in item["fields"]}
        assert all(field["source"] in SOURCES for field in item["fields"])


def test_a_second_run_changes_no_byte_and_touches_no_file(tmp_path) -> None:
    first = refresh(tmp_path)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "output").rglob("*") if path.is_file()}
    assert refresh(tmp_path) == first
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_the_order_of_the_sources_changes_no_byte(tmp_path, seen) -> None:
    for turn, order in enumerate((["blog", "apple", "podyssey", "casts"], ["apple", "casts", "blog", "podyssey"])):
        folder = tmp_path / str(turn)
        folder.mkdir()
        assert refresh(folder, order) == seen


@pytest.mark.parametrize("gone", SOURCES)
def test_removing_a_source_removes_no_item_and_changes_no_guid(tmp_path, gone) -> None:
    before = json.loads(refresh(tmp_path)["feed.json"])["items"]
    after = json.loads(refresh(tmp_path, [name for name in SOURCES if name != gone])["feed.json"])["items"]
    assert [(item["id"], item["title"], item["date_published"]) for item in after] == [
        (item["id"], item["title"], item["date_published"]) for item in before
    ]


def test_deleting_the_store_and_running_again_gives_the_same_guids(tmp_path) -> None:
    before = refresh(tmp_path)
    for path in tmp_path.glob("store.db*"):
        path.unlink()
    assert refresh(tmp_path, new=True) == before
