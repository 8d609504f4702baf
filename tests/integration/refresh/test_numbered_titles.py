"""Whole refreshes: titles that are only a number, a directory that counts them otherwise, and releases."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

START = datetime(2024, 1, 3, 5, tzinfo=UTC)
LENGTHS = (1961, 2644, 1475, 3122, 2287, 1733, 2930, 2076, 2512, 1588)


def document(pattern: str, turns: range, *, ahead: int = 0, late: int = 0, host: bool = False) -> str:
    """A feed of the host, or one that a directory made of it with its own guids, addresses, numbers and dates."""
    items = []
    for turn in turns:
        name, at = ("h" if host else "d") + f"-{turn}", START + timedelta(days=7 * turn + late)
        items.append(
            f"<item><guid isPermaLink='false'>{name}</guid><title>{pattern.format(turn + 40 + ahead)}</title>"
            f"<pubDate>{format_datetime(at)}</pubDate><enclosure url='https://{name[0]}.example/{turn}.mp3' length='9' "
            f"type='audio/mpeg'/><itunes:duration>{LENGTHS[turn] + (0 if host else 1)}</itunes:duration></item>"
        )
    space = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
    return f"<rss version='2.0' {space}><channel><title>Sea Room</title>{''.join(items)}</channel></rss>"


@pytest.mark.parametrize(
    ("pattern", "ahead", "late"),
    [("Ausgabe {}", 1, 0), ("Jakso {}", 1, 0), ("第{}話", 1, 0), ("Ausgabe {}", 0, 7), ("第{}話", 0, 900)],
    ids=["one higher, German", "one higher, Finnish", "one higher, Japanese", "a week later", "dated anew"],
)
def test_each_number_is_one_item(stage, pattern: str, ahead: int, late: int) -> None:
    stage.sources = {name: f"kind: feed, path: {name}.xml" for name in ("host", "directory")}
    for known in (7, 10):
        (stage.folder / "host.xml").write_text(document(pattern, range(known), host=True), encoding="utf-8")
        listed = document(pattern, range(known), ahead=ahead, late=late)
        (stage.folder / "directory.xml").write_text(listed, encoding="utf-8")
        stage.refresh()
        assert len(stage.items()) == known
        accounts = [{key.rpartition("-")[2] for key in item["entries"]} for item in stage.report()["items"]]
        assert [turns for turns in accounts if len(turns) != 1] == []


def test_each_stage_of_a_release_is_one_item(stage) -> None:
    stages = ("5.1.0a2", "5.1.0 beta 1", "5.1.0 ベータ版 2", "5.1.0-rc.1", "5.1.0")
    for name, listed in (("host", stages[::2]), ("mirror", stages[1:])):
        items = "".join(
            f"<item><guid isPermaLink='false'>{name[0]}-{stages.index(title)}</guid><title>Quillbase {title}</title>"
            f"<pubDate>{format_datetime(START)}</pubDate><description>Plugins are loaded lazily, and the command "
            f"for repairs lists what it would change in an archive.</description></item>"
            for title in listed
        )
        document = f"<rss version='2.0'><channel><title>Quillbase</title>{items}</channel></rss>"
        (stage.folder / f"{name}.xml").write_text(document, encoding="utf-8")
    stage.sources = {name: f"kind: feed, path: {name}.xml" for name in ("host", "mirror")}
    stage.refresh()
    assert len(stage.items()) == len(stages)
