from __future__ import annotations

import json
from pathlib import Path

import pytest

RECORDS = [
    {"id": 1, "source": "a", "title": "Ovens and steam", "published": "2024-05-07", "duration": 1080},
    {"id": "2", "source": "b", "title": "Ovens and steam", "published": "2024-05-07", "duration": 1080},
    {"id": 3, "source": "b", "title": "Rye without fear", "published": "2024-04-30", "duration": 1500},
]


def lines(*records: object) -> str:
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def test_match_answers_in_order(run) -> None:
    answer = run("match", "-", stdin=lines(*RECORDS))
    assert (answer.returncode, answer.stderr) == (0, "")
    found = [json.loads(line) for line in answer.stdout.splitlines()]
    assert [one["id"] for one in found] == [1, "2", 3]
    assert found[0]["cluster"] == found[1]["cluster"] != found[2]["cluster"]


def test_match_reads_and_writes_files_and_tells_bad_lines_by_number(run, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(RECORDS[0]).encode() + b"{\xff\n" + lines(RECORDS[1]).encode())
    answer = run("match", "in.jsonl", "-o", "out.jsonl", "--explain", "--threshold", "0.5")
    assert answer.returncode == 1
    assert answer.stdout == ""
    assert answer.stderr.startswith("line 2: ")
    first, second = (json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines())
    assert first["cluster"] == second["cluster"]
    assert first["pairs"][0]["evidence"]


def test_a_file_that_is_not_there_is_exit_2(run) -> None:
    answer = run("match", "nothing.jsonl")
    assert (answer.returncode, answer.stderr) == (
        2,
        "aggregator: nothing.jsonl: cannot be read: No such file or directory\n",
    )


COPIES = [
    {
        "id": "a",
        "field": "description",
        "witnesses": [
            {"source": "cut", "text": "Steam in the first ten minutes decides about..."},
            {"source": "whole", "text": "Steam in the first ten minutes decides about the crust."},
        ],
    },
    {"id": "b", "field": "title", "witnesses": [{"source": "one", "text": "Rye &amp; spelt"}]},
]


@pytest.mark.parametrize("words", [(), ("--no-learn",)])
def test_reconcile_answers_in_order(words: tuple[str, ...], run) -> None:
    answer = run("reconcile", "-", *words, stdin=lines(COPIES[0]) + "nonsense\n" + lines(COPIES[1]))
    assert answer.returncode == 1
    assert answer.stderr.startswith("line 2: ")
    first, second = (json.loads(line) for line in answer.stdout.splitlines())
    assert (first["id"], first["text"]) == ("a", "Steam in the first ten minutes decides about the crust.")
    assert (second["id"], second["text"]) == ("b", "Rye & spelt")
    assert {"confidence", "provenance"} <= first.keys()


def test_reconcile_reads_and_writes_files(run, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(lines(*COPIES), encoding="utf-8")
    answer = run("reconcile", "in.jsonl", "-o", "out.jsonl")
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 2
