"""Boilerplate is learned from the show itself, told in the report, and switched by the config."""

import pytest

TAIL = " Find more on the quay at our sponsor, Old Rope and Sons, since 1890."
TEXTS = (
    "Storms and loneliness on a rock in the Atlantic, told by the last keeper of the light.",
    "How harmonic analysis turned the moon into a timetable that every harbour could print.",
    "Bends and hitches, why they hold, and what a hundred years of rope makers knew of them.",
    "An angle, two mirrors and a horizon: the instrument that found the way across the sea.",
    "Pilots climb ladders in the dark so that tankers of any size can reach a narrow river.",
    "A float, a line with knots and a glass of sand once told how fast a wooden ship went.",
    "What the buoys say to those who can read their colours, their tops and their bells.",
)


def listings(episode, rss):
    texts = [TEXTS[turn % len(TEXTS)].replace("the", ("the", "that", "this")[turn % 3]) for turn in range(21)]
    titles = [f"{text.split(',')[0].split(':')[0][:40].strip()} ({turn})" for turn, text in enumerate(texts)]
    own = [episode(turn, title=titles[turn], text=text) for turn, text in enumerate(texts)]
    theirs = [
        episode(turn, guid=f"m{turn}", title=titles[turn], text=text + TAIL, audio=f"https://m.example/{turn}.mp3")
        for turn, text in enumerate(texts)
    ]
    return rss(*own), rss(*theirs)


@pytest.mark.parametrize(("switch", "kept"), [("strip", False), ("keep", True)])
def test_a_mirrors_tail_is_left_out_where_the_host_lacks_it(project, origin, episode, rss, switch, kept) -> None:
    host, mirror = listings(episode, rss)
    origin.serve("/feed.xml", host)
    origin.serve("/mirror.xml", mirror)
    project.sources["mirror"] = origin.source("/mirror.xml", trust=0.8)
    project.keys["boilerplate"] = switch
    outcome = project.refresh()
    assert outcome.published.items == 21
    told = [remark for remark in project.report()["remarks"] if "boilerplate" in remark]
    assert bool(told) is not kept
    if not kept:
        assert "sponsor old rope and sons" in " ".join(told)
        assert not any("sponsor" in item["content_html"] for item in project.items())


HOSTS = {
    "a link for support": (" Support the lantern club at https://lantern.example/join today.", ""),
    "ein Sponsor": (" Mit Unterstützung der Seilerei Alt und Söhne, seit 1890.", ""),
    "дата": ("", "Выпуск вышел весной на маяке. "),
}


@pytest.mark.parametrize(("tail", "head"), HOSTS.values(), ids=list(HOSTS))
@pytest.mark.parametrize("trust", [0.1, 0.3, 0.7, 0.8])
def test_the_text_of_the_most_trusted_source_is_whole(project, origin, episode, rss, tail, head, trust) -> None:
    titles = [f"{text.split(',')[0].split(':')[0][:40].strip()} ({turn})" for turn, text in enumerate(TEXTS * 2)]
    texts = [f"{text} {turn}." for turn, text in enumerate(TEXTS * 2)]
    own = [episode(turn, title=titles[turn], text=head + text + tail) for turn, text in enumerate(texts)]
    theirs = [
        episode(turn, guid=f"m{turn}", title=titles[turn], text=text, audio=f"https://m.example/{turn}.mp3")
        for turn, text in enumerate(texts)
    ]
    origin.serve("/feed.xml", rss(*own))
    origin.serve("/mirror.xml", rss(*theirs))
    project.sources["mirror"] = origin.source("/mirror.xml", trust=trust)
    project.refresh()
    words = (head + tail).split()[2]
    assert [words in item["content_html"] for item in project.items()] == [True] * len(texts)
