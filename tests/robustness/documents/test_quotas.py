"""What one source may bring: so many bytes, so many items; beyond it the source is silent and says why."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aggregator.fetchers import parse
from aggregator.model.entry import Listing
from aggregator.model.source import Document, Source
from tests.support.rss import make_rss
from tests.support.workspace import NOON, Workspace, check_no_leftovers, check_published, make_item, read_guids


def config(workspace: Workspace) -> None:
    workspace.config("host", more={"flood": workspace.source("/flood", trust=0.5, adds="always")})
    workspace.serve("/host", make_rss(*(make_item(number) for number in range(1, 6))))


def test_a_source_that_floods_is_silent_and_keeps_what_it_said_before(workspace: Workspace) -> None:
    config(workspace)
    workspace.serve("/flood", make_rss(make_item(7, source="flood")))
    assert workspace.refresh(NOON).returncode == 0
    held = read_guids(workspace)
    assert len(held) == 6
    floods = {
        "lists more than 50000 items": "<rss version='2.0'><channel><title>t</title>"
        + "".join(f"<item><guid>{number}</guid><title>t{number}</title></item>" for number in range(50_100))
        + "</channel></rss>",
        "sent more bytes than are taken": "<rss version='2.0'><channel><title>t</title>" + "<!-- x -->" * 3_400_000,
    }
    for turn, (words, body) in enumerate(floods.items(), 1):
        workspace.serve("/flood", body)
        done = workspace.refresh(NOON + timedelta(days=turn))
        assert done.returncode == 0
        lines = [line for line in done.stderr.splitlines() if "flood" in line]
        assert len(lines) == 1, done.stderr
        assert words in lines[0] or " to parse" in lines[0], lines
        assert read_guids(workspace) == held
        check_published(workspace)
        check_no_leftovers(workspace)


DOCUMENTS = ("podcast.xml", "feed.xml", "feed.atom", "feed.json", "index.html", "report.json")


@pytest.mark.parametrize("items", [300, pytest.param(30_000, marks=pytest.mark.heavy)])
def test_a_flood_of_new_items_can_be_taken_back(workspace: Workspace, items: int) -> None:
    """1 MB of gzip is 30,000 items of a source of little trust."""
    config(workspace)
    sources = ("host", "flood")
    workspace.config(more={each: workspace.source(f"/{each}", trust=1 / len(each)) for each in sources})
    workspace.serve("/flood", make_rss())
    assert workspace.refresh(NOON).returncode == 0
    before = {each["id"] for each in workspace.items()}
    spam = "".join(
        f"<item><guid>spam-{number}</guid><title>Buy {number}</title><description>Now {number}.</description></item>"
        for number in range(items)
    )
    workspace.serve("/flood", f"<rss version='2.0'><channel><title>A show</title>{spam}</channel></rss>")
    day = NOON + timedelta(days=1)
    done = workspace.refresh(day)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert len(workspace.items()) <= len(before) + 50
    assert all((workspace.output / "show" / name).stat().st_size < 5_000_000 for name in DOCUMENTS)
    flooded = {each["id"]: each for each in workspace.items()}

    assert workspace.run("forget", "flood", "--yes").returncode == 0
    assert workspace.refresh(day).returncode == 0
    assert {each["id"] for each in workspace.items()} == before
    assert workspace.run("forget", "flood", "--undo", "--yes").returncode == 0
    assert workspace.refresh(day).returncode == 0
    after = {each["id"]: each for each in workspace.items()}
    assert {guid: after[guid] for guid in flooded} == flooded


def test_a_source_that_future_dates_and_takes_names_changes_nothing_of_the_host(workspace: Workspace) -> None:
    config(workspace)
    workspace.serve("/flood", make_rss())
    assert workspace.refresh(NOON).returncode == 0
    before = {each["id"]: (each["title"], each["date_published"], each["attachments"]) for each in workspace.items()}
    stolen = [make_item(number, day=5_000, name="BUY NOW").replace("/media.", "/evil.") for number in range(1, 6)]
    own = [make_item(900 + number, source="flood", day=9_000 + number) for number in range(3)]
    workspace.serve("/flood", make_rss(*stolen, *own))
    assert workspace.refresh(NOON + timedelta(days=1)).returncode == 0
    after = {each["id"]: (each["title"], each["date_published"], each["attachments"]) for each in workspace.items()}
    assert {guid: after[guid] for guid in before} == before
    last = f"{NOON + timedelta(days=2):%Y-%m-%d}"
    assert all(str(date) < last for _, date, _ in after.values()), "nothing is dated ahead of its time"


TOLD = "1 entries say more than is taken"


def read(*items: str) -> Listing:
    document = Document(Source("host", "feed"), "https://a.example/feed", make_rss(*items).encode())
    return parse.read(document)


def test_an_entry_says_no_more_than_is_taken() -> None:
    honest = make_item(1, text="What a long day. " * 11_000)
    assert TOLD not in read(honest).remarks
    long = make_item(2, name="T" * 9_000, text="word " * 200_000).replace("host-2", "g" * 9_000)
    long = long.replace("https://media.example/2.mp3", "https://media.example/" + "a" * 9_000)
    long = long.replace(
        "</item>", "<category>c</category>" * 9 + "".join(f"<category>{n}</category>" for n in range(900))
    )
    listing = read(honest, long + "</item>")
    first, second = listing.entries
    assert first == read(honest).entries[0]
    assert (len(second.title), second.guid, second.enclosure, second.cut) == (4_000, None, None, True)
    assert len(second.description or second.html or "") == 200_000
    assert len(second.categories) == 200
    assert len(second.key) < 200
    assert TOLD in listing.remarks
    assert second.key == read(long + "</item>").entries[0].key, "and is known again"


def test_a_picture_in_a_long_text_goes_before_its_words() -> None:
    picture = f"<img src='data:image/png;base64,{'iVBOR' * 100_000}'>"
    entry = read(make_item(1, text=f"{picture}<p>What it was about.</p>")).entries[0]
    assert (entry.html or "").endswith("<p>What it was about.</p>")
    assert not entry.cut
