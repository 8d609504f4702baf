"""A listing that counts its entries on its own has the guids of other episodes, and is merged by what it says."""

from __future__ import annotations

import pytest

TITLES = (
    "Fog over the strait", "Brass and salt", "What divers hear", "A winter in Visby", "Rust", "The pilot's ladder",
    "Eleven lamps", "Whose harbour is it", "Letters to a keeper", "Cargo of oranges",
)  # fmt: skip
COUNTED = {
    "ahead": lambda number: number + 1,
    "from the newest": lambda number: len(TITLES) + 1 - number,
    "far behind": lambda number: number - 4 if number > 4 else 100 + number,
}


@pytest.fixture
def listed(episode):
    """Return the episodes of a listing, newest first, with the guid that ``count`` gives a number."""

    def make(host: str, count=lambda number: number, until: int = len(TITLES)):
        return [
            episode(
                number,
                day=7 * number,
                title=title,
                guid=str(count(number)),
                seconds=900 + 137 * (number * number % 11),
                audio=f"https://{host}.example/{title.lower().replace(' ', '-')}.mp3",
            )
            for number, title in reversed(list(enumerate(TITLES[:until], 1)))
        ]

    return make


@pytest.mark.parametrize("count", COUNTED.values(), ids=list(COUNTED))
@pytest.mark.parametrize("together", [True, False])
def test_each_episode_is_published_once_under_the_guid_of_its_host(
    project, origin, rss, listed, count, together
) -> None:
    """The listing is there from the first refresh on, or joins a feed that is published."""
    origin.serve("/feed.xml", rss(*listed("host", until=9)))
    origin.serve("/mirror.xml", rss(*listed("mirror", count, until=9)))
    mirror = origin.source("/mirror.xml", trust=0.5)
    if together:
        project.sources["mirror"] = mirror
    project.refresh()
    project.sources["mirror"] = mirror
    project.refresh()
    origin.serve("/feed.xml", rss(*listed("host")))
    origin.serve("/mirror.xml", rss(*listed("mirror", count)))
    project.refresh()
    assert {item["title"]: item["id"] for item in project.items()} == dict(
        zip(TITLES, map(str, range(1, 11)), strict=True)
    )
    assert all(len(item["entries"]) == 2 for item in project.report()["items"])


def test_another_show_that_counts_keeps_its_episodes(project, origin, rss, listed, episode) -> None:
    others = [
        episode(
            n,
            day=7 * n,
            guid=str(n),
            title=f"{word} at noon",
            seconds=3000 + 331 * (n % 7),
            text=f"All of {word}.",
            audio=f"https://other.example/{n}.mp3",
        )
        for n, word in enumerate(("Bees", "Glass", "Maps", "Yeast", "Clay", "Ink", "Wool", "Steam"), 1)
    ]
    origin.serve("/feed.xml", rss(*listed("host")))
    origin.serve("/other.xml", rss(*reversed(others)))
    project.sources["host"]["trust"] = 0.9
    project.sources["other"] = origin.source("/other.xml")
    project.refresh()
    items = {item["title"]: item["id"] for item in project.items()}
    assert set(items) == {*TITLES, *(each.title for each in others)}
    assert len(set(items.values())) == len(items)
    assert [items[title] for title in TITLES] == [str(number) for number in range(1, 11)]
