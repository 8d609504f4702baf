"""An old post without a date is not published as today's; a new one at the head of a known listing is."""

from datetime import timedelta

from tests.integration.refresh.conftest import START


def test_an_undated_post_of_a_first_reading_is_no_news_and_a_later_one_is(project, origin, episode, rss) -> None:
    old = [episode(turn, at=None if turn == 6 else START - timedelta(days=20 * (9 - turn))) for turn in range(8, 3, -1)]
    origin.serve("/feed.xml", rss(*old))
    project.refresh()
    assert [item["title"].rsplit(maxsplit=1)[1] for item in project.items()] == ["8", "7", "6", "5", "4"]
    page = (project.folder / "output" / "index.html").read_text()
    assert "newest 12 May 2024" in page
    before = {item["id"]: item["date_published"] for item in project.items()}

    now = START + timedelta(days=9)
    origin.serve("/feed.xml", rss(episode(9, at=None), *old))
    project.refresh(at=now)
    newest, *others = project.items()
    assert (newest["title"][-1], newest["date_published"][:10]) == ("9", f"{now:%Y-%m-%d}")
    assert {item["id"]: item["date_published"] for item in others} == before


def test_the_newest_of_all_feeds_is_no_guess(project, origin, episode, rss) -> None:
    origin.serve("/feed.xml", rss(episode(2, at=None, text="Written in 2011."), episode(1, at=START)))
    project.refresh()
    assert project.items()[0]["date_published"][:10] == f"{START:%Y-%m-%d}"
    assert "newest 1 Jun 2024" in (project.folder / "output" / "index.html").read_text()
