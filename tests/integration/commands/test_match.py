from __future__ import annotations

import io
import json
import random

import pytest

from aggregator.commands import match
from aggregator.commands.match import _match_lines
from aggregator.errors import AggregatorError
from aggregator.sandbox.limits import Limits

WORKS = [
    ("Copper Kettle", "The Tin Men", 215),
    ("Winter Garden", "Anna Rask", 187),
    ("Harbour Lights", "Low Tide", 341),
    ("Paper Boats", "Quiet Engines", 264),
]
SONGS = [
    line
    for at, (title, artist, seconds) in enumerate(WORKS)
    for line in (
        {"id": f"a{at}", "source": "a", "title": title, "author": artist, "duration": seconds},
        {
            "id": f"b{at}",
            "source": "b",
            "title": f"{artist} - {title}",
            "duration": f"{seconds // 60}:{seconds % 60:02}",
        },
        {"id": f"c{at}", "source": "c", "title": f"00{at + 3}-{title}", "author": artist, "duration": seconds * 1000},
    )
]


def answers(lines: list[str], *, explain: bool = False) -> tuple[int, list[dict[str, object]], str]:
    sink, errors = io.StringIO(), io.StringIO()
    code = _match_lines(io.StringIO("\n".join(lines)), sink, errors, explain=explain, threshold=1.0)
    return code, [json.loads(line) for line in sink.getvalue().splitlines()], errors.getvalue()


def test_songs_of_three_catalogues_are_found_whatever_unit_their_lengths_have() -> None:
    code, found, told = answers([json.dumps(song) for song in SONGS])
    assert (code, told) == (0, "")
    assert [answer["id"] for answer in found] == [song["id"] for song in SONGS]
    assert [answer["cluster"] for answer in found] == [f"a{str(song['id'])[1]}" for song in SONGS]


def test_the_order_of_lines_is_irrelevant() -> None:
    shuffled = random.Random(3).sample(SONGS, len(SONGS))
    _, found, _ = answers([json.dumps(song) for song in shuffled])
    assert {answer["id"]: answer["cluster"] for answer in found} == {
        song["id"]: f"a{str(song['id'])[1]}" for song in SONGS
    }


def test_a_malformed_line_is_told_by_its_number_and_the_rest_is_answered() -> None:
    lines = [json.dumps(SONGS[0]), "{", "[]", '{"id": "x"}', json.dumps(SONGS[0]), "", "[" * 100_000]
    code, found, told = answers([*lines, json.dumps(SONGS[1])])
    assert code == 1
    assert [answer["id"] for answer in found] == ["a0", "b0"]
    assert [line.split(":")[0] for line in told.splitlines()] == ["line 2", "line 3", "line 4", "line 5", "line 7"]


def test_nothing_in_nothing_out() -> None:
    assert answers([]) == (0, [], "")


def test_values_of_any_type_are_met_with_calm() -> None:
    odd = {"title": ["x"], "duration": 10**400, "published": {"a": 1}, "season": True, "episode": "x", "guid": 7.5}
    code, found, _ = answers([json.dumps({"id": 7, "source": 8} | odd)])
    assert (code, found) == (0, [{"id": 7, "cluster": "7"}])


def test_the_evidence_adds_up() -> None:
    _, found, _ = answers([json.dumps(song) for song in SONGS], explain=True)
    for answer in found:
        for pair in answer["pairs"]:  # type: ignore[attr-defined]  # read from JSON
            assert abs(pair["weight"] - sum(one["weight"] for one in pair["evidence"])) < 1e-6


def test_records_that_cost_too_much_are_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "make_limits", lambda _count: Limits(0, 60, 500))
    lines = [json.dumps(song | {"id": f"{song['id']} {at}"}) for at in range(700) for song in SONGS]
    with pytest.raises(AggregatorError, match=r"^8400 lines cannot be matched: it takes more than 0 s of processor"):
        answers(lines)
