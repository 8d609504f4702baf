"""A feed that costs too much to compose keeps its last edition; the others, and its own next one, are published."""

import json
import random
from datetime import datetime, timedelta
from email.utils import format_datetime

import pytest

from aggregator import compose as composing
from aggregator import refresh as refreshing
from aggregator.commands import forget, review
from aggregator.config.load import load
from aggregator.errors import PublishError
from aggregator.processes import editions
from aggregator.sandbox import limits
from tests.integration.refresh.conftest import START

CONFIG = """\
state: store.db
output: output
allow_networks: [127.0.0.0/8]
feeds:
  calm:
    title: Calm
    sources:
      host: {{kind: feed, url: "{address}/calm"}}
  sea:
    title: Sea Room
    sources:
      first: {{kind: feed, url: "{address}/first"}}
      second: {{kind: feed, url: "{address}/second"}}
"""


def words(seed: int, size: int) -> str:
    """Random words that no other text has."""
    chance = random.Random(seed)
    return " ".join("".join(chance.choices("abcdefghijklmnop", k=8)) for _ in range(size // 9))


def listing(source: int, items: int, size: int) -> str:
    """A feed whose items have the titles and the audio of any other source, and a text of random words."""
    days = [format_datetime(START - timedelta(days=number)) for number in range(items)]
    return (
        "<rss version='2.0'><channel><title>Sea Room</title>"
        + "".join(
            f"<item><guid>{source}-{number}</guid><title>Sextants in chapter {number}</title>"
            f"<pubDate>{days[number]}</pubDate>"
            f"<enclosure url='https://cdn.example/{number}.mp3' length='{40_000 + number}' type='audio/mpeg'/>"
            f"<description>{words(100 * source + number, size)}</description></item>"
            for number in range(items)
        )
        + "</channel></rss>"
    )


@pytest.fixture
def run(tmp_path, origin):
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG.format(address=origin.url("")))

    def serve(size: int) -> None:
        origin.serve("/calm", listing(3, 3, 200))
        for number, name in enumerate(("first", "second"), 1):
            origin.serve(f"/{name}", listing(number, 30, size))

    def update(at: datetime):
        return {each.feed: each for each in refreshing.refresh(load(path), at=at, force=True)}

    return serve, update


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the limit may be met in a destructor
def test_a_feed_that_costs_too_much_keeps_its_last_edition(tmp_path, run, monkeypatch) -> None:
    serve, update = run
    folder = tmp_path / "output" / "sea"
    serve(300)
    assert [len(each.failures) for each in update(START).values()] == [0, 0]
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    serve(60_000)
    for module in (editions, composing):
        monkeypatch.setattr(module, "make_limits", lambda *_: limits.Limits(1, 300, 512))
    outcomes = update(START + timedelta(days=1))
    (failure,) = outcomes["sea"].failures
    assert failure.startswith("sea: cannot be composed: it takes more than 1 s of processor time (it was at "), failure
    assert failure.endswith("what was published before stands")
    assert outcomes["calm"].failures == ()
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after.keys() == before.keys()
    assert {name for name in after if after[name] != before[name]} == {"report.json", "report.json.gz"}
    report = json.loads(after["report.json"])
    assert report.pop("failure") == failure
    assert report == json.loads(before["report.json"])
    for command in (
        lambda config: forget.run("first", config, feed="sea", dry_run=True),
        lambda config: review.run(config, feed="sea", same=("first/1-1", "second/2-1"), dry_run=True),
    ):
        with pytest.raises(PublishError, match=r"^sea: cannot be composed: it takes more than 1 s .*\(it was at "):
            command(tmp_path / "config.yaml")
    monkeypatch.undo()
    serve(400)
    outcomes = update(START + timedelta(days=2))
    assert (outcomes["sea"].failures, outcomes["sea"].changed) == ((), 30)
    assert "failure" not in json.loads((folder / "report.json").read_bytes())


def test_long_texts_of_one_source_keep_no_feed_from_being_published(run, monkeypatch) -> None:
    """Thirty texts of 190,000 Chinese characters took more than the 66 s of 330 entries, at each refresh again."""
    serve, update = run
    monkeypatch.setattr(limits, "SECONDS", 1)
    serve(10_000)
    assert update(START)["sea"].failures == ()


def test_a_document_that_is_nearly_too_large_is_told(run, monkeypatch) -> None:
    serve, update = run
    monkeypatch.setattr(refreshing, "_NEARLY_TOO_LARGE", 120_000)
    serve(4_000)
    outcomes = update(START)
    lines = [line for line in outcomes["sea"].alarms if "; at 5 MB the W3C validator" in line]
    assert [line.split()[0] for line in lines] == ["podcast.xml", "feed.xml", "feed.atom", "feed.json"]
    assert lines[0].endswith("; give fewer than 1000 as window of the feed: older items then go to archives")
    assert update(START + timedelta(hours=1))["sea"].alarms == outcomes["sea"].alarms
