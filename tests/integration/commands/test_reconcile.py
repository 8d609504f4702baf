from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aggregator.commands import reconcile
from aggregator.sandbox.limits import Limits


def run(lines, *, learn):
    sink, errors = io.StringIO(), io.StringIO()
    code = reconcile._reconcile_lines(io.StringIO("\n".join(lines)), sink, errors, learn=learn)
    return code, [json.loads(line) for line in sink.getvalue().split("\n") if line], errors.getvalue()


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
    (fault,) = reconcile._parse_lines([line])
    assert isinstance(fault, reconcile._LineFault)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "no JSON: Expecting property name enclosed in double quotes at character 2"),
        ("[" * 100_000, "no JSON that can be used: too many brackets within each other"),
        ('"' + "x" * reconcile._LONGEST, f"longer than {reconcile._LONGEST} characters"),
    ],
)
def test_a_fault_says_why(line, reason):
    assert list(reconcile._parse_lines([line])) == [reconcile._LineFault(1, reason)]


def test_a_line_of_any_length_is_one_line(monkeypatch):
    monkeypatch.setattr(reconcile, "_LONGEST", 100)
    good = '{"id": "a", "witnesses": []}'
    code, answers, errors = run(["x" * 100, "x" * 101, "x" * 350, good, "x" * 202], learn=True)
    assert (code, [answer["id"] for answer in answers]) == (1, ["a"])
    assert [line.partition(": ")[0] for line in errors.splitlines()] == ["line 1", "line 2", "line 3", "line 5"]
    assert all(len(line) <= 101 for line in reconcile._read_lines(io.StringIO("x" * 350 + "\n" + good)))


@pytest.mark.parametrize(
    ("said", "language"), [("en", "en"), ("pt-BR", "pt"), ("EN_us", "en"), (" ", None), (None, None)]
)
def test_a_language_is_known_without_its_region(said, language):
    (account,) = reconcile._parse_lines([json.dumps({"id": "a", "lang": said, "witnesses": []})])
    assert account.language == language


@settings(deadline=None)  # the first line loads the engine
@given(st.text(max_size=80))
def test_no_line_breaks_the_engine(line):
    _, answers, _ = run([line, json.dumps({"id": "1", "witnesses": [{"text": line}]})], learn=False)
    assert answers[-1]["id"] == "1"


COMMAND = [str(Path(sys.executable).with_name("aggregator")), "reconcile"]


def aggregator(*words, given=b""):
    done = subprocess.run([*COMMAND, *words], input=given, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_command_reads_a_pipe_and_never_writes_over_what_it_reads(tmp_path):
    good = json.dumps({"id": "é", "field": "title", "witnesses": [{"source": "x", "text": "Öl"}]}, ensure_ascii=False)
    code, out, errors = aggregator("-", given=f"\ufeff{good}\r\nnope\n{good}\n".encode() + b"\xff")
    assert (code, [json.loads(line)["text"] for line in out.splitlines()]) == (1, ["Öl", "Öl"])
    assert [line[:15] for line in errors.splitlines()] == ["line 2: no JSON", "line 4: no JSON"]
    path = tmp_path / "copies.jsonl"
    path.write_text(good, encoding="utf-8")
    (tmp_path / "same.jsonl").symlink_to(path)
    code, out, errors = aggregator(str(path), "-o", str(tmp_path / "same.jsonl"))
    assert (code, out, path.read_text(encoding="utf-8")) == (2, "", good)
    assert "this is the input file" in errors


def test_a_reader_that_goes_away_ends_the_command_quietly(bounded):
    good = json.dumps({"id": "a", "witnesses": [{"source": "x", "text": "word " * 200}]}) + "\n"
    command = [*COMMAND, "-", "--no-learn"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with bounded(subprocess.Popen(command, **pipes)) as running:
        running.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            running.stdin.write((good * 500).encode())
            running.stdin.close()
        assert running.stderr.read() == b""
        assert running.wait(180) == 1


def test_lone_surrogates_do_not_break_the_output():
    code, answers, _ = run(
        ['{"id": 7, "lang": "en", "show": "s", "witnesses": [{"source": "\\ud800", "text": "a\\udfff b"}]}'], learn=True
    )
    assert code == 0
    assert answers[0]["id"] == "7"
    json.dumps(answers, ensure_ascii=False).encode()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the limit, reached in a destructor
def test_a_line_that_costs_too_much_is_told_and_the_others_are_answered(monkeypatch):
    long = " ".join(f"word{number}" for number in range(20_000))
    monkeypatch.setattr(
        reconcile, "_find_limits", lambda line: Limits(0 if line.copies[0].text == long else 60, 60, 500)
    )
    texts = ("One", long, "One")
    lines = [json.dumps({"id": each, "witnesses": [{"source": "a", "text": each}] * 2}) for each in texts]
    code, answers, errors = run(lines, learn=True)
    assert (code, errors) == (1, "line 2: it takes more than 0 s of processor time\n")
    assert len(answers) == 2
