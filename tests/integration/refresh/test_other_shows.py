"""A source that lists another show is told by refresh, in the report, and by check."""

import subprocess
from datetime import UTC, datetime, timedelta

from tests.support.program import run_program

START = datetime(2024, 6, 1, 12, tzinfo=UTC)
HEAD = "{show} artwork\n{title}\n{show} - {date:%B %d, %Y %H:%M} - 20 minutes ★★★★★ - 9 ratings\n{text}\n\n"


def page(episodes) -> str:
    """A directory's page of the dated kind; ``episodes`` are (show, title, day)."""
    return "".join(
        HEAD.format(show=show, title=title, date=START - timedelta(days=day), text=f"Of {title.lower()}, at length.")
        for show, title, day in episodes
    )


def check(project, *words: str) -> subprocess.CompletedProcess[str]:
    return run_program(project.folder, "check", "-c", str(project.config()), *words)


def test_a_topic_page_of_two_shows_is_told_with_the_line_to_add(project, origin, episode, rss) -> None:
    listed = [episode(turn, title=f"The {turn}th chart") for turn in range(6)]
    origin.serve("/feed.xml", rss(*listed))
    ours = [("Sea Room", f"The {turn}th chart", 100 - turn) for turn in range(6)]
    from_elsewhere = [("Night Trains", f"Sleeper to Lisbon {turn}", 90 - turn) for turn in range(3)]
    origin.serve("/topic", page([*ours, *from_elsewhere]), kind="text/plain")
    project.sources["topic"] = origin.source("/topic", "listing")
    line = (
        'topic: 3 of its 9 entries are of other shows ("Night Trains"); to leave them out add only: {show: "Sea Room"}'
    )
    assert line in project.refresh().alarms
    assert line in project.report()["remarks"]
    for words in ((), ("--live",)):
        answer = check(project, *words)
        assert f"aggregator: sea: {line}" in answer.stderr
        assert answer.returncode == 0
    project.sources["topic"]["only"] = {"show": "Sea Room"}
    assert line not in project.refresh().alarms
    assert line not in check(project).stderr


def test_a_wrong_address_is_told(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(6)]))
    trains = [episode(turn, title=f"Sleeper to Lisbon {turn}", guid=f"train-{turn}", text=f"Berth {turn} is taken, and "
              "the guard sells coffee until the border.", audio=f"https://t.example/{turn}.mp3", day=turn + 0.3)
              for turn in range(20, 28)]  # fmt: skip
    origin.serve("/trains.xml", rss(*trains, title="Night Trains"))
    project.sources["wrong"] = origin.source("/trains.xml")
    told = [alarm for alarm in project.refresh().alarms if alarm.startswith("wrong: nothing that it lists matches")]
    assert told
    assert told[0].endswith('only: {show: "Sea Room"}')
    assert told[0] in check(project, "--live").stderr


def test_a_redirect_to_another_show_publishes_none_of_its_episodes(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(6)]))
    project.refresh()
    before = [item["id"] for item in project.items()]
    trains = [
        episode(turn, title=f"Sleeper to Lisbon {turn}", guid=f"train-{turn}", day=turn + 0.3) for turn in range(9)
    ]
    origin.serve("/trains.xml", rss(*trains, title="Night Trains"))
    origin.serve("/feed.xml", "", status=301)
    origin.fields["/feed.xml"] = {"Location": origin.url("/trains.xml")}
    for _ in range(3):
        outcome = project.refresh()
        assert [item["id"] for item in project.items()] == before
    (result,) = outcome.source_results
    assert result.status == "held back"
    assert "it was the listing of 'Sea Room' and is now that of 'Night Trains'" in result.message
    del origin.fields["/feed.xml"]
    origin.serve("/feed.xml", rss(*[episode(turn) for turn in range(7)]))
    project.refresh()
    assert len(project.items()) == 7


def test_another_show_is_told_by_its_description_and_picture_where_it_lists_little(
    project, origin, episode, rss
) -> None:
    def serve(path: str, number: int, title: str, about: str, picture: str) -> None:
        text = rss(*[episode(turn) for turn in range(number, number + 6 - number // 10)], title=title)
        image = f"<image><url>https://show.example/{picture}.jpg</url><title>x</title></image>"
        origin.serve(path, text.replace(f"About {title}.", about).replace("<item>", f"{image}<item>", 1))

    serve("/feed.xml", 0, "Sea Room", "Ropes, knots and everything that sailors know about weather.", "sea")
    serve("/trains.xml", 40, "Night Trains", "Sleeping cars between capitals, their guards and breakfasts.", "trains")
    project.sources["wrong"] = origin.source("/trains.xml")
    told = [alarm for alarm in project.refresh().alarms if alarm.startswith("wrong: nothing that it lists matches")]
    assert len(told) == 1
    assert '"Night Trains"' in told[0]
    serve("/trains.xml", 40, "Night Trains", "Ropes, knots and everything that sailors know about weather.", "trains")
    assert [alarm for alarm in project.refresh().alarms if alarm.startswith("wrong:")] == []
