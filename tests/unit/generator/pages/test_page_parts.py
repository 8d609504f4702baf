"""The parts of a page that stand by themselves: deep links, tiles, and colours that everyone can read."""

from __future__ import annotations

import re

import pytest

from aggregator.generator.pages import pages, subscribe, view, wording
from aggregator.generator.pages.wording import _CAUSES, describe_repair
from aggregator.merger.repair.fixers import FIXERS
from aggregator.model.entry import Note, Tag
from aggregator.model.item import Item
from aggregator.translation.locale import ENGLISH, Locale


@pytest.mark.parametrize(
    ("url", "reachable"),
    [
        ("https://feeds.example.org/a", True),
        ("https://203.0.114.9/a", True),
        ("http://localhost:8000/a", False),
        ("http://127.0.0.1/a", False),
        ("http://[::1]:80/a", False),
        ("http://10.1.2.3/a", False),
        ("http://nas/a", False),
        ("http://nas.local/a", False),
        ("http://a.home.arpa/a", False),
    ],
)
def test_which_addresses_a_server_elsewhere_can_reach(url: str, reachable: bool) -> None:  # noqa: FBT001 - a case
    assert reachable == subscribe.is_public(url)


def test_deep_links_carry_the_whole_address() -> None:
    url = "https://feeds.example.org/a b/podcast.xml?x=1&y=2"
    by_app = {link.app: link.href for link in subscribe.make_links(url)}
    assert by_app["AntennaPod"].endswith("url=https%3A%2F%2Ffeeds.example.org%2Fa%20b%2Fpodcast.xml%3Fx%3D1%26y%3D2")
    assert by_app["Overcast"].endswith("url=https%3A%2F%2Ffeeds.example.org%2Fa%20b%2Fpodcast.xml%3Fx%3D1%26y%3D2")
    assert by_app["Apple Podcasts"] == "podcast://feeds.example.org/a b/podcast.xml?x=1&y=2"


def test_the_tile_is_readable_in_every_colour() -> None:
    for number in range(400):
        assert 1.05 / (luminance(subscribe._choose_colour(str(number))) + 0.05) >= 4.5


def luminance(colour: tuple[int, int, int]) -> float:
    """Relative luminance (WCAG 2.2)."""
    red, green, blue = (
        part / 255 / 12.92 if part / 255 <= 0.04045 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_and_background_differ_enough_in_both_themes() -> None:
    light, dark = re.findall(r":root \{(.*?)\}", pages._STYLE, re.DOTALL)
    for theme in (light, dark):
        named = {name: (int(f"0x{value}", 0)) for name, value in hex_colours(theme)}
        for ink, paper in [
            ("ink", "paper"),
            ("ink", "card"),
            ("soft", "paper"),
            ("soft", "card"),
            ("accent", "paper"),
            ("accent", "card"),
            ("accent-ink", "accent"),
            ("ink", "tint"),
            ("soft", "tint"),
            ("gone", "card"),
            ("come", "card"),
        ]:
            assert ratio(named[ink], named[paper]) >= 4.5, (ink, paper)


def hex_colours(theme: str) -> list[tuple[str, str]]:
    found = re.findall(r"--([a-z-]+): #([0-9a-f]{3,6});", theme)
    return [(name, value if len(value) == 6 else "".join(2 * digit for digit in value)) for name, value in found]


def ratio(one: int, other: int) -> float:
    lights = sorted(luminance((each >> 16, each >> 8 & 255, each & 255)) for each in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize("cause", [*(name for name, _ in FIXERS), "cut", "cut id", "displaced words", "told apart"])
def test_every_repair_is_told_in_words_that_people_know(cause: str) -> None:
    said = describe_repair(Note("title", cause, "a", "b"), "title").cause
    assert said in _CAUSES.values()
    assert " " in said


@pytest.mark.parametrize("cause", [name for name, _ in FIXERS])
def test_every_repair_is_told_in_other_languages(cause: str) -> None:
    english, japanese = (
        describe_repair(Note("title", cause, "a", "b"), "title", Locale(each)) for each in ("en", "ja")
    )
    assert english.cause != japanese.cause


def test_the_address_of_a_page_stays_as_it_is() -> None:
    note = Note("description", "full text of the page https://a.example/a-b_c", "a", "b")
    assert describe_repair(note, "text").cause == "full text of the page https://a.example/a-b_c"
    assert describe_repair(note, "text", Locale("de")).cause == "ganzer Text der Seite https://a.example/a-b_c"


def transcript(kind: str, url: str = "https://host.example/words") -> Tag:
    return Tag("podcast:transcript", None, (("url", f"{url}.{kind[-3:]}"), ("type", kind)))


def with_tags(*tags: Tag) -> Item:
    return Item(title="A", entries=("host/a",), guid="a", tags=tags)


def test_the_transcript_that_is_read_most_easily_is_linked() -> None:
    assert view._find_transcript(with_tags()) is None
    assert view._find_transcript(with_tags(transcript("application/json"))) is None
    assert view._find_transcript(with_tags(transcript("text/vtt", "javascript:x"))) is None
    several = with_tags(transcript("application/json"), transcript("text/vtt"), transcript("text/html"))
    assert view._find_transcript(several) == "https://host.example/words.tml"


def test_who_is_heard_is_said_once_and_without_addresses() -> None:
    def named(*names: str) -> str:
        return view._list_people(with_tags(*(Tag("podcast:person", name) for name in names)), ENGLISH)

    assert named() == ""
    assert named("Ann Tide") == "with Ann Tide"
    assert named("Ann Tide", "Ann Tide <ann@rope.example>", "Bo") == "with Ann Tide and Bo"
    assert named(*"ABCDEF") == "with A, B, C, D and 2 more"


def test_a_title_from_right_to_left_keeps_its_direction_to_itself() -> None:
    assert wording.isolate("Clocks") == "Clocks"
    assert wording.isolate("\u0643\u064a\u0641 2") == "\u2068\u0643\u064a\u0641 2\u2069"
    assert wording.isolate_words("15 min", wording.find_direction("he")) == "\u206615 min\u2069"
    assert wording.isolate_words("15 min", wording.find_direction("hu")) == "15 min"
