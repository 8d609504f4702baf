"""A title that leaves out words and digits of another is held by its text, one that leaves out digits alone is not."""

from __future__ import annotations

import pytest

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED

DAY = 739_000
CASES = [
    (
        "Stillfront Group buys the Goodgame studios for 270 million euro",
        "Stillfront Group buys studios",
        "A company from Stockholm takes over the makers of farms and castles in Hamburg.",
    ),
    (
        "Fünf Gründe, warum das Hafenamt 2031 nach Norden umzieht",
        "Gründe, warum Hafenamt umzieht",
        "Die alten Kräne tragen nicht mehr, und im Norden wartet tiefes Wasser auf die Schiffe.",
    ),
    (
        "Por qué el puerto viejo cerró sus 40 grúas en un verano",
        "Por qué puerto cerró grúas",
        "Nadie quería pagar la pintura, cuenta el último operario que subió a una cabina.",
    ),
]


def are_joined(left: Record, right: Record) -> bool:
    """Return whether two records are one item."""
    other = Record(
        "z", "host", "Something else altogether", day=DAY + 30, description="Of whom nobody has heard before."
    )
    return len(match_records([left, right, other], SHIPPED).groups) == 2


@pytest.mark.parametrize(("title", "short", "text"), CASES)
def test_words_left_out_with_digits_are_held_by_the_text(title: str, short: str, text: str) -> None:
    host = Record("x", "host", title, day=DAY, description=f"{text} More of it on the site of the show tomorrow.")
    assert are_joined(host, Record("y", "blog", short, day=DAY + 1, description=text))


@pytest.mark.parametrize(("title", "short", "text"), CASES)
def test_without_a_text_they_are_another_title(title: str, short: str, text: str) -> None:
    assert not are_joined(
        Record("x", "host", title, day=DAY, description=text), Record("y", "blog", short, day=DAY + 1)
    )


@pytest.mark.parametrize(("title", "text"), [(title, text) for title, _, text in CASES])
def test_digits_alone_tell_two_items_apart(title: str, text: str) -> None:
    words = title.split()
    plain = " ".join(word for word in words if not word.isdigit())
    host = [
        Record("a", "host", f"{plain} 1", day=DAY, description=text),
        Record("b", "host", f"{plain} 2", day=DAY + 7, description=text),
        Record("c", "page", f"{plain} 2", day=DAY + 7, description=text),
    ]
    groups = match_records(host, SHIPPED).groups
    assert sorted(map(len, groups)) == [1, 2]


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("The year on the quay, Part 1: Silliness", "Year on quay"),
        ("Das Jahr am Kai, Teil 1: Unfug", "Jahr Kai"),
        ("El año en el muelle, parte 1: Tonterías", "Año muelle"),
    ],
)
def test_a_part_left_out_with_other_words_is_held_by_a_sentence_of_its_own(title: str, short: str) -> None:
    text = "Everything that fell into the water between two ferries."
    host = Record("x", "host", title, day=DAY, description=f"{text} And the man who dived for it in the night.")
    assert are_joined(host, Record("y", "blog", short, day=DAY, description=text))
    assert not are_joined(host, Record("y", "blog", short, day=DAY))


@pytest.mark.parametrize("word", ["Part", "Teil", "parte"])
def test_a_part_left_out_alone_is_another_item(word: str) -> None:
    text = "Everything that fell into the water between two ferries."
    host = [
        Record("a", "host", "The quay at night", day=DAY, description=text),
        Record("b", "host", f"The quay at night, {word} 2", day=DAY + 7, description=f"{text} Again."),
        Record("c", "page", f"The quay at night, {word} 2", day=DAY + 7, description=text),
    ]
    assert sorted(map(len, match_records(host, SHIPPED).groups)) == [1, 2]


@pytest.mark.parametrize(
    ("title", "short", "text"),
    [
        (
            "A lamp for nine harbours and no ship at all",
            "The keeper of Skagen",
            "For forty years nobody saw the man who cleaned the glass.",
        ),
        (
            "Eine Lampe für neun Häfen und kein Schiff",
            "Der Wärter von Skagen",
            "Vierzig Jahre lang sah niemand den Mann, der das Glas putzte.",
        ),
        (
            "Una lámpara para nueve puertos y ningún barco",
            "El farero de Skagen",
            "Durante cuarenta años nadie vio al hombre que limpiaba el cristal.",
        ),
    ],
)
def test_a_sentence_of_its_own_announces_an_item_in_other_words(title: str, short: str, text: str) -> None:
    host = Record("x", "host", title, day=DAY, description=f"{text} He left a box of letters under the stairs.")
    assert are_joined(host, Record("y", "blog", short, day=DAY, description=text))
    other = Record("y", "blog", short, day=DAY, description=f"Of another man and his dog. {text[: len(text) // 2]}")
    assert not are_joined(host, other)


@pytest.mark.parametrize(
    "title", ["The castle (episode 9 of 12)", "Das Schloss (Folge 9 von 12)", "Slottet (Avsnitt 9 av 12)"]
)
def test_how_many_there_are_in_all_is_no_digit_that_another_title_lacks(title: str) -> None:
    text = "The surveyor asks for the road and nobody answers him."
    host = Record("x", "host", title, day=DAY, description=f"{text} Snow.")
    assert are_joined(host, Record("y", "blog", "Episode, 9, 12", day=DAY + 1, description=text))
    assert not are_joined(host, Record("y", "blog", "Episode, 9, 13", day=DAY + 1, description=text))
