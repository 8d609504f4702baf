"""Whole refreshes: titles that are only a number, a directory that counts them otherwise, and releases."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.rss import Episode, make_rss

START = datetime(2024, 1, 3, 5, tzinfo=UTC)
LENGTHS = (1961, 2644, 1475, 3122, 2287, 1733, 2930, 2076, 2512, 1588)


def document(pattern: str, turns: range, *, ahead: int = 0, late: int = 0, host: bool = False) -> str:
    """Return a feed of the host, or one of a directory with its own guids, addresses, numbers and dates."""
    name = "h" if host else "d"
    episodes = [
        Episode(
            f"{name}-{turn}",
            pattern.format(turn + 40 + ahead),
            START + timedelta(days=7 * turn + late),
            audio=f"https://{name}.example/{turn}.mp3",
            seconds=LENGTHS[turn] + (0 if host else 1),
        )
        for turn in turns
    ]
    return make_rss(*episodes)


@pytest.mark.parametrize(
    ("pattern", "ahead", "late"),
    [("Ausgabe {}", 1, 0), ("Jakso {}", 1, 0), ("第{}話", 1, 0), ("Ausgabe {}", 0, 7), ("第{}話", 0, 900)],
    ids=["one higher, German", "one higher, Finnish", "one higher, Japanese", "a week later", "dated anew"],
)
def test_each_number_is_one_item(project, pattern: str, ahead: int, late: int) -> None:
    project.sources = {name: f"{name}.xml" for name in ("host", "directory")}
    for known in (7, 10):
        (project.folder / "host.xml").write_text(document(pattern, range(known), host=True), encoding="utf-8")
        listed = document(pattern, range(known), ahead=ahead, late=late)
        (project.folder / "directory.xml").write_text(listed, encoding="utf-8")
        project.refresh()
        assert len(project.items()) == known
        accounts = [{key.rpartition("-")[2] for key in item["entries"]} for item in project.report()["items"]]
        assert [turns for turns in accounts if len(turns) != 1] == []


def test_each_stage_of_a_release_is_one_item(project) -> None:
    stages = ("5.1.0a2", "5.1.0 beta 1", "5.1.0 ベータ版 2", "5.1.0-rc.1", "5.1.0")
    for name, listed in (("host", stages[::2]), ("mirror", stages[1:])):
        text = "Plugins are loaded lazily, and the command for repairs lists what it would change in an archive."
        releases = [Episode(f"{name[0]}-{stages.index(each)}", f"Quillbase {each}", START, text) for each in listed]
        document = make_rss(*releases, title="Quillbase")
        (project.folder / f"{name}.xml").write_text(document, encoding="utf-8")
    project.sources = {name: f"{name}.xml" for name in ("host", "mirror")}
    project.refresh()
    assert len(project.items()) == len(stages)
