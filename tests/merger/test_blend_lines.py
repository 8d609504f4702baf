from __future__ import annotations

import io
import json

import pytest

from aggregator.commands import reconcile
from aggregator.merger import recount


def run(lines, *, learn):
    sink, errors = io.StringIO(), io.StringIO()
    code = reconcile.run(io.StringIO("\n".join(lines)), sink, errors, learn=learn)
    return code, [json.loads(line) for line in sink.getvalue().splitlines()], errors.getvalue()


@pytest.mark.parametrize("learn", [True, False])
def test_answers_come_in_order_and_faults_are_numbered(learn):
    good = {"id": "b", "field": "title", "witnesses": [{"source": "x", "text": "One"}, {"source": "y", "text": "One"}]}
    code, answers, errors = run([json.dumps(good), "nope", "", "[]", json.dumps(good | {"id": "a"})], learn=learn)
    assert code == 1
    assert [answer["id"] for answer in answers] == ["b", "a"]
    assert {"id", "field", "text", "confidence", "provenance"} <= set(answers[0])
    assert [line.split(":")[0] for line in errors.splitlines()] == ["line 2", "line 4"]


def test_all_well_is_zero():
    assert run([], learn=True) == (0, [], "")


@pytest.mark.parametrize(
    "line",
    [
        '{"witnesses": 1}',
        '{"witnesses": [1]}',
        '{"witnesses": [{"source": "x"}]}',
        '{"witnesses": [{"text": "x", "trust": 2}]}',
        '{"witnesses": [{"text": "x", "trust": true}]}',
        "[" * 100_000,
    ],
)
def test_what_cannot_be_used_is_a_fault(line):
    (fault,) = recount.accounts([line])
    assert isinstance(fault, recount.Fault)


def test_lone_surrogates_do_not_break_the_output():
    code, answers, _ = run(
        ['{"id": 7, "lang": "en", "show": "s", "witnesses": [{"source": "\\ud800", "text": "a\\udfff b"}]}'], learn=True
    )
    assert code == 0
    assert answers[0]["id"] == "7"
    json.dumps(answers, ensure_ascii=False).encode()
