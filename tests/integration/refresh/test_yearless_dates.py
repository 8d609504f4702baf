"""A page that writes no years, read for more than a year, alone and beside a host: each date is found, and stays."""

from datetime import timedelta

import pytest

from tests.integration.refresh.conftest import START


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "beside a host"])
def test_no_date_moves_and_nothing_comes_twice(project, origin, episode, rss, alone) -> None:
    page = origin.source("/page", "page", options={"items": "li", "title": "h3", "date": "b"})
    project.sources = {"page": page} if alone else {**project.sources, "page": page}
    shown = [
        episode(turn, at=START + timedelta(days=21 * turn), title=f"Of {word} and {turn + 20} ropes")
        for turn, word in enumerate(("hemp", "tar", "sisal", "jute", "manila", "coir", "nylon", "steel") * 4)
    ]
    dates: dict[object, object] = {}
    for last in range(3, 26, 4):
        listed = shown[last::-1][:12]
        rows = "".join(f"<li><h3>{one.title}</h3><b>{one.at:%B} {one.at.day}</b></li>" for one in listed)
        origin.serve("/page", f"<html lang=en><ul>{rows}</ul></html>", kind="text/html")
        origin.serve("/feed.xml", rss(*listed))
        at = shown[last].at + timedelta(days=2)
        project.refresh(at=at)
        found = {item["title"]: item for item in project.items()}
        assert len(project.items()) == len(found) == last + 1
        for one in shown[: last + 1]:
            assert str(found[one.title]["date_published"])[:10] == f"{one.at:%Y-%m-%d}"
            assert dates.setdefault(found[one.title]["id"], one.title) == one.title
    before = project.items()
    for days in (190, 366, 740):  # the show ends, and its page is another each time
        rows = "".join(f"<li><h3>{one.title}</h3><b>{one.at:%B} {one.at.day}</b></li>" for one in listed)
        origin.serve("/page", f"<html lang=en><ul>{rows}</ul><p>{days} days</p></html>", kind="text/html")
        project.refresh(at=at + timedelta(days=days))
        assert [(each["id"], each["date_published"]) for each in project.items()] == [
            (each["id"], each["date_published"]) for each in before
        ]
