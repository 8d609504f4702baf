"""Decoration of titles that is learned from the listings of a show."""

from __future__ import annotations

import pytest

from aggregator.text.titles.titles import learn_frames, parse_title

WORDS = ("Copper Kettle", "Winter Garden", "Harbour Lights", "Paper Boats")


def test_a_frame_before_the_title_is_learned() -> None:
    frames = learn_frames([[f"New on the air: {title}" for title in WORDS]])
    assert parse_title("New on the air: Stone River", "", frames).core == "stone river"


def test_a_frame_behind_the_title_is_learned() -> None:
    frames = learn_frames([[f"{title} – listen now" for title in WORDS]])
    assert parse_title("Stone River – listen now", "", frames).core == "stone river"


def test_a_frame_that_counts_gives_its_number() -> None:
    frames = learn_frames([[f"Kettlecast {at} {title}" for at, title in enumerate(WORDS, 7)]])
    assert parse_title("Kettlecast 11 Stone River", "", frames)[:3] == ("stone river", None, (11,))


def test_a_frame_that_tells_titles_apart_is_kept() -> None:
    frames = learn_frames([[*WORDS, *(f"Inside: {title}" for title in WORDS)]])
    assert parse_title("Inside: Copper Kettle", "", frames).core == "inside copper kettle"


def test_a_frame_that_another_listing_needs_is_kept() -> None:
    frames = learn_frames([[f"Inside: {title}" for title in WORDS], [*WORDS, *(f"Inside: {title}" for title in WORDS)]])
    assert parse_title("Inside: Copper Kettle", "", frames).core == "inside copper kettle"


def test_parts_and_re_runs_are_no_frames() -> None:
    parts = learn_frames([[f"Part {at}: {title}" for at, title in enumerate(WORDS)]])
    replays = learn_frames([[f"Replay: {title}" for title in WORDS]])
    assert (parts.before, replays.before) == (frozenset(), frozenset())


def test_too_few_titles_teach_no_frame() -> None:
    assert learn_frames([["Hear this: bread", "Hear this: copper"]]).before == frozenset()


LETTERS = ("Your letters", "Eure Briefe", "お便り")


@pytest.mark.parametrize("weekly", LETTERS)
def test_a_weekly_title_under_two_frames_leaves_both_frames(weekly: str) -> None:
    blog = [f"Out now: {title}" for title in (*WORDS[:2], weekly)] + [f"We read: {title}" for title in WORDS[2:]]
    found = learn_frames([[*blog, f"We read: {weekly}"], [*WORDS, weekly, weekly]])
    assert found.before == {"out now", "we read"}


@pytest.mark.parametrize("single", LETTERS)
def test_a_title_that_none_repeats_is_told_apart_by_its_frames(single: str) -> None:
    blog = [f"Out now: {title}" for title in (*WORDS[:2], single)] + [f"We read: {title}" for title in WORDS[2:]]
    assert len(learn_frames([[*blog, f"We read: {single}"], [*WORDS, single]]).before) < len({"out now", "we read"})


UNMARKED = [
    ("en", "We talk about {}", "{} is up"),
    ("de", "Wir reden über {}", "{} ist da"),
    ("es", "Hablamos de {}", "{} ya disponible"),
]
SHOWS = {
    "en": ("Copper weather", "Nine small bridges", "The gull clerk", "Winter on the quay"),
    "de": ("Kupferwetter am Kai", "Neun kleine Brücken", "Der Möwenzähler", "Winter am Wehr"),
    "es": ("El tiempo del cobre", "Nueve puentes", "El contador de gaviotas", "Invierno en el muelle"),
}


@pytest.mark.parametrize(("language", "before", "after"), UNMARKED)
def test_words_without_a_mark_that_another_listing_leaves_out_are_a_frame(
    language: str, before: str, after: str
) -> None:
    first, second, third, fourth = SHOWS[language]
    blog = [before.format(first), before.format("Salt"), after.format(second), after.format("Ice")]
    frames = learn_frames([blog, SHOWS[language]])
    assert parse_title(before.format(third), "", frames).core == parse_title(third).core
    assert parse_title(after.format(fourth), "", frames).core == parse_title(fourth).core


@pytest.mark.parametrize(("language", "before", "after"), UNMARKED)
def test_words_that_tell_titles_of_a_listing_apart_are_kept(language: str, before: str, after: str) -> None:
    for wording in (before, after):
        own = [wording.format(title) for title in SHOWS[language]]
        frames = learn_frames([[*own, SHOWS[language][1]], list(SHOWS[language])])
        assert parse_title(own[1], "", frames).core == parse_title(own[1]).core


@pytest.mark.parametrize(("language", "before", "after"), UNMARKED)
def test_words_that_both_listings_use_are_their_own(language: str, before: str, after: str) -> None:
    for wording in (before, after):
        own = [wording.format(title) for title in SHOWS[language][:2]]
        frames = learn_frames([own, [SHOWS[language][0], wording.format(SHOWS[language][3])]])
        assert parse_title(own[0], "", frames).core == parse_title(own[0]).core


def test_words_of_one_title_alone_are_its_own() -> None:
    frames = learn_frames([["Ilka Brandt Lenses by hand", "Copper"], ["Lenses by hand", "Harbour"]])
    assert parse_title("Ilka Brandt Lenses by hand", "", frames).core == "ilka brandt lenses by hand"
