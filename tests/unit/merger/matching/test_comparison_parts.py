"""Two parts of one text, a quoted sentence and a copy that is cut before it, contradict nothing."""

from __future__ import annotations

import pytest

from aggregator.merger.matching.features.records import Record
from aggregator.merger.matching.match import match_records
from aggregator.merger.matching.scoring import SHIPPED

DAY = 739_000
CASES = {
    "en": (
        "Nine bridges over a frozen river",
        "Nine frozen bridges",
        "Engineers walk from plank to plank before dawn and listen to what the ice has done.",
        "Nobody insures such crossings, says a clerk whose grandfather sold tolls at one of them.",
    ),
    "de": (
        "Neun Brücken über einen gefrorenen Fluss",
        "Neun gefrorene Brücken",
        "Vor Tagesanbruch gehen Ingenieure von Bohle zu Bohle und horchen auf das Eis.",
        "Niemand versichert solche Übergänge, sagt eine Beamtin, deren Großvater dort Zoll nahm.",
    ),
    "pt": (
        "Nove pontes sobre um rio gelado",
        "Nove pontes gelado",
        "Antes do amanhecer os engenheiros andam de tábua em tábua e escutam o gelo.",
        "Ninguém segura essas travessias, diz uma funcionária cujo avô cobrava pedágio numa delas.",
    ),
}
OTHER = Record("o", "host", "Something else altogether", day=DAY + 30, description="Of whom nobody has heard before.")


def groups(*rows: Record) -> list[set[str]]:
    found = match_records([*rows, OTHER], SHIPPED)
    return [{found.frame.records[row].id for row in group} for group in found.groups]


def listed(name: str, title: str, text: str, late: int = 0) -> Record:
    return Record(name, name, title, day=DAY + late, description=text)


@pytest.mark.parametrize(("title", "post", "first", "second"), CASES.values(), ids=CASES)
def test_a_quoted_sentence_joins_copies_that_are_cut_before_it(title: str, post: str, first: str, second: str) -> None:
    host = listed("host", title, f"{first} {second}")
    cut = [listed(name, title, first) for name in ("page", "list")]
    assert {"host", "page", "list", "blog"} in groups(host, *cut, listed("blog", post, second, 1))


@pytest.mark.parametrize(("title", "post", "first", "second"), CASES.values(), ids=CASES)
def test_texts_that_no_third_has_both_contradict(title: str, post: str, first: str, second: str) -> None:
    cut = [listed(name, title, first) for name in ("host", "page", "list")]
    assert {"blog"} in groups(*cut, listed("blog", post, second, 1))
